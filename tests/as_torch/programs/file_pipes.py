"""Data pipes of files: their names, the files opened, and what is read of them."""

import io
import os
import pickle
import tempfile

from torch.utils.data.datapipes.iter import FileLister, FileOpener, IterableWrapper, StreamReader
from torch.utils.data.datapipes.utils.common import StreamWrapper

folder = tempfile.mkdtemp()
os.makedirs(os.path.join(folder, "below"))
for name in ("b.txt", "a.txt", "c.png", os.path.join("below", "d.txt")):
    with open(os.path.join(folder, name), "w") as file:
        file.write(name[0] * 3)
short = lambda path: os.path.relpath(path, folder)  # noqa: E731
print([short(p) for p in FileLister(folder)], [short(p) for p in FileLister(folder, "*.txt", recursive=True)])
print([short(p) for p in FileLister([folder, os.path.join(folder, "c.png")], ["c*", "b*"], abspath=True)])
print([short(p) for p in IterableWrapper([folder]).list_files(masks="a*")], len(FileLister(folder, length=7)))
texts = FileLister(folder, "*.txt")
print([(short(path), file.read(), file.closed) for path, file in FileOpener(texts, mode="t")])
print([(short(path), data) for path, data in texts.open_files(mode="b").read_from_stream(chunk=2)])
print(list(StreamReader(IterableWrapper([("alphabet", io.StringIO("abcde"))], deepcopy=False), chunk=3)))
for wrong in (
    lambda: FileOpener(texts, mode="w"),
    lambda: FileOpener(texts, mode="b", encoding="ascii"),
    lambda: len(texts),
    lambda: list(FileOpener([3])),
    lambda: list(FileLister(os.path.join(folder, "absent"))),
    lambda: StreamWrapper(None, parent_stream=3),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].replace(folder, "."))
source = io.StringIO("one\ntwo")
held = StreamWrapper(source)
print(next(held), list(held), "readline" in dir(held), held.closed, StreamWrapper([1], name="list"))
part = StreamWrapper(io.StringIO(""), parent_stream=held)
held.autoclose()
print(source.closed)
part.close()
print(source.closed, pickle.loads(pickle.dumps(StreamWrapper([1, 2]))).file_obj)
kept = StreamWrapper(io.StringIO())
file = kept.file_obj
del kept
print(file.closed)
