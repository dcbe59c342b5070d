"""``torch._tensor_str``: the parts of a tensor's text, for libraries that put their own around them. For plain Python alone
(`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..engine.tensors.tensor import Tensor
from ..engine.tensors.text import contents_text, print_options, with_suffixes
from .settings import set_printoptions

__all__ = ["set_printoptions"]


class _Options:
    """The session's print options."""

    def __getattr__(self, name: str) -> Any:
        return getattr(print_options(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(print_options(), name, value)


PRINT_OPTS = _Options()


def _tensor_str(self: Tensor, indent: int) -> str:
    """The numbers of a tensor, in brackets."""
    return contents_text(self.detach()._array, print_options(), indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """The text with what is said behind the numbers."""
    return with_suffixes(tensor_str, suffixes, indent, print_options().linewidth, force_newline)


def _str_intern(inp: Tensor, *, tensor_contents: str | None = None) -> str:
    """The text of a tensor."""
    return repr(inp) if tensor_contents is None else f"{type(inp).__name__}({tensor_contents})"


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    return _str_intern(self, tensor_contents=tensor_contents)
