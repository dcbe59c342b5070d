"""The parser's table: states, actions and rules that Lark made of the grammar, and the loop that runs on them.

The loop is the usual LALR one, with one turn: chains of rules that only hand their child on (`?sum: term`, fifteen of
them around every name) are followed once for each situation and remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .build import build_table, grammar_hash, grammar_path, read_table, read_text
from .collector import STEPS, step
from .lexicon import Lexicon
from .tokens import Token

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
        self.reached: list[dict[str, dict[str, int]]] = [{} for _ in self.actions]

    def bind(self, functions: dict[str, Action]) -> list[tuple[str, int, Any, Any]]:
        """The rules as (origin, size, how to select the children, action or None to hand the child on); the action `list` gives
        the children as they are."""
        bound: list[tuple[str, int, Any, Any]] = []
        for origin, size, action, kept, nones in self.rules:
            if action == "?":
                bound.append((origin, size, kept[0][0], None))
            else:
                does = list if action == "_" else functions[action]
                bound.append((origin, size, _selector(size, kept, nones), does))
        return bound

    def parse(self, tokens: list[Token], rules: list[tuple[str, int, Any, Any]]) -> Any:
        """Run the actions over the tokens; raises Rejected."""
        actions, reached = self.actions, self.reached
        # The stacks, used up to `top`: the states, what led to each, the token that that begins with.
        states: list[Any] = [self.start]
        values: list[Any] = [None]
        starts: list[Any] = [None]
        top = 0
        state, steps = self.start, STEPS
        index = -1
        last: Any = None  # A compound statement ends with its last word, not with the line break behind it.
        for token in tokens:
            index += 1
            kind = token[0]
            if (index + 1) % steps == 0:
                step()
            while True:
                row = actions[state]
                found = row.get(kind)
                if found is None:
                    raise Rejected(index, states[: top + 1], values[1 : top + 1])
                code = found
                if code >= 0:
                    top += 1
                    if top == len(states):
                        states.append(found)
                        values.append(token)
                        starts.append(token)
                    else:
                        states[top], values[top], starts[top] = found, token, token
                    state = code
                    if kind not in _LAYOUT:
                        last = token
                    break
                number = ~code
                origin, size, select, action = rules[number]
                if size:
                    end = top + 1
                    top -= size - 1  # the result takes the place of the first child
                    children = values[top:end]
                    if action is None:
                        number = select
                        values[top] = children[number]
                    elif action is list:
                        values[top] = children if select is None else _selected(select, children)
                    else:
                        first = starts[top]
                        where = {
                            "lineno": first[2],
                            "col_offset": first[3],
                            "end_lineno": last[4],
                            "end_col_offset": last[5],
                        }
                        values[top] = action(children if select is None else _selected(select, children), where)
                else:
                    children = [] if select is None else _selected(select, [])
                    where = {
                        "lineno": token[2],
                        "col_offset": token[3],
                        "end_lineno": token[2],
                        "end_col_offset": token[3],
                    }
                    made = children if action is list else action(children, where)
                    top += 1
                    states[top:] = [0]
                    values[top:] = [made]
                    starts[top:] = [token]
                before = states[top - 1]
                row = reached[before]
                after = row.get(origin)
                if after is None:
                    after = row[origin] = {}
                found = after.get(kind)
                if found is None:
                    found = after[kind] = self.after(before, origin, kind)
                state = found
                if state < 0:
                    return values[top]
                states[top] = found
        raise Rejected(index, states[: top + 1], values[1 : top + 1])

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


def _selector(size: int, kept: list[list[int]], nones: int) -> tuple[Any, ...] | None:
    """How the children that an action sees follow from all of them: None if they are the same, else an index for each, a pair
    of index and None for one whose own children are meant, None for one that is not there."""
    if not nones and not any(inlined or before for _, inlined, before in kept):
        indices = tuple(index for index, _, _ in kept)
        return None if indices == tuple(range(size)) else indices
    chosen: list[Any] = []
    for index, inlined, before in kept:
        chosen += [None] * before
        chosen.append((index,) if inlined else index)
    return (*chosen, *[None] * nones)


def _selected(select: tuple[Any, ...], children: list[Any]) -> list[Any]:
    chosen: list[Any] = []
    for each in select:
        if each is None:
            chosen.append(None)
        elif type(each) is int:
            index = each
            chosen.append(children[index])
        elif chosen:
            chosen += children[each[0]]
        else:
            chosen = children[each[0]]  # left recursion appends to one list
    return chosen


@lru_cache(maxsize=1)
def load_table() -> Table:
    """The table that is shipped, or one made now where the shipped one does not belong to the grammar."""
    try:
        text = read_text(grammar_path())
    except OSError:
        text = None
    try:
        data = read_table()
    except (OSError, ValueError):
        data = None
    if data is None or (text is not None and data["grammar"] != grammar_hash(text)):
        if text is None:
            raise RuntimeError("tensorsh is not installed completely: its grammar file is missing")
        data = build_table(text)
    return Table(data)
