"""Files of data sets made to harm: small ones that ask for much memory, names, steps and sizes that no such file has."""

from __future__ import annotations

import gzip
import io
import pickle
import time
from pathlib import Path

import numpy as np
import pytest

from tensorsh import Permissions, Session
from tensorsh.datasets import reading

TWICE = b"q\x010]h\x01ah\x01a"
"""Steps of a pickle: a list in which the last value stands twice."""
PICKLES = {
    "a value kept under a number beyond the file": b"\x80\x02Nr\xf0\xff\xff\x0f.",
    "the same in text": b"(lp99999999999\n.",
    "another default of a function of the library's": b"\x80\x02c_codecs\nencode\nN}U\x0c__defaults__K\x05\x85s\x86b.",
    "an attribute of a name": b"\x80\x02c_codecs\nencode\n}U\x01xK\x05sb.",
    "an attribute of a class": b"\x80\x02cnumpy\ndtype\nN}U\x01xK\x05s\x86b.",
    "more bytes than there are": b"\x80\x05\x96\xff\xff\xff\xff\xff\x00\x00\x00.",
    "a frame beyond the file": b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.",
    "a name of Python's": b"\x80\x02cos\nsystem\nU\x04true\x85R.",
    "a name by text": b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
    "a persistent name": b"\x80\x02U\x01xQ.",
    "an extension": b"\x80\x02\x82\x01.",
    "a list within lists": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    "an array of a negative shape": pickle.dumps({"data": np.zeros(4, np.uint8)}, 2).replace(b"K\x04\x85", b"J\xfc\xff\xff\xff\x85"),
    "an array that is larger than its bytes": pickle.dumps({"data": np.zeros(4, np.uint8)}, 2).replace(b"K\x04\x85", b"J\x00\x00\x00\x7f\x85"),
    "an array of objects": pickle.dumps({"data": np.array([None, 1], object)}, 2),
    "no pickle": b"\x80",
    "a key of tuples within tuples, on which a hash overflows the stack": b"\x80\x02}()" + b"\x85" * 1_000_000 + b"K\x01u.",
    "a member of a set, likewise": b"\x80\x04\x8f()" + b"\x85" * 1_000_000 + b"\x90.",
    "a key that holds one tuple 2**60 times": b"\x80\x02})" + b"2\x86" * 60 + b"K\x01s.",
    "the text of a list that holds one text 2**60 times": b"\x80\x02c_codecs\nencode\nU\x01x" + TWICE * 60 + b"\x85R.",
}  # fmt: skip


@pytest.mark.parametrize("data", PICKLES.values(), ids=PICKLES)
def test_a_crafted_batch_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(reading, "content", lambda path: io.BytesIO(data))
    began = time.process_time()
    try:
        found = reading.read_batch("batch")
    except ValueError as error:
        assert "is no batch of CIFAR's" in str(error)
    else:
        assert not isinstance(found.get("data"), np.ndarray)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "names", [b"]N" + TWICE * 60 + b"a", b"]K\x01a", b"U\x01x", b"N"], ids=["2**60 texts", "a number", "text", "none"]
)
def test_names_of_classes_are_texts(tmp_path: Path, names: bytes) -> None:
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    batch = pickle.dumps({"data": np.zeros((1, 3072), np.uint8), "labels": [0]}, 2)
    for name in ("test_batch", "batches.meta"):
        (folder / name).write_bytes(batch if name == "test_batch" else b"\x80\x02}U\x0blabel_names" + names + b"s.")
    session = Session(Permissions(read=[tmp_path]))
    with pytest.raises(ValueError, match="holds no names of classes"):
        session.run(f"from torchvision.datasets import CIFAR10\nCIFAR10({str(tmp_path)!r}, train=False)")


def test_a_packed_batch_unpacks_within_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_BATCH", 1 << 20)
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    (folder / "test_batch.bin.gz").write_bytes(gzip.compress(bytes(3073 << 10)))
    session = Session(Permissions(read=[tmp_path]))
    with pytest.raises(ValueError, match="holds more than 1048576 bytes"):
        session.run(f"from torchvision.datasets import CIFAR10\nCIFAR10({str(tmp_path)!r}, train=False)")


IDX = {
    "of no dimensions": b"\0\0\x08\0",
    "of numbers unknown": b"\0\0\x07\x01\0\0\0\x01a",
    "larger than any memory": b"\0\0\x08\x08" + b"\xff" * 32,
    "larger than its bytes": b"\0\0\x08\x01\0\0\0\x05ab",
    "smaller than its bytes": b"\0\0\x08\x01\0\0\0\x01ab",
    "cut in its head": b"\0\0\x08\x03\0\0",
}


@pytest.mark.parametrize("data", IDX.values(), ids=IDX)
@pytest.mark.parametrize("packed", [False, True])
def test_a_crafted_idx_file_is_refused_at_once(tmp_path: Path, data: bytes, packed: bool) -> None:
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"):
        (raw / (name + ".gz" * packed)).write_bytes(gzip.compress(data) if packed else data)
    session = Session(Permissions(read=[tmp_path]))
    with pytest.raises(ValueError, match="idx file|says that it holds|damaged"):
        session.run(f"from torchvision.datasets import MNIST\nMNIST({str(tmp_path)!r})")


def test_a_file_that_unpacks_to_more_than_it_says_is_not_unpacked_whole(tmp_path: Path) -> None:
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    bomb = gzip.compress(b"\0\0\x08\x03" + b"\0\0\0\x01" * 3 + bytes(300_000_000), 9)
    for name in ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"):
        (raw / name).write_bytes(bomb)
    began = time.process_time()
    with pytest.raises(ValueError, match="damaged"):
        Session(Permissions(read=[tmp_path])).run(f"from torchvision.datasets import MNIST\nMNIST({str(tmp_path)!r})")
    assert time.process_time() - began < 1
