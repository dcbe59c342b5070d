"""Rules to Python's own `ast`, the expressions: one function per rule, as in lowering.py."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .mistake import Children, Mistake, Place, Where, node, place_in, place_of
from .targets import AsItem, GeneratorArgument, Keyword, make_arguments, split_arguments, store

LOAD = ast.Load()
BINARY = {
    "+": ast.Add(), "-": ast.Sub(), "*": ast.Mult(), "/": ast.Div(), "//": ast.FloorDiv(), "%": ast.Mod(),
    "@": ast.MatMult(), "**": ast.Pow(), "|": ast.BitOr(), "^": ast.BitXor(), "&": ast.BitAnd(), "<<": ast.LShift(),
    ">>": ast.RShift(),
}  # fmt: skip
_UNARY = {"+": ast.UAdd(), "-": ast.USub(), "~": ast.Invert()}
_COMPARE = {
    "<": ast.Lt(), ">": ast.Gt(), "<=": ast.LtE(), ">=": ast.GtE(), "==": ast.Eq(), "!=": ast.NotEq(), "in": ast.In(),
    "not in": ast.NotIn(), "is": ast.Is(), "is not": ast.IsNot(),
}  # fmt: skip
_NOT, _AND, _OR = ast.Not(), ast.And(), ast.Or()


def tuple_(c: Children, where: Where) -> ast.Tuple:
    where["elts"], where["ctx"] = c, LOAD
    return node(ast.Tuple, where)


def starred(c: Children, where: Where) -> ast.Starred:
    return ast.Starred(c[0], LOAD, **where)


def group(c: Children, where: Where) -> ast.expr:
    if type(c[0]) is ast.Starred:
        raise Mistake("cannot use starred expression here", place_of(c[0]))
    return c[0]


def walrus(c: Children, where: Where) -> ast.NamedExpr:
    return ast.NamedExpr(store(c[0], "walrus"), c[1], **where)


def compare(c: Children, where: Where) -> ast.Compare:
    where["left"], where["ops"], where["comparators"] = c[0], c[1::2], c[2::2]
    return node(ast.Compare, where)


def binary(c: Children, where: Where) -> ast.BinOp:
    token = c[1]
    where["left"], where["op"], where["right"] = c[0], BINARY[token[1]], c[2]
    return node(ast.BinOp, where)


def attribute(c: Children, where: Where) -> ast.Attribute:
    token = c[1]
    where["value"], where["attr"], where["ctx"] = c[0], token[1], LOAD
    return node(ast.Attribute, where)


def call(c: Children, where: Where) -> ast.Call:
    function, opening, arguments = c
    where["func"] = function
    if arguments is None:
        where["args"], where["keywords"] = [], []
        return node(ast.Call, where)
    line, column = where["end_lineno"], where["end_col_offset"]
    positional, keywords = split_arguments(arguments, (line, column - 1, line, column))
    if type(arguments[0]) is GeneratorArgument:
        only = positional[0]  # it takes the parentheses of the call for its own
        only.lineno, only.col_offset = opening[2], opening[3]
        only.end_lineno, only.end_col_offset = where["end_lineno"], where["end_col_offset"]
    where["args"], where["keywords"] = positional, keywords
    return node(ast.Call, where)


arguments = list


def keyword_argument(c: Children, where: Where) -> Keyword:
    name, value = c
    if type(name) is not ast.Name:
        if type(name) is ast.Constant and (name.value is None or type(name.value) is bool):
            raise Mistake(f"cannot assign to {name.value}", _through_sign(name, value))
        raise Mistake('expression cannot contain assignment, perhaps you meant "=="?', _through_sign(name, value))
    where["arg"], where["value"] = name.id, value
    return Keyword(node(ast.keyword, where), unpacks=False)


def _through_sign(name: ast.expr, value: ast.expr) -> Place:
    """From the start of what stands in front of a `=` to that sign, in the midst between it and the value."""
    line, column, last, end = place_of(name)
    gap = value.col_offset - end if value.lineno == last else 1
    return (line, column, last, end + (gap + 1) // 2)


def subscript(c: Children, where: Where) -> ast.Subscript:
    index = c[1]
    if type(index) is ast.Starred:
        # `x[*a]` is `x[(*a,)]`
        index = ast.Tuple([index], LOAD, **dict(zip(where, place_of(index), strict=True)))
    where["value"], where["slice"], where["ctx"] = c[0], index, LOAD
    return node(ast.Subscript, where)


def name(c: Children, where: Where) -> ast.Name:
    token = c[0]
    where["id"], where["ctx"] = token[1], LOAD
    return node(ast.Name, where)


def list_(c: Children, where: Where) -> ast.List:
    where["elts"], where["ctx"] = c, LOAD
    return node(ast.List, where)


def dict_comprehension(c: Children, where: Where) -> ast.DictComp:
    key, value = c[0]
    if key is None:
        line, column, *_ = place_in(where)
        raise Mistake("dict unpacking cannot be used in dict comprehension", (line, column + 1, line, column + 3))
    return ast.DictComp(key, value, c[1:], **where)


PLAIN: dict[str, Callable[[Children, Where], Any]] = {
    "as_item": lambda c, where: AsItem(c[0], store(c[1], "with"), where),
    "yield_expression": lambda c, where: ast.Yield(c[0], **where),
    "yield_from": lambda c, where: ast.YieldFrom(c[0], **where),
    "conditional": lambda c, where: ast.IfExp(c[1], c[0], c[2], **where),
    "lambda_": lambda c, where: ast.Lambda(c[0] or make_arguments([]), c[1], **where),
    "or_": lambda c, where: ast.BoolOp(_OR, c, **where),
    "and_": lambda c, where: ast.BoolOp(_AND, c, **where),
    "not_": lambda c, where: ast.UnaryOp(_NOT, c[0], **where),
    "comparison_operator": lambda c, where: _COMPARE[c[0][1] if len(c) == 1 else f"{c[0][1]} {c[1][1]}"],
    "unary": lambda c, where: ast.UnaryOp(_UNARY[c[0][1]], c[1], **where),
    "generator_argument": lambda c, where: GeneratorArgument(ast.GeneratorExp(c[0], c[1:], **where), place_in(where)),
    "keywords_argument": lambda c, where: Keyword(ast.keyword(None, c[0], **where), unpacks=True),
    "slice_": lambda c, where: ast.Slice(c[0], c[1], c[2], **where),
    "generator": lambda c, where: ast.GeneratorExp(c[0], c[1:], **where),
    "list_comprehension": lambda c, where: ast.ListComp(c[0], c[1:], **where),
    "dict_item": lambda c, where: (c[0], c[1]),
    "double_star_item": lambda c, where: (None, c[0]),
    "dict_": lambda c, where: ast.Dict([key for key, _ in c], [value for _, value in c], **where),
    "set_": lambda c, where: ast.Set(c, **where),
    "set_comprehension": lambda c, where: ast.SetComp(c[0], c[1:], **where),
    "comprehension_for": lambda c, where: ast.comprehension(store(c[0], "for"), c[1], c[2:], 0),
}
"""Rules that one expression says."""
