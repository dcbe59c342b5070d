"""The door that every public call passes (engine/arrays/door.py): all ask there, and nobody stands at it in ordinary programs."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tensorsh import Session, torch
from tensorsh.engine.arrays import door
from tensorsh.engine.loading import table
from tensorsh.engine.operators import casts, executor, hooks
from tensorsh.engine.tensors.tensor import Tensor

ANSWER = object()
ONE = torch.ones(1)
OTHER = ("LinAlgError", "as_subclass")
"""An error, and what PyTorch lets nobody override."""


@pytest.fixture
def titles() -> Iterator[list[str]]:
    """The titles of the forms that ask, which are all answered alike."""
    found: list[str] = []

    def answer(form: Any, args: tuple, kwargs: dict) -> Any:
        found.append(form._title)
        return ANSWER

    table.load_all()
    hooks.attend()
    keeper, lasting = list(door._keeper), set(door.lasting)
    door.keep(answer)
    door.lasting.add(
        "classes"
    )  # the settings open the door: a collection of garbage, which puts settings aside, opens it again
    hooks.settle_all()
    yield found
    door.keep(*keeper)
    door.lasting.clear()
    door.lasting.update(lasting)
    hooks.settle_all()


def asks(function: Any) -> bool:
    """Whether a function asks before it does anything, with as many arguments as it needs."""
    for args in ((), (1,), (1, 2), (1, 2, 3), (ONE,), (ONE, 2)):  # operators are a tensor's
        try:
            if function(*args) is ANSWER:
                return True
        except Exception:  # too few arguments
            pass
    return False


def test_the_door_is_open_after_a_collection(titles: list[str]) -> None:
    Session().run("1")  # from now on collections put settings aside
    gc.collect(0)
    assert torch.ones(1) is ANSWER and titles == ["torch.ones"]


def test_every_function_asks(titles: list[str]) -> None:
    functions = {n: f for n, f in table.FUNCTIONS.items() if n.rpartition(".")[2] not in OTHER}
    assert [n for n, f in functions.items() if not isinstance(f, type) and not asks(f)] == []


def test_every_method_and_property_asks(titles: list[str]) -> None:
    found = {n: v for n, v in Tensor.__dict__.items() if n[0] != "_" or n in hooks.PYTHON_METHODS}
    getters = {n: v.fget if isinstance(v, property) else v for n, v in found.items() if n not in OTHER}
    assert [n for n, f in getters.items() if callable(f) and not asks(f)] == []
    assert len(getters) > 500 and "Tensor.__add__" in titles and "Tensor.grad" in titles


@pytest.mark.parametrize(
    "context", [torch.autocast("cpu"), torch.profiler.profile(), torch.overrides.TorchFunctionMode()]
)
def test_door_is_open_within_a_context(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "lasting", set())
    hooks.settle_all()
    assert not hooks.here.door
    with context:
        assert hooks.here.door == (door.CASTING if isinstance(context, torch.autocast) else door.ASKED)
    assert not hooks.here.door


def test_names_whose_arguments_are_cast() -> None:
    autocast = importlib.import_module("tensorsh.engine.operators.autocast")
    assert set(hooks.CASTS) | {"__matmul__", "__rmatmul__"} == casts.NAMES and autocast.LOW is casts.LOW


def frames(statement: str, **names: Any) -> list[str]:
    """The Python functions that a statement calls."""
    code = compile(statement, "<statement>", "eval")
    found: list[str] = []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            found.append(frame.f_code.co_qualname)

    eval(code, names)
    sys.setprofile(note)
    try:
        eval(code, names)
    finally:
        sys.setprofile(None)
    return found[1:]


@pytest.mark.usefixtures("closed_door")
@pytest.mark.skipif(not executor.__file__.endswith(".so"), reason="what is interpreted has frames of its own")
def test_small_calls_pass_few_functions() -> None:
    assert len(frames("x + 1", x=torch.ones(3))) <= 1
    assert len(frames("i + 1.5", i=torch.arange(3))) <= 8
