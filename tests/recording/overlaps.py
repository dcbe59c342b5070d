"""Writes into memory that is in two places at once, and which of them PyTorch refuses.

Each function that takes ``out=`` is called with one whose elements all lie in one place, with one that shares a part of its
memory with an operand, and with the operand itself; in-place forms likewise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tensorsh.engine.tensors.overlap import REPEATED, SHARED

from .outs import FORMS, PIVOTS, X, call_of, said, taking_out, tensors

N = torch.tensor([[0, 1], [1, 0]])
KEEPING = {
    "index_select": (torch.index_select, [X, 0, N[0]], {}), "take": (torch.take, [X, N], {}), "cat": (torch.cat, [[X]], {}),
    "hstack": (torch.hstack, [[X]], {}), "vstack": (torch.vstack, [[X]], {}), "dstack": (torch.dstack, [[X[:, :, None]]], {}),
    "column_stack": (torch.column_stack, [[X]], {}), "row_stack": (torch.row_stack, [[X]], {}),
    "masked_select": (torch.masked_select, [X[0], X[0] > 0], {}), "kron": (torch.kron, [X, X[:1, :1]], {}),
    "matmul": (torch.matmul, [X, X], {}), "outer": (torch.outer, [X[0], X[0]], {}), "nonzero": (torch.nonzero, [N], {}),
    "logical_and": (torch.logical_and, [X > 1, X > 2], {}), "eq": (torch.eq, [X > 1, X > 2], {}),
    "matrix_power": (torch.matrix_power, [X, 2], {}), "chain_matmul": (torch.chain_matmul, [X, X], {}),
    "lu_solve": (torch.lu_solve, [X, X, PIVOTS], {}),
    **{n: (getattr(torch, n), [X, 0], {}) for n in (
        "all", "amax", "amin", "any", "argmax", "argmin", "logsumexp", "mean", "median", "nanmedian", "nanmean", "nansum", "prod",
        "std", "sum", "var", "max", "min", "mode", "cummax", "cummin", "cumsum", "cumprod", "topk", "sort", "norm", "argsort")},
    **{n: (getattr(torch, n), [X, 0.5, 0], {}) for n in ("quantile", "nanquantile")},
    "kthvalue": (torch.kthvalue, [X, 1, 0], {}), "aminmax": (torch.aminmax, [X], {"dim": 0}),
    "linalg.vector_norm": (torch.linalg.vector_norm, [X, 2, 0], {}), "linalg.norm": (torch.linalg.norm, [X, 2, 0], {}),
    "linalg.vecdot": (torch.linalg.vecdot, [X, X], {}), "linalg.matmul": (torch.linalg.matmul, [X, X], {}),
    "inner": (torch.inner, [X, X], {}), "dot": (torch.dot, [X[0], X[0]], {}),
}  # fmt: skip
"""Calls whose results have more than one element, or have an operand's shape where that of the example has not."""

CREATING = {
    "arange": [3], "linspace": [0, 1, 3], "logspace": [0, 1, 3], "range": [0, 3], "eye": [3], "zeros": [3], "ones": [3], "full": [[3], 1.0],
    "empty": [3], "rand": [3], "randn": [3], "randint": [3, [3]], "randperm": [3], "normal": [0.0, 1.0, [3]],
}  # fmt: skip
REAL, MASK, ROW = X / 10, X > 1, N[0]
METHODS: dict[str, list] = {
    "fill_": [1.0], "copy_": [REAL], "masked_fill_": [MASK, 1.0], "masked_scatter_": [MASK, REAL], "put_": [N, REAL],
    "index_put_": [(ROW,), REAL], "index_fill_": [0, ROW, 1.0], "index_add_": [0, ROW, REAL], "index_copy_": [0, ROW, REAL],
    "index_reduce_": [0, ROW, REAL, "prod"], "scatter_": [0, N, REAL], "scatter_add_": [0, N, REAL],
    "scatter_reduce_": [0, N, REAL, "sum"], "fill_diagonal_": [1.0], "cumsum_": [0], "cumprod_": [0], "renorm_": [2, 0, 1.0],
    "clamp_": [0.1, 0.5], "clip_": [REAL, REAL], "lerp_": [REAL, REAL], "addmm_": [REAL, REAL], "addmv_": [REAL, REAL[0]],
    "addr_": [REAL[0], REAL[0]], "addbmm_": [REAL[None], REAL[None]], "baddbmm_": [REAL[None], REAL[None]],
    "addcdiv_": [REAL, REAL], "addcmul_": [REAL, REAL], "mvlgamma_": [1], "ldexp_": [N], "geometric_": [0.5], "gcd_": [N], "lcm_": [N],
    **{f"bitwise_{n}_": [N] for n in ("and", "or", "xor", "left_shift", "right_shift")}, "bitwise_not_": [],
    **{f"{n}_": [REAL] for n in (
        "add atan2 arctan2 clamp_max clamp_min copysign div divide eq floor_divide fmod ge greater greater_equal gt heaviside hypot "
        "igamma igammac le less less_equal logical_and logical_or logical_xor lt mul multiply ne nextafter not_equal pow remainder "
        "sub subtract true_divide xlogy").split()},
}  # fmt: skip
OPERATORS: dict[str, tuple[Callable, list]] = {
    "fill_number_": (torch.Tensor.fill_, [1.0]), "fill_tensor_": (torch.Tensor.fill_, [torch.tensor(1.0)]),
    "masked_fill_tensor_": (torch.Tensor.masked_fill_, [MASK, torch.tensor(1.0)]), "as_strided_": (torch.Tensor.as_strided_, [(2, 2), (0, 1)]),
    "index_fill_number_": (torch.Tensor.index_fill_, [0, ROW, 1.0]), "index_fill_tensor_": (torch.Tensor.index_fill_, [0, ROW, torch.tensor(1.0)]),
}  # fmt: skip
"""Forms of a method that are operators of their own."""
WHOLE_NUMBERS = ("bitwise", "gcd", "lcm")
NO_WRITES = {
    "as_strided_",
    "resize_",
    "set_",
    "t_",
    "squeeze_",
    "detach_",
    "requires_grad_",
    "rename_",
    "share_memory_",
}


def refused(function: Callable, args: list, settings: dict) -> bool:
    answer = said(function, args, settings)
    return REPEATED[:60] in answer or SHARED[:60] in answer


def laid(memory: torch.Tensor, like: torch.Tensor, at: int) -> torch.Tensor:
    """A tensor without gaps, of another's shape and dtype, some bytes into a memory."""
    strides = torch.empty(like.shape, device="meta").stride()
    return torch.empty(0, dtype=like.dtype).set_(
        memory.untyped_storage(), at // like.element_size(), like.shape, strides
    )


def neighbours(operand: torch.Tensor, target: torch.Tensor) -> tuple | None:
    """Copies of both in one memory, the second beginning one element behind the first; None where they do not meet."""
    step = max(operand.element_size(), target.element_size())
    size = operand.numel() * operand.element_size()
    if size <= step or not target.numel() or operand.layout is not torch.strided:
        return None
    memory = torch.zeros(size + step + target.numel() * target.element_size(), dtype=torch.uint8)
    return laid(memory, operand, 0).copy_(operand), laid(memory, target, step)


def words(target: torch.Tensor, args: list, refuses: Callable) -> list[str]:
    """What is done with overlaps, given a function of the target and of the arguments that tells whether it refuses."""
    spread = target.numel() > 1
    found = [
        "once" if not spread or refuses(torch.zeros(1, dtype=target.dtype).expand(target.shape), args) else "twice"
    ]
    for at, argument in enumerate(args):
        told = set()
        for i, operand in enumerate(tensors(argument)):

            def put(new: torch.Tensor, at: int = at, i: int = i, argument: Any = argument) -> list:
                many = new if isinstance(argument, torch.Tensor) else [*argument[:i], new, *argument[i + 1 :]]
                return [*args[:at], tuple(many) if isinstance(argument, tuple) else many, *args[at + 1 :]]

            if operand.shape == target.shape and operand.dtype == target.dtype:
                copy = operand.clone()
                told.add("any" if refuses(copy, put(copy)) else "")
            if (both := neighbours(operand, target)) is not None:
                told.add("part" if refuses(both[1], put(both[0])) else "free")
        found.append("free" if "free" in told else "any" if "any" in told else "part")
    while len(found) > 1 and found[-1] == "part":
        found.pop()
    return found


def outs(takes: dict[str, str]) -> dict[str, list[str]]:
    """What functions do with ``out=``."""
    found = {}
    for name in dict.fromkeys([*taking_out(takes), *FORMS, *KEEPING, *CREATING]):
        try:
            if name in CREATING:
                function, args, settings = getattr(torch, name), CREATING[name], {}
            else:
                function, args, settings = KEEPING.get(name) or FORMS.get(name) or call_of(name)  # type: ignore[misc]
            result = function(*args, **settings)
        except Exception:
            continue
        several = isinstance(result, (tuple, list))
        results = list(result) if several else [result]
        if not all(isinstance(x, torch.Tensor) for x in results):
            continue

        def out(place: int, target: torch.Tensor, results: list = results, several: bool = several) -> object:
            made = [target if i == place else torch.empty_like(x) for i, x in enumerate(results)]
            return tuple(made) if several else made[0]

        if (
            "unexpected keyword" in (answer := said(function, args, settings | {"out": out(0, results[0].clone())}))
            or "invalid comb" in answer
        ):
            continue
        for place, x in enumerate(results):
            told = words(x, args, lambda target, args: refused(function, args, settings | {"out": out(place, target)}))  # noqa: B023
            found[f"{name}/{place}" if place else name] = told
    return found


def forms(functions: dict[str, list[str]]) -> dict[str, list[str]]:
    """What in-place forms do, where that is not what their functions do."""
    calls = {
        name: (getattr(torch.Tensor, name), METHODS.get(name, []))
        for name in dir(torch.Tensor)
        if name[-1] == "_" != name[0]
    }
    found = {}
    for name, (function, args) in (calls | OPERATORS).items():
        target = (N if name.startswith(WHOLE_NUMBERS) else REAL).clone()
        target = target[0].clone() if name == "addmv_" else target[None] if name == "baddbmm_" else target
        try:
            result = function(target.clone(), *args)
        except Exception:
            continue
        if name in NO_WRITES or not isinstance(result, torch.Tensor) or result.shape != target.shape:
            continue
        told = words(target, args, lambda target, args: refused(function, [target, *args], {}))  # noqa: B023
        usual = functions.get(name[:-1], ["once"])
        if told != [usual[0], *usual[2:]]:
            found[name] = told
    return found


def overlaps(takes: dict[str, str]) -> dict[str, str]:
    """What functions, and in-place forms, do otherwise than usual where memory overlaps."""
    functions = outs(takes)
    found: dict[str, str] = {}
    for name, told in (functions | forms(functions)).items():
        if told != ["once"] or name.strip("_") in functions and name[-1] == "_":
            found[f"{name} overlap"] = " ".join(told)
    return found
