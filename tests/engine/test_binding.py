"""Arguments of functions written in Python: bound, or refused, as Python itself does it."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tensorsh.engine.wording import steps
from tensorsh.engine.wording.binding import parameters
from tensorsh.engine.wording.overloads import PYTHON, recorded, records

LISTS = (
    "", "a", "a, b", "a, b, c", "a, b=1", "a=0.5, b='x'", "*rest", "a, *rest", "a, *, k", "a, *, k, l", "a, b=2, *, k=None, l=True",
    "*, k", "*rest, k=1e-05", "a, b, c, d=-100",
)  # fmt: skip
CALLS = [
    (args, dict.fromkeys(names, 7))
    for args, names in product(
        [tuple(range(n)) for n in range(6)], ["", "a", "b", "k", "kl", "bk", "zk", "az", "abc", "l", "d"]
    )
]


def outcome(function: Any, args: tuple, kwargs: dict) -> Any:
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        return re.sub(r"\. Did you mean .*", "", str(error))


@pytest.mark.parametrize("listed", LISTS)
def test_arguments_are_bound_as_python_does(listed: str) -> None:
    space: dict[str, Any] = {}
    exec(f"def f({listed}): return locals()", space)
    found = parameters(listed)
    for args, kwargs in CALLS:
        assert outcome(lambda *a, **k: found.bind("f", a, k), args, kwargs) == outcome(space["f"], args, kwargs)


def python_functions() -> dict[str, str]:
    names = re.findall(rf"^(\S+)(?: \(\w+\))?: {PYTHON}", records(), re.MULTILINE)
    return {name.removeprefix("nn.functional."): recorded(name)[1][len(PYTHON) :] for name in names}


def test_steps_name_parameters_and_builtin_functions_that_are_recorded() -> None:
    listed = python_functions()
    for name, step in steps.STEPS.items():
        if name in listed:
            found = parameters(listed[name])
            assert {*steps.names_of(step)} <= {*found.positional, *found.keyword_only, found.rest}, name
    builtin = {"adaptive_avg_pool1d", "fractional_max_pool1d", "fractional_max_pool1d_with_indices"}
    assert steps.STEPS.keys() - listed.keys() == builtin  # or not there at all
    source = Path(steps.__file__).read_text(encoding="utf-8")
    for name in re.findall(r"\bC\.(\w+)", source):
        assert recorded("_nn." + name)[0], name
