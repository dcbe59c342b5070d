"""The tokens of a grammar, as `tokenize` looks for them."""

from __future__ import annotations

import re
from sys import intern

_STRUCTURE = frozenset("( [ { ) ] } : := = !".split())
"""Operators that open or close something, or may in an f-string."""


class Lexicon:
    """One pattern for all tokens of a grammar, its keywords and its operators."""

    def __init__(self, literals: dict[str, str], patterns: dict[str, str]) -> None:
        self.keywords = {text: name for text, name in literals.items() if text.isidentifier()}
        self.keywords |= {"async": "ASYNC", "await": "ASYNC"}
        self.operators = {text: name for text, name in literals.items() if not text.isidentifier()}
        self.plain = {text: name for text, name in self.operators.items() if text not in _STRUCTURE}
        longest_first = sorted(self.operators, key=len, reverse=True)
        lonely = [one for one in longest_first if len(one) == 1 and sum(text[0] == one for text in longest_first) == 1]
        others = [re.escape(text) for text in longest_first if text not in lonely]
        others[others.index(r"\.")] = r"\.(?![0-9])"
        operator = "|".join([f"[{re.escape(''.join(lonely))}]", *others])
        # the frequent first: a name is none where it may be the prefix of a string
        name = patterns["NAME"]
        groups = rf"(?P<NAME>(?>{name})(?!['\"]))|(?P<OPERATOR>{operator})|" + "|".join(
            f"(?P<{kind}>{patterns[kind]})" for kind in ("NUMBER", "STRING", "FSTRING_START")
        )
        pattern = re.compile(
            rf"[ \t\f]*(?:{groups}|(?P<WORD>{name})|(?P<NEWLINE>\n)|(?P<COMMENT>{patterns['COMMENT']})"
            r"|(?P<JOIN>\\\n)|(?P<ODD>[\s\S]))"
        )
        self.finditer = pattern.finditer
        self.kinds = ["", *map(intern, pattern.groupindex)]
