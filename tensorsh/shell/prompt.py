"""Sources of entries: a line editor at a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop import Shell

PROMPT, CONTINUATION = "tsr> ", "...> "


def is_editor_there() -> bool:
    """Whether lines are edited at a terminal."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stdout.isatty():
        return False
    return os.environ.get("TERM") != "dumb"


def line_of(shell: Shell, prompt: str, names: list[str]) -> str:
    """One line typed at a prompt, without the history of entries."""
    if not is_editor_there():
        return input(prompt)
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.shortcuts import CompleteStyle

    if shell.lines is None:
        shell.lines = PromptSession()
    return str(
        shell.lines.prompt(
            [("class:prompt", prompt)],
            completer=WordCompleter(names),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            vi_mode=shell.config["keys"] == "vi",
        )
    )


def make_reader(shell: Shell) -> Callable[[], str]:
    """A function that returns the next entry and raises EOFError after the last one."""
    if is_editor_there():
        return line_editor(shell)
    return lambda: plain(shell)


def plain(shell: Shell) -> str:
    """An entry from a stream: lines are joined until they are complete; an empty line ends a block."""
    from .commands import is_special
    from .paste import without_prompts

    text, shell.next_text = shell.next_text, ""
    if text:
        print(text)
        return text
    entry = without_prompts(input(PROMPT))
    if not is_special(entry):
        entry = _continued(shell, entry)
    if sys.stdin.isatty():
        shell.entries.append(entry)
    return entry


def _continued(shell: Shell, entry: str) -> str:
    while True:
        state, indent = shell.is_complete(entry)
        if state != "incomplete" or (indent == 0 and entry.endswith("\n\n")):
            return entry
        line = input(CONTINUATION)
        entry += "\n" + line
        if not line and shell.is_complete(entry + "\n")[0] != "incomplete":
            return entry


def line_editor(shell: Shell) -> Callable[[], str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.enums import EditingMode
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.layout.processors import TabsProcessor

    from ..display.cells import draws_unicode
    from .editing import EntryValidator, LazyLexer, SessionCompleter
    from .history import editor_history, suggestion
    from .keys import Search, bindings
    from .style import editor_style
    from .values import columns

    search, config = Search(), shell.config
    unicode = draws_unicode(sys.stdout)
    theme = config.theme()
    suggest = suggestion(shell.entries)

    def bar() -> Any:
        return shell.status.text(columns(), unicode)

    def continuation(width: int, line: int, wraps: int) -> Any:
        """The margin of a line of the entry; before the rest of one that is too long for the terminal, blanks."""
        return [("class:continuation", " " * len(CONTINUATION) if wraps else CONTINUATION)]

    editor: Any = PromptSession(
        history=editor_history(shell.entries),
        auto_suggest=suggest,
        completer=SessionCompleter(shell, search),
        complete_while_typing=Condition(lambda: config["complete_while_typing"]),
        validator=EntryValidator(shell),
        validate_while_typing=False,
        input_processors=[TabsProcessor(char1=" ", char2=" ")],
        lexer=LazyLexer() if theme != "plain" else None,
        style=editor_style(theme),
        include_default_pygments_style=False,
        multiline=True,
        key_bindings=bindings(shell, search),
        prompt_continuation=continuation,
        enable_history_search=search.condition,
        enable_open_in_editor=True,
        enable_suspend=True,
        reserve_space_for_menu=6,
    )

    _wrap_message(editor)

    def read() -> str:
        editor.editing_mode = EditingMode.VI if config["keys"] == "vi" else EditingMode.EMACS
        editor.auto_suggest = suggest if config["suggestions"] else None
        editor.bottom_toolbar = bar if config["status_bar"] else None
        default, shell.next_text = shell.next_text, ""
        return editor.prompt([("class:prompt", PROMPT)], default=default)

    return read


def _wrap_message(editor: Any) -> None:
    """What is wrong with an entry takes as many lines below it as it has, where the editor gives it one."""
    for window in editor.layout.find_all_windows():
        if getattr(getattr(window.content, "text", None), "__qualname__", "").startswith("ValidationToolbar."):
            window.height = lambda: 1 + str(getattr(editor.default_buffer.validation_error, "message", "")).count("\n")
