"""Training runs whose every printed loss is PyTorch's, letter for letter."""

from __future__ import annotations

import difflib

import pytest

from tensorsh.engine import kernels

from ..support.programs import TESTS, expected, run


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
def test_losses_are_pytorchs_to_the_letter() -> None:
    program = TESTS / "nn" / "programs" / "training_runs.py"
    ours, theirs = run(program).splitlines(), expected(program).splitlines()
    assert ours == theirs, "\n".join(difflib.unified_diff(theirs, ours, "PyTorch", "tensorsh", lineterm="", n=0))
