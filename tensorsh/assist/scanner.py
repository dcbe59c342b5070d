"""The place of the cursor in an unfinished text: in a string, a comment, the arguments of which call."""

from __future__ import annotations

import re

OPEN, CLOSE = "([{", ")]}"
_CALLEE = re.compile(r"[^\W\d]\w*(?:\[-?\d+\]|\.[^\W\d]\w*)*\Z")
_KEYWORD = re.compile(r"([^\W\d]\w*)\s*=\s*[\w.]*\Z")
_GIVEN = re.compile(r"([^\W\d]\w*)\s*=(?!=)")
_PREFIX = re.compile(r"[rbuf]{0,2}\Z", re.IGNORECASE)
MOST = 20_000
"""Characters before the cursor that are looked at."""


class Typed:
    """The place at the end of a text."""

    def __init__(self) -> None:
        self.comment = False
        self.string: str | None = None
        """The part of a string that is typed, where the cursor is in one."""
        self.replaced: str | None = None
        """The expression that is typed in an f-string, where the cursor is behind its `{`."""
        self.callee = ""
        """The dotted path that is being called, if its brackets are open."""
        self.subscript = ""
        """The dotted path of what is asked for the key that the string will be."""
        self.given: set[str] = set()
        """The keywords that the call has already."""
        self.keyword = ""
        """The keyword whose value is being typed."""
        self.argument = ""
        """The text of the argument so far."""
        self.position = 0
        """How many arguments stand before that one."""
        self.after_comma = False
        self.loose = False
        """In a string that no call takes."""

    def begins_argument(self, prefix: str) -> bool:
        return self.argument.strip() == prefix


def typed(text: str) -> Typed:
    """Looks at a text up to the cursor."""
    found = Typed()
    text = text[-MOST:]
    stack: list[tuple[int, str]] = []
    commas: dict[int, list[int]] = {}
    at, end = 0, len(text)
    string_start = -1
    while at < end:
        c = text[at]
        if c == "#":
            line = text.find("\n", at)
            if line < 0:
                found.comment = True
                return found
            at = line
        elif c in "'\"":
            quote = text[at : at + 3] if text[at : at + 3] in ("'''", '"""') else c
            raw_at = at + len(quote)
            closing = _closing(text, raw_at, quote)
            if closing < 0:
                found.string = text[raw_at:]
                string_start = at
                if "f" in (_PREFIX.search(text[:at]) or [""])[0].lower():
                    found.replaced = _replaced(found.string)
                break
            at = closing
            continue
        elif c in OPEN:
            stack.append((at, c))
        elif c in CLOSE and stack:
            stack.pop()
        elif c == "," and stack:
            commas.setdefault(stack[-1][0], []).append(at)
        at += 1
    limit = string_start if string_start >= 0 else end
    found.loose = not stack
    if stack and stack[-1][1] == "[" and string_start >= 0 and not text[stack[-1][0] + 1 : string_start].strip():
        owner = _CALLEE.search(text[: stack[-1][0]])
        found.subscript = owner[0] if owner else ""
    if stack and stack[-1][1] == "(":
        opened = stack[-1][0]
        callee = _CALLEE.search(text[:opened].rstrip())
        found.callee = callee[0] if callee else ""
        before = commas.get(opened, [])
        found.position = len(before)
        begin = (before[-1] if before else opened) + 1
        found.argument = text[begin:limit]
        found.given = set(_GIVEN.findall(text[opened + 1 : begin]))
        keyword = _KEYWORD.search(found.argument if string_start < 0 else _PREFIX.sub("", found.argument))
        found.keyword = keyword[1] if keyword else ""
    return found


def _replaced(string: str) -> str | None:
    """What stands behind the last open `{` of an f-string, but for how its value is to be written; None where none is open."""
    depth: list[int] = []
    for match in re.finditer(r"\{\{|\}\}|\{|\}", string):
        if match[0] == "{":
            depth.append(match.end())
        elif match[0] == "}" and depth:
            depth.pop()
    if not depth:
        return None
    inner = string[depth[-1] :]
    return None if re.search(r"[:!]", re.sub(r"[\[({].*", "", inner)) else inner


def _closing(text: str, at: int, quote: str) -> int:
    """The index behind a string's closing quotes, or -1; one of a single quote ends with its line."""
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quote, at):
            return at + len(quote)
        elif text[at] == "\n" and len(quote) == 1:
            return at
        else:
            at += 1
    return -1


def callee_of(expression: str) -> str:
    """The path before the last pair of brackets: `x.exp` of `(x.exp(2))`; `.exp` where it stands behind brackets itself."""
    depth = 0
    for at in range(len(expression) - 1, -1, -1):
        c = expression[at]
        if c in CLOSE:
            depth += 1
        elif c in OPEN:
            depth -= 1
            if depth == 0:
                if expression.endswith(")") and c != "(":
                    return ""
                before = expression[:at]
                path = _CALLEE.search(before)
                if path is None:
                    return ""
                dotted = before[: path.start()].endswith(").") or before[: path.start()].endswith("].")
                return ("." if dotted else "") + path[0]
        elif c in "'\"\n":
            return ""
    return ""
