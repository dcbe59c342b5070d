"""A golden program as one that prints what it gives: echoed values by `print`, expected errors by `try`.

x @ x                       print(x @ x)
#> tensor(2.)               #> tensor(2.)
1 / 0                       try:
#! ZeroDivisionError: ...       1 / 0
                            except Exception as error:
                                print(f"{type(error).__name__}: {error}".split("\\n")[0])
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..language.parser import clean, run_lowering
from .document import Block, blocks

SHOW = '''\
def {name}(value):
    """Prints a value as a prompt does."""
    if value is not None:
        print(repr(value))


'''
_SILENT = frozenset("backward step zero_grad register_hook apply_ load_state_dict manual_seed seed".split())
"""Methods that may print, by hooks of the program's, and give nothing that is echoed."""
_PLAIN = ("> tensor(", "> torch.", "> True", "> False")
"""How texts begin that `str` and `repr` have in common."""


def printing(source: str) -> str:
    """The program that prints what its expectations say; a program without expectations stays as it is."""
    text = clean(source)
    module = run_lowering(text)
    lines = text.split("\n")
    found = blocks(text, [(each.lineno, each.end_lineno or each.lineno) for each in module.body])
    if not any(block.expected for block in found):
        return source
    return _Printing(text, lines, module).result(found)


class _Printing:
    def __init__(self, text: str, lines: list[str], module: ast.Module) -> None:
        self.lines, self.module = [line.encode("utf-8", "surrogatepass") for line in lines], module
        names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        self.own = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
        self.own |= {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and type(node.ctx) is ast.Store}
        self.name = next(name for name in ("show", "show_value", "show_value_") if name not in names | self.own)
        self.needs = False

    def result(self, found: list[Block]) -> str:
        for block in reversed(found):
            for index in reversed(block.statements):
                statement = self.module.body[index]
                if isinstance(statement, ast.Expr):
                    self._print(statement.value, block)
            if block.fails:
                self._catch(block)
        if self.needs:
            at = self._start()
            self.lines[at:at] = SHOW.format(name=self.name).encode().split(b"\n")[:-1]
        return b"\n".join(self.lines).decode("utf-8", "surrogatepass")

    def _start(self) -> int:
        """The index of the line in front of which a function may stand."""
        body = self.module.body
        for index, statement in enumerate(body):
            document = index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not document and getattr(statement, "module", None) != "__future__":
                first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
                return first - 1
        return len(self.lines)

    def _print(self, value: ast.expr, block: Block) -> None:
        """Puts `print` around an expression that is echoed."""
        if not any(line.startswith(">") for line in block.expected) or isinstance(value, ast.Constant | ast.Yield):
            if not isinstance(value, ast.Constant) or value.value is None or not block.expected:
                return
        if isinstance(value, ast.Call):
            function = value.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name == "print":
                return
            certain = bool(name) and name not in self.own | _SILENT and len(block.statements) == 1
        else:
            certain = not isinstance(value, ast.IfExp | ast.BoolOp | ast.Name)
        start, end = "print(", ")"
        if not certain:
            start, self.needs = f"{self.name}(", True
        elif len(block.statements) > 1 or not block.expected[0].startswith(_PLAIN):
            start, end = "print(repr(", "))"
        if isinstance(value, ast.Tuple) and not self._is_bracketed(value):
            start, end = start + "(", end + ")"
        row = (value.end_lineno or value.lineno) - 1
        # The brackets around it are no part of an expression: what stands up to the next statement belongs to it.
        first, last = self._brackets(value)
        line = self.lines[row]
        self.lines[row] = line[:last] + end.encode() + line[last:]
        line = self.lines[value.lineno - 1]
        self.lines[value.lineno - 1] = line[:first] + start.encode() + line[first:]

    def _is_bracketed(self, value: ast.Tuple) -> bool:
        """Whether a tuple has brackets of its own: `(a), (b)` has none."""
        if not value.elts or value.end_lineno != value.lineno:
            return self.lines[value.lineno - 1][value.col_offset :].startswith(b"(")
        text = self.lines[value.lineno - 1][value.col_offset : value.end_col_offset]
        try:
            return text[:1] == b"(" and bool(ast.parse(text[1:-1].strip()))
        except SyntaxError:
            return False

    def _brackets(self, value: ast.expr) -> tuple[int, int]:
        """The columns of an expression with the brackets around it that stand on its own lines."""
        first, last = value.col_offset, value.end_col_offset or 0
        before, after = self.lines[value.lineno - 1], self.lines[(value.end_lineno or value.lineno) - 1]
        while before[:first].rstrip().endswith(b"(") and after[last:].lstrip().startswith(b")"):
            first = len(before[:first].rstrip()) - 1
            last = len(after) - len(after[last:].lstrip()) + 1
        return first, last

    def _catch(self, block: Block) -> None:
        """Puts `try` around the lines of a block."""
        kept = set(self._within_strings(block))
        for number in range(block.start, block.end + 1):
            line = self.lines[number - 1]
            if number not in kept and line.strip():
                self.lines[number - 1] = b"    " + line
        kind = next(line for line in block.expected if line.startswith("!"))[2:].partition(":")[0]
        base = "BaseException" if kind in ("SystemExit", "KeyboardInterrupt", "GeneratorExit") else "Exception"
        module = kind.rpartition(".")[0]
        shown = (
            f"{module}.{{type(error).__name__}}" if module.replace(".", "").isidentifier() else "{type(error).__name__}"
        )
        self.lines[block.end : block.end] = [
            f"except {base} as error:".encode(),
            f'    print(f"{shown}: {{error}}".split("\\n")[0].removesuffix(": "))'.encode(),
        ]
        self.lines.insert(block.start - 1, b"try:")

    def _within_strings(self, block: Block) -> Iterator[int]:
        """The lines of a block that begin within a string."""
        for statement in (self.module.body[index] for index in block.statements):
            for node in ast.walk(statement):
                if (
                    isinstance(node, ast.JoinedStr)
                    or isinstance(node, ast.Constant)
                    and type(node.value) in (str, bytes)
                ):
                    yield from range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
