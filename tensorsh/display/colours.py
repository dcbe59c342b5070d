"""Quiet colours for the text of tensors, put on when the text is finished.

Numbers get a colour, nan and inf stand out, what only accompanies them (dtype, device, grad_fn, sizes) is dimmed:

    tensor([1.0000,    nan], dtype=torch.float64, grad_fn=<MulBackward0>)
            number  special  dim..........................................

Removing the escape sequences gives the text back, unchanged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .cells import cell_width


class Theme(NamedTuple):
    """The parameters of the escape sequence for each kind of text; empty for none."""

    number: str = ""
    special: str = ""
    dim: str = ""
    name: str = ""
    error: str = ""

    def paint(self, kind: str, text: str) -> str:
        """A text in the colour of its kind."""
        code = getattr(self, kind)
        return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


THEMES = {
    "dark": Theme(number="36", special="1;31", dim="90", name="32", error="31"),
    "light": Theme(number="34", special="1;31", dim="90", name="32", error="31"),
    "plain": Theme(),
}
PLAIN = THEMES["plain"]

# A sign belongs to the number; behind a digit or the n or f of nan and inf it starts an imaginary part.
_SIGN = r"(?:(?<![\w.'])[+-]?|(?<=[\d.nf])[+-])"
_NUMBER = rf"(?:{_SIGN}\d+(?:\.\d*)?(?:e[+-]\d+)?j?(?![\w'.])|\b(?:True|False)\b)"
_PATTERN = rf"""
  (?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
| (?P<dim>(?:(?:,\ *)?\b(?:dtype=torch\.\w+|device='[^'\n]*'|grad_fn=<[^>\n]*>|requires_grad=True|size=\([\d,\ ]*\)))+
    |(?<=[\[\s])\.\.\.(?=[,\]\s]))
| (?P<special>{_SIGN}(?:nan|inf)j?(?![\w']))
| (?P<number>{_NUMBER}(?:(?:,?\ +)?{_NUMBER})*)
"""
_compiled: Any = None


def coloured(text: str, theme: Theme = THEMES["dark"]) -> str:
    """The text of a tensor, or of lists and dicts of them, with colours."""
    global _compiled
    if theme == PLAIN:
        return text
    if _compiled is None:
        import re

        _compiled = re.compile(_PATTERN, re.VERBOSE)

    def paint(match: Any) -> str:
        kind = match.lastgroup
        return match.group() if kind == "string" else theme.paint(kind, match.group())

    return _compiled.sub(paint, text)


def stripped(text: str) -> str:
    """The text without its colours."""
    import re

    return re.sub(r"\x1b\[[\d;]*m", "", text)


def type_note(dtype: str, shape: Any) -> str:
    """A tensor's type in one word: ``float32[3, 4]``."""
    return f"{dtype.removeprefix('torch.')}[{', '.join(map(str, shape))}]"


def with_note(text: str, note: str, width: int, theme: Theme = PLAIN) -> str:
    """The note dimmed behind the last line of a text, or on a line of its own where the width is too small."""
    last = text[text.rfind("\n") + 1 :]
    fits = cell_width(stripped(last)) + 2 + cell_width(note) < width
    return text + ("  " if fits else "\n") + theme.paint("dim", note)
