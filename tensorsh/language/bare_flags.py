"""Bare flags in a program's text: `f(a, flag)` becomes `<flag>(f, "flag")(a)`, where nothing binds the name."""

from __future__ import annotations

import ast
from collections.abc import Container

from .attributes import LOAD, show_range
from .flags import UNMISTAKABLE_FLAGS
from .mistake import Mistake, at, place_of
from .scopes import Walk

MAX_FLAGS = 8


def lower_flags(walk: Walk, bound: Container[str]) -> dict[str, bool]:
    """`f(a, flag)` becomes `<flag>(f, "flag")(a)`: the helper decides when it runs.

    Returns the names that the text itself leaves open, with the answer whether they were bound.
    """
    questions: dict[str, bool] = {}
    for call, flags in bare_flags(walk, bound, questions):
        for flag in flags:
            where = at(flag)
            helper = ast.Name("<flag>", LOAD, **where)
            call.func = ast.Call(helper, [call.func, ast.Constant(flag.id, None, **where)], [], **where)
            call.args.remove(flag)
    for call in walk.ranges:
        show_range(call)
    return questions


def bare_flags(walk: Walk, bound: Container[str], questions: dict[str, bool]) -> list[tuple[ast.Call, list[ast.Name]]]:
    """The calls that end in arguments which are names bound nowhere, with those names.

    A name that has an ordinary argument behind it, or that stands there twice, is no flag: it may be bound later.
    """
    found = []
    for call, scope in walk.candidates:
        flags: list[ast.Name] = []
        for argument in call.args:
            is_flag = False
            if isinstance(argument, ast.Name) and scope.finds(argument.id) is None:
                questions[argument.id] = argument.id in bound
                is_flag = not questions[argument.id]
            if is_flag:
                flags.append(argument)  # type: ignore[arg-type]
            elif flags:
                known = [flag for flag in flags if flag.id in UNMISTAKABLE_FLAGS]
                if known and not scope.module().star:
                    message = f"positional argument follows flag '{known[0].id}'"
                    advice = f"Write {known[0].id}=True at the end of the arguments."
                    raise Mistake(message, place_of(argument), advice)
                flags = []
        names = [flag.id for flag in flags] + [keyword.arg for keyword in call.keywords if keyword.arg]
        if flags and len(set(names)) == len(names) and len(flags) <= MAX_FLAGS:
            found.append((call, flags))
    return found
