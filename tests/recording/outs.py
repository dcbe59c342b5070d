"""Refusals of ``out=`` tensors of a dtype that does not do, in PyTorch's words.

The calls are the examples of the operators, with outputs of several dtypes and with operands that want a gradient.
"""

from __future__ import annotations

import ast
import re

import torch

from tensorsh.engine.examples import example

from ..support.outcomes import headline

DTYPES = [torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64, torch.uint8]
WIDER: tuple[list, list] = [], [torch.complex128]
"""What is tried besides, where a result is real or complex."""
SHORT = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool", "complex64": "ComplexFloat",
         "complex128": "ComplexDouble", "uint8": "Byte", "int32": "Int", "uint64": "UInt64"}  # fmt: skip
LONG = {"float32": "float", "float64": "double", "int64": "long int", "bool": "bool", "complex64": "c10::complex<float>",
        "complex128": "c10::complex<double>", "uint8": "unsigned char", "int32": "int", "uint64": "unsigned long"}  # fmt: skip
RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
GRADIENT = re.compile(r"(?<!::)\b(\w+)\(\): functions with out=")
KERNEL = re.compile(r"aten::(\w+)\(\): functions with out=")


def call_of(name: str) -> tuple | None:
    """The function, arguments and settings of its example; None where that has no tensor among them."""
    shown = example(name)
    function = torch
    for part in name.split("."):
        function = getattr(function, part, None)
    if shown is None or function is None:
        return None
    space = {n: v for n, v in vars(torch).items() if n[0] != "_" and n != "range"} | {"torch": torch}
    for line in shown.code[:-1]:
        exec(line, space)
    call = ast.parse(shown.code[-1], mode="eval").body
    while isinstance(call, (ast.Attribute, ast.Subscript)):
        call = call.value
    if not isinstance(call, ast.Call):
        return None
    args = [eval(ast.unparse(a), space) for a in call.args]
    settings = {k.arg: eval(ast.unparse(k.value), space) for k in call.keywords if k.arg != "out"}
    if isinstance(call.func, ast.Attribute):
        owner = eval(ast.unparse(call.func.value), space)
        args = [owner, *args] if isinstance(owner, torch.Tensor) else args
    return function, args, settings


def tensors(value: object) -> list:
    many = value if isinstance(value, (list, tuple)) else [value]
    return [x for x in many if isinstance(x, torch.Tensor)]


def said(function: object, args: list, settings: dict) -> str:
    try:
        function(*args, **settings)
    except Exception as error:
        return headline(error)
    return ""


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def kind(name: str) -> str:
    return name[0]


def template(message: str, want: str, got: str) -> list[str]:
    """The message with places for the names of two dtypes, in either of the two ways that they are named."""
    found = []
    for names, places in ((SHORT, ("{Want}", "{Got}")), (LONG, ("{want}", "{got}"))):
        pattern = "|".join(sorted(map(re.escape, {names[want], names[got]}), key=len, reverse=True))
        by_name = {names[want]: places[0], names[got]: places[1]}
        found.append(
            re.sub(
                rf"(?:(?<![A-Za-z])|(?<=type))({pattern})(?![a-z:<])", lambda m, by_name=by_name: by_name[m[1]], message
            )
        )
    return found


def rule(want: str, answers: dict[str, str], form: bool = False) -> tuple[str, str] | None:
    """Which dtypes are refused, and the words; None where those are the usual ones, but for a form of a function."""
    refused = {got for got, text in answers.items() if text}
    others = set(answers) - {want}
    lesser = {got for got in others if RANKS[kind(got)] < RANKS[kind(want)]}
    if not refused:
        return ("any", "") if lesser else None
    if refused == lesser:
        which = "cast"
    elif refused == others:
        which = "same"
    elif refused == {got for got in others if kind(got) != "f"}:
        which = "floating"
    elif refused == others - {"uint8"}:
        which = "byte"
    else:
        return None
    texts = [template(answers[got], want, got) for got in sorted(refused)]
    for options in zip(*texts, strict=True):
        if max(map(options.count, options)) > len(options) // 2:
            options = (max(options, key=options.count),)
            usual = "RuntimeError: result type {Want} can't be cast to the desired output type {Got}"
            return None if which == "cast" and options[0] == usual and not form else (which, options[0])
    return None


def leaf(function: object, args: list, settings: dict, results: list, several: bool) -> str:
    """What is done with an ``out=`` that is a leaf and wants a gradient, where that is not refused as an operand's is."""
    outs = [
        torch.empty(x.shape, dtype=x.dtype if x.dtype.is_floating_point or x.is_complex() else None) for x in results
    ]
    outs = [x.requires_grad_() for x in outs]
    answer = said(function, args, settings | {"out": tuple(outs) if several else outs[0]})
    kernel = KERNEL.search(answer)
    if kernel:
        return f"kernel {kernel[1]}"
    return next(
        (word for word, text in (("copied", "a leaf Variable"), ("sized", "cannot resize")) if text in answer), ""
    )


X = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
PIVOTS = torch.tensor([1, 2], dtype=torch.int32)
FORMS = {
    "_max_all": (torch.max, [X], {}), "_min_all": (torch.min, [X], {}), "_clamp_tensors": (torch.clamp, [X, X, X], {}),
    "_clamp_min_tensor": (torch.clamp_min, [X, X], {}), "_clamp_max_tensor": (torch.clamp_max, [X, X], {}),
    "_lerp_tensor": (torch.lerp, [X, X, X], {}), "trunc": (torch.trunc, [X], {}), "norm": (torch.norm, [X], {}),
    "argsort": (torch.argsort, [X], {"stable": True}), "lu_solve": (torch.lu_solve, [X, X, PIVOTS], {}),
    "linalg.lu_solve": (torch.linalg.lu_solve, [X, PIVOTS, X], {}), "linalg.ldl_solve": (torch.linalg.ldl_solve, [X, PIVOTS, X], {}),
    "vstack": (torch.vstack, [[X, X]], {}), "_median_dim": (torch.median, [X, 0], {}), "_nanmedian_dim": (torch.nanmedian, [X, 0], {}),
    "isposinf": (torch.isposinf, [X], {}), "isneginf": (torch.isneginf, [X], {}), "diag": (torch.diag, [X], {}),
    "heaviside": (torch.heaviside, [X, X], {}), "nn.functional.softplus": (torch.nn.functional.softplus, [X], {}),
    "diagonal_copy": (torch.diagonal_copy, [X], {}),
}  # fmt: skip
"""Calls of which there is no example, or a form of a function that is an operator of its own."""


def taking_out(takes: dict[str, str]) -> list[str]:
    """The functions with ``out=``, given the overloads of all."""
    names = [name.removesuffix(" takes") for name, text in takes.items() if "out=" in text]
    return [name for name in names if not name.startswith(("Tensor.", "_nn."))]


def outs(takes: dict[str, str]) -> dict[str, str]:
    """Which dtypes functions refuse for ``out=``, and what they say where an operand wants a gradient."""
    found: dict[str, str] = {}
    for name in dict.fromkeys([*taking_out(takes), *FORMS]):
        try:
            call = FORMS.get(name) or call_of(name)
            if call is None:
                continue
            function, args, settings = call
            result = function(*args, **settings)
        except Exception:
            continue
        several = isinstance(result, (tuple, list))
        results = list(result) if several else [result]
        if not all(isinstance(x, torch.Tensor) for x in results):
            continue

        def made(place: int = -1, dtype: object = None, results: list = results, several: bool = several) -> object:
            each = [torch.empty(0, dtype=dtype if i == place else x.dtype) for i, x in enumerate(results)]
            return tuple(each) if several else each[0]

        for place, x in enumerate(results):
            want = name_of(x.dtype)
            if want not in SHORT:
                continue
            if not any(map(tensors, args)):
                break
            answers = {
                name_of(d): said(function, args, settings | {"out": made(place, d)})
                for d in DTYPES + WIDER[x.is_complex()]
            }
            if any("unexpected keyword" in a or "invalid combination" in a for a in answers.values()):
                break
            told = rule(want, answers, name[0] == "_")
            if told:
                found[f"{name}/{place} out" if place else f"{name} out"] = " ".join(told).strip()
        tracked = [
            x.detach().clone().requires_grad_() if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else
            [y.detach().clone().requires_grad_() if isinstance(y, torch.Tensor) and y.dtype.is_floating_point else y for y in x]
            if isinstance(x, (list, tuple)) else x
            for x in args
        ]  # fmt: skip
        if any(y.requires_grad for x in tracked for y in tensors(x)):
            answer = said(function, tracked, settings | {"out": made()})
            named = GRADIENT.search(answer)
            if not answer:
                found[f"{name} traced"] = "tracked"
            elif named and named[1] != name.rpartition(".")[2]:
                found[f"{name} traced"] = f"named {named[1]}"
        said_of_leaf = leaf(function, args, settings, results, several)
        if said_of_leaf and (said_of_leaf != "copied" or found.get(f"{name} traced") == "tracked"):
            found[f"{name} traced"] = said_of_leaf
    return found
