"""The table that the parser runs on, made from grammar/tsr.lark: `python -m tensorsh.language.build`.

Lark compiles the grammar to LALR(1) states once, when tensorsh is developed or packaged; what is shipped is plain
data (lists, dictionaries, texts and numbers as Python's marshal, which is read in half the time of JSON), so that a
user's machine builds no tables, unpickles nothing and does not even import Lark. The table carries the hash of the
grammar it was made from.
"""

from __future__ import annotations

import marshal
import os
from sys import intern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "table.marshal")


def grammar_path() -> str:
    """The grammar file: inside the installed package, or beside it in a checkout."""
    installed = os.path.join(os.path.dirname(HERE), "grammar", "tsr.lark")
    if os.path.exists(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(HERE)), "grammar", "tsr.lark")


def read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_table() -> Any:
    """The shipped table. Raises OSError where there is none, ValueError where it is damaged."""
    with open(TABLE, "rb") as file:
        try:
            return marshal.loads(file.read())
        except (EOFError, TypeError) as error:
            raise ValueError(str(error)) from None


def digest(*parts: bytes) -> bytes:
    """A hash of some bytes. hashlib would load OpenSSL, which takes longer than all that is hashed here."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    hasher = blake2b(digest_size=32)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little"))
        hasher.update(part)
    return hasher.digest()


def grammar_hash(text: str) -> str:
    return digest(text.encode()).hex()


def build_table(text: str) -> dict[str, Any]:
    """Let Lark compile the grammar, and keep of its result what the parser's loop needs. One text for each name: what is
    looked up is then the key itself."""
    import json

    from lark import Lark
    from lark.grammar import Terminal
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    compiled = Lark(text, parser="lalr", lexer="contextual", start="program", maybe_placeholders=True)
    table = compiled.parser.parser._parse_table
    rules = sorted(compiled.rules, key=repr)
    number = {rule: index for index, rule in enumerate(rules)}

    literals, patterns = {}, {}
    for terminal in compiled.terminals:
        if isinstance(terminal.pattern, PatternStr):
            literals[terminal.pattern.value] = intern(terminal.name)
        elif terminal.pattern.value:
            patterns[terminal.name] = terminal.pattern.to_regexp()

    rows: list[dict[str, int]] = []
    row_number: dict[str, int] = {}
    states = []
    order = _order(table, Shift)
    for state in order:
        actions: dict[str, int] = {}
        gotos: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if action is Shift:
                symbol = intern(str(symbol))
                is_rule = symbol.islower() or symbol.startswith("__")
                (gotos if is_rule else actions)[symbol] = order[argument]
            else:
                actions[intern(str(symbol))] = ~number[argument]
        pair = []
        for row in (actions, gotos):
            key = json.dumps(row)
            if key not in row_number:
                row_number[key] = len(rows)
                rows.append(row)
            pair.append(row_number[key])
        states.append(pair)

    described = []
    for rule in rules:
        kept: list[list[int]] = []
        nones = 0
        empty = [len(run) for run in "".join(str(int(e)) for e in rule.options.empty_indices).split("0")]
        empty += [0] * (len(rule.expansion) + 1 - len(empty))
        for index, part in enumerate(rule.expansion):
            nones += empty[index]
            is_token = isinstance(part, Terminal)
            if not (isinstance(part, Terminal) and part.filter_out) or rule.options.keep_all_tokens:
                inlined = not is_token and part.name.startswith("_")
                kept.append([index, int(inlined), nones])
                nones = 0
        nones += empty[len(rule.expansion)]
        name = rule.alias or rule.origin.name
        if rule.origin.name.startswith("_") and not rule.alias:
            action = "_"  # its children belong to the rule it stands in
        elif rule.options.expand1 and not rule.alias and len(kept) == 1 and not any(kept[0][1:]) and not nones:
            action = "?"  # the child itself
        else:
            action = name
        described.append([intern(str(rule.origin.name)), len(rule.expansion), str(action), kept, nones])

    return {
        "grammar": grammar_hash(text),
        "start": order[table.start_states["program"]],
        "end": order[table.end_states["program"]],
        "literals": literals,
        "patterns": patterns,
        "rules": described,
        "rows": rows,
        "states": states,
    }


def _order(table: Any, shift: Any) -> dict[int, int]:
    """Numbers for the states that do not depend on Lark's sets: the order in which they are met from the start."""
    pending = [table.start_states["program"]]
    order: dict[int, int] = {}
    for state in pending:
        if state not in order:
            order[state] = len(order)
            pending += [argument for _, (action, argument) in sorted(table.states[state].items()) if action is shift]
    return order


def main() -> None:
    data = marshal.dumps(build_table(read_text(grammar_path())))
    with open(TABLE, "wb") as table:
        table.write(marshal.dumps(marshal.loads(data)))  # the same bytes each time, whatever else holds parts of it
    print(f"{os.path.basename(TABLE)}: {os.path.getsize(TABLE) // 1024} KiB")


if __name__ == "__main__":
    main()
