"""Rules to Python's own `ast`: one function per rule of grammar/tsr.lark, called as soon as the rule is complete.

A function receives the values of the rule's children (tokens, nodes, lists of nodes) and the place of the rule as the
four keyword arguments that every ast node wants. Nothing here recurses, so the depth of a program costs no stack. The
result is the tree that CPython's own parser would make of the same text, positions included. This file has the
statements; expressions.py, literals.py and patterns.py have the rest.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from .expressions import BINARY
from .mistake import Children, Mistake, Where, node, place_in, place_of, where_of
from .targets import (
    AsItem,
    KeywordMark,
    Parameter,
    PositionalMark,
    delete_targets,
    make_arguments,
    split_arguments,
    store,
)

NO_TYPE_PARAMETERS = sys.version_info < (3, 12)


# ---- program and simple statements


def program(c: Children, where: Where) -> ast.Module:
    return node(ast.Module, {"body": _flat(c), "type_ignores": []})


def _flat(statements: Children) -> list[ast.stmt]:
    body: list[ast.stmt] = []
    for statement in statements:
        if type(statement) is list:
            body += statement
        else:
            body.append(statement)
    return body


simple_line = list


def expression_statement(c: Children, where: Where) -> ast.Expr:
    where["value"] = c[0]
    return node(ast.Expr, where)


def assign(c: Children, where: Where) -> ast.Assign:
    targets = [store(c[0], "assign")]
    for target in c[1:-1]:
        targets.append(store(target, "assign again"))
    where["targets"], where["value"], where["type_comment"] = targets, c[-1], None
    return node(ast.Assign, where)


def annotated_assign(c: Children, where: Where) -> ast.AnnAssign:
    target = c[0]
    bare = type(target) is ast.Name and (target.lineno, target.col_offset) == (where["lineno"], where["col_offset"])
    return ast.AnnAssign(store(target, "annotated"), c[1], c[2], int(bare), **where)


def dots(c: Children, where: Where) -> int:
    return sum(len(token[1]) for token in c)


def source(c: Children, where: Where) -> tuple[str | None, int]:
    """The module of `from ... import`, and how many dots stand in front of it."""
    return (c[0], 0) if len(c) == 1 else (c[1], c[0])


def import_star(c: Children, where: Where) -> ast.ImportFrom:
    line, column = where["end_lineno"], where["end_col_offset"]
    star = ast.alias("*", None, lineno=line, col_offset=column - 1, end_lineno=line, end_col_offset=column)
    return ast.ImportFrom(c[0][0], [star], c[0][1], **where)


# ---- compound statements


def if_statement(c: Children, where: Where) -> ast.If:
    orelse = c[-1] or []
    for test, body, begin in reversed(c[2:-1]):
        orelse = [ast.If(test, body, orelse, **{**where, **begin})]
    return ast.If(c[0], c[1], orelse, **where)


def for_statement(c: Children, where: Where) -> ast.For:
    target, source, body, orelse = c
    return ast.For(store(target, "for"), source, body, orelse or [], None, **where)


def try_statement(c: Children, where: Where) -> ast.Try:
    body, handlers, orelse, final = c[0], c[1:-2], c[-2] or [], c[-1] or []
    return ast.Try(body, handlers, orelse, final, **where)


def with_item(c: Children, where: Where) -> ast.withitem | list[ast.withitem]:
    value, target = c
    if target is None:
        # the parentheses of `with (a, b as c):` hold items; a tuple without `as` in it is also read so
        if type(value) is AsItem:
            return [value.item()]
        if type(value) is ast.Tuple and value.elts and value.col_offset == where["col_offset"]:
            if not any(type(element) is ast.Starred for element in value.elts):
                return [e.item() if type(e) is AsItem else ast.withitem(e, None) for e in value.elts]
    return ast.withitem(value, store(target, "with") if target is not None else None)


def with_statement(c: Children, where: Where) -> ast.With:
    items = []
    for item in c[:-1]:
        if type(item) is not list:
            items.append(item)
        elif len(c) == 2:
            items += item
        elif any(i.optional_vars for i in item):
            raise Mistake("invalid syntax", place_of(item[0].context_expr))
        else:
            first, last = item[0].context_expr, item[-1].context_expr
            raise Mistake("invalid syntax", (first.lineno, first.col_offset, last.end_lineno, last.end_col_offset))
    return ast.With(items, c[-1], None, **where)


def function(c: Children, where: Where) -> ast.FunctionDef:
    name, parameters, returns, body = c
    arguments = parameters or make_arguments([])
    if NO_TYPE_PARAMETERS:
        return ast.FunctionDef(name[1], arguments, body, [], returns, None, **where)
    return ast.FunctionDef(name[1], arguments, body, [], returns, None, [], **where)  # type: ignore[call-arg, arg-type]


def class_(c: Children, where: Where) -> ast.ClassDef:
    name, arguments, body = c
    bases, keywords = split_arguments(arguments or [])
    if NO_TYPE_PARAMETERS:
        return ast.ClassDef(name[1], bases, keywords, body, [], **where)
    return ast.ClassDef(name[1], bases, keywords, body, [], [], **where)  # type: ignore[call-arg, arg-type]


def decorated(c: Children, where: Where) -> ast.stmt:
    c[-1].decorator_list = c[:-1]
    return c[-1]


def parameters(c: Children, where: Where) -> ast.arguments:
    return make_arguments(c)


lambda_parameters = parameters


def parameter(c: Children, where: Where) -> Parameter:
    name, annotation, default = c
    at = where_of(name)
    if annotation is not None:
        at["end_lineno"], at["end_col_offset"] = annotation.end_lineno, annotation.end_col_offset
        if default is None:
            at["end_lineno"], at["end_col_offset"] = where["end_lineno"], where["end_col_offset"]
    return Parameter("", ast.arg(name[1], annotation, None, **at), default)


def _starred_parameter(stars: str, c: Children, where: Where) -> Parameter:
    at = where_of(c[0])
    at["end_lineno"], at["end_col_offset"] = where["end_lineno"], where["end_col_offset"]
    return Parameter(stars, ast.arg(c[0][1], c[1] if len(c) > 1 else None, None, **at), None)


def star_parameter(c: Children, where: Where) -> Parameter:
    return _starred_parameter("*", c, where)


def double_star_parameter(c: Children, where: Where) -> Parameter:
    return _starred_parameter("**", c, where)


lambda_star_parameter = star_parameter
lambda_double_star_parameter = double_star_parameter


PLAIN: dict[str, Callable[[Children, Where], Any]] = {
    "line_block": lambda c, where: c[0],
    "block": lambda c, where: _flat(c),
    "augmented_operator": lambda c, where: BINARY[c[0][1][:-1]],
    "augmented_assign": lambda c, where: ast.AugAssign(store(c[0], "augmented"), c[1], c[2], **where),
    "pass_statement": lambda c, where: ast.Pass(**where),
    "break_statement": lambda c, where: ast.Break(**where),
    "continue_statement": lambda c, where: ast.Continue(**where),
    "return_statement": lambda c, where: ast.Return(c[0], **where),
    "raise_statement": lambda c, where: ast.Raise(c[0], c[1], **where),
    "del_statement": lambda c, where: ast.Delete(delete_targets(c[0], where), **where),
    "assert_statement": lambda c, where: ast.Assert(c[0], c[1], **where),
    "global_statement": lambda c, where: ast.Global([name[1] for name in c], **where),
    "nonlocal_statement": lambda c, where: ast.Nonlocal([name[1] for name in c], **where),
    "dotted_name": lambda c, where: ".".join(name[1] for name in c),
    "module_alias": lambda c, where: ast.alias(c[0], c[1] and c[1][1], **where),
    "name_alias": lambda c, where: ast.alias(c[0][1], c[1] and c[1][1], **where),
    "import_statement": lambda c, where: ast.Import(c, **where),
    "import_from": lambda c, where: ast.ImportFrom(c[0][0], c[1:], c[0][1], **where),
    "elif_clause": lambda c, where: (c[0], c[1], {"lineno": where["lineno"], "col_offset": where["col_offset"]}),
    "while_statement": lambda c, where: ast.While(c[0], c[1], c[2] or [], **where),
    "try_finally": lambda c, where: ast.Try(c[0], [], [], c[1], **where),
    "except_clause": lambda c, where: ast.ExceptHandler(c[0], c[1] and c[1][1], c[2], **where),
    "lambda_parameter": lambda c, where: Parameter("", ast.arg(c[0][1], None, None, **where_of(c[0])), c[1]),
    "positional_mark": lambda c, where: PositionalMark(place_in(where)),
    "keyword_mark": lambda c, where: KeywordMark(place_in(where)),
}
"""Rules that one expression says."""
