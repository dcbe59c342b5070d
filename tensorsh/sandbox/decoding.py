"""`unicode_escape`, which reads no memory that is gone.

Before 3.12.11 and 3.13.4 Python notes where the first backslash stands that begins no escape, lets a handler of errors exchange the bytes, and
reads what stands at the place for a warning. With a handler such backslashes are doubled here before.
"""

from __future__ import annotations

import codecs
import encodings
import re
from encodings import unicode_escape
from typing import Any

_ESCAPES = re.compile(rb"(\\[\n\\'\"abfnrtvxuUN]|\\[0-3]?[0-7]{1,2})|\\([4-7][0-7]{2})|\\(?=.)", re.DOTALL)
_decode = codecs.unicode_escape_decode


def _plainly(found: re.Match[bytes]) -> bytes:
    if found[2]:
        return b"\\u%04x" % int(found[2], 8)  # more than a byte has, of which Python warns as well
    return found[1] or rb"\\"


def unicode_escape_decode(data: Any, errors: str | None = None, final: bool = True, /) -> tuple[str, int]:
    if errors is None or errors == "strict":
        return _decode(data, errors, final)
    given = data.encode() if isinstance(data, str) else bytes(data)
    plain = _ESCAPES.sub(_plainly, given)
    text, taken = _decode(plain, errors, final)
    return text, len(given) - (len(plain) - taken)


def mend() -> None:
    """Puts the function in the place of Python's own, for the process."""
    codecs.unicode_escape_decode = unicode_escape_decode  # type: ignore[assignment]
    unicode_escape.Codec.decode = unicode_escape_decode  # type: ignore[assignment,method-assign]
    known: dict[str, Any] = encodings._cache  # type: ignore[attr-defined]
    asked = [name for name, found in known.items() if found is not None and found.name == "unicode-escape"]
    if asked:  # Python keeps what it has found, too
        for name in asked:
            del known[name]
        codecs.unregister(encodings.search_function)
        codecs.register(encodings.search_function)
