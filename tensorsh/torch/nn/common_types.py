"""``torch.nn.common_types``: sizes in the annotations of layers, a number or one for each dimension. For plain Python alone
(`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Tuple, TypeVar, Union  # noqa: UP035 - by these names

T = TypeVar("T")
_scalar_or_tuple_any_t = Union[T, Tuple[T, ...]]  # noqa: UP006, UP007 - what a type stands for is put in when it is asked
_scalar_or_tuple_1_t = Union[T, Tuple[T]]  # noqa: UP006, UP007
_scalar_or_tuple_2_t = Union[T, Tuple[T, T]]  # noqa: UP006, UP007
_scalar_or_tuple_3_t = Union[T, Tuple[T, T, T]]  # noqa: UP006, UP007
_scalar_or_tuple_4_t = Union[T, Tuple[T, T, T, T]]  # noqa: UP006, UP007
_scalar_or_tuple_5_t = Union[T, Tuple[T, T, T, T, T]]  # noqa: UP006, UP007
_scalar_or_tuple_6_t = Union[T, Tuple[T, T, T, T, T, T]]  # noqa: UP006, UP007
_size_any_t = _scalar_or_tuple_any_t[int]
_size_1_t = _scalar_or_tuple_1_t[int]
_size_2_t = _scalar_or_tuple_2_t[int]
_size_3_t = _scalar_or_tuple_3_t[int]
_ratio_any_t = _scalar_or_tuple_any_t[float]
