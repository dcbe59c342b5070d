# ruff: noqa
"""Files from before zip archives, of the other order of bytes, storages in files; several objects in one file."""

import io
import zipfile

import torch


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


# What PyTorch 0.4 wrote under Python 2.7: [b'\xc5\xbc', torch.zeros(1), 2]
OLD = (
    b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."
    b"\x80\x02}q\x01(U\x10protocol_versionq\x02M\xe9\x03U\n"
    b"type_sizesq\x03}q\x04(U\x03intq\x05K\x04U\x05shortq\x06K\x02U"
    b"\x04longq\x07K\x04uU\rlittle_endianq\x08\x88u.\x80\x02]q"
    b"\x01(U\x02\xc5\xbcq\x02ctorch._utils\n_rebuild_tensor_v2\nq\x03((U"
    b"\x07storageq\x04ctorch\nFloatStorage\nq\x05U\x0845640624q"
    b"\x06U\x03cpuq\x07\x8a\x01\x01NtQK\x00K\x01\x85K\x01\x85"
    b"\x89NtRq\x08K\x02e.\x80\x02]q\x01U\x0845640624q\x02a.\x01\x00"
    b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)
for weights_only in (True, False):
    for encoding in ("utf-8", "bytes"):
        print(torch.load(io.BytesIO(OLD), weights_only=weights_only, encoding=encoding))

a = torch.arange(6.0)
what = {"a": a, "b": a[1:3], "s": a.storage(), "n": [None, 1.5, "x"], "h": torch.ones(2, dtype=torch.float16)}
for new in (True, False):
    for weights_only in (True, False):
        file = io.BytesIO(b"front")
        file.seek(5)
        if new:
            what["u"] = torch.ones(3).untyped_storage()
        else:
            what.pop("u", None)
        torch.save(what, file, _use_new_zipfile_serialization=new)
        if not new:
            torch.save(torch.ones(2), file, _use_new_zipfile_serialization=new)
        file.seek(5)
        got = torch.load(file, weights_only=weights_only)
        got["b"][0] = 9
        print(got["a"], type(got["s"]), got["s"][1], type(got.get("u")), got["n"], got["h"])
        if not new:
            print(torch.load(file, weights_only=weights_only))
for dtype in (torch.uint16, torch.float8_e5m2):
    file = io.BytesIO()
    x = torch.arange(0.0, 6.0).to(dtype)
    torch.save([x, x[::2]], file)
    got = torch.load(io.BytesIO(file.getvalue()))
    got[1][0] = torch.tensor(3.0).to(dtype)
    print(got[0].to(torch.float32))

file, turned = io.BytesIO(), io.BytesIO()
torch.save(
    {"f": torch.tensor([1.0, 2.0]), "c": torch.tensor([1 + 2j]), "i": torch.tensor([258], dtype=torch.int16)}, file
)
SIZES = {8: 4, 2: 2}
with zipfile.ZipFile(file) as source, zipfile.ZipFile(turned, "w") as target:
    for name in source.namelist():
        data = source.read(name)
        if name.endswith("byteorder"):
            data = b"big"
        elif "/data/" in name:
            size = SIZES[len(data)]
            data = b"".join(data[i : i + size][::-1] for i in range(0, len(data), size))
        target.writestr(name, data)
print(torch.load(io.BytesIO(turned.getvalue())))
print(torch.load(io.BytesIO(turned.getvalue()), weights_only=False))
told(lambda: torch.load(io.BytesIO(b"\x80\x02K\x01.")))
told(lambda: torch.load(io.BytesIO(b"\x80\x02]q\x00."), weights_only=False))
told(lambda: torch.load(io.BytesIO(OLD[:-4])))
print(torch.serialization._is_zipfile(io.BytesIO(OLD)), torch.serialization._is_zipfile(turned))
import pickle

for value in (torch.sparse_csr, torch.strided, torch.Size([1, 2]), torch.float16, torch.device("cpu")):
    print(pickle.dumps(value, 2), pickle.loads(pickle.dumps(value)))

for data in (b"<!DOCTYPE html>", b"version https://git-lfs", b"\x00\x00", b"{}", b"'x'"):
    for weights_only in (True, False):
        try:
            torch.load(io.BytesIO(data), weights_only=weights_only)
        except Exception as error:
            print(type(error).__name__, error)
