"""What declarations of pointwise operators share: their usual options, and the dtypes they refuse."""

from __future__ import annotations

from typing import Any

from ..arrays.constants import FLOAT32, FLOAT64, ndarray
from ..arrays.dtype import HALVES, of
from ..arrays.errors import combination_error, not_implemented
from ..arrays.promotion import result_type
from ..graph import gradient_nodes
from ..tensors.inplace import write
from ..tensors.tensor import Tensor
from .declare import NUMBERS, Array, composite, operator


def pointwise(names: str = "", /, **options: Any) -> Any:
    """An elementwise operator: promoted operands, an in-place form."""
    settings: dict[str, Any] = {"promote": "same", "inplace": True, "domain": "any"} | options
    return operator(names, **settings)


def tensors_only(names: str = "", /, **options: Any) -> Any:
    """An elementwise operator that takes no Python numbers in its tensors' places."""
    return pointwise(names, **{"scalars": False} | options)


def hidden(names: str, /, **options: Any) -> Any:
    """An elementwise operator among which a function chooses (`chosen`): it has no method and no in-place form of its own."""
    return pointwise(names, **{"method": False, "inplace": False} | options)


def of_numpy(names: str, function: Any, doc: str, /, **options: Any) -> Any:
    """An operator of two tensors that is a function of numpy's."""

    def kernel(xp, input: Array, other: Array):
        return getattr(xp, function.__name__)(input, other)

    kernel.__doc__ = doc
    return tensors_only(names, **options)(kernel)


def chosen(
    names: str, *, method: bool | str = True, inplace: bool = True, usual: Any = None, choices: dict | None = None
) -> Any:
    """A function that is one of several operators, by the kinds of its arguments.

    What is declared returns the operator and its arguments; the function, in-place and ``out=`` forms run it. `usual`: the
    operator for a tensor and plain numbers, of which at least one is given; `choices`: other operators by the types of arguments."""
    choices = dict(choices or {})
    if usual is not None:
        names_of = usual.params[1 : usual.positional]
        for n in range(1, len(names_of) + 1):
            choices[Tensor, *(object,) * n] = choices[Tensor, *names_of[:n], *(object,) * n] = usual
        for each in names_of[1:]:
            choices[Tensor, each, object] = usual

    def declare(choose: Any) -> Any:
        def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
            op, values = choose(*args, **kwargs)
            if out is not None:
                return op.into(list(values), out, public[0])
            return op.run(list(values))

        def form(*args: Any, **kwargs: Any) -> Any:
            op, values = choose(*args, **kwargs)
            return write(op, list(values))

        choose.direct = usual and usual.run
        public = names.split()
        name = public[0].rpartition(".")[2]
        function.__name__ = function.__qualname__ = choose.__name__ = choose.__qualname__ = name
        function.__doc__ = choose.__doc__
        form.__name__ = form.__qualname__ = name + "_"
        options = {"kernel": choose, "dtypes": False, "out": False, "choices": choices or None}
        return composite(names, method=method, inplace=form if inplace else False, **options)(function)

    return declare


KINDS = ("b", "iu", "f", "c")


def takes_floats(check: Any) -> Any:
    """A check that refuses no real floats, nor plain numbers beside them: it is not asked about these."""
    check.takes_floats = True
    return check


def refuse(kernel: str, kinds: str) -> Any:
    """A check that refuses some kinds of dtype ("biufc" as numpy has them, "h" the half types), the operands promoted."""

    plain = "f" not in kinds

    def check(*operands: Any) -> None:
        if plain and all([type(x) is ndarray and (x.dtype is FLOAT32 or x.dtype is FLOAT64) for x in operands]):
            return
        arrays = [x for x in operands if hasattr(x, "dtype") or isinstance(x, complex)]
        common = of(arrays[0]) if len(arrays) == 1 else result_type(arrays)
        if KINDS[common.category][0] in kinds or ("h" in kinds and common in HALVES):
            raise not_implemented(kernel, common)

    return check if {"f", "h"} & set(kinds) else takes_floats(check)


def is_number(x: Any) -> bool:
    return isinstance(x, NUMBERS)


def conjugate(t: Any, x: Any) -> Any:
    """The conjugate of an operand that may be a number."""
    kind = type(x)
    if kind is float or kind is ndarray and (x.dtype is FLOAT32 or x.dtype is FLOAT64):
        return x
    return x.conjugate() if isinstance(x, NUMBERS) else t.conj(x)


def no_derivative(name: str, listed: bool = False) -> Any:
    """The gradient formula of an operator that has none, which a backward pass finds out."""

    def formula(t: Any, g: Any) -> Any:
        raise gradient_nodes.no_derivative(name, listed)

    return formula


def three_ways(
    names: str, node: str, kernel: Any, input_gradient: Any, other_gradient: Any, doc: str, inplace: bool
) -> None:
    """A function of two tensors, of a number and a tensor, of a tensor and a number; one node name for each."""
    name = names.split()[0].rpartition(".")[2]
    check = refuse(f"{name}_cpu", "c" if name == "xlogy" or name == "xlog1py" else "ch")

    def tensors(xp, input: Array, other: Array):
        return kernel(xp, input, other)

    def number_first(xp, input, other: Array):
        return kernel(xp, other.dtype.type(input), other)

    def number_second(xp, input: Array, other):
        return kernel(xp, input, input.dtype.type(other))

    # Half types round after each step.
    options = {"promote": "float input other", "wide": False, "check": check, "domain": ""}
    ways = [
        hidden(f"_{name}", node=node + "0", **options)(tensors),
        hidden(f"_{name}_first", node=node + "1", **options)(number_first),
        hidden(f"_{name}_second", node=node + "2", **options)(number_second),
    ]
    ways[0].gradient(input=input_gradient, other=other_gradient)
    ways[1].gradient(other=other_gradient)
    ways[2].gradient(input=input_gradient)

    def choose(input, other):
        if isinstance(input, Tensor):
            if isinstance(other, Tensor):
                return ways[0], [input, other]
            if is_number(other):
                return ways[2], [input, other]
        elif is_number(input) and isinstance(other, Tensor):
            return ways[1], [input, other]
        raise combination_error(name, input, other)

    choose.__name__, choose.__doc__ = name, doc
    chosen(names, inplace=inplace, choices={(Tensor, Tensor): ways[0], (Tensor, object): ways[2]})(choose)
