"""Source text to code objects, by way of the cache.

    program = compile_program(text, "file.tsr", bound=names_of_the_session)
    exec(program.module, variables); value = eval(program.last, variables)

RUNTIME holds what lowered code calls; whoever runs programs merges it into the builtins they run with. A program that
is in the cache loads neither the parser's tables nor `ast`.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from os import PathLike
from types import CodeType
from typing import Any

from ..sandbox.classes import build_class
from ..sandbox.gate import Place, attribute, data, told, view
from ..sandbox.kinds import shown_range
from ..sandbox.packages import Enclosed, checked, kept, read, several, shown, vetted
from ..sandbox.steps import goes_on, own, private_attribute, pure, ranged, store
from ..sandbox.stores import own_data, own_form
from ..sandbox.thrown import Limit
from .collector import Held
from .flags import flag
from .mistake import Mistake, TsrSyntaxError, error_of
from .parser import clean

__all__ = ["RUNTIME", "Program", "Recent", "Statement", "TsrSyntaxError", "compile_program"]

NONE: frozenset[str] = frozenset()
Translation: Any = None
"""The class of that name, once a text was to be translated."""

RUNTIME: dict[str, Any] = {
    "<attribute>": attribute, "<private>": private_attribute, "<pure>": pure, "<place>": Place, "<store>": store,
    "<flag>": flag, "<data>": data, "<view>": view, "<told>": told, "<read>": read, "<enclosed>": Enclosed,
    "<shown>": shown, "<checked>": checked, "<vetted>": vetted, "<several>": several, "<kept>": kept,
    "<range>": shown_range, "<ranged>": ranged, "<goes on>": goes_on, "<limit>": Limit, "<own>": own,
    "<own data>": own_data, "<own form>": own_form, "__build_class__": build_class,
}  # fmt: skip


class Statement:
    """A top-level statement: its code (in eval mode for an expression), its lines. Compiled when it is asked for."""

    __slots__ = ("_code", "_make", "end_lineno", "is_expression", "lineno")

    def __init__(self, make: Callable[[], CodeType], lineno: int, end_lineno: int, is_expression: bool) -> None:
        self._make = make
        self._code: CodeType | None = None
        self.lineno = lineno
        self.end_lineno = end_lineno
        self.is_expression = is_expression

    @property
    def code(self) -> CodeType:
        if self._code is None:
            self._code = self._make()
            del self._make  # and with it the tree, once all statements are compiled
        return self._code


class Program:
    """A compiled text.

    module: the code of everything but a final expression statement; last: that statement's code in eval mode, or None
    names: the global names that the program reads; flags: the names among them that it gives as bare flags
    questions: the names on which it depends whether they exist, with the answer
    """

    __slots__ = (
        "_bound", "_checked", "_lines", "_statements", "_translation",
        "filename", "flags", "last", "module", "names", "questions", "source",
    )  # fmt: skip

    def __init__(
        self, filename: str, source: str, module: CodeType, last: CodeType | None, names: frozenset[str],
        questions: dict[str, bool], translation: Any, checked: bool = False,
    ) -> None:  # fmt: skip
        self.filename = filename
        self.source = source
        self.module = module
        self.last = last
        self.names = names
        self.flags = frozenset([name for name, is_bound in questions.items() if not is_bound]) if questions else NONE
        self.questions = questions
        self._bound = frozenset([name for name, is_bound in questions.items() if is_bound]) if questions else NONE
        self._translation = translation
        self._checked = checked
        self._statements: list[Statement] | None = None
        self._lines: tuple[int, int] | None = None
        if translation is not None and len(translation.body) == 1:  # its code is there: the tree is let go
            self._lines = translation.lines(0)
            self._translation = None

    def fits(self, bound: Container[str]) -> bool:
        """Whether the text means the same where these names exist."""
        return all((name in bound) is answer for name, answer in self.questions.items())

    @property
    def statements(self) -> list[Statement]:
        """The top-level statements in order."""
        if self._statements is None and self._lines is not None:
            code = self.last or self.module
            self._statements = [Statement(lambda: code, *self._lines, self.last is not None)]
        elif self._statements is None:
            if self._translation is None:
                from .translation import Translation as Made

                self._translation = Made(self.source, self.filename, self._bound, checked=self._checked)
            self._statements = [Statement(*parts) for parts in self._translation.statements()]
            self._translation = None
            if self.last is not None:
                last = self._statements[-1]
                last._code = self.last
                del last._make
        return self._statements

    def let_go(self) -> Program:
        """Frees the tree, which takes far more memory than the text: it is made again when the statements are asked for."""
        self._translation = None
        return self

    @property
    def future(self) -> int:
        """What it and the texts before it imported from `__future__`, as a flag of Python's."""
        import __future__  # other statements from it change nothing any more

        return self.module.co_flags & __future__.annotations.compiler_flag

    def holds(self, code: CodeType) -> bool:
        """Whether a code object was compiled from this text."""
        line = code.co_firstlineno
        near = [s._code for s in self._statements or () if s.lineno <= line <= s.end_lineno]
        pending = [root for root in (self.module, self.last, *near) if root is not None]
        while pending:
            current = pending.pop()
            if current is code:
                return True
            pending += [constant for constant in current.co_consts if isinstance(constant, CodeType)]
        return False


def compile_program(
    source: str, filename: str = "<string>", bound: Container[str] = (), cache: str | PathLike[str] | None = None,
    future: int = 0, checked: bool = False,
) -> Program:  # fmt: skip
    """Compile a text; `bound` are the names that exist already, `cache` a folder to keep the result in, `future` what an
    earlier text imported from `__future__`, as a flag of Python's; `checked` reads every attribute on the gate."""
    global Translation
    text = clean(source)
    if cache is not None and not future:
        from .cache import key_of, load, save

        key = key_of(text, filename, checked)
        entry = load(cache, key, bound)
        if entry is not None:
            return Program(filename, text, *entry, None, checked)
    if Translation is None:
        from .translation import Translation

    try:
        with Held():
            made = Translation(text, filename, bound, future, checked=checked)
            module, last = made.program()
            program = Program(filename, text, module, last, made.names, made.questions, made, checked)
            del made
    except Mistake as mistake:
        raise error_of(mistake, text, filename) from None
    if cache is not None and not future:
        save(cache, key, (module, last, program.names, program.questions))
    return program


class Recent:
    """Programs by their text: what is run again is not translated again."""

    KEPT, LONGEST = 256, 10_000  # texts, characters

    def __init__(self) -> None:
        self._programs: dict[tuple[str, str, int, bool], Program] = {}

    def compile(
        self, source: str, filename: str, bound: Container[str], cache: str | PathLike[str] | None, future: int,
        checked: bool,
    ) -> Program:  # fmt: skip
        """As `compile_program`."""
        key = source, filename, future, checked
        program = self._programs.get(key)
        if program is None or not program.fits(bound):
            program = compile_program(source, filename, bound, cache, future, checked)
            if len(source) < self.LONGEST:
                if len(self._programs) >= self.KEPT:
                    self._programs.clear()  # to look for the oldest would take longer than to translate some again
                self._programs[key] = program
        return program
