"""PyTorch's words for wrong arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.integers import whole
from .dtype import is_half, of
from .extents import span
from .type_names import type_name


def argument_error(op: Any, position: int, value: Any, expected: str = "Tensor") -> TypeError:
    """``add(): argument 'other' (position 2) must be Tensor, not str``."""
    param = op.params[position]
    place = f" (position {position + 1})" if position < op.positional else ""
    return TypeError(f"{op.name.lstrip('_')}(): argument '{param}'{place} must be {expected}, not {type_name(value)}")


def binding_error(op: Any, args: tuple, kwargs: dict) -> TypeError:
    """What is wrong with a call's arguments: missing, too many, unknown."""
    name = op.name
    for key in kwargs:
        if key not in op.index and key not in ("axis", "keepdims", "x", "x1", "x2", "a", "self"):
            return TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    for key in op.params[: len(args)]:
        if key in kwargs:
            return TypeError(f"{name}() got multiple values for argument '{key}'")
    if len(args) > op.positional:
        plural = "" if op.positional == 1 else "s"
        return TypeError(
            f"{name}() takes {op.positional} positional argument{plural} but {len(args)} were given"
            if op.required == op.positional
            else f"{name}() takes from {op.required} to {op.positional} positional arguments but {len(args)} were given"
        )
    missing = [p for p in op.params[len(args) : op.required] if p not in kwargs]
    if not missing:
        # What is missing can only be named, as `upper` of linalg.solve_triangular.
        defaults = op.defaults[op.positional :]
        given = zip(op.params[op.positional :], defaults, strict=True)
        missing = [p for p, default in given if type(default).__name__ == "Required" and p not in kwargs]
    listed = ", ".join(f'"{p}"' for p in missing)
    return TypeError(f"{name}() missing {len(missing)} required positional arguments: {listed}")


def combination_error(name: str, *args: Any, **kwargs: Any) -> TypeError:
    """No overload of a function takes these arguments (a method's own tensor is not among them)."""
    listed = ", ".join([type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in sorted(kwargs.items())])
    listed += ", " if kwargs and not args else ""
    return TypeError(f"{name}() received an invalid combination of arguments - got ({listed}), but expected one of:")


def dim_error(dim: int, ndim: int) -> IndexError:
    low, high = (-ndim, ndim - 1) if ndim else (-1, 0)
    return IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")


def wrap_dim(dim: int, ndim: int, caller: str = "") -> int:
    """A dimension counted from the front; IndexError when there is none such. Scalars have dimension 0. `caller` names a form
    that is not in the recorded table, and says itself that it wants an integer."""
    n = ndim or 1
    try:
        if type(dim) is not int:
            if type(dim) is bool or not (isinstance(dim, int) or hasattr(type(dim), "item") and not dim.ndim):
                raise TypeError
            dim = whole(dim)
        if -n <= dim < n:
            return dim % n
    except TypeError:
        title = f"{caller}(): argument 'dim' (position 1)" if caller else "dim"
        raise TypeError(f"{title} must be int, not {type_name(dim)}") from None
    raise dim_error(dim, ndim)


def own_dim(dim: int, ndim: int, caller: str = "") -> int:
    """As `wrap_dim`, where a scalar has no dimension 0."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, ndim, caller)


def length(shape: tuple, dim: int, caller: str = "") -> int:
    """The length of a dimension, where PyTorch asks for it before it looks how many there are."""
    return shape[own_dim(dim, len(shape), caller)]


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Several dimensions (None or empty: all), each once."""
    if dims is None:
        return tuple(range(ndim))
    if isinstance(dims, (int, np.integer)):
        return (wrap_dim(whole(dims), ndim),) if ndim else (wrap_dim(whole(dims), ndim),)[:0]
    if len(dims) == 0:
        return tuple(range(ndim))
    wrapped = [wrap_dim(d if type(d) is int else whole(d), ndim) for d in dims]
    if len(set(wrapped)) < len(wrapped):
        twice = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return tuple(wrapped) if ndim else ()


def check_broadcast(operands: list) -> None:
    """Raise PyTorch's error where the shapes of some operands do not broadcast."""
    shape: tuple = ()
    for x in operands:
        other = getattr(x, "shape", ())
        if not shape or other == shape:
            shape = other
            continue
        try:
            shape = np.broadcast_shapes(shape, other)
        except ValueError:
            raise broadcast_error(shape, other) from None


def common_shape(a: tuple, b: tuple) -> tuple:
    """The shape that two are broadcast to, or PyTorch's error."""
    if a == b and type(a) is tuple:
        return a
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise broadcast_error(a, b) from None


def fits_into(target: tuple, source: tuple) -> None:
    """Raise unless a shape can be broadcast to that of the tensor it is written to."""
    if (both := common_shape(target, source)) != target:
        raise not_fitting(target, both)


def not_fitting(target: tuple, shape: tuple) -> RuntimeError:
    return RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape {list(shape)}")


def check_factors(a: Any, b: Any) -> None:
    """Raise unless the columns of one matrix are as many as the rows of another."""
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )


def unmet(condition: str) -> str:
    """PyTorch's words where a condition does not hold that has none of its own."""
    return (
        f"Expected {condition} to be true, but got false.  (Could this error message be improved?  If so, please report an "
        "enhancement request to PyTorch.)"
    )


def broadcast_error(a: tuple, b: tuple) -> RuntimeError:
    """The size mismatch of two shapes, at the last dimension where they differ."""
    n = max(len(a), len(b))
    for i in range(n - 1, -1, -1):
        x = a[i - n + len(a)] if i - n + len(a) >= 0 else 1
        y = b[i - n + len(b)] if i - n + len(b) >= 0 else 1
        if x != y and x != 1 and y != 1:
            return RuntimeError(
                f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton dimension {i}"
            )
    try:
        span(
            tuple([x if y == 1 else y for x, y in zip((1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b, strict=True)]),
            None,
            1,
        )
    except RuntimeError as error:  # numpy does not broadcast to a shape that no memory holds
        return error
    return RuntimeError(f"shapes {list(a)} and {list(b)} cannot be broadcast")


def not_implemented(kernel: str, value: Any) -> NotImplementedError:
    """``"hypot_cpu" not implemented for 'Long'``, for an array or a dtype."""
    short = value.short if hasattr(value, "short") else of(value).short
    return NotImplementedError(f"\"{kernel}\" not implemented for '{short}'")


def refuse_halves(kernel: str, array: Any) -> None:
    """Raise the error of a kernel that PyTorch has for single and double precision alone."""
    if is_half(array.dtype):
        raise not_implemented(kernel, array)


CPP_NAMES = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex32": "c10::complex<c10::Half>", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
"""C++'s names of dtypes, in some messages."""


def cpp_name(value: Any) -> str:
    """That of an array, a tensor or a dtype."""
    name = getattr(value, "dtype", value).name
    return CPP_NAMES.get(name, name)


OLD_TYPES = frozenset("Byte Char Short Int Long Half Float Double".split())


def tensor_type(d: Any) -> str:
    """``torch.ShortTensor``: what messages call the type of a CPU tensor of a dtype; only the oldest have such a name."""
    return f"torch.{d.short}Tensor" if d.short in OLD_TYPES else f"CPU{d.short}Type"
