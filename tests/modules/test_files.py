"""The gate to the file system: who is let through, what a refusal says, and that nothing half-written is left."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.sandbox.environment import make_environment
from tensorsh.sandbox.files import Permissions, path_text

from .test_escapes import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("in", "in/sub", "inner", "secret"):
        (tmp_path / name).mkdir()
    (tmp_path / "in/a.txt").write_text("one\ntwo\r\nthree")
    (tmp_path / "secret/s.txt").write_text("secret")
    (tmp_path / "inner/s.txt").write_text("secret")
    (tmp_path / "in/link").symlink_to(tmp_path / "secret/s.txt")
    (tmp_path / "in/folder").symlink_to(tmp_path / "secret")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_reading(folder: Path) -> None:
    gate = Permissions(read=["in"])
    assert gate.open("in/a.txt").read() == "one\ntwo\nthree"
    assert gate.open(folder / "in/a.txt", "rb").read() == b"one\ntwo\r\nthree"
    assert list(gate.open("in/sub/../a.txt")) == ["one\n", "two\n", "three"]
    with gate.open("in/a.txt") as file:
        assert file.readline() == "one\n" and file.name == "in/a.txt" and file.mode == "r"
    with pytest.raises(OSError, match="not writable"):
        gate.open("in/a.txt").write("x")


@pytest.mark.parametrize(
    "path",
    ["secret/s.txt", "in/link", "in/folder/s.txt", "in/../secret/s.txt", "inner/s.txt",
    "in/none/../../secret/s.txt", "/etc/passwd",
     "in/../in/folder/../secret/s.txt", "../x", "none", "secret/none"],
)  # fmt: skip
def test_refusals_say_the_flag_and_nothing_else(folder: Path, path: str) -> None:
    gate = Permissions(read=["in"])
    for mode in ("r", "rb"):
        with pytest.raises(PermissionError) as caught:
            gate.open(path, mode)
        assert str(caught.value) == f"reading {path!r} needs --allow-read={path}"
    with pytest.raises(PermissionError) as caught:
        gate.open(path, "w")
    assert str(caught.value) == f"writing {path!r} needs --allow-write={path}"
    assert caught.value.errno is None


def test_one_file_may_be_named(folder: Path) -> None:
    gate = Permissions(read=["in/a.txt"])
    assert gate.read_bytes("in/a.txt")
    with pytest.raises(PermissionError):
        gate.read_bytes("in/a.txt2")
    assert Permissions(read=True).read_bytes("secret/s.txt") == b"secret"
    assert Permissions(read=["/"]).read_bytes("secret/s.txt") == b"secret"


@pytest.mark.parametrize("path", [0, 1, b"in/a.txt", None, ["in/a.txt"], 1.5])
def test_paths_are_text(folder: Path, path: Any) -> None:
    with pytest.raises(TypeError):
        Permissions(read=True).open(path)


def test_a_path_is_asked_for_once(folder: Path) -> None:
    class Changing:
        answers = ["in/a.txt", "secret/s.txt", "secret/s.txt"]

        def __fspath__(self) -> str:
            return self.answers.pop(0)

    class Lying(str):
        def __str__(self) -> str:
            return "in/a.txt"

    gate = Permissions(read=["in"])
    assert gate.read_bytes(Changing()).startswith(b"one")
    with pytest.raises(PermissionError):
        gate.read_bytes(Lying("secret/s.txt"))
    assert type(path_text(Lying("x"))) is str and path_text(Lying("x")) == "x"
    with pytest.raises(ValueError, match="null"):
        gate.open("in/\0")


def test_writing(folder: Path) -> None:
    gate = Permissions(read=["in"], write=["in"])
    with gate.open("in/new.txt", "w") as file:
        file.write("a")
        print("b", file=file)
        assert not (folder / "in/new.txt").exists()
    assert (folder / "in/new.txt").read_text() == "ab\n"
    with gate.open("in/new.txt", "a") as file:
        file.write("c")
    with gate.open("in/new.txt", "r+") as file:
        assert file.read() == "ab\nc"
    with gate.open("in/b", "wb") as file:
        file.write(b"\xff")
    assert (folder / "in/b").read_bytes() == b"\xff"
    with pytest.raises(FileExistsError):
        gate.open("in/b", "x")
    with pytest.raises(FileNotFoundError):
        gate.open("in/none/b", "w")
    with pytest.raises(IsADirectoryError):
        gate.open("in/sub", "w")
    with pytest.raises(OSError, match="not readable"):
        gate.open("in/b", "w").read()
    os.chmod("in/b", 0o600)
    gate.write_bytes("in/b", b"2")
    assert os.stat("in/b").st_mode & 0o777 == 0o600
    gate.open("in/left", "w").write("kept")  # closed by nobody
    assert (folder / "in/left").read_text() == "kept"
    assert not [name for name in os.listdir("in") if name.endswith(".tmp")]


def test_append_without_reading_shows_nothing(folder: Path) -> None:
    gate = Permissions(write=["in"])
    with gate.open("in/a.txt", "a") as file:
        assert file.getvalue() == ""
        file.write("!")
    assert (folder / "in/a.txt").read_text().endswith("three!")
    with pytest.raises(PermissionError):
        gate.open("in/a.txt", "r+")


def test_nothing_half_written(folder: Path) -> None:
    gate = Permissions(write=["in"])
    with pytest.raises(ZeroDivisionError), gate.open_for_write("in/a.txt") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert (folder / "in/a.txt").read_bytes().startswith(b"one")
    assert not [name for name in os.listdir("in") if name.endswith(".tmp")]


def test_only_regular_files(folder: Path) -> None:
    os.mkfifo("in/fifo")
    gate = Permissions(read=True)
    for path in ("in/fifo", "/dev/zero"):
        with pytest.raises(OSError, match="not a regular file"):
            gate.open(path)
    with pytest.raises(IsADirectoryError):
        gate.open("in")


def test_numpy_files(folder: Path) -> None:
    source = """
import numpy as np, io
a = np.arange(6, dtype=np.float32).reshape(2, 3)
np.save("in/a", a)
np.savez("in/b.npz", x=a, y=a.T)
np.savez_compressed("in/c", a)
np.savetxt("in/t.csv", a, delimiter=",", fmt="%g")
np.savetxt("in/t.csv.gz", a, delimiter=",")
archive = np.load("in/b.npz")
stream = io.BytesIO()
np.save(stream, a)
stream.seek(0)
r = [np.load("in/a.npy"), archive["x"], archive["y"].T, np.load("in/c.npz")["arr_0"], np.loadtxt("in/t.csv",
     delimiter=","),
     np.loadtxt("in/t.csv.gz", delimiter=","), np.genfromtxt("in/t.csv", delimiter=","), np.load(stream),
     np.loadtxt(open("in/t.csv"), delimiter=","), np.loadtxt(["0 1 2", "3 4 5"])]
files = archive.files
"""
    scope = run(source, permissions=Permissions(read=["in"], write=["in"]))
    for array in scope["r"]:
        np.testing.assert_array_equal(array, np.arange(6).reshape(2, 3))
    assert scope["files"] == ["x", "y"]
    np.testing.assert_array_equal(np.load("in/a.npy"), scope["a"])
    assert gzip.decompress((folder / "in/t.csv.gz").read_bytes()).count(b"\n") == 2


def test_numpy_files_that_lie(folder: Path) -> None:
    load = make_environment(permissions=Permissions(read=["in"])).module("numpy").load
    np.save("in/pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    (folder / "in/pickle").write_bytes(b"\x80\x04N.")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"
    (folder / "in/big.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"12345678")
    for path, message in [
        ("in/pickled.npy", "allow_pickle"), ("in/pickle", "pickled data"), ("in/big.npy",
        "cannot read an array"), ("in/a.txt", "neither"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            load(path, allow_pickle=True)
    with pytest.raises(ValueError, match="mmap_mode"):
        load("in/a.txt", mmap_mode="r")
    with pytest.raises(PermissionError):
        load("http://localhost/x.npy")


def test_os_and_pathlib(folder: Path) -> None:
    source = """
import os
from pathlib import Path
p = Path("in") / "x" / "y"
p.mkdir(parents=True, exist_ok=True)
p.mkdir(parents=True, exist_ok=True)
(p / "f.txt").write_text("hello")
os.makedirs(os.path.join("in", "x", "z"), exist_ok=True)
r = [(p / "f.txt").read_text(), p.exists(), p.is_dir(), (p / "f.txt").is_file(), sorted(os.listdir("in/x")),
     os.path.exists("in/no"),
     p.name, str(p.parent), p.suffix, (p / "f.txt").stem, [str(f) for f in p.iterdir()],
     os.path.splitext("a.b"), repr(Path("a")),
     isinstance(p / "q", Path), os.environ.get("HOME"), Path("in/a.txt").open().readline(),
     [str(f) for f in Path("in").glob("x/*/f.*")], [str(f) for f in Path("in").rglob("f.txt")],
     list(Path("in").glob("../secret")), list(Path("in").glob("../*.txt"))]
(p / "f.txt").unlink()
os.remove("in/a.txt")
Path("in/d").mkdir()
moved = Path("in/d").rename("in/e").replace("in/f")
r.append((str(moved), moved.is_dir(), Path("in/d").exists()))
moved.rmdir()
r.append(moved.exists())
"""
    scope = run(source, permissions=Permissions(read=["in"], write=["in"]))
    assert scope["r"] == [
        "hello", True, True, True, ["y", "z"], False, "y", "in/x", "", "f", ["in/x/y/f.txt"], ("a", ".b"),
        "PosixPath('a')",
        True, None, "one\n", ["in/x/y/f.txt"], ["in/x/y/f.txt"], [], [],
        ("in/f", True, False), False,
    ]  # fmt: skip
    for refused in ("os.listdir('.')", "os.path.exists('secret')", "os.getcwd()", "os.mkdir('q')",
    "Path('secret').exists()",
                    "Path.cwd()", "Path('q').mkdir()", "os.remove('inner/s.txt')",
                    "Path('in').resolve().parent.exists()", "list(Path('.').glob('*'))",
                    "os.rename('in', 'q')", "os.replace('secret', 'in/s')", "Path('q').rmdir()"):  # fmt: skip
        with pytest.raises(PermissionError, match="needs --allow-"):
            run(f"import os\nfrom pathlib import Path\n{refused}", permissions=Permissions(read=["in"], write=["in"]))


def test_a_file_that_may_not_be_read_is_not_moved_to_where_it_may(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "kept").write_text("not to be read")
    with pytest.raises(PermissionError, match="reading 'out/kept' needs --allow-read"):
        run("import os\nos.rename('out/kept', 'in/kept')", permissions=Permissions(read=["in"], write=["in", "out"]))
    assert (folder / "out" / "kept").exists()


def test_a_path_that_tells_other_names_moves_no_file_that_is_not_to_be_read(tmp_path: Path) -> None:
    read, write = tmp_path / "read", tmp_path / "write"
    read.mkdir(), write.mkdir()
    (write / "secret").write_text("secret")
    (read / "open").write_text("open")
    session = Session(permissions=Permissions(read=[str(read)], write=[str(read), str(write)]))
    session.run(
        "import os, pathlib\nclass P(pathlib.Path):\n    told = []\n    def __str__(self): return P.told.pop(0) if P.told else names[0]\n"
        f"names = [{str(read / 'open')!r}, {str(write / 'secret')!r}]"
    )
    for order in ("names + names", "[names[0]] + names[1:] * 3", "names[1:] * 4"):
        for move in ("os.rename(p, q)", "os.replace(p, q)", "p.rename(q)", "p.replace(q)"):
            try:
                session.run(f"p, q = P('a'), {str(read / 'moved')!r}\nP.told[:] = {order}\n{move}")
            except (OSError, ValueError):
                pass
            assert (write / "secret").exists(), (order, move)
            if (read / "moved").exists():
                (read / "moved").rename(read / "open")


def test_a_path_of_a_program_s_class_is_not_told_what_lies_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "own").write_text("")
    (tmp_path / "secret").write_text("")
    session = Session(permissions=Permissions(read=[str(tmp_path / "in")]))
    session.run(f"""
import pathlib
told = []
class P(pathlib.Path):
    def __truediv__(self, name):
        told.append(name)
        return super().__truediv__(name)
found = [*P({str(tmp_path / "in")!r}).glob("../*"), *P({str(tmp_path / "in")!r}).glob("*")]
""")
    assert session["told"] == ["../in", "own"]


LYING_PATTERN = """
import pathlib
told = []
class Pattern(str):
    asked = 0
    def startswith(self, start):
        Pattern.asked += 1
        return Pattern.asked > 1
    def rfind(self, part): return 0
    def __getitem__(self, places): return Folder(WHERE) if places.start is None else "s*"
class Folder(Pattern):
    def __add__(self, other): told.append(other)
    def endswith(self, end): return False
    def rstrip(self, end): return self
"""


@pytest.mark.parametrize("way", ["glob", "rglob"])
def test_a_pattern_of_a_program_s_class_is_plain_text(way: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("")
    session = Session(permissions=Permissions(read=[str(tmp_path / "in")]))
    session.run(f"WHERE = {str(tmp_path)!r}" + LYING_PATTERN)
    session.run(f"found = [*pathlib.Path({str(tmp_path / 'in')!r}).{way}(Pattern('*'))]")
    assert session.run("found, told") == ([], [])
