"""Outcomes of programs, told in the same words under PyTorch and here."""

from __future__ import annotations

import ast
import builtins
import copy
import math
import re
import warnings
from typing import Any

NO_ERROR = "no error"


def headline(error: BaseException) -> str:
    """``RuntimeError: the first line``"""
    return f"{type(error).__name__}: {error}".split("\n")[0]


def as_read(told: str) -> str:
    """A headline as far as a person reads it: PyTorch lists keywords in the order of a hash table, and behind a kernel that
    a backend lacks the hundred that have it. Here keywords stand in the order of the call, and the list is left out. Python's
    own words are 3.11's: later ones name abstract methods otherwise and guess keywords."""
    told = re.sub(r" without an implementation for abstract (methods?) '(.*)'$", r" with abstract \1 \2", told)
    told = re.sub(r"(?<=unexpected keyword argument )('\w+')\. Did you mean .*", r"\1", told)
    told = re.sub(r"(?<= backend\.) This could be because .*", "", told)
    given, positional = re.compile(r"(?<=\bgot \().*(?=\), but expected)"), r"^(?:(?!\w+=).)*"
    if (found := given.search(told)) is not None:
        first = re.match(positional, found[0])[0]  # type: ignore[index]
        return told[: found.start()] + first + in_order(found[0][len(first) :]) + told[found.end() :]
    text, unknown, names = told.partition("got unrecognized keyword arguments: ")
    return text + unknown + in_order(names)


def in_order(listed: str) -> str:
    return ", ".join(sorted(listed.split(", ")))


def space(torch: Any) -> dict[str, Any]:
    """The names that wrong programs use: those of torch but for Python's own, and the usual short ones of its modules."""
    known = {n: v for n in dir(torch) if n[0] != "_" and not hasattr(builtins, n) for v in [getattr(torch, n)]}
    short = {"nn": torch.nn, "F": torch.nn.functional, "optim": torch.optim, "D": torch.utils.data}
    return known | short | {"torch": torch, "T": torch.distributions, "math": math, "copy": copy}


def refusal(torch: Any, program: str, names: dict[str, Any]) -> str:
    """The headline of what the last statement of a program raises; an error before it counts as well."""
    *before, last = ast.parse(program).body
    names = dict(names)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.Module(before, []), "<case>", "exec"), names)
            exec(compile(ast.Module([last], []), "<case>", "exec"), names)
        except Exception as error:
            return headline(error)
    return NO_ERROR


def history(node: Any, depth: int = 2) -> str:
    """A node and those it leads to: ``SelectBackward0(MulBackward0, None)``, ``#1`` behind one of several results."""
    if node is None:
        return "None"
    name = node.name().rpartition(":")[2]
    if not depth or not node.next_functions:
        return name
    return f"{name}({', '.join(history(n, depth - 1) + (f'#{i}' if i else '') for n, i in node.next_functions)})"
