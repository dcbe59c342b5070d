"""Views that only rename dimensions: another shape, another order, dimensions of one element more or less.

They share the memory of their input. `reshape` and `flatten` copy where a view is not possible."""

from __future__ import annotations

from typing import Any

from ...arrays.deferred import RULES, bits
from ...arrays.dtype import dtype as Dtype
from ...arrays.dtype import given_dtype, of
from ...arrays.errors import combination_error, length, wrap_dim, wrap_dims
from ...arrays.extents import element_offset, element_strides
from ...arrays.type_names import type_name
from ...arrays.views import exchanged, expanded, in_shape, infer_size, permuted, transposed, unsqueezed, viewed
from ...arrays.warning import warn_of_old
from ...loading import table
from ...operators.declare import Array, Ints, composite, operator
from ...operators.forms import dressed, form, public
from ...operators.signature import Form
from ...tensors.sizes import ints
from ...tensors.tensor import Tensor
from ..creation.copying import clone, contiguous


def view_operator(names: str = "", /, **options: Any):
    """An operator whose result shares its input's memory."""
    return operator(names, **{"view": True, "out": False} | options)


NO_VIEW = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
    "subspaces). Use .reshape(...) instead."
)


@view_operator("_view", method="view", node="ViewBackward0")
def view(xp, input: Array, size: Ints = None, dtype=None):
    """The same memory in another shape (one size may be -1), or its bytes as another dtype.
    RuntimeError: a shape that the strides do not allow, another number of elements."""
    if dtype is not None or type(size) is Dtype or type(size) is type:
        return None
    result = in_shape(input, ints("view", "size", size))
    if result is None:
        raise RuntimeError(NO_VIEW)
    return result


view.fast = viewed
view.gradient(input=lambda t, g, input_shape: t.reshape(g, input_shape))
view.otherwise = lambda input, size, dtype: view_dtype.function(input, given_dtype(dtype or size, "view"))


@view_operator("_view_dtype", method=False, node="ViewBackward1")
def view_dtype(xp, input: Array, dtype):
    source, target = of(input), dtype
    old, new = source.itemsize, target.itemsize
    if old == new:
        return input.view(target.numpy)
    named = f"to view {source.short} as {target.short} (different element sizes)"
    if not input.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {named}")
    strides = element_strides(input)
    if strides[-1] != 1 and input.shape[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {named}, but got {strides[-1]}")
    if new > old:
        ratio = new // old
        if input.shape[-1] % ratio:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {named}, but got {input.shape[-1]}")
        if element_offset(input) % ratio:
            raise RuntimeError(
                f"self.storage_offset() must be divisible by {ratio} {named}, but got {element_offset(input)}"
            )
        for i, s in enumerate(strides[:-1]):
            if s % ratio:
                raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {named}, but got {s}")
    return input.view(target.numpy)


def refuse_deferred(input, dtype):
    """A deferred array by its bytes, which is refused."""
    told = "conjugate view tensors" if bits(input)[0] else "tensors with negative bit set"
    raise RuntimeError(f"torch.Tensor.view is not supported for {told} when converting to a different dtype.")


RULES["_view_dtype"] = refuse_deferred


@view_operator(
    node=lambda input, shape: "ViewBackward0" if input._array.flags.c_contiguous else "ReshapeAliasBackward0"
)
def reshape(xp, input: Array, shape: Ints):
    """The elements in another shape (one size may be -1): a view where strides allow, else a copy.
    RuntimeError: another number of elements, more than one -1."""
    return in_shape(input, ints("reshape", "shape", shape))


def copied(input, shape):
    """`reshape` where no view is possible."""
    sizes = infer_size(ints("reshape", "shape", shape), input._array.size)
    return unsafe_view.function(clone.function(input, memory_format=contiguous), sizes)


reshape.fast = viewed
reshape.gradient(input=lambda t, g, input_shape: t.reshape(g, input_shape))
reshape.otherwise = copied


@operator("_unsafe_view", method=False)
def unsafe_view(xp, input: Array, size):
    """`view` of a tensor nobody else holds."""
    return input.reshape(size)


unsafe_view.gradient(input=lambda t, g, input_shape: t.reshape(g, input_shape))
table.METHODS["_unsafe_view"] = unsafe_view.make("Tensor._unsafe_view")


@composite(method="reshape_as")
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` in the shape of `other`."""
    return input.reshape(other._array.shape)


@composite("_view_as", method="view_as")
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """A view in the shape of `other`: ``x.view(other.shape)``, of which only the shape counts.
    RuntimeError: another number of elements, strides that allow no view."""
    return input.view(other._array.shape)


del table.FUNCTIONS["reshape_as"], table.FUNCTIONS["_view_as"]


@composite()
def flatten(input: Tensor, start_dim=0, end_dim=-1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` as one; `input` itself when there is only one.
    A number gives a vector of one. RuntimeError: `start_dim` after `end_dim`."""
    shape = input._array.shape
    first, last = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return input.reshape((1,))
    if first == last:
        return input
    count = 1
    for n in shape[first : last + 1]:
        count *= n
    return input.reshape((*shape[:first], count, *shape[last + 1 :]))


@composite()
def unflatten(input: Tensor, dim, sizes) -> Tensor:
    """Dimension `dim` as several of the given sizes (one may be -1).
    A view. RuntimeError: sizes whose product is not the dimension's."""
    shape = input._array.shape
    at = wrap_dim(dim, len(shape), "unflatten")
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(f"unflatten(): argument 'sizes' (position 2) must be tuple of ints, not {type_name(sizes)}")
    sizes = ints("unflatten", "sizes", sizes, 2)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        found = infer_size(sizes, length(shape, at))
    except (RuntimeError, IndexError) as error:
        if str(error).startswith("shape"):
            raise RuntimeError(
                f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({shape[at]}) in the "
                "input tensor"
            ) from None
        raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
    return input.view((*shape[:at], *found, *shape[at + 1 :]))


@composite()
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view where strides allow."""
    return input.contiguous().view(-1)


class _All:
    def __repr__(self) -> str:
        return "None"


ALL: Any = _All()
"""What `squeeze` takes for `dim` when none is given (None is no dimension)."""


def squeezed_node(input, dim):
    return "SqueezeBackward0" if dim is ALL else "SqueezeBackward1" if isinstance(dim, int) else "SqueezeBackward2"


@view_operator(node=squeezed_node)
def squeeze(xp, input: Array, dim=ALL):
    """Without the dimensions of size 1: all of them, or those among `dim`.
    The result is a view; a dimension of another size stays. IndexError: no such dimension."""
    return input.squeeze() if dim is ALL else input.squeeze(squeezed_dims(input.shape, dim))


squeeze.gradient(input=lambda t, g, input_shape, dim: t.reshape(g, input_shape))


def squeezed_dims(shape: tuple, dim: Any) -> tuple[int, ...]:
    """Which dimensions `squeeze` takes away."""
    if dim is ALL:
        return tuple([i for i, n in enumerate(shape) if n == 1])
    if type(dim) is int:
        at = wrap_dim(dim, len(shape))
        return (at,) if shape and shape[at] == 1 else ()
    if dim is None:
        raise combination_error("squeeze", dim)
    dims = ints("squeeze", "dim", dim)
    return tuple([i for i in wrap_dims(dims, len(shape)) if shape[i] == 1]) if dims else ()


@view_operator()
def unsqueeze(xp, input: Array, dim):
    """With a new dimension of size 1 at `dim`.
    The result is a view. IndexError: `dim` beyond the dimensions of the result."""
    return unsqueezed(input, dim)


unsqueeze.fast = unsqueezed
unsqueeze.gradient(input=lambda t, g, input_shape, dim: t.reshape(g, input_shape))


@view_operator()
def expand(xp, input: Array, size: Ints):
    """With dimensions of size 1 repeated to `size` without copying (-1: as it is).
    The result is a view. RuntimeError: another size than 1 to be changed, fewer sizes than dimensions."""
    return expanded(input, ints("expand", "size", size))


expand.fast = expanded
expand.gradient(input=lambda t, g, input_shape: t.sum_to_size(g, input_shape))
del table.FUNCTIONS["expand"]


@composite(method="expand_as")
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` expanded to the shape of `other`: ``x.expand(other.shape)``, a view on the same memory.
    RuntimeError: a dimension of another size than 1 that differs."""
    return input.expand(other._array.shape)


del table.FUNCTIONS["expand_as"]


@view_operator()
def permute(xp, input: Array, dims: Ints):
    """With the dimensions in the order `dims`.
    The result is a view. RuntimeError: a dimension that lacks or comes twice."""
    return permuted(input, ints("permute", "dims", dims))


permute.fast = permuted
permute.gradient(input=lambda t, g, dims: t.permute(g, inverse(dims)))


def inverse(dims: tuple) -> tuple[int, ...]:
    """The order of dimensions that undoes another."""
    dims = ints("permute", "dims", dims)
    back = [0] * len(dims)
    for i, d in enumerate(dims):
        back[d % len(dims)] = i
    return tuple(back)


@view_operator("transpose swapaxes swapdims")
def transpose(xp, input: Array, dim0, dim1):
    """With two dimensions exchanged.
    The result is a view. IndexError: no such dimension."""
    return exchanged(input, dim0, dim1)


transpose.fast = exchanged
transpose.gradient(input=lambda t, g, dim0, dim1: t.transpose(g, dim0, dim1))


def _swap(name: str):
    def swap(input: Tensor, axis0: int, axis1: int) -> Tensor:
        """With two dimensions exchanged."""
        return transpose.function(input, axis0, axis1)

    swap._operator = transpose
    swap.__wrapped__ = Form(name, swap)
    return swap


for _kind, _owner in (("torch.", table.FUNCTIONS), ("Tensor.", table.METHODS)):
    _function = _swap("swapaxes")
    _owner["swapaxes"] = dressed(form(_kind + "swapaxes", _function), _function)
Tensor.swapaxes = table.METHODS["swapaxes"]  # type: ignore[attr-defined]


@view_operator()
def t(xp, input: Array):
    """A matrix with its dimensions exchanged; a vector as it is.
    (2, 3) gives (3, 2), a view on the same memory. RuntimeError: more than two dimensions, for which there is `mT`."""
    if input.ndim > 2 and not hasattr(input, "sparse_dim"):
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input.T


t.fast = t.loop = transposed
t.operands = 1
t.gradient(input=lambda t, g: t.t(g))


@composite("movedim moveaxis")
def movedim(input: Tensor, source, destination) -> Tensor:
    """With the dimensions `source` moved to the places `destination`, the others in their order."""
    n = input._array.ndim
    if type(source) is int and type(destination) is int and n:
        order = list(range(n))
        order.insert(wrap_dim(destination, n), order.pop(wrap_dim(source, n)))
        return input.permute(tuple(order))
    source, destination = ints("movedim", "source", source), ints("movedim", "destination", destination)
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same number of "
            f"dims as destination ({list(destination)} dims)"
        )
    for title, dims in ("source", source), ("destination", destination):
        if len({wrap_dim(d, n) for d in dims}) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{title}` ({list(dims)})")
    if not n:
        from .views import alias

        return alias.function(input)
    places = dict(zip([d % n for d in destination], [s % n for s in source], strict=True))
    rest = (d for d in range(n) if d not in places.values())
    return input.permute(tuple(places[i] if i in places else next(rest) for i in range(n)))


@view_operator("_reversed_dims", method=False, node="PermuteBackward0")
def reversed_matrix(xp, input: Array, dims=(1, 0)):
    return input.T


reversed_matrix.loop = transposed
reversed_matrix.operands = 1
reversed_matrix.gradient(input=lambda t, g, dims: t.t(g))


def reversed_dims(self: Tensor) -> Tensor:
    """With the dimensions in reverse order."""
    n = self._array.ndim
    if n == 2:
        return permute.run([self, (1, 0)])
    warn_of_old("T" if n else "T of a number")
    if n == 0:
        return permute.function(self, ())
    return permute.function(self, tuple(range(n))[::-1])


def matrix_transposed(self: Tensor) -> Tensor:
    """With the last two dimensions exchanged."""
    return last_exchanged(self, "mT")


def last_exchanged(input: Tensor, name: str) -> Tensor:
    """The last two dimensions exchanged; a number stays as it is."""
    n = input._array.ndim
    if n == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if not n:
        warn_of_old(f"{name} of a number")
    return input.transpose(-2, -1) if n else input


def conjugate(t: Tensor) -> Tensor:
    return t.conj() if t._array.dtype.kind == "c" else t


def hermitian(self: Tensor) -> Tensor:
    """A matrix, transposed and conjugated."""
    n = self._array.ndim
    if n not in (0, 2):
        hint = " For batches of matrices, consider using tensor.mH" if n > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{hint}")
    if not n:
        warn_of_old("H of a number")
    return conjugate(self.transpose(0, 1) if n else self)


def matrix_hermitian(self: Tensor) -> Tensor:
    """With the last two dimensions exchanged, and conjugated."""
    return conjugate(last_exchanged(self, "mH"))


@composite()
def adjoint(input: Tensor) -> Tensor:
    """With the last two dimensions exchanged, and conjugated."""
    return conjugate(last_exchanged(input, "adjoint()"))


reversed_form = public("Tensor.T", lambda args, kwargs: reversed_dims(*args), executor=reversed_matrix)
for _name, _getter in {
    "T": dressed(reversed_form, reversed_dims),
    "mT": matrix_transposed,
    "H": hermitian,
    "mH": matrix_hermitian,
}.items():
    setattr(Tensor, _name, table.METHODS.setdefault(_name, property(_getter)))
