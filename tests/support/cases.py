"""A table of many cases as one test, which names each case that is wrong: a test of its own costs more than most cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tensorsh.engine.arrays.state import state


def all_pass(check: Callable[..., None], cases: Iterable[Any]) -> None:
    """Calls a check with each case, or with the parts of a tuple or list; what is said once a session is said in each."""
    wrong = []
    for case in cases:
        parts = case if isinstance(case, tuple | list) else (case,)
        state.warned.clear()
        try:
            check(*parts)
        except (Exception, pytest.fail.Exception) as error:
            wrong.append(f"{parts[0]}\n{type(error).__name__}: {error}")
    assert not wrong, "\n\n".join([f"{len(wrong)} cases are wrong", *wrong])
