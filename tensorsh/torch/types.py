"""``torch.types``: names of types for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Union

from ..engine.arrays.device import device as _device
from ..engine.arrays.dtype import dtype as _dtype  # noqa: F401 - by these names
from ..engine.arrays.layout import layout as _layout  # noqa: F401
from ..engine.tensors.storage import UntypedStorage as Storage  # noqa: F401
from ..engine.tensors.tensor import Size, Tensor

_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
Number = Union[int, float, bool]  # noqa: UP007 - `isinstance(Number, typing._GenericAlias)` is what libraries see in PyTorch
_Number = (int, float, bool)
_size = Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_TensorOrOptionalTensors = Union[Tensor, Sequence[Union[Tensor, None]]]  # noqa: UP007
_TensorOrTensorsOrGradEdge = _TensorOrTensors
Device = Union[_device, str, int, None]  # noqa: UP007
FileLike = Union[str, os.PathLike, IO[bytes]]  # noqa: UP007
IntLikeType, FloatLikeType, BoolLikeType = int, float, bool
py_sym_types: tuple = ()
DeviceLikeType = Device
