"""Arguments of functions written in Python: bound, or refused, as Python itself does it."""

from __future__ import annotations

import inspect
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tensorsh.engine.loading.recorded import records, told
from tensorsh.engine.wording import steps
from tensorsh.engine.wording.overloads import PYTHON, parameter_text

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
    for args, kwargs in CALLS:
        assert outcome(steps.binder("f", listed), args, kwargs) == outcome(space["f"], args, kwargs)


def python_functions() -> dict[str, str]:
    names = re.findall(rf"^(\S+) takes: {PYTHON}", records(), re.MULTILINE)
    return {name.removeprefix("nn.functional."): parameter_text(name)[len(PYTHON) :] for name in names}


def test_steps_name_parameters_and_builtin_functions_that_are_recorded() -> None:
    listed = python_functions()
    names = {*steps.STEPS, *steps.TEXTS}
    for name in names:
        step = steps.step_of(name)
        if step is not None and name in listed:
            assert {*steps.names_of(step)} <= {*inspect.signature(steps.binder(name, listed[name])).parameters}, name
    builtin = {"adaptive_avg_pool1d", "fractional_max_pool1d", "fractional_max_pool1d_with_indices"}
    assert names - listed.keys() == builtin  # or not there at all
    source = Path(steps.__file__).read_text(encoding="utf-8")
    for name in re.findall(r"\bC\.(\w+)", source):
        assert told("_nn." + name, "takes"), name
    for name, text in steps.TEXTS.items():
        if ">" in text:
            builtin_name = text.partition("> ")[2].split()[0]
            assert told("_nn." + builtin_name.replace("*_", name).replace("*", name), "takes"), text
