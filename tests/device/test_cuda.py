"""The suite of the stand-in on a real GPU: ``pytest -m cuda`` where cupy is installed and finds one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import gradients
import standin
import sweep
from test_standin import OPTIMIZERS, trained

OPERATORS = gradients.operators()
pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweeps run on cupy itself instead of the stand-in."""
    from tensorsh.engine import backend

    if backend.cupy() is None:
        pytest.fail("there is no GPU that cupy can use")
    monkeypatch.setattr(sweep, "installed", standin.as_it_is)
    monkeypatch.setattr(gradients, "installed", standin.as_it_is)


@pytest.mark.parametrize("name", sweep.names())
def test_example(name: str) -> None:
    assert sweep.failure(name) is None


@pytest.mark.parametrize("name", OPERATORS)
def test_gradient(name: str) -> None:
    assert not gradients.failure(OPERATORS[name])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training(name: str) -> None:
    assert trained("cuda", name, "classes") == pytest.approx(trained("cpu", name, "classes"), rel=1e-4, abs=1e-5)
