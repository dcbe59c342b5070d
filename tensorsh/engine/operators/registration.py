"""Operators and methods entered in the table: their names, the forms derived from them, their signatures."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..arrays.door import answers_below
from ..loading.recorded import in_place
from ..loading.table import FUNCTIONS, METHODS, OPERATORS, watchers
from ..tensors.tensor import Late, Tensor, derived
from .description import described
from .forms import dressed, form
from .public_form import PYTHON, Method, PublicForm, Straight, StraightMethod, Written, is_method
from .signature import Form


def add(op: Any, names: list[str], make: Callable, method: bool | str, inplace: Any) -> None:
    """Enter an operator under its names, with the forms derived from it. make: the function of a title."""

    methods = method.split() if isinstance(method, str) else [n for n in names if "." not in n] if method else []
    for name in names:
        FUNCTIONS[name] = make("torch." + name)
        OPERATORS[name] = op
    for name in methods:
        METHODS[name] = make("Tensor." + name)
    if inplace:
        targets = inplace.split() if isinstance(inplace, str) else [n for n in names if "." not in n]
        make = inplace_maker(op, inplace, targets)
        for name in targets:
            METHODS[name + "_"] = make(f"Tensor.{name}_")
            if name[0] == "_" or name in in_place():
                FUNCTIONS[name + "_"] = make(f"torch.{name}_")
    for name in [*methods, *([t + "_" for t in targets] if inplace else [])]:
        held = Tensor.__dict__.get(name)
        if held is None or type(held) is Late:
            setattr(Tensor, name, METHODS[name])


def inplace_maker(op: Any, inplace: Any, targets: list[str]) -> Callable:
    """What makes the in-place function of a title, for an operator or a composite. inplace: the function itself, if any."""
    run = inplace if callable(inplace) else op.in_place()
    shorten = None if callable(inplace) else op.shorten_inplace
    name = targets[0] + "_" if targets else op.name + "_"
    run.__name__ = run.__qualname__ = name
    run.__doc__ = run.__doc__ or f"In-place form of :func:`{op.name}`."
    run.__wrapped__ = signature = Form(targets[0] if targets else name, run, op)  # type: ignore[attr-defined]

    def make(title: str) -> Callable:
        made = form(title, run)
        if shorten is not None:
            made = shorten(made)
            made._title = title  # type: ignore[attr-defined]
        dressed(made, run)
        signature.owner = made if signature.owner is run else signature.owner
        return made

    return make


def add_method(name: str, function: Callable) -> None:
    """Enter a Tensor method that is no operator; its wrong calls are told in PyTorch's words."""

    if "__wrapped__" not in function.__dict__:
        function.__wrapped__ = Form(name, function)  # type: ignore[attr-defined]
    METHODS[name] = method = dressed(form("Tensor." + name, function), function)
    setattr(Tensor, name, method)


def method(function: Any) -> Any:
    """A Tensor method that is no operator, entered as it stands."""
    METHODS[function.__name__] = function
    setattr(Tensor, function.__name__, function)
    return function


def straight(title: str, function: Any) -> Any:
    """A function that itself looks at what it is given, as one of PyTorch's."""
    kind = StraightMethod if is_method(title) else Straight
    made: Any = dressed(kind(title, function), function)
    made._plain = function
    return made


PREFIXED = ("linalg", "fft", "special")
"""Namespaces that PyTorch writes before the names of their functions."""
IN_PYTHON = PYTHON - {"broadcast_shapes", "istft", "pca_lowrank", "svd_lowrank"}
"""Functions of the module ``torch.functional``."""
OF_C = frozenset(
    "avg_pool2d avg_pool3d gelu linear log_sigmoid logsigmoid one_hot scaled_dot_product_attention softplus softshrink".split()
)
OF_TORCH = frozenset(
    "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d "
    "conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu "
    "relu_ rrelu_ selu_ threshold_".split()
)
"""Functions of ``torch.nn.functional`` that PyTorch takes from elsewhere, as they are: from ``torch._C._nn`` and from ``torch``."""
_signed: tuple[set[str], set[str]] = set(), set()


def sign(found: dict[str, Any], kind: int) -> None:
    """Functions that are no operators get their signatures as those do, and wrong calls of them PyTorch's words (only what
    is new in the table is looked at)."""

    fresh = [name for name in found if name not in _signed[kind]]
    _signed[kind].update(fresh)
    for name in fresh:
        function = found[name]
        record = getattr(function, "_operator", None) if kind else OPERATORS.get(name)
        if record is not None and function.__doc__ and (not kind or name in record.names):
            function.__doc__ = described(record, "Tensor." + name if kind else name, function.__doc__)
        if getattr(function, "__doc__", "") is None and hasattr(function, "_operator"):
            function.__doc__ = function._operator.function.__doc__
        if type(function) not in (FunctionType, PublicForm, Written, Method):
            continue
        owner, _, last = name.rpartition(".")
        if "<" in function.__qualname__ or function.__module__.startswith("tensorsh."):
            # No name of this package's own reaches a program.
            function.__name__ = function.__qualname__ = last
            function.__module__ = "torch." + owner if owner == "nn.functional" else "torch"
        if last[0] != "_":
            function.__name__ = f"{owner}_{last}" if owner in PREFIXED else last
            if owner in PREFIXED:
                function.__qualname__, function.__module__ = function.__name__, "torch._C._" + owner
            elif not kind and name in IN_PYTHON:
                function.__module__ = "torch.functional"
            elif owner == "nn.functional":
                function.__module__ = "torch._C._nn" if last in OF_C else "torch.nn.functional"
        if "__wrapped__" not in function.__dict__:
            method = "Tensor." if kind and "_attentive" in function.__dict__ else ""
            function.__wrapped__ = Form(method + name, function)  # type: ignore[attr-defined]
            if function.__doc__ is None and name[-1] == "_":
                function.__doc__ = f"In-place form of :func:`{name[:-1]}`."
        shown: Any = function
        attentive = "_attentive" in function.__dict__ or kind and "_operator" in function.__dict__
        if attentive and type(function) is FunctionType and not name.startswith("nn.functional."):
            shown = straight(("Tensor." if kind else "torch.") + name, function)
        elif "_operator" in function.__dict__ or name.startswith("nn.functional."):
            continue
        elif "_title" not in function.__dict__:
            shown = dressed(form(("Tensor." if kind else "torch.") + name, function), function)
        found[name] = function.__wrapped__.owner = shown  # type: ignore[attr-defined]
        if kind and Tensor.__dict__.get(name) is function:
            setattr(Tensor, name, shown)


def sign_all() -> None:
    """Sign what a family that was just loaded has put into the table."""
    sign(FUNCTIONS, 0)
    sign(METHODS, 1)


watchers.insert(0, sign_all)  # whoever watches besides sees public forms only


def ask_classes(made: type) -> None:
    """A program has a class of tensors: the results of functions are of that class, too."""
    from . import torch_function

    torch_function.stay("classes")
    if answers_below(made):
        torch_function.answers_below(made)


derived.append(ask_classes)

Tensor.detach = straight("Tensor.detach", Tensor.__dict__["detach"])  # type: ignore[method-assign]
