"""Characters and numbers that are none: what pasted text brings along (typographic quotes, full-width punctuation)."""

from __future__ import annotations

_MEANT = {
    **dict.fromkeys("“”„«»＂", '"'), **dict.fromkeys("‘’‚´＇", "'"), **dict.fromkeys("，、", ","), **dict.fromkeys("。．", "."),
    **dict(zip("（）【】［］｛｝：；！＝＋－＊／％＜＞＃＠", "()[][]{}:;!=+-*/%<>#@", strict=True)),
    **dict.fromkeys("–—−‐", "-"), "×": "*", "·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "→": "->",
    **dict.fromkeys("\u00a0\u3000\u2003\u2009", "a space"),
}  # fmt: skip


def invalid_character(character: str) -> tuple[str, str | None]:
    """CPython's message for a character that is no part of the language, and what may have been meant."""
    code = f"U+{ord(character):04X}"
    message = (
        f"invalid character '{character}' ({code})"
        if character.isprintable()
        else (f"invalid non-printable character {code}")
    )
    meant = _MEANT.get(character)
    from unicodedata import name

    known = name(character, "")
    if meant:
        written = meant if meant.startswith("a ") else f"the ASCII character {meant}"
        return message, f"This is {known or code}; write {written} instead."
    if character in "\ufeff\u200b\u200c\u200d\u2060":
        return message, "It is invisible and came with pasted text; delete it."
    return message, f"This is {known}." if known else None


def sign(text: str, position: int) -> str | None:
    """What may have been meant by a sign that other languages have."""
    if text[position] == "$" and not text[:position].rpartition("\n")[2].strip():
        return "What stands behind a $ at the beginning of a line is a command for another terminal."
    if text[position] != "?":
        return None
    chosen, colon, _ = text[position + 1 :].partition("\n")[0].partition(":")
    if chosen.strip() and colon:
        return "Write 'a if condition else b' instead of 'condition ? a : b'."
    return "'name?' or 'name.part?' as a whole entry is explained at the prompt."


def bad_number(text: str, value: str, start: int, end: int) -> tuple[str, int, int] | None:
    """The mistake in a number that runs into a letter, a digit or an underscore."""
    rest = end
    while rest < len(text) and (text[rest].isalnum() or text[rest] == "_"):
        rest += 1
    word = text[end:rest]
    if word in ("and", "else", "for", "if", "in", "is", "or", "not"):
        return None  # `1if x else y` is read, though nobody should write it
    base = {"x": "hexadecimal", "b": "binary", "o": "octal"}.get(value[1:2].lower() if value[:1] == "0" else "", "")
    if not base and value == "0" and word[:1].lower() in ("x", "b", "o"):
        base = {"x": "hexadecimal", "b": "binary", "o": "octal"}[word[0].lower()]
        if len(word) > 1 and word[1].isdigit():
            return f"invalid digit '{word[1]}' in {base} literal", end + 1, end + 2
        last = end + 1 + word[1:].startswith("_")
        return f"invalid {base} literal", last - 1, last
    last = end + (word[0] == "_")  # the last character that is read
    if base:
        if word[0].isdigit():
            return f"invalid digit '{word[0]}' in {base} literal", end, end + 1
        return f"invalid {base} literal", last - 1, last
    if value[-1] in "jJ":
        return "invalid imaginary literal", end - 1, end
    if word[:1] in ("e", "E") and text[rest : rest + 1] in ("+", "-") and rest == end + 1:
        last = rest + 1
    return "invalid decimal literal", last - 1, last
