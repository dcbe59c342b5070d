"""Answers of the session to the line editor: colours, completions, and whether an entry is a program at all."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.validation import ValidationError, Validator

from ..display.terminal import broken
from .commands import as_command, is_special, parts
from .values import columns
from .within import program_of

if TYPE_CHECKING:
    from .keys import Search
    from .loop import Shell

WIDEST_DETAIL = 60
FILES = frozenset("run load save transcript export edit cd ls cat".split())
"""Commands that take a file."""
TAKE_NO_PROGRAM = FILES | {"config", "help"}
DRAWN = 0.005
"""Seconds in which a key is drawn."""


class LazyLexer(Lexer):
    """Pygments is loaded with the first character, so that the prompt does not wait for it."""

    def __init__(self) -> None:
        self._lexer: Any = None

    def lex_document(self, document: Document) -> Callable[[int], Any]:
        if not document.text:
            return lambda line: []
        if self._lexer is None:
            from prompt_toolkit.lexers import PygmentsLexer

            from .lexer import TsrLexer

            self._lexer = PygmentsLexer(TsrLexer, sync_from_start=True)
        return self._lexer.lex_document(document)


class MenuEntry(Completion):
    """One line of the menu. The menu asks for the texts of all of its lines, hundreds, each time it is drawn."""

    def __init__(self, text: str, start: int, found: Any) -> None:
        self.text, self.start_position, self.style, self.selected_style = text, start, "", ""
        self.display = FormattedText([("", text)])
        self.found = found
        self._display_meta = lambda: self.display_meta_text

    display_text = property(lambda self: self.text)

    @cached_property
    def display_meta_text(self) -> str:  # type: ignore[override]
        """The detail, found when the menu shows it."""
        detail = str(self.found.detail)
        return detail if len(detail) <= WIDEST_DETAIL else detail[: WIDEST_DETAIL - 3] + "..."

    display_meta = property(lambda self: [("", self.display_meta_text)])


class SessionCompleter(Completer):
    """The session's completions; while typing only where there is something to go by."""

    def __init__(self, shell: Shell, search: Search) -> None:
        self.shell, self.search = shell, search
        self.spent = 1.0
        """Seconds that the last search took; the first one loads what it needs."""

    async def get_completions_async(self, document: Document, event: Any) -> AsyncGenerator[Completion, None]:
        """Key and menu are drawn at once where the menu is short; else first the key, and no menu that is out of date by then."""
        from asyncio import get_running_loop, sleep
        from time import perf_counter

        from prompt_toolkit.application import get_app

        within = ("a" + document.text_before_cursor[-2:]).isidentifier()
        if self.spent > DRAWN or not within:  # behind a point, at the first letter
            await sleep(DRAWN)
        buffer = get_app().current_buffer
        if buffer.text == document.text:
            began = perf_counter()
            for each in self.get_completions(document, event):
                yield each
            self.spent = perf_counter() - began
            if self.search.tabbed == document and not event.completion_requested:
                asked = CompleteEvent(completion_requested=True)
                get_running_loop().call_soon(buffer.start_completion, False, False, True, asked)
            self.search.tabbed = None
        elif not document.text.startswith(
            buffer.text
        ):  # another entry, whose keys came while this search was under way
            get_running_loop().call_soon(
                buffer.start_completion, False, False, False, CompleteEvent(text_inserted=True)
            )

    def get_completions(self, document: Document, event: Any) -> Iterable[Completion]:
        text, cursor = document.text, document.cursor_position
        asked = event.completion_requested
        if text.startswith("%"):
            yield from self._command(text[:cursor])
            head = text.find(" ")
            if not 0 <= head < cursor or text[1:head] in TAKE_NO_PROGRAM:
                return
            text = " " * head + text[head:]
        word = text[cursor - 1 : cursor]
        if not asked and not _begins(word, text[:cursor]):
            return
        try:
            found = self.shell.session.complete(text, cursor)
        except Exception:  # a menu is never worth an error while typing
            return
        for each in found:
            if not asked and each.kind == "keyword" and each.text == text[each.start : cursor]:
                continue
            yield MenuEntry(each.text, each.start - cursor, each)

    def _command(self, before: str) -> Iterable[Completion]:
        from .commands import commands
        from .config import KEYS

        name, space, argument = before[1:].partition(" ")
        if not space or name == "help":
            name = argument if space else name
            for known in sorted(commands().values()):
                if known.name.startswith(name):
                    yield Completion(known.name, -len(name), display="%" + known.name, display_meta=known.about)
        elif name == "config" and " " not in argument:
            for key, about in KEYS.items():
                if key.startswith(argument):
                    yield Completion(key, -len(argument), display_meta=about.about)
        elif name in FILES:
            from ..assist.completion import files

            session, path = self.shell.session, argument.removeprefix("-f ")
            found = files(session, path, len(before))
            if name == "run" and not found:  # what its program is given
                found = files(session, path.rpartition(" ")[2], len(before))
            for each in found:
                yield MenuEntry(each.text, each.start - len(before), each)


def _begins(word: str, before: str) -> bool:
    """Whether a menu opens by itself behind a character: in a name, behind a point, where a path is typed."""
    if word and word in "/\"'":
        from ..assist.scanner import typed

        return typed(before).string is not None
    return word == "." or word.isidentifier() or (word.isdigit() and len(before) > 1)


class EntryValidator(Validator):
    """Stops an entry with a syntax error before it runs: the text stays and the cursor goes to the fault."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def validate(self, document: Document) -> None:
        try:
            found = parts(document.text, self.shell.is_complete)
        except Exception:  # it will be explained when it runs
            return
        for first, text in found:
            if not is_special(text):
                self._check(document, first, text)

    def _check(self, document: Document, first: int, text: str) -> None:
        try:
            self.shell.session.check(program_of(self.shell, text))
        except SyntaxError as error:
            if self.shell.config["after_mistake"] == "leave":
                return
            row, column = first + (error.lineno or 1) - 1, max((error.offset or 1) - 1, 0)
            position = document.translate_row_col_to_index(row, column)
            advice = as_command(self.shell, text) or getattr(error, "advice", None)
            message = f"SyntaxError: {error.msg}" + (
                f"{'' if error.msg.endswith('?') else '.'} {advice}" if advice else ""
            )
            raise ValidationError(position, broken(" ".join(message.split()), columns())) from None
        except Exception:  # it will be explained when it runs
            return
