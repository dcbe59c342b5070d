"""``torch.testing``: comparison with a telling error, and tensors to test with."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.arrays.device import device
from ..engine.arrays.dtype import BY_NAME, COMPLEX, FLOAT, dtype, finfo, iinfo
from ..engine.arrays.layout import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from ..engine.arrays.promotion import promote_types
from ..engine.arrays.warning import warn
from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor

__all__ = ["assert_close", "make_tensor"]

_TOLERANCE = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip
_SPARSE = {
    sparse_coo: ("COO", "_indices"), sparse_csr: ("CSR", "crow_indices", "col_indices"),
    sparse_csc: ("CSC", "ccol_indices", "row_indices"), sparse_bsr: ("BSR", "crow_indices", "col_indices"),
    sparse_bsc: ("BSC", "ccol_indices", "row_indices"),
}  # fmt: skip
"""The sparse layouts, each with its name and the methods that give its indices."""
_NUMBERS = {int: "int64", float: "float64", complex: "complex128"}


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """AssertionError unless two tensors, numbers, or sequences and mappings of them are equal within the tolerances of
    their dtype."""
    comparison = _Comparison(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride
    )
    failures = []
    for check in comparison.pairs(actual, expected, ()):
        try:
            check()
        except _Mismatch as mismatch:
            failures.append(mismatch)
        except Exception as error:
            raise RuntimeError(
                "Comparing\n\n"
                f"{type(actual).__name__} and {type(expected).__name__}\n\n"
                "resulted in the unexpected exception above."
            ) from error
    if failures:
        # PyTorch names the first that differs, whatever differs after it.
        raise failures[0].error(msg)


class _Mismatch(Exception):
    """What two values differ in, with the path to them."""

    def __init__(self, text: str, path: tuple, kind: type = AssertionError) -> None:
        self.text, self.path, self.kind = text, path, kind

    def error(self, said: Any = None) -> Exception:
        text = self.text
        if self.path:
            text += f"\n\nThe failure occurred for item {''.join(f'[{part!r}]' for part in self.path)}"
        if said is not None:
            text = said(text) if callable(said) else said
        return self.kind(text)


class _Comparison:
    """The options of one call, and the checks that they make of a pair of values."""

    def __init__(
        self, subclasses: bool, rtol: Any, atol: Any, equal_nan: bool, on_device: bool, of_dtype: bool, of_layout: bool,
        of_stride: bool,
    ) -> None:  # fmt: skip
        self.subclasses, self.rtol, self.atol, self.equal_nan = subclasses, rtol, atol, equal_nan
        self.on_device, self.of_dtype, self.of_layout, self.of_stride = on_device, of_dtype, of_layout, of_stride

    def pairs(self, actual: Any, expected: Any, path: tuple) -> list[Callable[[], None]]:
        """A check for each pair of leaves; whatever cannot be compared at all is an error at once."""
        if _is_sequence(actual) and _is_sequence(expected):
            if len(actual) != len(expected):
                raise _Mismatch(
                    f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path
                ).error() from None
            return [c for i in range(len(actual)) for c in self.pairs(actual[i], expected[i], (*path, i))]
        if isinstance(actual, Mapping) and isinstance(expected, Mapping):
            left, right = set(actual), set(expected)
            if left != right:
                raise _Mismatch(
                    f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(right - left)}\n"
                    f"Additional keys in the actual mapping: {sorted(left - right)}",
                    path,
                ).error()
            try:
                keys = sorted(left)
            except TypeError:
                keys = list(left)
            return [c for key in keys for c in self.pairs(actual[key], expected[key], (*path, key))]
        return [self.leaf(actual, expected, path)]

    def leaf(self, actual: Any, expected: Any, path: tuple) -> Callable[[], None]:
        if actual is None or expected is None:
            return lambda: self._nones(actual, expected, path)
        if isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
            return lambda: self._booleans(bool(actual), bool(expected), path)
        numbers = (int, float, complex, np.number)
        if isinstance(actual, numbers) and isinstance(expected, numbers):
            a, e = (x.item() if isinstance(x, np.number) else x for x in (actual, expected))
            allowed = self._allowed(path, _NUMBERS[type(a)], _NUMBERS[type(e)])
            return lambda: self._numbers(a, e, allowed, path)
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if related and (self.subclasses or type(actual) is type(expected)):
            try:
                x, y = (v if isinstance(v, Tensor) else find_function("as_tensor")(v) for v in (actual, expected))
            except Exception:  # noqa: BLE001 - whatever it was, these are no tensors
                pass
            else:
                allowed = self._allowed(path, x.dtype.name, y.dtype.name)
                return lambda: self._tensors(x, y, allowed, path)
        raise _Mismatch(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
            path,
            TypeError,
        ).error()

    def _allowed(self, path: tuple, *names: str) -> tuple:
        rtol, atol = self.rtol, self.atol
        if (rtol is None) != (atol is None):
            missing = "rtol" if rtol is None else "atol"
            raise _Mismatch(
                f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", path, ValueError
            ).error()
        if rtol is not None:
            return rtol, atol
        both = [_TOLERANCE.get(name, (0.0, 0.0)) for name in names]
        return max(r for r, _ in both), max(a for _, a in both)

    def _nones(self, actual: Any, expected: Any, path: tuple) -> None:
        if actual is not expected:
            raise _Mismatch(f"None mismatch: {actual} is not {expected}", path)

    def _booleans(self, actual: bool, expected: bool, path: tuple) -> None:
        if actual is not expected:
            raise _Mismatch(f"Booleans mismatch: {actual} is not {expected}", path)

    def _numbers(self, actual: Any, expected: Any, allowed: tuple, path: tuple) -> None:
        if self.of_dtype and type(actual) is not type(expected):
            raise _Mismatch(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
        if actual == expected or (self.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
            return
        rtol, atol = allowed
        off = abs(actual - expected)
        if not (cmath.isfinite(off) and off <= atol + rtol * abs(expected)):
            raise _Mismatch(_scalars(actual, expected, allowed), path)

    def _tensors(self, actual: Tensor, expected: Tensor, allowed: tuple, path: tuple) -> None:
        def same(what: str, a: Any, b: Any) -> None:
            if a != b:
                raise _Mismatch(f"The values for attribute '{what}' do not match: {a} != {b}.", path)

        same("shape", actual.shape, expected.shape)
        if self.of_layout:
            same("layout", actual.layout, expected.layout)
        if self.of_stride and actual.layout is strided and expected.layout is strided:
            same("stride()", actual.stride(), expected.stride())
        if self.on_device:
            same("device", actual.device, expected.device)
        if self.of_dtype:
            same("dtype", actual.dtype, expected.dtype)
        if actual.is_meta and expected.is_meta:  # no elements to differ in
            return
        actual, expected = actual.detach().cpu(), expected.detach().cpu()
        if actual.dtype is not expected.dtype:
            common = promote_types(_signed(actual.dtype), _signed(expected.dtype))
            actual, expected = actual.to(common), expected.to(common)
        if actual.layout is not expected.layout:
            actual, expected = (x if x.layout is strided else x.to_dense() for x in (actual, expected))
        if actual.layout in _SPARSE:
            return self._sparse(actual, expected, allowed, path)
        if actual.is_nested:
            actual, expected = actual.values(), expected.values()
        self._elements(actual, expected, allowed, path)

    def _elements(self, actual: Tensor, expected: Tensor, allowed: tuple, path: tuple, what: str = "") -> None:
        rtol, atol = allowed
        matches = find_function("isclose")(actual, expected, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
        if bool(matches.all()):
            return
        if not actual.shape:
            raise _Mismatch(_scalars(actual.item(), expected.item(), allowed, what or "Scalars"), path)
        raise _Mismatch(_likes(actual, expected, matches, allowed, what or "Tensor-likes"), path)

    def _sparse(self, actual: Tensor, expected: Tensor, allowed: tuple, path: tuple) -> None:
        """The parts of sparse tensors of one layout: their indices are to be equal, their values close."""
        form, *indices = _SPARSE[actual.layout]

        def same(what: str, a: int, b: int) -> None:
            if a != b:
                raise _Mismatch(f"The number of {what} in sparse {form} tensors does not match: {a} != {b}", path)

        if form == "COO":
            same("sparse dimensions", actual.sparse_dim(), expected.sparse_dim())
        same("specified values", actual._nnz(), expected._nnz())
        for name in indices:
            a, b = (getattr(x, name)().long() for x in (actual, expected))
            self._elements(a, b, (0, 0), path, f"Sparse {form} {name.lstrip('_')}")
        a, b = (x._values() if form == "COO" else x.values() for x in (actual, expected))
        self._elements(a, b, allowed, path, f"Sparse {form} values")


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _signed(d: dtype) -> dtype:
    return BY_NAME["int64"] if d.name in ("uint16", "uint32", "uint64") else d


def _scalars(actual: Any, expected: Any, allowed: tuple, what: str = "Scalars") -> str:
    off = abs(actual - expected)
    relative = float("inf") if expected == 0 else off / abs(expected)
    return _differences(what, f"Expected {expected} but got {actual}.", (off, None), (relative, None), allowed)


def _likes(actual: Tensor, expected: Tensor, matches: Tensor, allowed: tuple, what: str) -> str:
    size, bad = matches.numel(), int(matches.logical_not().sum())
    if actual.dtype.category not in (FLOAT, COMPLEX):
        actual, expected = actual.long(), expected.long()
    off = (actual - expected).abs().masked_fill(matches, 0)
    relative = (off / expected.abs()).masked_fill(matches, 0)

    def greatest(x: Tensor) -> tuple:
        at = int(x.flatten().argmax())
        return x.flatten()[at].item(), tuple(int(i) for i in np.unravel_index(at, tuple(x.shape)))

    counted = f"Mismatched elements: {bad} / {size} ({bad / size:.1%})"
    return _differences(what, counted, greatest(off), greatest(relative), allowed)


def _differences(what: str, more: str, absolute: tuple, relative: tuple, allowed: tuple) -> str:
    rtol, atol = allowed
    exact = rtol == 0 and atol == 0
    lines = [f"{what} are not {'equal' if exact else 'close'}!", "", more]
    for kind, (off, place), tolerance in (("absolute", absolute, atol), ("relative", relative, rtol)):
        where = (
            f"{kind.title()} difference: {off}"
            if place is None
            else f"Greatest {kind} difference: {off} at index {place}"
        )
        lines.append(where + ("" if exact else f" (up to {tolerance} allowed)"))
    return "\n".join(lines)


def make_tensor(
    *shape: Any, dtype: dtype, device: str | device, low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of random values between `low` and `high`, for tests."""
    size = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else tuple(shape)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    if type(dtype) is not type(BY_NAME["int64"]):
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, file an issue "
            "at: https://github.com/pytorch/pytorch/issues"
        )
    whole = dtype.category not in (FLOAT, COMPLEX)
    if requires_grad and whole:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    apart = noncontiguous and math.prod(size) > 1
    if apart:
        size = (*size[:-1], 2 * size[-1])
    if whole:
        least, most = (0, 2) if dtype.name == "bool" else (iinfo(dtype).min, iinfo(dtype).max)
        most += dtype.name not in ("bool", "int64")
        first, last = (0, 2) if dtype.name == "bool" else (-9, 10)
        start, end = _range(low, high, least, most, first, last, dtype)
        result = find_function("randint")(math.ceil(start), math.ceil(end), size, device=device, dtype=dtype)
    else:
        start, end = _range(low, high, finfo(dtype).min, finfo(dtype).max, -9, 9, dtype)
        result = find_function("empty")(size, device=device, dtype=dtype)
        real = find_function("view_as_real")(result) if dtype.category == COMPLEX else result
        if end - start >= finfo(real.dtype).max:
            real.uniform_(start / 2, end / 2).mul_(2)
        else:
            real.uniform_(start, end)
    if apart:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if whole else finfo(dtype).tiny
    if not whole:
        result.requires_grad = requires_grad
    return result


def _range(low: Any, high: Any, least: float, most: float, first: float, last: float, dtype: dtype) -> tuple:
    low, high = first if low is None else low, last if high is None else high
    if any(isinstance(value, float) and math.isnan(value) for value in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype.category in (FLOAT, COMPLEX):
        warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and "
            "will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports [{least}, {most})"
        )
    return min(max(low, least), most), min(max(high, least), most)


_OLD_TOLERANCE = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str = ""
) -> None:  # fmt: skip
    """The comparison of old; deprecated, see `assert_close`. Plain Python's alone."""
    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
    )
    tensor: Any = find_function("tensor")
    actual = actual if isinstance(actual, Tensor) else tensor(actual)
    expected = expected if isinstance(expected, Tensor) else tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        allowed = [_OLD_TOLERANCE.get(t.dtype.name, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = (max(pair) for pair in zip(*allowed, strict=True))
    options = {"equal_nan": equal_nan, "check_dtype": False, "msg": msg or None}
    assert_close(actual, expected, rtol=rtol, atol=atol, **options)  # type: ignore[arg-type]
