"""How many threads there are: as many as the environment says, as in PyTorch, also for BLAS after small products."""

import ctypes
import sys

import numpy as np
import pytest

from tensorsh.engine.arrays import blas, state


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, 4), ({"OMP_NUM_THREADS": "1"}, 1), ({"OMP_NUM_THREADS": "3,2"}, 3), ({"OMP_NUM_THREADS": "9"}, 4),
        ({"OMP_NUM_THREADS": "many"}, 4), ({"OMP_NUM_THREADS": "0"}, 4), ({"OMP_NUM_THREADS": ""}, 4),
        ({"MKL_NUM_THREADS": "1"}, 1), ({"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "2"}, 2),
        ({"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "1"}, 1),
    ],
)  # fmt: skip
def test_the_environment_says_how_many_threads(monkeypatch, told, expected):
    monkeypatch.setattr(state, "CORES", 4)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    assert state.told_threads() == expected


def test_blas_has_as_many_threads_after_small_products_as_before(monkeypatch):
    np.ones((2, 2)) @ np.ones((2, 2))
    found = blas.library(blas.LINKED[0])
    if found is None:
        pytest.skip("a BLAS library that does not tell its threads")
    library = ctypes.CDLL(str(sys.modules[blas.LINKED[0]].__file__))
    count = getattr(library, next(n for n in blas.NAMES.split() if hasattr(library, n)).replace("set_num", "get_num"))
    usual = min(found[1], state.THREADS)
    monkeypatch.setattr(state.state, "threads", state.THREADS)
    assert all(count() in (1, usual) for _ in blas.alone(range(2)))
    assert count() == usual or state.THREADS == 1
    for threads, after in ((3, 3), (state.THREADS, usual)):
        monkeypatch.setattr(state.state, "threads", threads)
        blas.set_usual_threads()
        assert count() == after
