"""The index of a text: where each name stands and what it belongs to, the outline, the parts that fold. JSON can hold it."""

from __future__ import annotations

import ast
import re
from typing import Any

from ..language.scopes import Scope, Walk
from .positions import Lines

KINDS = {ast.FunctionDef: "function", ast.ClassDef: "class", ast.arg: "parameter", ast.alias: "namespace"}
_DEFINED = re.compile(rb"(?:def|class)\s+([^\s(:\[]+)")
_CAUGHT = re.compile(rb"\bas\s+([^\s:]+)")


class Index:
    """The names of a module.

    symbols: `{name, kind, module}` for each variable, `module` for an import the dotted name of what it brings
    names: `[line, start, end, symbol or -1, is bound here]` in their order; the text is the symbol's, or `free`'s
    attributes: `[line, start, end, name, is set, is called]`
    keywords: `[line, start, end, parameter's symbol]`, keywords of calls of the text's own functions
    outline: `{name, kind, span, selection, children}`; folds: `[first line, last line]`
    """

    def __init__(self, text: str, module: ast.Module) -> None:
        self.lines = Lines(text)
        self.module = module
        self.walk = Walk()
        self.walk.run(module, gate=False)
        self.symbols: list[dict[str, Any]] = []
        self.names: list[list[Any]] = []
        self.attributes: list[list[Any]] = []
        self.keywords: list[list[int]] = []
        self.free: list[str] = []
        self.owner: dict[int, int] = {}
        """The symbol of each name read, by the id of its node."""
        self.definitions: dict[int, list[Any]] = {}
        """What binds each symbol."""
        self._numbers: dict[tuple[int, str], int] = {}
        self._outer = {(id(s), n) for n, node, s in self.walk.bindings if type(node) is ast.Nonlocal}
        for name, node, scope in self.walk.bindings:
            self._bound(name, node, scope)
        for node, scope in self.walk.nodes:
            number = self.symbol(node.id, scope)
            self.owner[id(node)] = number
            self._stand(ast_place(node), number, False)
        self.names.sort()
        self.folds: list[list[int]] = []
        for each in ast.walk(module):
            self._other(each)
        self.attributes.sort()

    def symbol(self, name: str, scope: Scope) -> int:
        """The number of the variable that a name means, or -1."""
        found: Scope | None = scope
        if (id(scope), name) in self._outer:
            found = scope.parent
        found = found and found.finds(name)
        if found is None:
            return -1
        if (id(found), name) in self._outer:
            return self.symbol(name, found)
        key = id(found), name
        if key not in self._numbers:
            self._numbers[key] = len(self.symbols)
            self.symbols.append({"name": name, "kind": "variable", "scope": found.kind})
        return self._numbers[key]

    def _stand(self, place: tuple[int, int, int, int], number: int, bound: bool) -> None:
        line, start, _, end = self.lines.span(place)
        self.names.append([line, start, end, number, bound])

    def _bound(self, name: str, node: Any, scope: Scope) -> None:
        number = self.symbol(name, scope)
        if number < 0:
            return
        self.definitions.setdefault(number, []).append(node)
        kind = KINDS.get(type(node))
        symbol = self.symbols[number]
        if kind and symbol["kind"] in ("variable", kind):
            symbol["kind"] = kind
        if type(node) is ast.alias:
            symbol["module"] = node.name if node.asname else name
        place = self._place(name, node)
        if place is not None:
            self._stand(place, number, type(node) not in (ast.Global, ast.Nonlocal))

    def _place(self, name: str, node: Any) -> tuple[int, int, int, int] | None:
        """Where the name stands in what binds it."""
        size = len(name.encode())
        if type(node) is ast.Name:
            return ast_place(node)
        if type(node) is ast.arg:
            return node.lineno, node.col_offset, node.lineno, node.col_offset + size
        line, column = node.lineno, node.col_offset
        if type(node) in (ast.FunctionDef, ast.ClassDef):
            pattern = _DEFINED
        elif type(node) is ast.ExceptHandler:
            pattern = _CAUGHT
        else:
            pattern = re.compile(rf"\b({re.escape(name)})\b".encode())
        if type(node) is ast.alias and node.asname and node.end_lineno == node.lineno:
            column = node.end_col_offset - size
        text = self.lines.lines[line - 1].encode("utf-8", "surrogatepass")
        found = pattern.search(text, column)
        if found is None:
            return None
        start, end = found.span(1)
        return line, start, line, end

    def _other(self, node: ast.AST) -> None:
        if type(node) is ast.Attribute:
            line = node.end_lineno or 1
            end = node.end_col_offset or 0
            _, start, _, stop = self.lines.span((line, end - len(node.attr.encode()), line, end))
            self.attributes.append([line - 1, start, stop, node.attr, type(node.ctx) is not ast.Load])
        elif type(node) is ast.Call:
            self._call(node)
        if isinstance(node, ast.stmt | ast.List | ast.Dict | ast.Tuple | ast.Call | ast.JoinedStr | ast.Constant):
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            if last > first and (not self.folds or self.folds[-1] != [first, last]):
                self.folds.append([first, last])

    def _call(self, node: ast.Call) -> None:
        function = self.own_function(node.func)
        if function is None:
            return
        arguments = {a.arg: a for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
        by_node = {id(d): n for n, nodes in self.definitions.items() for d in nodes} if node.keywords else {}
        for keyword in node.keywords:
            if keyword.arg in arguments and id(arguments[keyword.arg]) in by_node:
                line, column = keyword.lineno, keyword.col_offset
                at, start, _, end = self.lines.span((line, column, line, column + len(keyword.arg.encode())))
                self.keywords.append([at, start, end, by_node[id(arguments[keyword.arg])]])

    def own_function(self, called: ast.expr) -> ast.FunctionDef | None:
        """The function of the text that a name surely means: bound once, by an undecorated `def`."""
        number = self.owner.get(id(called), -1) if type(called) is ast.Name else -1
        made = self.definitions.get(number, [])
        if len(made) == 1 and type(made[0]) is ast.FunctionDef and not made[0].decorator_list:
            return made[0]
        return None

    def outline(self) -> list[dict[str, Any]]:
        """Functions and classes within one another, and the variables of the module and of classes."""

        def of(body: list[ast.stmt], inside: str) -> list[dict[str, Any]]:
            found, seen = [], set()
            for node in body:
                if type(node) in (ast.FunctionDef, ast.ClassDef):
                    place = self._place(node.name, node)  # type: ignore[attr-defined]
                    is_class = type(node) is ast.ClassDef
                    kind = "class" if is_class else "method" if inside == "class" else "function"
                    found.append(
                        {
                            "name": node.name,  # type: ignore[attr-defined]
                            "kind": kind,
                            "span": self.lines.span(ast_place(node)),
                            "selection": self.lines.span(place or ast_place(node)),
                            "children": of(node.body, kind),  # type: ignore[attr-defined]
                        }
                    )
                elif inside != "function" and type(node) in (ast.Assign, ast.AnnAssign):
                    for target in getattr(node, "targets", [getattr(node, "target", None)]):
                        for name in ast.walk(target):
                            if type(name) is ast.Name and type(name.ctx) is ast.Store and name.id not in seen:
                                seen.add(name.id)
                                span = self.lines.span(ast_place(node))
                                selection = self.lines.span(ast_place(name))
                                found.append(
                                    {"name": name.id, "kind": "variable", "span": span, "selection": selection}
                                )
            return found

        return of(self.module.body, "module")

    def told(self) -> dict[str, Any]:
        """The index as JSON takes it."""
        return {
            "symbols": self.symbols, "names": self.names, "attributes": self.attributes, "keywords": self.keywords,
            "outline": self.outline(), "folds": self.folds, "functions": self.functions(), "methods": self.methods(),
        }  # fmt: skip

    def functions(self) -> dict[str, list[Any]]:
        """`{name: [signature, docstring]}` of the functions and classes at the top of the text, as they are written."""
        found = {}
        for node in self.module.body:
            if type(node) is ast.FunctionDef:
                found[node.name] = [ast.unparse(node.args), ast.get_docstring(node) or ""]
            elif type(node) is ast.ClassDef:
                made = next((each for each in _methods(node) if each.name == "__init__"), None)
                found[node.name] = [_without_self(made) if made else "", ast.get_docstring(node) or ""]
        return found

    def methods(self) -> dict[str, list[list[str]]]:
        """`{name: [[class, signature, docstring], ...]}` of the methods of those classes."""
        found: dict[str, list[list[str]]] = {}
        for node in self.module.body:
            for each in _methods(node) if type(node) is ast.ClassDef else ():
                told = [node.name, ast.unparse(each.args), ast.get_docstring(each) or ""]  # type: ignore[attr-defined]
                found.setdefault(each.name, []).append(told)
        return found


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [each for each in node.body if type(each) is ast.FunctionDef]


def _without_self(function: ast.FunctionDef) -> str:
    return ast.unparse(function.args).partition(", ")[2]


def ast_place(node: Any) -> tuple[int, int, int, int]:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
