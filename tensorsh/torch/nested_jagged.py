"""Nested tensors of the jagged layout: batches of tensors of different lengths, held as one tensor of all rows and the offsets
where each begins.

A nested tensor is its values, with the history that gradients need; functions reach it as they reach every class with
``__torch_function__``, and are computed on the values (`nested_jagged_rules.py`). One dimension is ragged; its size is a symbol, equal
only to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise
from typing import Any, NamedTuple

from ..engine.loading.table import find_function
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.tensors.tensor import Tensor
from .checks import _check_with
from .nested_base import TRUNCATED, Nested, nested
from .rebuilding import _rebuild_from_type_v2
from .root import torch as T  # noqa: N812
from .undocumented import SymInt
from .utils.weak import WeakTensorKeyDictionary

__all__: list[str] = []

RULES: dict[str, Callable] = {}
"""What each function does with nested tensors (`nested_jagged_rules.py` enters them); all others are elementwise, or refused."""
ELEMENTWISE = frozenset("dropout alpha_dropout rand_like randn_like empty_like full_like cpu requires_grad_".split())


_numbers = count(1)


class NestedInt(SymInt):
    """The size of a ragged dimension: equal to itself alone, and not less than 2."""

    __module__ = "torch"
    _number: int
    _times: int

    def __init__(self, number: int | None = None, times: int = 1) -> None:
        if number is None:
            number = next(_numbers)
        self._number, self._times = number, times

    def __repr__(self) -> str:
        return f"j{self._number}" if self._times == 1 else f"{self._times}*j{self._number}"

    __str__ = __repr__

    def __hash__(self) -> int:
        return hash((self._number, self._times))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NestedInt) and (self._number, self._times) == (other._number, other._times)

    def __mul__(self, other: int) -> Any:
        return NestedInt(self._number, self._times * other)

    __rmul__ = __mul__

    def __ge__(self, other: Any) -> bool:
        if isinstance(other, NestedInt):
            if self._number == other._number:
                return self._times >= other._times
        elif other <= 2:
            return True
        raise ValueError("ge: relation is indeterminate")

    def __le__(self, other: Any) -> bool:
        if isinstance(other, NestedInt):
            return other >= self
        if other < 2:
            return False
        raise ValueError("ge: relation is indeterminate")

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __lt__(self, other: Any) -> bool:
        return not self >= other


_symbols: Any = WeakTensorKeyDictionary()


def symbol_of(source: Tensor) -> Any:
    """The size that belongs to offsets or lengths: tensors that share these are of one shape."""
    found = _symbols.get(source)
    if found is None:
        found = _symbols[source] = NestedInt()
    return found


class Jagged(NamedTuple):
    """How values are parts: where these begin, the size of the ragged dimension and its place, how long the parts are where they
    leave holes, the shortest and the longest length where they are known."""

    offsets: Tensor
    symbol: Any
    ragged: int
    lengths: Tensor | None
    known: dict


class NestedTensor(Nested):
    """Tensors of different lengths as one."""

    __module__ = "torch.nested._internal.nested_tensor"
    _nested: Jagged
    _rules = RULES
    _on_all = ELEMENTWISE
    _refusal = (
        "tensorsh does not have {name}() of nested tensors: call it on the parts, torch.nested.as_nested_tensor("
        "[f(t) for t in x.unbind()], layout=x.layout), or on x.to_padded_tensor(0)"
    )

    def __new__(
        cls, values: Any, offsets: Any, *, lengths: Any = None, _ragged_idx: int = 1, _metadata_cache: Any = None, **kwargs: Any
    ) -> Any:  # fmt: skip
        with DisableTorchFunctionSubclass():
            made = nest(values.view_as(values), jagged(offsets, _ragged_idx, lengths, _metadata_cache))
            return made.requires_grad_() if kwargs.get("requires_grad") else made

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def offsets(self) -> Tensor:
        """Where each part begins, and the end."""
        return self._nested.offsets

    def lengths(self) -> Any:
        """How long the parts are; None where they lie one behind the other."""
        return self._nested.lengths

    @property
    def _values(self) -> Tensor:  # type: ignore[override]
        return self.values()

    _offsets = property(lambda self: self._nested.offsets)
    _lengths = property(lambda self: self._nested.lengths)

    @property
    def _metadata_cache(self) -> dict:
        return {name: find_function("zeros")(n, 0) for name, n in self._nested.known.items()}

    _maybe_max_seqlen = property(lambda self: self._nested.known.get("max_seqlen"))
    _maybe_min_seqlen = property(lambda self: self._nested.known.get("min_seqlen"))
    _ragged_idx = property(lambda self: self._nested.ragged)

    def _get_max_seqlen(self) -> int:
        return self._nested.known.setdefault("max_seqlen", max(lengths(self)))

    _max_seqlen = property(_get_max_seqlen)

    def _get_min_seqlen(self) -> int:
        return self._nested.known.setdefault("min_seqlen", min(lengths(self)))

    _min_seqlen = property(_get_min_seqlen)

    @property
    def layout(self) -> Any:  # type: ignore[override]
        return T.jagged

    def __repr__(self) -> str:  # type: ignore[override]
        offsets = self._nested.offsets
        with DisableTorchFunctionSubclass():
            history = self.grad_fn
            marks = (
                f", grad_fn={history!r}"
                if history is not None
                else ", requires_grad=True"
                if self.requires_grad
                else ""
            )
            shape = ", ".join(map(str, sizes(self)))
            whole = self._nested.lengths is None and Tensor.is_contiguous(self)
            return f"NestedTensor(size=({shape}), offsets={offsets!r}{marks}, contiguous={whole})"

    def __reduce_ex__(self, protocol: Any) -> tuple:
        offsets, _, ragged, lengths, _ = self._nested
        kept = {"values": self.values().detach(), "offsets": offsets, "lengths": lengths, "_ragged_idx": ragged}
        kept |= {"_metadata_cache": self._metadata_cache, "requires_grad": self.requires_grad}
        return (_rebuild_from_type_v2, (_rebuild_njt, NestedTensor, (kept,), {}))

    def __setstate__(self, state: Any) -> None:
        """Nothing: all is given when it is made; PyTorch's files tell of it again."""


def _rebuild_njt(constructor_kwargs: dict) -> Any:
    """What a file holds of a jagged tensor."""
    given = dict(constructor_kwargs)
    wanted = bool(given.pop("requires_grad", False))
    kinds = {
        "values": Tensor,
        "offsets": Tensor,
        "lengths": (Tensor, type(None)),
        "_ragged_idx": int,
        "_metadata_cache": dict,
    }
    if any(name not in kinds or not isinstance(value, kinds[name]) for name, value in given.items()):
        raise ValueError("damaged file: a nested tensor of unknown form")
    made = NestedTensor(**given).detach()
    return made.requires_grad_() if wanted else made


_rebuild_njt.__module__ = "torch.nested._internal.nested_tensor"


def sizes(x: Any) -> list:
    """The sizes of all dimensions, the ragged one by its symbol."""
    offsets, symbol, ragged, _, _ = x._nested
    shape = list(x._array.shape)
    return [offsets._array.size - 1, *[symbol if i == ragged - 1 else n for i, n in enumerate(shape)]]


def jagged(offsets: Tensor, ragged: int = 1, lengths: Any = None, known: Any = None) -> Jagged:
    """How values are parts, of offsets, lengths and what is known of them."""
    told = {k: v if isinstance(v, int) else v.shape[0] for k, v in (known or {}).items()}
    return Jagged(offsets, symbol_of(offsets if lengths is None else lengths), ragged, lengths, told)


def like(values: Tensor, x: Any, ragged: int | None = None) -> Any:
    """Values with the parts of a nested tensor."""
    return nest(values, x._nested if ragged is None else x._nested._replace(ragged=ragged))


def nest(values: Tensor, form: Jagged) -> Any:
    return nested(NestedTensor, values, form)


def spans(x: Any) -> list:
    """Where each part begins, and its length."""
    offsets, lengths = x._nested.offsets.tolist(), x._nested.lengths
    if lengths is None:
        return [(a, b - a) for a, b in pairwise(offsets)]
    return list(zip(offsets, lengths.tolist(), strict=False))


def parts(x: Any) -> list:
    """The tensors that a nested tensor is made of."""
    at = x._nested.ragged - 1
    if not 0 <= at < x._array.ndim:
        raise RuntimeError(f"unbind(): nested tensor ragged_idx out of bounds (should be >= 1 and <= {x._array.ndim})")
    rows = x._array.shape[at]
    found = spans(x)
    holes = x._nested.lengths is not None
    each = all(0 <= length <= rows for _, length in found)
    if each and holes and any(begin + length > rows for begin, length in found):
        raise RuntimeError("unbind(): nested tensor offsets and lengths do not match ragged_idx dimension")
    wrong = not each or sum(n for _, n in found) > rows or holes and any(begin < 0 for begin, _ in found)
    _check_with(RuntimeError, not wrong)
    with DisableTorchFunctionSubclass():
        if not holes:
            return list(Tensor.split(x, [length for _, length in found], at))
        return [Tensor.narrow(x, at, begin, length) for begin, length in found]


def lengths(x: Any) -> list:
    return [length for _, length in spans(x)]


def padded(input: Any, padding: float, output_size: Any = None) -> Tensor:
    """A tensor of all parts, the shorter ones filled up with a number, to the longest or to `output_size`."""
    if input._nested.lengths is not None:
        raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
    at = input._nested.ragged - 1
    many = parts(input)
    longest = max(x.shape[at] for x in many) if output_size is None else output_size[at + 1]
    made = []
    for x in many:
        missing = longest - x.shape[at]
        if missing < 0:
            raise RuntimeError(TRUNCATED)
        shape = [missing if i == at else n for i, n in enumerate(x.shape)]
        made.append(find_function("cat")([x, x.new_full(shape, padding)], at) if missing else x)
    return find_function("stack")(made)
