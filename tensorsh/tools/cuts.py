"""Cuts in the chain of gradients, read from the text of the programs that a session ran.

    h = net(x).detach()      <- `.detach()` at <input 3>:1
    loss = (h - y).pow(2).mean()
    loss.backward()          RuntimeError: element 0 of tensors does not require grad ...

No operation has to leave a mark for this: the assignments that led to a value are followed backwards to the first
expression that drops a history. Values that come through containers, attributes of objects or loops may be missed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..sandbox.sealed import Sealed

if TYPE_CHECKING:
    from ..language.workspace import Workspace

METHODS = {
    "detach": "`{}` cuts it",
    "detach_": "`{}` cuts it",
    "item": "`{}` makes it a Python number",
    "tolist": "`{}` makes Python numbers of it",
    "numpy": "`{}` makes a numpy array of it",
    **dict.fromkeys(("argmax", "argmin", "argsort", "bucketize", "searchsorted", "nonzero"), "`{}` gives indices"),
    **dict.fromkeys(("long", "int", "bool", "short", "char", "byte"), "`{}` makes integers of it"),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "isclose", "logical_not"), "`{}` is a comparison"),
}
FUNCTIONS = {
    name: reason for name, reason in METHODS.items() if name in ("argmax", "argmin", "argsort", "eq", "ne", "lt", "gt")
}
COPIES = frozenset("tensor as_tensor from_numpy FloatTensor DoubleTensor LongTensor float int array asarray".split())
MODES = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})
SYMBOLS: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "pow": ast.Pow, "mm": ast.MatMult,
    "matmul": ast.MatMult, "mv": ast.MatMult, "dot": ast.MatMult, "bmm": ast.MatMult,
}  # fmt: skip
DEEPEST = 40


class Text(metaclass=Sealed):
    """One program as a tree, each node knowing its parent."""

    def __init__(self, filename: str, source: str) -> None:
        self.filename = filename
        self.tree: ast.AST = ast.parse(source)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.assignments: dict[str, list[tuple[int, ast.expr]]] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
            for target, value in _bindings(node):
                self.assignments.setdefault(target, []).append((node.lineno, value))  # type: ignore[attr-defined]

    def statement(self, node: ast.AST) -> ast.stmt | None:
        while not isinstance(node, ast.stmt):
            if node not in self.parents:
                return None
            node = self.parents[node]
        return node

    def mode(self, node: ast.AST) -> ast.expr | None:
        """The `with no_grad()` or the decorator under which a node is computed."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.With):
                contexts = [item.context_expr for item in node.items]
            elif isinstance(node, ast.FunctionDef):
                contexts = list(node.decorator_list)
            else:
                continue
            for context in contexts:
                called = context.func if isinstance(context, ast.Call) else context
                if _last(called) in MODES and not (
                    _last(called) == "set_grad_enabled"
                    and isinstance(context, ast.Call)
                    and any(isinstance(a, ast.Constant) and a.value for a in context.args)
                ):
                    return context
        return None


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The assignments of a node, by the text of the target."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
        pairs = [(node.target, node.value)]
    for target, value in pairs:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else [value] * len(target.elts)
            if len(values) == len(target.elts):
                yield from ((ast.unparse(t), v) for t, v in zip(target.elts, values, strict=True))
        else:
            yield ast.unparse(target), value


def _last(node: ast.AST) -> str:
    """`no_grad` of `torch.no_grad`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class Cuts:
    """The texts of a session, newest last, and what they say."""

    def __init__(self, session: Workspace) -> None:
        self.texts: list[Text] = []
        self.variables = session.variables
        for filename, source in session.sources():
            try:
                self.texts.append(Text(filename, source))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue

    def of_place(self, filename: str, line: int, operator: str) -> list[str]:
        """The reasons why operands of an operation that stands on a line have no history."""
        found: dict[str, None] = {}
        for text in reversed(self.texts):
            if text.filename != filename:
                continue
            for node in ast.walk(text.tree):
                first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
                if not first <= line <= last:
                    continue
                operands: list[ast.expr] = []
                if isinstance(node, ast.BinOp) and type(node.op) is SYMBOLS.get(operator):
                    operands = [node.left, node.right]
                elif isinstance(node, ast.Call) and _last(node.func) in (operator, "linear", "mse_loss"):
                    operands = list(node.args)
                    if isinstance(node.func, ast.Attribute):
                        operands.append(node.func.value)
                for operand in operands:
                    reason = self.reason(text, operand, line)
                    if reason:
                        found[reason] = None
            break
        return list(found)

    def of_line(self, filename: str, line: int) -> str | None:
        """Why what `backward` is called on, on a line, has no history."""
        for text in reversed(self.texts):
            if text.filename != filename:
                continue
            for node in ast.walk(text.tree):
                if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or 0):
                    name = _last(node.func)
                    subjects: list[ast.expr] = list(node.args[:1]) if name in ("backward", "grad") else []
                    if (
                        name == "backward"
                        and isinstance(node.func, ast.Attribute)
                        and _last(node.func.value) != "autograd"
                    ):
                        subjects = [node.func.value]
                    for subject in subjects:
                        return self.reason(text, subject, line) or self.bare(text, subject, line)
        return None

    def reason(self, text: Text, node: ast.AST, line: int, depth: int = 0) -> str | None:
        """The cut that an expression's value went through, followed through assignments."""
        if depth > DEEPEST:
            return None
        cut = self._cut(text, node, line, depth)
        if cut:
            return cut
        if isinstance(node, ast.Name | ast.Attribute):
            found = self.assignment(text, ast.unparse(node), line)
            if found is not None:
                where, at, value = found
                mode = where.mode(value)
                if mode is not None and self._computes(where, value, at):
                    return f"it was computed under `{ast.unparse(mode)}` at {where.filename}:{at}"
                answer = self.reason(where, value, at, depth + 1)
                if answer:
                    return answer
            if isinstance(node, ast.Name):
                return None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            answer = self._function(node.func.id, depth)
            if answer:
                return answer
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.keyword | ast.comprehension):
                answer = self.reason(text, child, line, depth + 1)
                if answer:
                    return answer
        return None

    def _cut(self, text: Text, node: ast.AST, line: int, depth: int) -> str | None:
        """The effect of this very expression on a history."""
        place = f" at {text.filename}:{getattr(node, 'lineno', line)}"
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return f"`{_short(node)}` is without history" + place
        if isinstance(node, ast.Compare) and not any(isinstance(op, ast.Is | ast.IsNot | ast.In) for op in node.ops):
            return f"`{_short(node)}` is a comparison" + place
        if not isinstance(node, ast.Call):
            return None
        name = _last(node.func)
        is_method = isinstance(node.func, ast.Attribute) and _last(node.func.value) not in ("torch", "np", "F", "nn")
        reason = METHODS.get(name) if is_method else FUNCTIONS.get(name)
        if reason:
            return reason.format(_short(node)) + place
        if name in COPIES and not is_method and any(self._is_tracked(text, a, line, depth) for a in node.args):
            return f"`{_short(node)}` takes the numbers only" + place
        return None

    def _is_tracked(self, text: Text, node: ast.AST, line: int, depth: int) -> bool:
        """Whether an expression names a tensor that wants a gradient."""
        from ..language import peek

        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                value = self.variables.get(inner.id)
                if peek.tensor_class(value) and getattr(value, "_node", None) is not None:
                    return True
        return False

    def _computes(self, text: Text, value: ast.expr, line: int) -> bool:
        """Whether an expression is more than making a new tensor."""
        return not isinstance(value, ast.Constant)

    def _function(self, name: str, depth: int) -> str | None:
        """The cut in what a script's function returns."""
        for text in reversed(self.texts):
            function = text.functions.get(name)
            if function is None:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    mode = text.mode(node)
                    if mode is not None:
                        return f"`{name}` computes under `{ast.unparse(mode)}` at {text.filename}:{function.lineno}"
                    answer = self.reason(text, node.value, node.lineno, depth + 1)
                    if answer:
                        return answer
            return None
        return None

    def assignment(self, text: Text, name: str, line: int) -> tuple[Text, int, ast.expr] | None:
        """The last assignment to a name before a line, in this text or an earlier one."""
        known = [(at, value) for at, value in text.assignments.get(name, ()) if at < line]
        if known:
            return (text, *known[-1])
        before = self.texts[: self.texts.index(text)]
        for other in reversed(before):
            if name in other.assignments:
                return (other, *other.assignments[name][-1])
        return None

    def bare(self, text: Text, node: ast.AST, line: int) -> str | None:
        """The tensors that a value was computed from, where none of them wants a gradient."""
        from ..language import peek

        found: dict[str, None] = {}
        pending: list[tuple[Text, ast.AST, int]] = [(text, node, line)]
        for _ in range(DEEPEST):
            if not pending:
                break
            where, current, at = pending.pop(0)
            for inner in ast.walk(current):
                if not isinstance(inner, ast.Name):
                    continue
                assigned = self.assignment(where, inner.id, at)
                value = self.variables.get(inner.id)
                if assigned is not None and any(
                    isinstance(n, ast.Name) and n.id in self.variables for n in ast.walk(assigned[2])
                ):
                    pending.append((assigned[0], assigned[2], assigned[1]))
                elif peek.tensor_class(value) and str(getattr(value, "dtype", "")).startswith(
                    ("torch.float", "torch.complex")
                ):
                    found[inner.id] = None
        if not found:
            return None
        names = list(found)[:4]
        one = names[0]
        each = " and ".join(f"`{n}`" for n in names) if len(names) < 3 else ", ".join(f"`{n}`" for n in names)
        return f"it was computed from {each}, without requires_grad; `{one}.requires_grad_()` before that records it"


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else "..." + text[-37:]


def history(session: Workspace, error: BaseException, filename: str, line: int) -> str | None:
    """The history of an error about gradients: the lines that saved and modified a value, or where a chain was cut."""
    node, cell = getattr(error, "_node", None), getattr(error, "_cell", None)
    if cell is None:
        return Cuts(session).of_line(filename, line)
    saved, changed = getattr(node, "_place", None), getattr(cell, "_place", None)
    if not saved or not changed:
        return "run it with --trace, or in the shell, to be told which line saved the value and which line modified it"
    name = node.name() if node is not None else "the operation"

    def quoted(place: tuple[str, int]) -> str:
        text = session.line(*place)
        return f"{place[0]}:{place[1]}" + (f" (`{text}`)" if text else "")

    if saved == changed:
        return f"{name} saved it and another operation modified it, both at {quoted(saved)}"
    return f"{name} saved it at {quoted(saved)}; it was modified at {quoted(changed)}"
