"""What the line editor asks of the session: colours, completions, and whether an entry is a program at all."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import TYPE_CHECKING, Any

from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.validation import ValidationError, Validator

from .commands import is_special, parts

if TYPE_CHECKING:
    from .loop import Shell

WIDEST_DETAIL = 60
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


class SessionCompleter(Completer):
    """The session's completions; while typing only where there is something to go by."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    async def get_completions_async(self, document: Document, event: Any) -> AsyncGenerator[Completion, None]:
        """The key is drawn first; what further keys have made out of date is not looked for."""
        from asyncio import sleep

        from prompt_toolkit.application import get_app

        await sleep(DRAWN)
        if get_app().current_buffer.text == document.text:
            for each in self.get_completions(document, event):
                yield each

    def get_completions(self, document: Document, event: Any) -> Iterable[Completion]:
        text, cursor = document.text, document.cursor_position
        asked = event.completion_requested
        if text.startswith("%"):
            yield from self._command(text[:cursor])
            if " " not in text[:cursor]:
                return
            head = text.index(" ")
            text = " " * head + text[head:]
        word = text[cursor - 1 : cursor]
        if not asked and not (word == "." or word.isidentifier() or word in "/\"'" or (word.isdigit() and cursor > 1)):
            return
        try:
            found = self.shell.session.complete(text, cursor)
        except Exception:  # a menu is never worth an error while typing
            return
        for each in found:
            if not asked and each.kind == "keyword" and each.text == text[each.start : cursor]:
                continue
            detail = each.detail if each.kind == "variable" else _later(each)
            yield Completion(each.text, each.start - cursor, display_meta=detail)

    def _command(self, before: str) -> Iterable[Completion]:
        from .commands import commands
        from .config import KEYS

        name, space, argument = before[1:].partition(" ")
        if not space:
            for each in sorted(commands().values()):
                if each.name.startswith(name):
                    yield Completion(each.name, -len(name), display="%" + each.name, display_meta=each.about)
        elif name == "config" and " " not in argument:
            for key, about in KEYS.items():
                if key.startswith(argument):
                    yield Completion(key, -len(argument), display_meta=about.about)
        elif name in ("run", "load", "save", "transcript", "export", "edit"):
            from ..assist.completion import files

            for each in files(self.shell.session, argument.rpartition(" ")[2], len(before)):
                yield Completion(each.text, each.start - len(before), display_meta=each.detail)


def _later(each: Any) -> Callable[[], str]:
    """A completion's detail when the menu shows it."""

    def text() -> str:
        detail = each.detail
        return detail if len(detail) <= WIDEST_DETAIL else detail[: WIDEST_DETAIL - 3] + "..."

    return text


class EntryValidator(Validator):
    """Stops an entry with a syntax error before it runs: the text stays and the cursor goes to the fault."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def validate(self, document: Document) -> None:
        session = self.shell.session
        try:
            found = parts(document.text, session.is_complete)
        except Exception:  # it will be explained when it runs
            return
        for first, text in found:
            if not is_special(text):
                self._check(document, first, text)

    def _check(self, document: Document, first: int, text: str) -> None:
        try:
            self.shell.session.check(text)
        except SyntaxError as error:
            row, column = first + (error.lineno or 1) - 1, max((error.offset or 1) - 1, 0)
            position = document.translate_row_col_to_index(row, column)
            advice = getattr(error, "advice", None)
            message = f"SyntaxError: {error.msg}" + (f"; {advice}" if advice else "")
            raise ValidationError(position, " ".join(message.split())) from None
        except Exception:  # it will be explained when it runs
            return
