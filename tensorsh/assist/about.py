"""Facts about a name: signature, documentation, the gradient's formula; of a tensor its shape, memory and statistics."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..language import peek

if TYPE_CHECKING:
    from ..language.workspace import Workspace

BINS = 20
NAMES = 40
"""Of a module so many names are told."""
LARGEST = 20_000_000
"""Of tensors with more elements than this no statistics are taken."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """The facts about a value."""

    name: str
    kind: str
    type: str
    signature: str = ""
    doc: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    """Of a tensor: dtype, shape, strides, device, memory, whether it requires a gradient, its grad_fn, its statistics."""
    formulas: dict[str, str] = field(default_factory=dict)
    """Of an operator: the gradient of each argument, as its formula stands in the source; `g` is the incoming gradient."""
    source: str = ""
    """Of a function or class of the session: its text."""
    bins: tuple[int, ...] = ()
    """Of a tensor: how many elements lie in each of equal parts of its range."""
    range: tuple[float, float] = (0.0, 0.0)


def inspect(session: Workspace, name: str) -> Inspection | None:
    """The facts about the value at a dotted path, or None where there is none."""
    from .completion import classify, find

    name = name.strip()
    value = find(session, name)
    if value is peek.MISSING:
        return None
    kind, _ = classify(value)
    if peek.tensor_class(value):
        with peek.unasked():
            facts, bins, limits = tensor_facts(value)
        return Inspection(name, kind, type(value).__qualname__, facts=facts, bins=bins, range=limits)
    signature = ""
    if kind in ("function", "class"):
        from .signatures import signature_text

        signature = signature_text(value)
    if kind == "function" and peek.is_library(value) and hasattr(getattr(value, "__wrapped__", None), "document"):
        value.__wrapped__.document()
    doc = peek.attribute(value, "__doc__")
    if type(doc) is not str:
        doc = getattr(value, "__doc__", None) if kind in ("function", "class") else None
    facts = {"value": _short(value)} if kind == "variable" else {}
    from inspect import cleandoc

    doc = cleandoc(doc) if type(doc) is str else _names_told(value) if kind == "module" else ""
    if kind in ("function", "class") and peek.is_library(value):
        doc = _told_in_full(session, name, value, doc)

    return Inspection(
        name,
        kind,
        type(value).__qualname__,
        signature,
        doc if kind != "variable" or not peek.is_library(type(value)) else "",
        facts,
        formulas(getattr(value, "_operator", None)) if kind == "function" and peek.is_library(value) else {},
        source_text(session, value),
    )


_IN_PLACE = re.compile(r"In-place form of :func:`(\w+)`\.")


def _told_in_full(session: Workspace, name: str, value: Any, doc: str) -> str:
    """A function's documentation with that of the function whose in-place form it is, with what each argument means, and with
    an example if there is one."""
    from ..engine.examples import example
    from ..engine.operators.arguments import told_in_full

    before, _, last = name.rpartition(".")
    same = _IN_PLACE.match(doc)
    base = inspect(session, f"{before}.{same[1]}" if before else same[1]) if same is not None else None
    if base is not None:
        return f"`{same[1]}` in place: the tensor itself is written and returned.\n\n{base.doc}"  # type: ignore[index]
    own = getattr(value, "__name__", "")
    if doc and own:
        doc = told_in_full(f"{value.__module__}.{own}", _parameters(value), doc)
    if isinstance(value, type):
        return doc
    found = None if ">>> " in doc else example(f"Tensor.{last}", f"nn.functional.{last}", last)
    return doc if found is None else f"{doc}\n\n{found}\n\nThis is {found.result}."


def _parameters(value: Any) -> list[Any]:
    from ..sandbox.wrapping import signature

    try:
        return list(signature(value).parameters.values())
    except (TypeError, ValueError):
        return []


def source_text(session: Workspace, value: Any) -> str:
    """The text of a function or a class that a program of the session made."""
    from inspect import getblock
    from textwrap import dedent

    inner = value
    while isinstance(inner, FunctionType) and isinstance(inner.__dict__.get("__wrapped__"), FunctionType):
        inner = inner.__dict__["__wrapped__"]
    code = getattr(inner, "__code__", None)
    if code is not None:
        lines = (session.source_of(code) or "").splitlines(keepends=True)
        return dedent("".join(getblock(lines[code.co_firstlineno - 1 :]))).rstrip() if lines else ""
    if not isinstance(value, type):
        return ""
    begins = re.compile(rf"\s*class {re.escape(value.__name__)}\b")
    for _, text in reversed(session.sources()):
        lines = text.splitlines(keepends=True)
        for at, line in enumerate(lines):
            if begins.match(line):
                while at and lines[at - 1].lstrip().startswith("@"):
                    at -= 1
                return dedent("".join(getblock(lines[at:]))).rstrip()
    return ""


def _names_told(value: Any) -> str:
    """What a module holds: how many names, and the first of them."""
    names = sorted((name for name in peek.names_of(value) if name[0] != "_"), key=lambda n: (n.lower(), n))
    return f"Its names, {len(names)}: {', '.join(names[:NAMES])}{', ...' if len(names) > NAMES else ''}"


def _short(value: Any) -> str:
    if not peek.is_library(type(value)):
        return f"an object of class {type(value).__qualname__}"
    text = peek.text_of(value)
    return text if len(text) <= 200 else text[:197] + "..."


def tensor_facts(value: Any) -> tuple[dict[str, str], tuple[int, ...], tuple[float, float]]:
    """Facts, histogram and range of a tensor or an array."""
    base: Any = peek.tensor_class(value)
    is_array = base.__name__ == "ndarray"
    array = value if is_array else value._array
    facts: dict[str, Any] = {"dtype": base.dtype.__get__(value), "shape": base.shape.__get__(value)}
    sparse = hasattr(array, "layout")
    if sparse:
        facts["layout"] = f"{array.layout}, {array.nnz:,} elements kept"
    else:
        itemsize = array.dtype.itemsize
        strides = tuple(int(s) // itemsize for s in array.strides) if itemsize else ()
        contiguous = array.flags.c_contiguous if hasattr(array, "flags") else True
        facts["strides"] = f"{strides}{'' if contiguous else ', not contiguous'}"
    if not is_array:
        facts["device"] = value.device
    shared = "" if getattr(value, "_root", None) is None else ", a view"
    from ..display.sizes import size_text

    facts["memory"] = f"{size_text(array.nbytes)}, {array.size:,} element{'' if array.size == 1 else 's'}{shared}"
    if not is_array:
        facts["requires_grad"] = value.requires_grad
        if value._node is not None and not value.is_leaf and value._node._forbidden is None:
            facts["grad_fn"] = value.grad_fn.name()
        if value._grad is not None:
            facts["grad"] = f"there, norm {_norm(value._grad._array):.4g}"
    bins: tuple[int, ...] = ()
    limits = (0.0, 0.0)
    elements = array.values if sparse else array
    if elements.size and elements.size <= LARGEST:
        numbers, bins, limits = statistics(elements)
        facts |= numbers
    return {name: str(fact) for name, fact in facts.items()}, bins, limits


def _norm(array: Any) -> float:
    import numpy as np

    return float(np.linalg.norm(np.asarray(array).astype(np.float64).reshape(-1)))


def statistics(array: Any) -> tuple[dict[str, str], tuple[int, ...], tuple[float, float]]:
    """Mean, spread, extremes, how many are NaN or infinite, and a histogram of the finite ones."""
    import numpy as np

    if hasattr(array, "get"):  # on another device
        array = array.get()
    if array.dtype.kind == "b":
        return {"true": f"{int(array.sum()):,} of {array.size:,}"}, (), (0.0, 0.0)
    numbers = np.abs(array) if array.dtype.kind == "c" else array.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    facts = {}
    what = "magnitudes" if array.dtype.kind == "c" else "values"
    if finite.size:
        low, high = float(finite.min()), float(finite.max())
        facts[what] = f"mean {finite.mean():.4g}, std {finite.std():.4g}, min {low:.4g}, max {high:.4g}"
        zeros = int((finite == 0).sum())
        if zeros:
            facts["zeros"] = f"{zeros:,} ({100 * zeros / array.size:.3g} %)"
    nans, infinities = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    if nans or infinities:
        facts["not finite"] = f"{nans:,} NaN, {infinities:,} infinite"
    if finite.size < 2 or low == high:
        return facts, (), (0.0, 0.0)
    counts, _ = np.histogram(finite, BINS)
    return facts, tuple(int(n) for n in counts), (low, high)


def formulas(operator: Any) -> dict[str, str]:
    """The gradient formulas of an operator, by argument, as they stand in the source."""
    if operator is None or not getattr(operator, "differentiable", False):
        return {}
    found = {}
    if getattr(operator, "joint", None) is not None:
        text = formula_text(operator.joint)
        return {"all": text} if text else {}
    for position, (formula, _) in zip(operator.tensors, operator.formulas, strict=False):
        if formula is not None and (text := formula_text(formula)):
            found[operator.params[position]] = text
    return found


def formula_text(formula: Any) -> str:
    """The body of a lambda, or the whole of a function, with `t.` left out of the names of operators."""
    import ast

    formula = getattr(formula, "__wrapped__", formula)
    code = formula.__code__
    try:
        with open(code.co_filename, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError):
        return ""
    names = list(code.co_varnames[: code.co_argcount])
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) != code.co_firstlineno and not isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Lambda) and [a.arg for a in node.args.args] == names:
            return _readable(ast.unparse(node.body), names[0])
        if (
            isinstance(node, ast.FunctionDef)
            and node.name == formula.__name__
            and [a.arg for a in node.args.args] == names
        ):
            body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
            body = [s for s in body if not _is_short_way(s, names[0])]
            if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
                return _readable(ast.unparse(body[0].value), names[0])
            return "\n".join(_readable(ast.unparse(s), names[0]) for s in body)
    return ""


def _is_short_way(statement: Any, world: str) -> bool:
    """Whether a statement is a faster way to the same result for arrays as they are (`if t.raw: ...`)."""
    import ast

    return isinstance(statement, ast.If) and not statement.orelse and f"{world}.raw" in ast.unparse(statement.test)


def _readable(formula: str, world: str) -> str:
    """A formula without the world that it runs in; that of an operator which has no other name, by its docstring."""
    import re

    from ..engine.loading.table import find_operator

    inner = re.fullmatch(rf"{world}\.(_\w+)\(.*\)", formula)
    told = inner and re.search(
        "``(.+?)``", getattr(getattr(find_operator(inner[1]), "kernel", None), "__doc__", "") or ""
    )
    if told:
        return told[1]
    return re.sub(rf"\b{world}\.(?=[a-z])|(?<=\(){world}, ", "", formula)
