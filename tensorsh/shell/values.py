"""Values as the shell shows them: torch's text in quiet colours, beside it dtype and shape, beneath it the grad_fn chain.

tensor(6., grad_fn=<SumBackward0>)  float32[]
SumBackward0 <- MulBackward0(w) <- x
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from ..display.cells import draws_unicode
from ..display.colours import THEMES, Theme, coloured, with_note

if TYPE_CHECKING:
    from ..session import Session
    from .config import Config


def columns() -> int:
    return shutil.get_terminal_size().columns


def value_text(value: Any, plain: str, session: Session, config: Config) -> str:
    """The text that the shell prints for a value whose `repr` is `plain`; runs within the session."""
    name = config.theme()
    theme = THEMES[name]
    text = coloured(plain, theme) if _is_data(value) else plain
    if not _wants_notes():
        return text
    from ..language import peek

    width = columns()
    if config["note"] and (note := peek.describe(value)):
        text = with_note(text, note, width, theme)
    if config["chain"] and (chain := chain_of(value, session, width)):
        text += "\n" + theme.paint("dim", chain)
    return text


def chain_of(value: Any, session: Session, width: int) -> str:
    """The chain of a tensor that was computed with gradients, in one line, or nothing."""
    node = getattr(value, "_node", None) if hasattr(value, "_array") else None
    if node is None or value.is_leaf or node._forbidden is not None:
        return ""
    from ..display.chain import chain_text
    from ..tools.picture import variable_names

    names = variable_names(session.variables)
    names.pop(id(node), None)
    return chain_text(value, names, width=width, unicode=draws_unicode(sys.stdout))


def _is_data(value: Any) -> bool:
    """Whether a text is of tensors and numbers, whose parts get colours."""
    from ..language import peek

    if type(value) in (list, tuple, dict):
        return True
    return (
        isinstance(value, bool | int | float | complex)
        or peek.tensor_class(value) is not None
        or (isinstance(value, tuple) and peek.is_library(type(value)))
    )


def _wants_notes() -> bool:
    """Only a terminal that a person sees gets more than torch's own text."""
    import os

    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def shell_theme(config: Config) -> Theme:
    return THEMES[config.theme()]
