"""The form of what a program gives: dtypes, shapes, strides and devices of tensors, told the same under PyTorch and here."""

from __future__ import annotations

import warnings
from typing import Any

from .outcomes import headline


def form(torch: Any, value: Any) -> Any:
    """``float32[2, 3] (3, 1) meta`` of a tensor, and so on within sequences; of anything else its type. The stride of a
    dimension of one element says nothing, and is told as 1."""
    if isinstance(value, torch.Tensor):
        name = f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        if value.layout is not torch.strided:
            return f"{name} {value.layout}"
        steps = tuple(1 if n == 1 else s for n, s in zip(value.shape, value.stride(), strict=True))
        return f"{name} {steps} {value.device.type}"
    if isinstance(value, (tuple, list)):
        return [form(torch, each) for each in value]
    return type(value).__name__


def outcome(torch: Any, code: list[str], names: dict[str, Any], device: str | None = "meta") -> Any:
    """The form of what a program's last line gives where the device is the default one, or the headline of its error."""
    *before, last = code
    names = dict(names)
    torch.set_default_device(device)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(before), names)
            return form(torch, eval(last, names))
    except Exception as error:
        return headline(error)
    finally:
        torch.set_default_device(None)
