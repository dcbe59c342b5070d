"""The colours of the line editor, quiet on dark and on light terminals."""

from __future__ import annotations

from typing import Any

_DARK = {
    "keyword": "#d787d7", "keyword.constant": "#87afd7", "name.builtin": "#87d7d7", "name.builtin.pseudo": "#87afd7",
    "name.function": "#afd787", "name.class": "#afd787", "name.decorator": "#d7af87", "literal.string": "#d7af5f",
    "literal.number": "#87afd7", "comment": "#808080", "comment.preproc": "#d7af87", "operator.word": "#d787d7",
    "generic.output": "#808080", "generic.error": "#d75f5f",
}  # fmt: skip
_LIGHT = {
    "keyword": "#8700af", "keyword.constant": "#005faf", "name.builtin": "#00607f", "name.builtin.pseudo": "#005faf",
    "name.function": "#3f6f00", "name.class": "#3f6f00", "name.decorator": "#875f00", "literal.string": "#875f00",
    "literal.number": "#005faf", "comment": "#808080", "comment.preproc": "#875f00", "operator.word": "#8700af",
    "generic.output": "#808080", "generic.error": "#af0000",
}  # fmt: skip
_BARS = {
    "dark": {"bottom-toolbar": "noreverse #8a8a8a bg:#262626", "auto-suggestion": "#6c6c6c", "prompt": "#5fafaf",
             "continuation": "#585858", "completion-menu": "bg:#303030 #d0d0d0",
             "completion-menu.completion.current": "bg:#5f87af #ffffff", "completion-menu.meta.completion": "bg:#262626 #8a8a8a",
             "completion-menu.meta.completion.current": "bg:#444444 #d0d0d0", "validation-toolbar": "bg:#5f0000 #ffffff"},
    "light": {"bottom-toolbar": "noreverse #585858 bg:#e4e4e4", "auto-suggestion": "#9e9e9e", "prompt": "#005f5f",
              "continuation": "#a8a8a8", "completion-menu": "bg:#e4e4e4 #303030",
              "completion-menu.completion.current": "bg:#5f87af #ffffff", "completion-menu.meta.completion": "bg:#eeeeee #6c6c6c",
              "completion-menu.meta.completion.current": "bg:#d0d0d0 #303030", "validation-toolbar": "bg:#ffd7d7 #5f0000"},
}  # fmt: skip


def editor_style(theme: str) -> Any:
    """prompt_toolkit's style for `dark`, `light` or `plain`."""
    from prompt_toolkit.styles import Style

    if theme == "plain":
        return Style.from_dict({"bottom-toolbar": "noreverse", "auto-suggestion": ""})
    tokens = _DARK if theme == "dark" else _LIGHT
    rules = {f"pygments.{name}": color for name, color in tokens.items()}
    return Style.from_dict(rules | _BARS[theme])
