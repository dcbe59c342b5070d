"""Checkpoints: PyTorch's files load, ours have its structure, and files can neither run code nor lie about sizes."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorsh import Session, torch
from tensorsh.sandbox.files import Permissions
from tensorsh.torch.makers import UnpicklingError
from tensorsh.torch.pickled import Global, Persistent, Writer

from ..recording import states

DATA = Path(__file__).parents[1] / "data"


def round_trip(value: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer)


def test_a_file_of_pytorch() -> None:
    """checkpoint.pt was written by PyTorch 2.13: a model's and an optimizer's state and one of everything."""
    found = torch.load(DATA / "checkpoint.pt")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 2)).sum().backward()
    optimizer.step()
    assert list(found["m"]) == list(model.state_dict())
    for name, value in model.state_dict().items():
        assert torch.allclose(found["m"][name], value)
    assert found["m"]._metadata["1"] == {"version": 2}
    assert found["opt"]["state"][0]["step"].item() == 1.0
    assert found["opt"]["param_groups"] == optimizer.state_dict()["param_groups"]
    assert isinstance(found["p"], torch.nn.Parameter) and found["rg"].requires_grad
    assert found["e"] == [1, 2.5, "sé", None, True, (1,), (), (1, 2, 3, 4), -5, 70000, 10**12, -(10**10)]
    assert (found["s"], found["d"], found["dev"], found["set"]) == (
        torch.Size([2]), torch.float16, torch.device("cpu"), {1},
    )  # fmt: skip
    assert (found["by"], found["c"], found["big"]) == (b"ab\xff", 3 + 4j, list(range(2100)))
    assert found["v"].tolist() == [[0, 3], [1, 4], [2, 5]] and found["v"].stride() == (1, 3)
    assert found["h"].dtype is torch.bfloat16 and found["h"].tolist() == [1, 1]
    assert found["u16"].dtype is torch.uint16 and found["u16"].tolist() == [1, 2]
    assert found["ex"].stride() == (0,) and found["e0"].shape == (0, 3)
    whole, row, column, turned = found["views"]
    row[0] = 100
    assert whole[1, 0] == 100 and turned[0, 1] == 100 and column.tolist() == [2, 6, 10]


@pytest.mark.filterwarnings("ignore")
def test_pytorchs_states_of_every_module() -> None:
    assert states.differences(states.recorded(torch), torch) == []


def test_the_structure_is_pytorchs_byte_for_byte() -> None:
    value = {
        "w": torch.arange(6.0).view(2, 3).t(),
        "n": [1, 2.5, "a", None, True],
        "p": torch.nn.Parameter(torch.ones(2)),
        "b": b"\xff",
    }
    buffer = io.BytesIO()
    torch.save(value, buffer)
    archive = zipfile.ZipFile(buffer)
    assert archive.read("archive/data.pkl") == (DATA / "checkpoint_structure.pkl").read_bytes()
    assert archive.read("archive/data/0") == np.arange(6, dtype=np.float32).tobytes()
    for info in archive.infolist():
        assert info.compress_type == 0
    names = [name.removeprefix("archive/") for name in archive.namelist()]
    assert {"byteorder", "version", ".format_version", ".storage_alignment", "data/1"} <= set(names)


@pytest.mark.parametrize("dtype", "bool uint8 int8 int16 int32 int64 uint32 float16 bfloat16 float32 complex64".split())
def test_dtypes(dtype: str) -> None:
    t = torch.tensor([0, 1, 2]).to(getattr(torch, dtype))
    assert round_trip(t).dtype is t.dtype
    assert round_trip([t[1:]])[0].tolist() == t[1:].tolist()


def test_what_was_loaded_is_saved_again() -> None:
    value = {"count": torch.tensor(2), "weight": torch.arange(6.0).reshape(2, 3).t(), "none": torch.zeros(0, 3)}
    for _ in range(3):
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        value = torch.load(file)
    assert value["count"].shape == () and value["count"].item() == 2
    assert value["weight"].tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]] and value["none"].shape == (0, 3)


def test_containers_and_cycles() -> None:
    loop: list = [1]
    loop.append(loop)
    found = round_trip(loop)
    assert found[0] == 1 and found[1] is found
    assert round_trip(OrderedDict(a=(1, {"b": frozenset({2})}))) == OrderedDict(a=(1, {"b": frozenset({2})}))


def test_what_is_no_plain_data_is_refused() -> None:
    with pytest.raises(TypeError, match="save its state_dict"):
        round_trip(torch.optim.SGD([torch.zeros(1)]))
    with pytest.raises(TypeError, match="no 'function' object"):
        round_trip(round_trip)


def archive_of(structure: bytes, **records: bytes) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a/data.pkl", structure)
        for name, data in records.items():
            file.writestr(f"a/data/{name[1:]}", data)
    buffer.seek(0)
    return buffer


class Hostile:
    def __reduce__(self) -> tuple:
        return print, ("never",)


class Builds:
    """Sets attributes of an OrderedDict, which numpy would look at."""

    def __reduce__(self) -> tuple:
        return OrderedDict, (), {"__array_interface__": {"data": (0, True)}}


def test_files_cannot_run_code(capsys: pytest.CaptureFixture) -> None:
    for value in (Hostile(), [Hostile()], {"a": Hostile()}, print, int, Builds()):
        for protocol in (2, 4):
            with pytest.raises(UnpicklingError):
                torch.load(archive_of(pickle.dumps(value, protocol)))
    assert capsys.readouterr().out == ""


def older_file(*keys: tuple, tail: bytes = b"") -> io.BytesIO:
    """A file of the older kind that names storages and brings no more than `tail`."""

    def value(given: object) -> bytes:
        return Writer(lambda other: other).dump(given)

    stored = [Persistent(("storage", Global("torch", "FloatStorage"), *key)) for key in keys]
    parts = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}, stored, [key[0] for key in keys]]
    return io.BytesIO(b"".join(map(value, parts)) + tail)


def test_older_files_take_no_memory_that_they_do_not_bring() -> None:
    key = lambda name, length: (name, "cpu", length, None)  # noqa: E731
    with pytest.raises(UnpicklingError, match="longer than the file"):
        torch.load(older_file(key("0", 10**9)))
    with pytest.raises(UnpicklingError, match="longer than the file"):
        torch.load(older_file(*[key(str(i), 20) for i in range(1000)]))
    with pytest.raises(UnpicklingError, match="longer than the file|unknown form"):
        torch.load(older_file(key("0", -1)))
    with pytest.raises(RuntimeError, match="unexpected EOF"):
        torch.load(older_file(key("0", 1), tail=b"\x01" + bytes(7)))
    assert len(torch.load(older_file(key("0", 1), tail=b"\x01" + bytes(11)))) == 1


def test_older_files_are_checked_as_they_are() -> None:
    """What is made of memory that lies further behind is checked with what lies there."""
    buffer = io.BytesIO()
    torch.save(torch.eye(3).to_sparse_csr(), buffer, _use_new_zipfile_serialization=False)
    right, wrong = (np.array([4, 0, 1, 2, last]).tobytes() for last in (3, 10**9))
    data = buffer.getvalue()
    assert data.count(right) == 1
    assert torch.load(io.BytesIO(data)).to_dense().equal(torch.eye(3))
    with pytest.raises(RuntimeError, match="crow_indices"):
        torch.load(io.BytesIO(data.replace(right, wrong)))


def test_damaged_files() -> None:
    buffer = io.BytesIO()
    torch.save({"a": torch.ones(4), "b": [1, 2]}, buffer)
    data = buffer.getvalue()
    with pytest.raises(EOFError):
        torch.load(io.BytesIO(b""))
    with pytest.raises(UnpicklingError):
        torch.load(io.BytesIO(b"not a checkpoint"))
    structure = zipfile.ZipFile(buffer).read("archive/data.pkl")
    with pytest.raises(RuntimeError, match="beyond its storage"):
        torch.load(archive_of(structure, _0=b"\0" * 12))
    with pytest.raises(RuntimeError, match="failed locating file data/0"):
        torch.load(archive_of(structure))
    for at in range(0, len(structure), 3):
        with pytest.raises((UnpicklingError, EOFError, RuntimeError, TypeError, ValueError)):
            torch.load(archive_of(structure[:at], _0=b"\0" * 16))
    for at in range(30, len(data), 97):
        try:
            torch.load(io.BytesIO(data[:at] + b"\xff" + data[at + 1 :]))
        except (
            UnpicklingError,
            EOFError,
            RuntimeError,
            TypeError,
            ValueError,
            zipfile.BadZipFile,
            NotImplementedError,
        ):
            pass


def test_permissions(tmp_path: Path) -> None:
    path = str(tmp_path / "model.pt")
    closed = Session()
    for source in (f"torch.save(torch.ones(2), {path!r})", f"torch.load({path!r})"):
        with pytest.raises(PermissionError, match="--allow-"):
            closed.run(source)
    Session(Permissions(write=[str(tmp_path)])).run(f"torch.save(torch.ones(2), {path!r})")
    with pytest.raises(PermissionError):
        Session(Permissions(write=[str(tmp_path)])).run(f"torch.load({path!r})")
    reader = Session(Permissions(read=[str(tmp_path)]))
    assert reader.run(f"torch.load({path!r}).sum().item()") == 2.0
    assert zipfile.ZipFile(path).namelist()[0] == "model/data.pkl"
    buffered = "import io\nb = io.BytesIO()\ntorch.save([1], b)\nb.seek(0)\ntorch.load(b)"
    assert closed.run(buffered) == [1]


MODEL = """
import io, torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Linear(2, 1)
file = io.BytesIO()
torch.save(Net(), file)
file.seek(0)
"""


def test_objects_are_made_only_when_asked_for() -> None:
    session = Session()
    session.run(MODEL)
    with pytest.raises(UnpicklingError, match="__main__.Net"):
        session.run("torch.load(file)")
    session.run("file.seek(0)\nnet = torch.load(file, weights_only=False)\nfile.seek(0)")
    assert session.run("type(net) is Net and net.l.weight.shape == (1, 2)")
    other = Session()
    other["file"] = session["file"]
    with pytest.raises(UnpicklingError, match="__main__.Net"):
        other.run("import torch\ntorch.load(file, weights_only=False)")


ARRAYS = [
    np.arange(6).reshape(2, 3), np.float64(2.5), np.bool_(True), np.zeros((0, 2), np.float32), np.array(1 + 2j), np.int32(-3),
    np.array(["ab", "c"]), np.array([b"xy", b"z"]), np.ones(2, np.float16), np.asfortranarray(np.arange(4.0).reshape(2, 2)),
]  # fmt: skip


def test_arrays_are_written_as_numpy_writes_them() -> None:
    buffer = io.BytesIO()
    torch.save(ARRAYS, buffer)
    with zipfile.ZipFile(buffer) as file:
        theirs = pickle.loads(file.read("archive/data.pkl"))
    buffer.seek(0)
    with pytest.raises(UnpicklingError, match="Weights only load failed"):
        torch.load(buffer)
    buffer.seek(0)
    for given, one, other in zip(ARRAYS, theirs, torch.load(buffer, weights_only=False), strict=True):
        assert repr(given) == repr(one) == repr(other)
    with pytest.raises(TypeError, match="not of object"):
        torch.save(np.array([object()]), io.BytesIO())


@pytest.mark.parametrize(
    "stream",
    [
        pickle.dumps(np.array([print], dtype=object), 2), pickle.dumps(np.array([1], ">i4"), 2),
        pickle.dumps(np.array([1, 2]), 2).replace(b"K\x02\x85", b"K\x09\x85"), pickle.dumps(np.datetime64("2020"), 2),
    ],
)  # fmt: skip
def test_arrays_that_lie(stream: bytes) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("archive/data.pkl", stream)
    buffer.seek(0)
    with pytest.raises((UnpicklingError, ValueError)):
        torch.load(buffer, weights_only=False)


@pytest.mark.parametrize(
    "stream",
    [
        b"\x80\x02cbuiltins\neval\nX\x01\x00\x00\x001\x85R.",
        b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.",
        b"\x80\x02ctorch\nmanual_seed\nK\x01\x85R.",
        b"\x80\x02ctorch\nadd\nK\x01\x85R.",
        b"\x80\x02ctorch\nTensor\n)\x81.",
        b"\x80\x02c__main__\nsession\n)\x81.",
        b"\x80\x02c__main__\nf\n)R.",
        b"\x80\x02c__main__\nA\n)R.",
        b"\x80\x02c__main__\nA\n)\x81}X\x09\x00\x00\x00__class__K\x01sb.",
        b"\x80\x02c__main__\nA.__dict__\n)\x81.",
        b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81}X\x0b\x00\x00\x00_parametersK\x01sb.",
        b"\x80\x02ctorch.nn.modules.module\nregister_module_forward_hook\n)\x81.",
    ],
)
def test_a_file_reaches_nothing_else(stream: bytes) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("archive/data.pkl", stream)
    session = Session()
    session["file"] = io.BytesIO(buffer.getvalue())
    with pytest.raises(UnpicklingError):
        session.run(
            "import torch\nclass A: pass\ndef f(): raise ValueError('it ran')\ntorch.load(file, weights_only=False)"
        )


def test_checksums_are_not_looked_at_and_lengths_are() -> None:
    buffer = io.BytesIO()
    torch.save(torch.arange(1000.0), buffer)
    data = bytearray(buffer.getvalue())
    at = data.find(torch.arange(1000.0).numpy().tobytes()) + 4 * 100 + 3
    data[at] ^= 0x80
    changed = torch.load(io.BytesIO(bytes(data)))
    assert changed[100].item() == -100.0 and torch.equal(changed[101:], torch.arange(101.0, 1000.0))
    cut = data[: at - 200] + data[at:]
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed reading"):
        torch.load(io.BytesIO(bytes(cut)))
