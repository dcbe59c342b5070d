"""The suite of the stand-in on a real GPU: ``pytest -m cuda`` where cupy is installed and finds one."""

from __future__ import annotations

import pytest

from . import compile_kernels, gradients, standin, sweep, test_random, test_windows
from .test_standin import OPTIMIZERS, trained

OPERATORS = gradients.operators()
pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweeps run on cupy itself instead of the stand-in."""
    from tensorsh.engine.arrays import backend

    if backend.cupy() is None:
        pytest.fail("there is no GPU that cupy can use")
    monkeypatch.setattr(sweep, "installed", standin.as_it_is)
    monkeypatch.setattr(gradients, "installed", standin.as_it_is)


@pytest.mark.parametrize("name", sweep.names())
def test_example(name: str) -> None:
    assert sweep.failure(name, nearly=True) is None


@pytest.mark.parametrize("name", OPERATORS)
def test_gradient(name: str) -> None:
    assert not gradients.failure(OPERATORS[name])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training(name: str) -> None:
    assert trained("cuda", name, "classes") == pytest.approx(trained("cpu", name, "classes"), rel=1e-4, abs=1e-5)


def test_kernels_compile() -> None:
    import cupy

    compile_kernels.declare()
    assert compile_kernels.failures(cupy.cuda.Device().compute_capability) == []


def test_numbers_are_pytorchs() -> None:
    test_random.test_what_pytorch_prints()


@pytest.mark.parametrize("case", test_windows.CASES)
def test_windows_as_on_the_cpu(case: str) -> None:
    from tensorsh import torch

    expected = test_windows.outcome(case, "cpu", torch.float64)
    for a, e in zip(test_windows.outcome(case, "cuda", torch.float64), expected, strict=True):
        assert torch.allclose(a, e, rtol=1e-9, atol=1e-9)
