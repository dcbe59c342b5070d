"""Targets of assignments, and the order of arguments and parameters: rules beyond a context-free grammar.

The messages are CPython's.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from .mistake import Mistake, Place, place_of

NO_DEFAULT = "parameter without a default follows parameter with a default"
if sys.version_info < (3, 12):
    NO_DEFAULT = "non-default argument follows default argument"

STORE = ast.Store()
DELETE = ast.Del()

_KIND = {
    ast.Attribute: "attribute", ast.Subscript: "subscript", ast.Starred: "starred", ast.Name: "name", ast.List: "list",
    ast.Tuple: "tuple", ast.Lambda: "lambda", ast.Call: "function call", ast.BoolOp: "expression",
    ast.BinOp: "expression", ast.UnaryOp: "expression", ast.GeneratorExp: "generator expression",
    ast.Yield: "yield expression", ast.YieldFrom: "yield expression", ast.ListComp: "list comprehension",
    ast.SetComp: "set comprehension", ast.DictComp: "dict comprehension", ast.Dict: "dict literal",
    ast.Set: "set display", ast.JoinedStr: "f-string expression", ast.Compare: "comparison",
    ast.IfExp: "conditional expression", ast.NamedExpr: "named expression",
}  # fmt: skip
# in front of a single `=`, these look like a comparison that lost a `=`
_LOOKS_COMPARED = frozenset(
    {
        "function call",
        "expression",
        "literal",
        "f-string expression",
        "set display",
        "dict literal",
        "named expression",
        "ellipsis",
        "list comprehension",
        "set comprehension",
        "dict comprehension",
    }  # fmt: skip
)


class AsItem(ast.expr):
    """`a as b` inside parentheses, which has a meaning behind `with` only."""

    _fields = ()

    def __init__(self, value: ast.expr, target: ast.expr, where: dict[str, int]) -> None:
        super().__init__(**where)
        self.value = value
        self.target = target

    def item(self) -> ast.withitem:
        return ast.withitem(self.value, self.target)


class Keyword:
    """`name=value` or `**value` among arguments."""

    def __init__(self, node: ast.keyword, unpacks: bool) -> None:
        self.node = node
        self.unpacks = unpacks


class GeneratorArgument:
    """A generator expression without parentheses of its own among arguments."""

    def __init__(self, node: ast.GeneratorExp, place: Place) -> None:
        self.node = node
        self.place = place


class Parameter:
    """A parameter: "", "*" or "**" in front, ast.arg, default."""

    def __init__(self, stars: str, arg: ast.arg, default: ast.expr | None) -> None:
        self.stars = stars
        self.arg = arg
        self.default = default


class PositionalMark:
    """The `/` among parameters."""

    def __init__(self, place: Place) -> None:
        self.place = place


class KeywordMark(PositionalMark):
    """The bare `*` among parameters."""


def kind_of(node: ast.AST) -> str:
    """CPython's name for a node in "cannot assign to ..."."""
    if type(node) is ast.Constant:
        if node.value is Ellipsis:
            return "ellipsis"
        return str(node.value) if node.value is None or isinstance(node.value, bool) else "literal"
    return _KIND.get(type(node), "expression")  # type: ignore[arg-type]


def store(target: Any, how: str) -> Any:
    """Make a target of an expression; `how`: assign, assign again, augmented, annotated, for, with, walrus."""
    if type(target) is ast.Name:
        target.ctx = STORE
        return target
    kind = kind_of(target)
    place = place_of(target)
    if how == "walrus":
        raise Mistake(f"cannot use assignment expressions with {kind}", place)
    if how == "augmented" and type(target) not in (ast.Attribute, ast.Subscript):
        raise Mistake(f"'{kind}' is an illegal expression for augmented assignment", place)
    if how == "annotated" and type(target) not in (ast.Attribute, ast.Subscript):
        if kind in ("list", "tuple"):
            raise Mistake(f"only single target (not {kind}) can be annotated", place)
        raise Mistake("illegal target for annotation", place)
    pending = [target]
    while pending:
        node = pending.pop()
        kind_of_node = type(node)
        if kind_of_node in (ast.Name, ast.Attribute, ast.Subscript):
            node.ctx = STORE
        elif kind_of_node in (ast.Tuple, ast.List):
            node.ctx = STORE
            pending += reversed(node.elts)
        elif kind_of_node is ast.Starred:
            node.ctx = STORE
            pending.append(node.value)
        elif node is target and kind_of_node in (ast.Yield, ast.YieldFrom) and how in ("assign", "assign again"):
            raise Mistake("assignment to yield expression not possible", place)
        elif how == "assign" and (node is target or node is last_of(target)) and looks_compared(node):
            message = f"cannot assign to {kind_of(node)} here. Maybe you meant '==' instead of '='?"
            raise Mistake(message, place_of(node), "A comparison is written with two equal signs.")
        else:
            raise Mistake(f"cannot assign to {kind_of(node)}", place_of(node))
    return target


def looks_compared(node: Any) -> bool:
    """Whether what stands in front of a single `=` looks like a comparison that lost a `=`."""
    bare = type(node) is not ast.BoolOp and (type(node) is not ast.UnaryOp or type(node.op) is not ast.Not)
    return bare and kind_of(node) in _LOOKS_COMPARED


def last_of(target: Any) -> Any:
    """The last of several targets without brackets around them."""
    several = type(target) is ast.Tuple and bool(target.elts) and target.col_offset == target.elts[0].col_offset
    return target.elts[-1] if several else None


def delete_targets(node: Any, where: dict[str, int]) -> list[ast.expr]:
    """The targets of a `del` statement."""
    bare = type(node) is ast.Tuple and (not node.elts or node.col_offset == node.elts[0].col_offset)
    targets = node.elts if bare and node.elts else [node]
    pending = list(targets)
    while pending:
        target = pending.pop()
        if type(target) in (ast.Name, ast.Attribute, ast.Subscript):
            target.ctx = DELETE
        elif type(target) in (ast.Tuple, ast.List):
            target.ctx = DELETE
            pending += reversed(target.elts)
        else:
            raise Mistake(f"cannot delete {kind_of(target)}", place_of(target))
    return targets


def split_arguments(arguments: list[Any], end: Place | None = None) -> tuple[list[ast.expr], list[ast.keyword]]:
    """The positional and the keyword arguments of a call, or of a class statement; end: the place of the bracket behind them."""
    positional: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    named = unpacked = False
    for argument in arguments:
        if type(argument) is Keyword:
            keywords.append(argument.node)
            unpacked |= argument.unpacks
            named = True
        elif type(argument) is GeneratorArgument:
            if len(arguments) > 1:
                raise Mistake("Generator expression must be parenthesized", argument.place)
            positional.append(argument.node)
        else:
            if type(argument) is ast.Starred:
                if unpacked:
                    message = "iterable argument unpacking follows keyword argument unpacking"
                    line, column, *_ = place_of(argument)
                    raise Mistake(message, (line, column, line, column + 1))
            elif named:
                what = "keyword argument unpacking" if unpacked else "keyword argument"
                raise Mistake(f"positional argument follows {what}", end or place_of(argument))
            positional.append(argument)
    return positional, keywords


def first_of(parameter: Parameter) -> Place:
    """The stars of a parameter, or its name."""
    line, column, *_ = place_of(parameter.arg)
    stars = len(parameter.stars)
    return (line, column - stars, line, column) if stars else (line, column, line, column + len(parameter.arg.arg))


def make_arguments(parameters: list[Any]) -> ast.arguments:
    """Parameters in the order they are written, checked and sorted into Python's `arguments` node."""
    result = ast.arguments([], [], None, [], [], None, [])
    seen: set[str] = set()
    star: Any = None
    slash = False
    for index, parameter in enumerate(parameters):
        if result.kwarg is not None:
            place = parameter.place if isinstance(parameter, PositionalMark) else first_of(parameter)
            raise Mistake("arguments cannot follow var-keyword argument", place)
        if type(parameter) is PositionalMark:
            if slash:
                raise Mistake("/ may appear only once", parameter.place)
            if star is not None:
                raise Mistake("/ must be ahead of *", parameter.place)
            if not result.args:
                raise Mistake("at least one argument must precede /", parameter.place)
            slash = True
            result.posonlyargs, result.args = result.args, []
            continue
        if type(parameter) is KeywordMark:
            if star is not None:
                raise Mistake("* argument may appear only once", parameter.place)
            following = parameters[index + 1] if index + 1 < len(parameters) else None
            if not isinstance(following, Parameter) or following.stars:
                raise Mistake("named arguments must follow bare *", parameter.place)
            star = parameter
            continue
        arg, default = parameter.arg, parameter.default
        if arg.arg in seen:
            raise Mistake(f"duplicate argument '{arg.arg}' in function definition", place_of(arg))
        seen.add(arg.arg)
        if parameter.stars == "**":
            result.kwarg = arg
        elif parameter.stars == "*":
            if star is not None:
                raise Mistake("* argument may appear only once", first_of(parameter))
            star = result.vararg = arg
        elif star is not None:
            result.kwonlyargs.append(arg)
            result.kw_defaults.append(default)
        else:
            if default is not None:
                result.defaults.append(default)
            elif result.defaults:
                raise Mistake(NO_DEFAULT, place_of(arg))
            result.args.append(arg)
    return result
