"""The parser's table: states, actions and rules that Lark made of the grammar, and the loop that runs on them.

The loop is the usual LALR one, with one turn: chains of rules that only hand their child on (`?sum: term`, fifteen of
them around every name) are followed once for each situation and remembered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .build import TABLE, build_table, grammar_hash, grammar_path, read_text
from .tokens import Lexicon, Token

Action = Callable[[list[Any], dict[str, int]], Any]


END = -1
_LAYOUT = frozenset(("_NEWLINE", "_INDENT", "_DEDENT"))


class Rejected(Exception):
    """The parser has no move: the index of the token, and the stacks at that moment."""

    def __init__(self, index: int, states: list[int], values: list[Any]) -> None:
        super().__init__(index)
        self.index = index
        self.states = states
        self.values = values


class Table:
    def __init__(self, data: dict[str, Any]) -> None:
        rows = data["rows"]
        self.actions: list[dict[str, int]] = [rows[a] for a, _ in data["states"]]
        self.gotos: list[dict[str, int]] = [rows[g] for _, g in data["states"]]
        self.start: int = data["start"]
        self.end: int = data["end"]
        self.lexicon = Lexicon(data["literals"], data["patterns"])
        self.literals: dict[str, str] = data["literals"]
        self.rules = [tuple(rule) for rule in data["rules"]]
        self.reached: dict[tuple[int, str, str], int] = {}

    def bind(self, functions: dict[str, Action]) -> list[tuple[str, int, Any, Any]]:
        """The rules as (origin, size, how to select the children, action or None to hand the child on)."""
        bound: list[tuple[str, int, Any, Any]] = []
        for origin, size, action, kept, nones in self.rules:
            if action == "?":
                bound.append((origin, size, kept[0][0], None))
            else:
                select = _selector(size, kept, nones)
                bound.append((origin, size, select, list if action == "_" else functions[action]))
        return bound

    def parse(self, tokens: list[Token], rules: list[tuple[str, int, Any, Any]]) -> Any:
        """Run the actions over the tokens; raises Rejected."""
        actions, reached = self.actions, self.reached
        states: list[int] = [self.start]
        values: list[Any] = []
        starts: list[int] = []
        index = -1
        for token in tokens:
            index += 1
            kind = token[0]
            while True:
                code = actions[states[-1]].get(kind)
                if code is None:
                    raise Rejected(index, states, values)
                if code >= 0:
                    states.append(code)
                    values.append(token)
                    starts.append(index)
                    break
                origin, size, select, action = rules[~code]
                if size:
                    children = values[-size:]
                    if size > 1:  # the result takes the place of the first child
                        rest = 1 - size
                        del values[rest:], states[rest:], starts[rest:]
                    if action is None:
                        values[-1] = children[select]
                    elif action is list:
                        values[-1] = children if select is None else select(children)
                    else:
                        first, last = tokens[starts[-1]], tokens[index - 1]
                        if last[0] in _LAYOUT:
                            last = _last_visible(tokens, index)
                        where = {
                            "lineno": first[2],
                            "col_offset": first[3],
                            "end_lineno": last[4],
                            "end_col_offset": last[5],
                        }
                        values[-1] = action(children if select is None else select(children), where)
                else:
                    children = [] if select is None else select([])
                    where = {
                        "lineno": token[2],
                        "col_offset": token[3],
                        "end_lineno": token[2],
                        "end_col_offset": token[3],
                    }
                    values.append(children if action is list else action(children, where))
                    states.append(0)
                    starts.append(index)
                key = (states[-2], origin, kind)
                state = reached.get(key)
                if state is None:
                    state = reached[key] = self.after(*key)
                if state == END:
                    return values[-1]
                states[-1] = state
        raise Rejected(index, states, values)

    def after(self, before: int, origin: str, kind: str) -> int:
        """The state behind a rule, and behind the chain of rules that only hand it on; END at the end of the program."""
        state = self.gotos[before][origin]
        if state == self.end and kind == "$END":
            return END
        while True:
            code = self.actions[state].get(kind)
            if code is None or code >= 0:
                return state
            origin, size, action, _, _ = self.rules[~code]
            if size != 1 or action != "?":
                return state
            state = self.gotos[before][origin]

    def accepts(self, states: list[int], kind: str) -> bool:
        """Would a token of this type be shifted here?"""
        states = states[-300:]
        while True:
            code = self.actions[states[-1]].get(kind)
            if code is None:
                return False
            if code >= 0:
                return True
            origin, size, _, _, _ = self.rules[~code]
            if size >= len(states):
                return False
            if size:
                states = states[:-size]
            states = [*states, self.gotos[states[-1]][origin]]
            if states[-1] == self.end and kind == "$END":
                return True


def _last_visible(tokens: list[Token], index: int) -> Token:
    """A compound statement ends with its last word, not with the line break behind it."""
    while tokens[index - 1][0] in _LAYOUT:
        index -= 1
    return tokens[index - 1]


def _selector(size: int, kept: list[list[int]], nones: int) -> Callable[[list[Any]], list[Any]] | None:
    """How the children that an action sees follow from all of them; None if they are the same."""
    indices = [index for index, _, _ in kept]
    if not nones and not any(inlined or before for _, inlined, before in kept):
        if indices == list(range(size)):
            return None
        if len(indices) == 1:
            only = indices[0]
            return lambda children: [children[only]]
        return lambda children: [children[index] for index in indices]

    def select(children: list[Any]) -> list[Any]:
        chosen: list[Any] = []
        for index, inlined, before in kept:
            if before:
                chosen += [None] * before
            if not inlined:
                chosen.append(children[index])
            elif chosen:
                chosen += children[index]
            else:
                chosen = children[index]  # left recursion appends to one list
        if nones:
            chosen += [None] * nones
        return chosen

    return select


@lru_cache(maxsize=1)
def load_table() -> Table:
    """The table that is shipped, or one made now where the shipped one does not belong to the grammar."""
    try:
        text = read_text(grammar_path())
    except OSError:
        text = None
    try:
        data = json.loads(read_text(TABLE))
    except (OSError, ValueError):
        data = None
    if data is None or (text is not None and data["grammar"] != grammar_hash(text)):
        if text is None:
            raise RuntimeError("tensorsh is not installed completely: its grammar file is missing")
        data = build_table(text)
    return Table(data)
