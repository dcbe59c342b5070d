"""``torch.testing``: comparison with a telling error."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtype import BY_NAME
from ..engine.tensor import Tensor

__all__ = ["assert_close"]

_TOLERANCE = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: Any = None,
) -> None:  # fmt: skip
    """AssertionError unless two tensors (or sequences of them) are equal within the tolerances of their dtype."""
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for a, e in zip(actual, expected, strict=True):
            assert_close(a, e, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
        return
    a, e = (x.detach().cpu()._array if isinstance(x, Tensor) else np.asarray(x) for x in (actual, expected))
    if a.shape != e.shape:
        raise AssertionError(
            _said(msg, f"The values for attribute 'shape' do not match: {list(a.shape)} != {list(e.shape)}.")
        )
    if (
        check_dtype
        and isinstance(actual, Tensor)
        and isinstance(expected, Tensor)
        and actual.dtype is not expected.dtype
    ):
        raise AssertionError(
            _said(msg, f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.")
        )
    name = expected.dtype.name if isinstance(expected, Tensor) else "float64"
    default = _TOLERANCE.get(name, (0.0, 0.0))
    rtol, atol = default[0] if rtol is None else rtol, default[1] if atol is None else atol
    wide = np.complex128 if BY_NAME[name].is_complex else np.float64
    a, e = a.astype(wide), e.astype(wide)
    bad = ~np.isclose(a, e, rtol, atol, equal_nan)
    if not bad.any():
        return
    off = np.abs(a - e)
    if a.ndim == 0:
        raise AssertionError(
            _said(
                msg,
                f"Scalars are not close!\n\nExpected {e} but got {a}.\nAbsolute difference: {off} (up to {atol} allowed)",
            )
        )
    worst = tuple(int(i) for i in np.unravel_index(np.nanargmax(np.where(bad, off, -1)), off.shape))
    raise AssertionError(
        _said(
            msg,
            f"Tensor-likes are not close!\n\nMismatched elements: {int(bad.sum())} / {bad.size} ({100 * bad.mean():.1f}%)\nGreatest "
            f"absolute difference: {off[worst]} at index {worst} (up to {atol} allowed)",
        )
    )


def _said(msg: Any, text: str) -> str:
    return text if msg is None else msg(text) if callable(msg) else msg
