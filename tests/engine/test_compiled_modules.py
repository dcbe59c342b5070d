"""Modules that Cython compiles: the compiled form is of the source as it stands, and the source runs without it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import tensorsh.engine

ENGINE = Path(tensorsh.engine.__file__).parent
MODULES = sorted(path.with_suffix("") for path in ENGINE.parent.rglob("*.pxd"))
REPOSITORY = Path(__file__).parents[2]


@pytest.mark.sources
@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_the_compiled_form_is_of_this_source(module: Path) -> None:
    for suffix in EXTENSION_SUFFIXES:
        if (compiled := module.with_name(module.name + suffix)).exists():
            sources = [module.with_suffix(".py"), module.with_suffix(".pxd")]
            assert compiled.stat().st_mtime >= max(source.stat().st_mtime for source in sources), "make kernels"


def test_modules_run_interpreted() -> None:
    """All of them; and a tensor's and a node's dict hold what programs add, which copies and pickles take along, and no field."""
    names = [".".join(("tensorsh", *path.relative_to(ENGINE.parent).parts)) for path in MODULES]
    code = (
        f"from importlib import import_module; print({{import_module(n).__file__[-3:] for n in {names}}})\n"
        "import pickle, tensorsh.as_torch, torch\n"
        "x = torch.ones(2, requires_grad=True); y = x[:1] * 2; y.mark = 3; y.sum().backward()\n"
        "print(vars(x), vars(y), vars(y.grad_fn), vars(pickle.loads(pickle.dumps(x))))\n"
    )
    environment = {**os.environ, "TENSORSH_KERNELS": "off"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "{'.py'}\n{} {'mark': 3} {} {}\n", done.stderr
    assert import_module(names[0])


def test_programs_print_the_same_interpreted() -> None:
    programs = [str(path) for path in sorted((REPOSITORY / "scripts").glob("0[1-9]*.tsr"))]
    assert len(programs) > 5
    done = subprocess.run(
        [sys.executable, "-m", "tensorsh", "test", *programs],
        capture_output=True,
        text=True,
        env={**os.environ, "TENSORSH_KERNELS": "off"},
        cwd=REPOSITORY,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_sessions_after_one_with_classes_run_interpreted() -> None:
    """What programs store in functions is undone when they end; what these have of their own stays."""
    code = (
        "import tensorsh.engine\n"  # before a session, whose steps are compiled, too
        "from tensorsh import Session\n"
        "Session().run('class A:\\n  def set(self): self.x = 1\\n  def use(self): self._n = 1; self._n += 1\\nA().use(); A.set(torch.add)')\n"
        "print(Session().run('torch.ones(2) + 1, torch.add(torch.ones(1), 1), hasattr(torch.add, \"x\")'))\n"
    )
    environment = {**os.environ, "TENSORSH_KERNELS": "off"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "(tensor([2., 2.]), tensor([2.]), False)\n", done.stderr
