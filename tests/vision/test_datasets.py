"""Data sets in the sandbox: the small ones that come along, idx files and batches that a user has, and files that lie."""

from __future__ import annotations

import gzip
import os
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tensorsh import Permissions, Session

IMAGES = np.arange(3 * 28 * 28, dtype=np.uint64).reshape(3, 28, 28).astype(np.uint8)
LABELS = np.array([7, 0, 9], np.uint8)


def idx(array: np.ndarray, kind: int = 8) -> bytes:
    return bytes([0, 0, kind, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    (raw / "train-images-idx3-ubyte").write_bytes(idx(IMAGES))
    (raw / "train-labels-idx1-ubyte").write_bytes(idx(LABELS))
    (raw / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(IMAGES[:2])))
    (raw / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(LABELS[:2])))
    batches = tmp_path / "cifar-10-batches-py"
    batches.mkdir()
    pixels = np.arange(2 * 3072, dtype=np.uint64).reshape(2, 3072).astype(np.uint8)
    for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
        (batches / name).write_bytes(pickle.dumps({b"data": pixels, b"labels": [1, 5]}, 2))
    (batches / "batches.meta").write_bytes(pickle.dumps({"label_names": list("abcdefghij")}, 2))
    binary = tmp_path / "binary" / "cifar-100-binary"
    binary.mkdir(parents=True)
    (binary / "test.bin").write_bytes(bytes([3, 44]) + pixels[0].tobytes())
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Session:
    session = Session(Permissions(read=[folder]))
    session["root"] = str(folder)
    session.run("from torchvision import datasets, transforms as T")
    return session


@pytest.mark.parametrize(
    "source, value",
    [
        ("d = datasets.MNIST(root); len(d), tuple(d.data.shape), d.targets.tolist(), d.data.dtype == torch.uint8", (3, (3, 28, 28), [7, 0, 9], True)),
        ("x, y = datasets.MNIST(root, transform=T.ToTensor())[2]; x.shape, y, round(x[0, 0, 5].item() * 255)", ((1, 28, 28), 9, 2 * 784 % 256 + 5)),
        ("d = datasets.MNIST(root, train=False, download=True); len(d), type(d[0][0]).__name__, d[0][0].shape", (2, "ndarray", (28, 28))),
        ("d = datasets.MNIST(root + '/MNIST/raw'); len(d)", 3),
        ("datasets.MNIST(root).class_to_idx['3 - three']", 3),
        ("d = datasets.CIFAR10(root); len(d), d.data.shape, d.targets[:3], d.classes[5]", (10, (10, 32, 32, 3), [1, 5, 1], "f")),
        ("x, y = datasets.CIFAR10(root, train=False, transform=T.ToTensor())[1]; x.shape, y", ((3, 32, 32), 5)),
        ("x, y = datasets.CIFAR10(root, train=False)[0]; x[0, 1].tolist(), x.shape", ([1, 1, 1], (32, 32, 3))),
        ("d = datasets.CIFAR100(root + '/binary', train=False); len(d), d.targets, d.data.shape", (1, [44], (1, 32, 32, 3))),
        ("repr(datasets.CIFAR10(root, train=False)).split('\\n')[3]", "    Split: Test"),
        ("d = datasets.MNIST(root); next(iter(torch.utils.data.DataLoader(datasets.MNIST(root, transform=T.ToTensor()), 3)))[0].shape", (3, 1, 28, 28)),
    ],
)  # fmt: skip
def test_files_that_a_user_has(source: str, value: object, session: Session) -> None:
    assert session.run(source) == value


def test_without_permission_nothing_is_read(folder: Path) -> None:
    session = Session()
    session["root"] = str(folder)
    for name in ("MNIST", "CIFAR10", "CIFAR100", "FashionMNIST"):
        with pytest.raises(PermissionError, match=f"needs --allow-read={folder}$"):
            session.run(f"from torchvision import datasets; datasets.{name}(root)")


def test_a_link_leads_nowhere_else(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "images"
    outside.write_bytes(idx(IMAGES))
    inside = folder / "MNIST" / "raw" / "train-images-idx3-ubyte"
    inside.unlink()
    inside.symlink_to(outside)
    session = Session(Permissions(read=[folder]))
    session["root"] = str(folder)
    with pytest.raises(PermissionError):
        session.run("from torchvision import datasets; datasets.MNIST(root)")


def test_nothing_is_downloaded(session: Session) -> None:
    with pytest.raises(
        RuntimeError, match="tensorsh downloads nothing, so put train-images-idx3-ubyte, .*FashionMNIST/raw"
    ):
        session.run("datasets.FashionMNIST(root, download=True)")


class Out:
    def __reduce__(self):
        return os.system, ("touch escaped",)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0\0\x08", b"\0\0\x08\x03", b"abcd", idx(IMAGES)[:-1], idx(IMAGES) + b"x", b"\0\0\x08\x03" + b"\xff" * 12,
        bytes([0, 0, 99, 1, 0, 0, 0, 1, 5]), bytes([0, 0, 8, 200]) + b"\0\0\0\1" * 200, idx(IMAGES[0]), idx(LABELS),
    ],
)  # fmt: skip
def test_damaged_images(data: bytes, session: Session, folder: Path) -> None:
    (folder / "MNIST" / "raw" / "train-images-idx3-ubyte").write_bytes(data)
    with pytest.raises(ValueError):
        session.run("datasets.MNIST(root)")


def test_damaged_packing(session: Session, folder: Path) -> None:
    file = folder / "MNIST" / "raw" / "t10k-images-idx3-ubyte.gz"
    for data in (b"no gzip", file.read_bytes()[:-20], b"\x1f\x8b\x08\0" + b"\xff" * 30):
        file.write_bytes(data)
        with pytest.raises(ValueError):
            session.run("datasets.MNIST(root, train=False)")


def test_a_bomb_is_not_unpacked(session: Session, folder: Path) -> None:
    """The file says how much it holds; no more than that is unpacked."""
    file = folder / "MNIST" / "raw" / "t10k-images-idx3-ubyte.gz"
    file.write_bytes(gzip.compress(idx(IMAGES[:2]) + bytes(1 << 28), 1))
    code = (
        "import resource, tensorsh; from tensorsh import datasets\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\ndatasets.MNIST({str(folder)!r}, train=False)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ValueError" in done.stderr and "damaged" in done.stderr


@pytest.mark.parametrize(
    "held",
    [
        Out(), {b"data": Out(), b"labels": [1]}, [1], {b"labels": [1]}, {b"data": np.zeros(3072, object), b"labels": [1]},
        {b"data": np.zeros((1, 3072), np.float32), b"labels": [1]}, {b"data": np.zeros(3, np.uint8), b"labels": [1]},
        {b"data": np.zeros((1, 3072), np.uint8), b"labels": [1, 2]}, {b"data": np.zeros((1, 3072), np.uint8), b"labels": ["x"]},
        {b"data": [1, 2], b"labels": print},
    ],
    ids=range(10),
)  # fmt: skip
def test_batches_run_nothing(held: object, session: Session, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "cifar-10-batches-py" / "test_batch").write_bytes(pickle.dumps(held, 2))
    with pytest.raises(ValueError):
        session.run("datasets.CIFAR10(root, train=False)")
    assert not (folder / "escaped").exists()


def test_a_pickle_of_another_making_makes_no_array_of_its_own(session: Session, folder: Path) -> None:
    """An array's state is told by the file: a shape that its bytes do not fill is refused before numpy sees it."""
    whole = pickle.dumps({b"data": np.zeros((1, 3072), np.uint8), b"labels": [1]}, 2)
    (folder / "cifar-10-batches-py" / "test_batch").write_bytes(whole.replace(b"M\x00\x0c", b"M\x00\xff"))
    with pytest.raises(ValueError):
        session.run("datasets.CIFAR10(root, train=False)")


@pytest.mark.parametrize(
    "name, shape, classes, total",
    [  # the sums are scikit-learn's
        ("Iris", (150, 4), 3, 2078.7),
        ("Wine", (178, 13), 3, 159975.296),
        ("BreastCancer", (569, 30), 2, 1056490.35),
        ("Diabetes", (442, 10), 0, 0.0),
        ("Digits", (1797, 1, 8, 8), 10, 561718 / 16),
    ],
)
def test_small_sets(name: str, shape: tuple[int, ...], classes: int, total: float) -> None:
    session = Session()
    session.run(f"from tensorsh import datasets\nd = datasets.{name}()")
    assert session.run("tuple(d.data.shape), len(d), len(d.classes)") == (shape, shape[0], classes)
    assert session.run("d.data.double().sum().item()") == pytest.approx(total, rel=1e-4, abs=1e-3)
    assert session.run("len(next(iter(torch.utils.data.DataLoader(d, batch_size=16)))[1])") == 16
    assert session.run("repr(d).split(chr(10))[0]") == f"Dataset {name}"


@pytest.mark.parametrize(
    "source",
    [
        "datasets.MNIST.__init__.__globals__", "datasets.mnist", "datasets.reading", "datasets.os", "T.functional.np", "T.v2.torch",
        "datasets.MNIST.raw_folder.fget.__globals__", "T.ToTensor.__call__.__globals__", "datasets.Digits.NAME = '../../x'; datasets.Digits()",
        "T.functional.hflip.__wrapped__", "T.Compose.__call__ = print", "datasets.FakeData.size = 3",
    ],
)  # fmt: skip
def test_nothing_leads_out(source: str, session: Session) -> None:
    with pytest.raises((AttributeError, TypeError, ImportError)):
        session.run(source)


def test_a_name_of_a_program_s_own_class_is_no_path(session: Session) -> None:
    with pytest.raises(ValueError, match="no set of data comes along"):
        session.run("class Mine(datasets.Iris):\n    NAME = '/etc/hostname'\nMine()")


@pytest.mark.parametrize(
    "source, text",
    [
        ("import torchvision.models", "pip install --no-deps torchvision"),
        ("from torchvision import ops", "of torchvision there are datasets, transforms and utils here"),
        ("torchvision.utils.save_image(torch.ones(3, 2, 2), 'x.jpg')", "save_image writes PNG alone here"),
        ("torchvision.utils.save_image(torch.ones(3, 2, 2), 'x.png')", "writing 'x.png' needs --allow-write=x.png"),
        ("torchvision.io", "of torchvision there are datasets, transforms and utils here"),
    ],
)
def test_the_rest_of_torchvision(source: str, text: str, session: Session) -> None:
    with pytest.raises((ImportError, AttributeError, ValueError, PermissionError)) as caught:
        session.run("import torchvision\n" + source)
    assert text in session.diagnose(caught.value)


def test_in_plain_python() -> None:
    code = (
        "import tensorsh.as_torch, importlib.util\nimport torchvision.transforms.v2 as v2, torchvision.transforms.functional as F\n"
        "from torchvision import datasets, transforms\nimport torchvision.datasets, tensorsh.datasets\n"
        "print(torchvision.datasets is tensorsh.datasets, v2.ToImage.__name__, F.hflip.__name__, len(datasets.Iris()))\n"
        "print(importlib.util.find_spec('torchvision.models'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True ToImage hflip 150\nNone\n", done.stderr


def test_an_installed_torchvision_comes_first(tmp_path: Path) -> None:
    (tmp_path / "torchvision.py").write_text("mine = True\n")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\nimport tensorsh.as_torch, torchvision; print(torchvision.mine)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\nfrom tensorsh import Session, Permissions\n" + (
        "print(Session(Permissions(imports=['torchvision'])).run('import torchvision; torchvision.mine'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_workers_and_a_network_that_learns() -> None:
    session = Session()
    session.run(
        "from torchvision import datasets, transforms as T\nfrom torch.utils.data import DataLoader\ntorch.manual_seed(0)\n"
        "fake = datasets.FakeData(6, (3, 8, 8), transform=T.Compose([T.RandomCrop(6), T.ToTensor()]))\n"
        "model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))\nopt = torch.optim.Adam(model.parameters(), 0.01)\n"
        "for epoch in range(5):\n    for x, y in DataLoader(datasets.Digits(), 128, shuffle=True):\n        opt.zero_grad()\n"
        "        nn.functional.cross_entropy(model(x), y).backward()\n        opt.step()\nd = datasets.Digits()"
    )
    assert session.run("[tuple(x.shape) for x, y in DataLoader(fake, 4, num_workers=2)]") == [
        (4, 3, 6, 6),
        (2, 3, 6, 6),
    ]
    assert session.run("(model(d.data).argmax(1) == d.targets).float().mean().item()") > 0.88


def test_pickles_in_plain_python() -> None:
    code = (
        "import tensorsh.as_torch, pickle\nfrom torchvision import datasets, transforms as T\nfrom torchvision.transforms import v2\n"
        "for each in (T.CenterCrop(3), v2.CenterCrop(3), v2.Compose([v2.RandomCrop(3)]), datasets.Iris(), T.Compose([T.ToTensor()])):\n"
        "    print(repr(pickle.loads(pickle.dumps(each))) == repr(each))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n" * 5, done.stderr


def test_folders_named_after_classes(session: Session, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = folder / "pets"
    for name in ("dog/b.png", "cat/a.JPG", "cat/notes.txt", "cat/deep/c.webp"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b"x")
    session.run(
        "home = root + '/pets'\nd = datasets.ImageFolder(home, loader=lambda p: p[len(home):], transform=str.upper)"
    )
    assert session.run("d.classes, d.class_to_idx, d.targets, len(d), d.imgs is d.samples") == (
        ["cat", "dog"], {"cat": 0, "dog": 1}, [0, 0, 1], 3, True,
    )  # fmt: skip
    assert session.run("list(d)") == [("/CAT/A.JPG", 0), ("/CAT/DEEP/C.WEBP", 0), ("/DOG/B.PNG", 1)]
    assert session.run(
        "datasets.DatasetFolder(home, len, is_valid_file=lambda p: p[-1] == 't', allow_empty=True).targets"
    ) == [0]
    for source, error, text in (
        (
            "datasets.DatasetFolder(home, len, ('.txt',))",
            FileNotFoundError,
            "the classes dog. Supported extensions are: .txt",
        ),
        (
            "datasets.DatasetFolder(home, len)",
            ValueError,
            "Both extensions and is_valid_file cannot be None or not None",
        ),
        ("datasets.ImageFolder(home + '/dog')", FileNotFoundError, "Couldn't find any class folder in .*/dog.$"),
        ("datasets.ImageFolder(home)[0]", RuntimeError, "tensorsh decodes no images for scripts"),
        ("datasets.ImageFolder('/usr')", PermissionError, "needs --allow-read"),
    ):
        with pytest.raises(error, match=text):
            session.run(source)
    outside = tmp_path_factory.mktemp("outside")
    (outside / "hidden.png").write_bytes(b"x")
    (home / "cat" / "way").symlink_to(outside)
    with pytest.raises(PermissionError):
        session.run("datasets.ImageFolder(home)")
    code = "import tensorsh.as_torch\nfrom torchvision.datasets.folder import default_loader, is_image_file, IMG_EXTENSIONS, ImageFolder\n"
    code += "import torchvision.datasets as d\nprint(d.folder.ImageFolder is d.ImageFolder, is_image_file('A.PNG'), len(IMG_EXTENSIONS))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True True 9\n", done.stderr
