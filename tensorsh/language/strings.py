"""The values of string tokens: prefixes, quotes, escapes.

Unknown escapes such as `\\d` stay as they are, silently: labels like '$\\alpha$' are common in tensor programs.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"
    r"|N\{(?P<N>[^{}\n]*)\}|(?P<one>[\s\S]))"
)
_ONE = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_SHAPE = {"x": "\\xXX", "u": "\\uXXXX", "U": "\\UXXXXXXXX"}


def unescape(body: str) -> str:
    """The text that the inside of a string literal stands for; ValueError (with Python's message) for a bad escape."""

    def meaning(match: re.Match[str]) -> str:
        one = match["one"]
        if one is not None:
            if one in _ONE:
                return _ONE[one]
            if one in _SHAPE:
                raise _truncated(match, f"truncated {_SHAPE[one]} escape")
            if one == "N":
                raise _truncated(match, "malformed \\N character escape")
            return match[0]
        if match["N"] is not None:
            from unicodedata import lookup

            try:
                return lookup(match["N"])
            except KeyError:
                raise _truncated(match, "unknown Unicode character name") from None
        if match["octal"]:
            return chr(int(match["octal"], 8))
        value = int(match["x"] or match["u"] or match["U"], 16)
        if value > 0x10FFFF:
            raise _truncated(match, "illegal Unicode character")
        return chr(value)

    return _ESCAPE.sub(meaning, body)


def _truncated(match: re.Match[str], what: str) -> ValueError:
    start = len(match.string[: match.start()].encode("utf-8", "surrogatepass"))
    body = match.string[match.start() :]
    known = re.match(r"\\(?:N\{[^{}\n]*\}?|[xuU][0-9a-fA-F]*|.)", body, re.S)
    end = start + len(known[0] if known else body) - 1
    return ValueError(f"(unicode error) 'unicodeescape' codec can't decode bytes in position {start}-{end}: {what}")


def _unescape_bytes(body: str) -> bytes:
    def meaning(match: re.Match[str]) -> str:
        one = match["one"]
        if one is not None:
            if one == "x":
                raise ValueError(f"(value error) invalid \\x escape at position {match.start()}")
            return _ONE.get(one, match[0])
        if match["octal"]:
            return chr(int(match["octal"], 8) & 255)
        return chr(int(match["x"], 16)) if match["x"] else match[0]

    return _ESCAPE.sub(meaning, body).encode("latin-1")


def literal(token: str) -> tuple[str | bytes, bool]:
    """The value of a string or bytes token, and whether it has the prefix `u`."""
    quote = token[-1]
    start = token.index(quote)
    prefix = token[:start].lower()
    width = 3 if token.startswith(quote * 3, start) and len(token) >= start + 6 else 1
    body = token[start + width : -width]
    if "b" in prefix:
        if not body.isascii():
            raise ValueError("bytes can only contain ASCII literal characters")
        if "r" in prefix or "\\" not in body:
            return body.encode("ascii"), False
        return _unescape_bytes(body), False
    if "\\" in body and "r" not in prefix:
        body = unescape(body)
    return body, prefix == "u"
