"""Modules that a program brings along: files beside it, imported as in Python, under the program's own gate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tensorsh import Permissions, Session

FILES = {
    "plain.py": '"""Its docstring."""\nimport torch\nfrom math import pi\nK = 3\n_own = 7\n\n\ndef scaled(x):\n    return x * K\n\n\n'
    "def fails(x):\n    return x + torch.ones(3)\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x * K\n\n\n"
    "if __name__ == '__main__':\n    raise SystemExit(3)\n",
    "short.tsr": "w = ones(2, requires_grad)\nname = __name__\n",
    "package/__init__.py": "__all__ = ['first', '_second']\nfirst, _second, third = 1, 2, 3\n",
    "package/helper.py": "from . import first\nfrom .inner.deep import depth\n\n\ndef total():\n    return first + depth\n",
    "package/inner/__init__.tsr": "",
    "package/inner/deep.py": "depth = 10\nfrom ..helper import total\nfrom .. import third\n",
    "folder/leaf.py": "value = 'leaf'\n",
    "one.py": "import two\nx = 1\n\n\ndef both():\n    return x + two.y\n",
    "two.py": "import one\ny = 2\n",
    "circle.py": "from round import x\ny = 1\n",
    "round.py": "from circle import y\nx = 1\n",
    "wrong.py": "x = (1\n",
    "late.py": "before = 1\n1 / 0\n",
    "beyond.py": "from ...plain import K\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Session:
    return Session(folder=folder)


@pytest.mark.parametrize(
    "source, value",
    [
        ("import plain; (plain.K, plain.__name__, plain.__doc__, plain._own)", (3, "plain", "Its docstring.", 7)),
        ("from plain import scaled as f, K; f(K)", 9),
        ("from plain import *; (K, scaled(1), '_own' in globals())", (3, 3, False)),
        ("from plain import Net; Net()(torch.ones(2)).tolist()", [3.0, 3.0]),
        ("import plain; plain.K = 5; plain._own = 8; (plain.scaled(1), plain._own)", (5, 8)),
        ("import plain; import plain as again; again is plain", True),
        ("import short; (short.w.sum().item(), short.name)", (2.0, "short")),
        ("from package import *; (first, _second, 'third' in globals())", (1, 2, False)),
        ("import package.helper; package.helper.total", None),
        ("import package.inner.deep as d; (d.depth, d.third)", (10, 3)),
        ("from package import inner; from package.inner import deep; deep.depth", 10),
        ("import folder.leaf; folder.leaf.value", "leaf"),
        ("import one; one.both()", 3),
        ("import plain, importlib; plain.K = 9; importlib.reload(plain); plain.K", 3),
        ("import importlib; importlib.import_module('package.inner').__name__", "package.inner"),
        ("import plain; sorted(n for n in dir(plain) if n > 'f')", ["fails", "pi", "scaled", "torch"]),
        ("import plain; type(plain) is type(torch)", True),
    ],
)
def test_imports(source: str, value: object, session: Session) -> None:
    if value is None:  # a circle of `from` imports
        with pytest.raises(ImportError, match="partially initialized module 'package.helper'"):
            session.run(source)
    else:
        assert session.run(source) == value


@pytest.mark.parametrize(
    "source, kind, text",
    [
        ("import circle", ImportError, "cannot import name 'y' from partially initialized module 'circle'"),
        ("import wrong", SyntaxError, "'(' was never closed"),
        ("import late", ZeroDivisionError, "division by zero"),
        ("import nowhere", ModuleNotFoundError, "No module named 'nowhere'"),
        ("import plain.x", ModuleNotFoundError, "No module named 'plain.x'; 'plain' is not a package"),
        ("import package.x", ModuleNotFoundError, "No module named 'package.x'"),
        ("from plain import x", ImportError, "cannot import name 'x' from 'plain'"),
        ("import plain; plain.x", AttributeError, "module 'plain' has no attribute 'x'"),
        ("from . import plain", ImportError, "attempted relative import with no known parent package"),
        ("import beyond", ImportError, "attempted relative import with no known parent package"),
        ("import importlib; importlib.reload(torch)", TypeError, "must be a module"),
    ],
)
def test_failures_are_python_s(source: str, kind: type, text: str, session: Session) -> None:
    with pytest.raises(kind) as caught:
        session.run(source)
    assert text in str(caught.value)


def test_a_module_that_failed_runs_again(session: Session, folder: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        session.run("import late")
    (folder / "late.py").write_text("before = 2\n")
    assert session.run("import late; late.before") == 2


def test_without_a_folder_there_are_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(ModuleNotFoundError):
        Session().run("import plain")


def test_errors_show_the_module_s_lines(session: Session) -> None:
    with pytest.raises(RuntimeError) as caught:
        session.run("import plain\nplain.fails(torch.ones(2))", "main.tsr")
    text = session.diagnose(caught.value)
    assert "plain.py:13:12 in fails" in text and "return x + torch.ones(3)" in text
    assert 'File "main.tsr", line 2, in <module>' in text


def test_the_folder_s_text_is_read_and_no_more(session: Session, folder: Path) -> None:
    """Read permission is implied for modules, not for files, and not by a link that leads out."""
    with pytest.raises(PermissionError):
        session.run(f"open({str(folder / 'plain.py')!r})")
    outside = folder.parent / "outside.py"
    outside.write_text("secret = 1\n")
    (folder / "link.py").symlink_to(outside)
    with pytest.raises(PermissionError):
        session.run("import link")
    assert Session(Permissions(read=[str(folder.parent)]), folder=folder).run("import link; link.secret") == 1


@pytest.mark.parametrize(
    "source",
    [
        "plain.__dict__",
        "plain.__builtins__",
        "plain.__loader__",
        "plain.__class__('x')",
        "type(plain)('x')",
        "getattr(plain, '__builtins__')",
        "'{0.__builtins__}'.format(plain)",
        "vars(plain)",
        "setattr(plain, '__builtins__', {})",
        "setattr(plain, '<own>', lambda x: x)",
        "setattr(plain, '__name__', 'os')",
        "plain.__name__ = 'os'",
        "plain.__spec__ = plain",
        "plain.__init__('os')",
        "plain.__reduce_ex__(4)",
        "plain._folder",
        "plain._title",
        "import copy; copy.copy(plain)",
        "import copy; copy.deepcopy(plain)",
        "plain.__all__ = ['__builtins__']",
        "setattr(plain, '__all__', ['__builtins__'])",
        "from hostile import *; __builtins__",
        "from hostile2 import *",
        "from hostile3 import *",
        "import importlib; importlib.import_module('subprocess')",
        "import importlib; importlib.import_module('../plain')",
        "import importlib; importlib.import_module('..subprocess', 'plain')",
        "class M(type(plain)): pass",
    ],
)
def test_nothing_leads_out(source: str, session: Session, folder: Path) -> None:
    (folder / "hostile.py").write_text("__all__ = ['__builtins__']\n")
    (folder / "hostile2.py").write_text("__all__ = ['<own>']\n")
    (folder / "hostile3.py").write_text("__all__ = [1]\n")
    session.run("import plain")
    with pytest.raises((AttributeError, TypeError, ImportError, SyntaxError)):
        session.run(source)
    assert session.run("plain.scaled(1)") == 3


def test_a_module_is_under_the_gate(folder: Path) -> None:
    for number, text in enumerate(
        ("import subprocess", "open('/etc/passwd')", "().__class__.__base__.__subclasses__()", "torch.relu.x = 1")
    ):
        (folder / f"bad{number}.py").write_text("import torch\n" + text + "\n")
        with pytest.raises((ImportError, PermissionError, AttributeError)):
            Session(folder=folder).run(f"import bad{number}")


def test_two_sessions_share_no_module(folder: Path) -> None:
    one, two = Session(folder=folder), Session(folder=folder)
    one.run("import plain; plain.K = 100")
    assert two.run("import plain; plain.K") == 3


def test_a_program_finds_what_lies_beside_it(folder: Path) -> None:
    (folder / "main.tsr").write_text(
        "import plain\nfrom package.inner.deep import depth\nprint(plain.K, depth, __name__)\n"
    )
    for words, here in ([str(folder / "main.tsr")], Path.cwd()), (["-c", "import plain; plain.K"], folder):
        run = subprocess.run([sys.executable, "-m", "tensorsh", *words], cwd=here, capture_output=True, text=True)
        assert run.stdout.startswith("3"), run.stderr
