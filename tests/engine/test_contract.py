"""The contract of compiled code: numeric kernels see no Python object. It stands at the top of kernels.h."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tensorsh.engine import kernels

FOLDER = Path(kernels.__file__).parent
OF_PYTHON = """binder.c chains.c common.h half_loops.c loops.c loops.h memory.c module.c patience.c programs.c settled.h
step_loops.c walks.c""".split()


def test_numeric_files_hold_no_python_object() -> None:
    for path in [*FOLDER.glob("*.c"), *FOLDER.glob("*.h")]:
        if path.name in OF_PYTHON:
            continue
        code = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", path.read_text(), flags=re.S)
        found = re.search(r"\b(Py[A-Z_]\w*|_Py\w+|NPY_\w+)|common\.h", code)
        assert found is None, (path.name, found[0])


class Number(int):
    def __index__(self) -> int:
        raise AssertionError("a program's code runs inside a kernel")

    __int__ = __float__ = __index__


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
def test_no_code_of_a_program_runs() -> None:
    c = kernels.compiled
    x, index = np.ones((3, 4), np.float32), np.zeros((3, 4), np.int64)
    assert c.taken_along(x, Number(1), index).tolist() == x.tolist()
    assert c.join([x, x], Number(0)).shape == (6, 4)
    assert c.sum(x, Number(1), False).tolist() == [4.0] * 3
    words = np.arange(16, dtype=np.uint32)
    assert np.array_equal(
        c.normals(words, np.empty(16, np.float32), Number(0), Number(1)),
        c.normals(words, np.empty(16, np.float32), 0, 1),
    )


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
def test_arguments_that_are_wrong_are_declined() -> None:
    c = kernels.compiled
    x, index = np.ones((3, 4), np.float32), np.zeros((3, 4), np.int64)
    swapped, misaligned = x.astype(">f4"), np.frombuffer(bytes(49), np.float32, 12, 1).reshape(3, 4)

    class Subclass(np.ndarray):
        pass

    for wrong in (swapped, misaligned, x.view(Subclass), x[:, ::2], [1.0], None, np.array([object()] * 3)):
        assert c.taken_along(wrong, 0, index) is c.sum(wrong) is c.running_sums(wrong) is c.join([wrong], 0) is None
        assert c.join([x, wrong], 0) is c.largest(wrong) is None
    first = np.array([0, 1, 0])
    assert np.array_equal(c.nll(x[:, ::2], first, True), c.nll(x[:, ::2].copy(), first, True))  # which is copied
    assert (
        c.nll(swapped, first, True)
        is c.nll(misaligned, first, True)
        is c.nll(x.view(Subclass)[:, ::2], first, True)
        is None
    )
    assert (
        c.taken_along()
        is c.taken_along(x, 0)
        is c.taken_along(x, 0, index, index)
        is c.taken_along(x, 1 << 70, index)
        is None
    )
    assert c.taken_along(x, 0.0, index) is c.join((x, x), 0) is c.join([], 0) is c.sum(x, 0) is None
    huge = np.empty((1 << 40, 0), np.float32)
    assert c.join([huge, huge], 1).shape == (1 << 40, 0)
    assert c.join([huge, huge], 0).shape == (1 << 41, 0)
    assert c.taken_along(huge, 1, np.empty((1 << 40, 0), np.int64)).shape == (1 << 40, 0)


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
def test_scratch_memory_is_counted() -> None:
    c = kernels.compiled
    a, b, x = np.ones((2, 384), np.float32), np.ones((384, 4096), np.float32), np.ones((2, 1 << 18), np.float32)
    sums = [np.ones(1 << 18, np.float32) for _ in range(4)]
    before = c.ledger_use(ledger := c.ledger(1 << 20))
    try:
        for call in (
            lambda: c.product(a, b),
            lambda: c.batch_norm_backward(x, x, *sums[:3], True, x, None, None),
        ):
            with pytest.raises(MemoryError):
                call()
            assert c.ledger_used(ledger) == 0
    finally:
        c.ledger_use(before)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def repeated() -> np.ndarray:
    """A large matrix in little memory."""
    return np.lib.stride_tricks.as_strided(ones(70000), (35000, 35000), (4, 4))


LONG_CALLS: dict[str, Callable[[], tuple]] = {
    "convolution": lambda: (ones(24, 32, 100, 100), ones(32, 32, 5, 5), None, ones(24, 32, 96, 96), 0, 0, 1),
    "convolution_weight": lambda: (ones(24, 32, 100, 100), ones(24, 32, 96, 96), ones(1, 32, 32, 5, 5), 0, 0, 1),
    "wide_normals": lambda: ((x := np.full(1 << 24, 0.5)), x, 0.0, 1.0),
}


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
def test_products_that_take_long_are_left_to_blas() -> None:
    assert kernels.compiled.product(repeated(), ones(35000, 1)) is None
    assert kernels.compiled.product(ones(1, 35000), repeated()) is None


def ended(*_: object) -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, signal.SIG_IGN)  # of one that is on its way
    raise KeyboardInterrupt


@pytest.mark.skipif(
    kernels.compiled is None or not hasattr(signal, "setitimer"), reason="no kernels, or no such signals"
)
@pytest.mark.parametrize("name", LONG_CALLS)
def test_long_kernels_see_to_signals(name: str) -> None:
    seen: list[str] = []
    function, arguments = getattr(kernels.compiled, name.split()[0]), LONG_CALLS[name]()
    before = signal.signal(signal.SIGPROF, lambda *_: seen.append(name))
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)  # of the process's own time
        function(*arguments)
        assert len(seen) > 1  # once it is done, Python sees to all that came as if they were one
        with pytest.raises(KeyboardInterrupt):
            signal.signal(signal.SIGPROF, ended)
            function(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
