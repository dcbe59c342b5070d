"""A text that is not in the cache, to code objects: parse, walk (scopes, flags, gate), compile by CPython."""

from __future__ import annotations
import __future__

import ast
import sys
from collections.abc import Callable, Container
from functools import lru_cache
from types import CodeType
from typing import Any

from .bare_flags import lower_flags
from .calls import vet_calls
from .mistake import Mistake, node, place_of
from .parser import run_lowering
from .scopes import Walk

POSTPONED = __future__.annotations.compiler_flag
DEEP = 150  # levels of nesting from which CPython's compiler gets a stack of its own


class Translation:
    """The tree of a text after the walk, and what can be compiled from it."""

    def __init__(
        self, text: str, filename: str, bound: Container[str], future: int = 0, module: ast.Module | None = None,
        checked: bool = False,
    ) -> None:  # fmt: skip
        module = run_lowering(text) if module is None else module
        walk = Walk(checked)
        walk.run(module)
        self.questions = lower_flags(walk, bound) if walk.candidates or walk.ranges else {}
        if checked:
            vet_calls(walk)
        self.names = walk.global_names()
        self.body = module.body
        self.text = text
        self.filename = filename
        self.depth = walk.depth
        self.future = future
        for statement in self.body:
            if type(statement) is ast.ImportFrom and statement.module == "__future__":
                self.future |= POSTPONED if any(alias.name == "annotations" for alias in statement.names) else 0

    def program(self) -> tuple[CodeType, CodeType | None]:
        """Everything but a final expression statement, and that."""
        body = self.body
        if body and _is_expression(body[-1]):
            before = self.compile(body[:-1]) if len(body) > 1 else _nothing(self.filename, self.future)
            return before, self.compile(body[-1:], "eval")
        return self.compile(body), None

    def statements(self) -> list[tuple[Callable[[], CodeType], int, int, bool]]:
        """(how to compile it, first line, last line, is an expression) for every top-level statement."""
        found: list[tuple[Callable[[], CodeType], int, int, bool]] = []
        for index, statement in enumerate(self.body):
            is_expression = _is_expression(statement)

            def make(statement: ast.stmt = statement, mode: str = "eval" if is_expression else "exec") -> CodeType:
                return self.compile([statement], mode)

            found.append((make, *self.lines(index), is_expression))
        return found

    def lines(self, index: int) -> tuple[int, int]:
        """The first and the last line of a top-level statement."""
        statement = self.body[index]
        first = statement.lineno
        for decorator in getattr(statement, "decorator_list", ()):
            first = min(first, decorator.lineno)
        return first, statement.end_lineno or first

    def compile(self, part: list[ast.stmt], mode: str = "exec") -> CodeType:
        tree: Any
        if mode == "eval":
            tree = node(ast.Expression, {"body": part[0].value})  # type: ignore[attr-defined]
        else:
            tree = node(ast.Module, {"body": part, "type_ignores": []})
        try:
            if self.depth < DEEP:
                return compile(tree, self.filename, mode, self.future, True)
            return _with_deep_stack(lambda: compile(tree, self.filename, mode, self.future, True))
        except SyntaxError as error:
            raise self.mistake(error) from None
        except (RecursionError, MemoryError):
            where = part[0] if part else None
            place = place_of(where) if where is not None else (1, 0, 1, 0)
            raise Mistake("the program is nested too deeply", place) from None
        except ValueError as error:
            raise Mistake(str(error), (1, 0, 1, 0)) from None

    def mistake(self, error: SyntaxError) -> Mistake:
        """Mistakes that CPython's compiler finds: `return` outside of a function, `nonlocal` without a variable ..."""
        lines = self.text.split("\n")

        def column(line: int, offset: int | None) -> int:
            shown = lines[line - 1] if line <= len(lines) else ""
            return len(shown[: max((offset or 1) - 1, 0)].encode("utf-8", "surrogatepass"))

        line = error.lineno or 1
        end_line = error.end_lineno or line
        start = column(line, error.offset)
        end = column(end_line, error.end_offset) if error.end_offset else start
        return Mistake(error.msg, (line, start, end_line, max(start, end) if end_line == line else end))


@lru_cache(maxsize=64)
def _nothing(filename: str, future: int) -> CodeType:
    """What stands before a statement that stands alone."""
    return compile("", filename, "exec", flags=future, dont_inherit=True)


def _is_expression(statement: ast.stmt) -> bool:
    return type(statement) is ast.Expr and not hasattr(statement, "is_store")


def _with_deep_stack(run: Callable[[], CodeType]) -> CodeType:
    """CPython's compiler recurses. The depth is known and bounded, so a thread with a large stack is safe."""
    import threading

    result: list[Any] = []

    def work() -> None:
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(max(limit, 40_000))
            result.append(run())
        except BaseException as error:
            result.append(error)
        finally:
            sys.setrecursionlimit(limit)

    size = threading.stack_size(64 * 1024 * 1024)
    try:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
    except RuntimeError:
        raise RecursionError from None  # no memory for such a stack
    finally:
        threading.stack_size(size)
    thread.join()
    if isinstance(result[0], BaseException):
        raise result[0]
    return result[0]
