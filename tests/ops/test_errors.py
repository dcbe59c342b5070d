"""Wrong calls: error type and first line as PyTorch's (`data/errors.json.gz`, made by `record_errors.py`).

`errors_not_yet.json` counts, for a function, the calls that are told otherwise; it may only shrink.
"""

from __future__ import annotations

import ast
import builtins
import copy
import gzip
import json
import math
import warnings
from pathlib import Path

import pytest

from tensorsh import torch
from tensorsh.engine.overloads import explain, records

DATA = Path(__file__).parent.parent / "data"
RECORDED = json.loads(gzip.decompress((DATA / "errors.json.gz").read_bytes()))
NOT_YET = json.loads((Path(__file__).parent / "errors_not_yet.json").read_text())
SPACE = {n: getattr(torch, n) for n in dir(torch) if not n.startswith("_")} | {"torch": torch}


def function_of(code: str) -> str:
    call = ast.parse(code, mode="eval").body
    function = ast.unparse(call.func)
    if function.startswith(("tensor(", "ones(")):
        return "Tensor." + function.rpartition(".")[2]
    return function.removeprefix("torch.")


def outcome(code: str) -> list[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(code, dict(SPACE))
        except Exception as error:
            return [type(error).__name__, str(error).split("\n")[0]]
    return None


BY_FUNCTION: dict[str, list[str]] = {}
for _code in RECORDED:
    BY_FUNCTION.setdefault(function_of(_code), []).append(_code)


@pytest.mark.parametrize("function", BY_FUNCTION)
def test_errors(function: str) -> None:
    wrong = {c: (RECORDED[c], got) for c in BY_FUNCTION[function] if (got := outcome(c)) != RECORDED[c]}
    assert len(wrong) <= NOT_YET.get(function, 0), json.dumps(wrong, indent=1)


def test_most_are_pytorchs() -> None:
    assert len(RECORDED) > 2400 and sum(NOT_YET.values()) < 0.05 * len(RECORDED)


def test_words_for_arguments_that_fit_no_overload() -> None:
    x = torch.ones(2, 2)
    for name, args, kwargs, said in (
        ("sum", (x,), {"dim": "a"}, "sum() received an invalid combination of arguments - got (Tensor, dim=str), but expected one of:"),
        ("Tensor.add", ("a",), {}, "add(): argument 'other' (position 1) must be Tensor, not str"),
        ("cumsum", (x, 1.5), {}, "cumsum(): argument 'dim' (position 2) must be int, not float"),
        ("Tensor.neg", (1,), {}, "TensorBase.neg() takes no arguments (1 given)"),
        ("linalg.inv", (), {}, 'linalg_inv() missing 1 required positional arguments: "A"'),
        ("zeros", (2, "a"), {}, "zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got str\""),
    ):  # fmt: skip
        assert str(explain(name, args, kwargs)).split("\n")[0] == said
    assert explain("add", (x, 2), {"alpha": 3}) is None and explain("nn.functional.relu", (x,), {}) is None
    assert str(explain("nn.functional.relu", (), {})) == "relu() missing 1 required positional argument: 'input'"
    assert len(records().splitlines()) > 1200


def said(code: str, space: dict) -> str:
    """What the last statement of a program raises."""
    *before, last = ast.parse(code).body
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.Module(before, []), "<case>", "exec"), space)
            exec(compile(ast.Module([last], []), "<case>", "exec"), space)
        except Exception as error:
            return f"{type(error).__name__}: " + str(error).split("\n")[0]
    return "no error"


def test_every_function() -> None:
    """Three wrong calls of every function and method: kinds, dtypes, shapes, settings, ``out=``, as PyTorch 2.13 refused them."""
    told = json.loads(gzip.decompress((DATA / "errors_every.json.gz").read_bytes()))
    builtin = {n: v for n, v in SPACE.items() if n not in dir(builtins)}
    wrong = {c: (e, got) for c, e in told.items() if (got := said(c, dict(builtin))) != e}
    assert len(told) > 3000 and not wrong, json.dumps(wrong, indent=1)


def test_sparse_and_pinned_tensors_are_refused() -> None:
    for make in (lambda **o: torch.eye(1, **o), lambda **o: torch.ones_like(torch.zeros(1), **o)):
        with pytest.raises(NotImplementedError, match="tensorsh has no torch.sparse_coo tensors"):
            make(layout=torch.sparse_coo)
        assert make(layout=torch.strided).tolist() in ([[1]], [1])
    with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
        torch.ones(2, layout=torch.sparse_coo)


def test_layers_and_losses() -> None:
    """Wrong shapes, dtypes and settings of pooling, convolutions, losses and norms, as PyTorch 2.13 refused them."""
    told = json.loads(gzip.decompress((DATA / "errors_layers.json.gz").read_bytes()))
    space = {**SPACE, "F": torch.nn.functional, "nn": torch.nn, "float": float}
    wrong = {}
    for code, expected in told.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                eval(code, dict(space))
                got = "no error"
            except Exception as error:
                got = f"{type(error).__name__}: " + str(error).split("\n")[0]
        if got != expected:
            wrong[code] = (expected, got)
    assert len(told) > 300 and not wrong, json.dumps(wrong, indent=1)


def test_calls_as_users_err() -> None:
    """Wrong programs over products, shapes, subscripts, gradients, modules, optimizers, data and distributions, as PyTorch 2.13
    refused them."""
    told = json.loads(gzip.decompress((DATA / "errors_of_users.json.gz").read_bytes()))
    known = {
        "nn": torch.nn,
        "F": torch.nn.functional,
        "optim": torch.optim,
        "D": torch.utils.data,
        "T": torch.distributions,
    }
    space = {**known, "torch": torch, "math": math, "copy": copy}
    wrong = {}
    for code, expected in told.items():
        torch.manual_seed(0)
        if (got := said(code, dict(space))) != expected:
            wrong[code] = (expected, got)
    assert len(told) > 2900 and not wrong, json.dumps(wrong, indent=1)


@pytest.mark.parametrize(
    "call", ["torch.ones(2).to('meta')", "torch.nn.Linear(2, 2).to('meta')", "torch.empty(2, device='meta')"]
)
def test_a_device_that_is_not_there_is_refused(call: str) -> None:
    with pytest.raises(RuntimeError, match="Could not run on the 'meta' device"):
        eval(call)
