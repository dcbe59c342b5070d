"""``torch._library.infer_schema``: schemas of functions with annotated parameters."""

from __future__ import annotations

from typing import List, Union  # noqa: UP035 - what it answers, as PyTorch does

from ..schemas import infer_schema

__all__ = ["infer_schema", "tuple_to_list"]


def tuple_to_list(tuple_type: type[tuple]) -> type[list]:
    """The annotation of a list for that of a tuple: ``List[int]`` for ``Tuple[int, int]``."""
    within = getattr(tuple_type, "__args__", None) or ()
    if not within:
        return List  # type: ignore[return-value]  # noqa: UP006
    if len(within) == 1 or len(within) == 2 and within[1] is Ellipsis:
        return List[within[0]]  # type: ignore[valid-type]  # noqa: UP006
    return List[Union[tuple(within)]]  # type: ignore[return-value]  # noqa: UP006, UP007
