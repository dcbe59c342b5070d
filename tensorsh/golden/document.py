"""The text of a golden file: which expectation belongs to which statement, and how to rewrite it in place.

Only whole lines between two top-level statements count, so a `#>` within a string or a function's body is what it
always was. This module needs nothing of tensorsh: the comparison with PyTorch uses it in another interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

ANY_LINES = "..."
ANY_TEXT = "[..]"
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")  # differs from run to run
_RANKS = re.compile(r"^#@ ranks ([0-9]+)\s*$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What an error's line is shown without, and kept without, too: as its escape (`harmless`)."""
_UNWRITTEN = re.compile(r"[\0\r\ud800-\udfff]")
"""What no line of a file holds: the program would go on behind it, or be none. It is kept as its escape, too."""
_EXPECTATION = re.compile(r"#([>!])(?: (.*)|)$")


class Block:
    """One or more statements that share lines, with the lines expected of them.

    `start` and `end` are the first and last line of the code, counted from 1; `places` the line numbers of the
    expectations; an expected line is kept with its mark, as `> tensor(4.)` or `! ValueError: no`.
    """

    __slots__ = ("start", "end", "statements", "places", "expected")

    def __init__(self, start: int, end: int, statements: list[int]) -> None:
        self.start, self.end, self.statements = start, end, statements
        self.places: list[int] = []
        self.expected: list[str] = []

    @property
    def fails(self) -> bool:
        """Whether the statement is expected to end with an error."""
        return any(line.startswith("!") for line in self.expected)


def expectation(line: str) -> str | None:
    """`> text` or `! text` of a line that is one, else None."""
    match = _EXPECTATION.match(line.rstrip())
    return None if match is None else f"{match[1]} {match[2] or ''}".rstrip()


def ranks_of(source: str) -> int:
    """The number of ranks that a line ``#@ ranks 2`` asks for; 0 where there is none."""
    found = _RANKS.search(source)
    return int(found[1][:9]) if found else 0


def holds_code(source: str) -> bool:
    """Whether anything but comments stands in a text."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in source.split("\n"))


def blocks(source: str, spans: Sequence[tuple[int, int]]) -> list[Block]:
    """The blocks of a source text whose top-level statements have these first and last lines."""
    found: list[Block] = []
    for index, (start, end) in enumerate(spans):
        if found and start <= found[-1].end:
            found[-1].statements.append(index)
            found[-1].end = max(end, found[-1].end)
        else:
            found.append(Block(start, end, [index]))
    lines = source.split("\n")
    for index, block in enumerate(found):
        stop = found[index + 1].start - 1 if index + 1 < len(found) else len(lines)
        for number in range(block.end + 1, stop + 1):
            text = expectation(lines[number - 1])
            if text is not None:
                block.places.append(number)
                block.expected.append(text)
    return found


def output_lines(printed: str, error: str | None = None) -> list[str]:
    """The output of a block, in the form of its expectations."""
    lines = printed.split("\n")
    if lines[-1] == "":
        lines.pop()
    marked = [f"> {_escaped(_UNWRITTEN, line)}".rstrip() for line in lines]
    if error is not None:
        marked.append(f"! {_escaped(_CONTROL, error.split(chr(10))[0])}".rstrip())
    return marked


def _escaped(characters: re.Pattern[str], line: str) -> str:
    return characters.sub(lambda found: ascii(found[0])[1:-1], line)


def line_matches(pattern: str, line: str) -> bool:
    """Whether a line is what is expected, `[..]` standing for any text."""
    first, *parts = pattern.split(ANY_TEXT)
    if not parts:
        return pattern == line
    line = line if len(line) > 1 else line + " "  # so that `#> [..]` also stands for an empty line
    last, at = parts.pop(), len(first)
    for part in parts:  # each where it comes first: what fits behind another place fits behind that
        at = line.find(part, at) + len(part)
        if at < len(part):
            return False
    return line.startswith(first) and line.endswith(last) and len(line) - len(last) >= at


def _is_any_lines(pattern: str) -> bool:
    return pattern[2:].strip() == ANY_LINES and pattern.startswith("> ")


def matches(expected: Sequence[str], actual: Sequence[str]) -> bool:
    """Whether a block gave what is expected of it."""
    reachable = {0}  # how many of the actual lines the patterns so far may have used up
    for pattern in expected:
        if _is_any_lines(pattern):
            reachable = set(range(min(reachable), len(actual) + 1))
        else:
            reachable = {n + 1 for n in reachable if n < len(actual) and line_matches(pattern, actual[n])}
        if not reachable:
            return False
    return len(actual) in reachable


def pairs(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[int, int]]:
    """The longest sequence of expected lines that the actual ones match, in order."""
    rows, columns = len(expected), len(actual)
    if rows * columns > 4_000_000:
        return []
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            skip = max(longest[i + 1][j], longest[i][j + 1])
            same = line_matches(expected[i], actual[j])
            longest[i][j] = max(skip, longest[i + 1][j + 1] + 1) if same else skip
    matched = []
    i = j = 0
    while i < rows and j < columns:
        if line_matches(expected[i], actual[j]) and longest[i][j] == longest[i + 1][j + 1] + 1:
            matched.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return matched


def merge(expected: Sequence[str], actual: Sequence[str]) -> list[str]:
    """The actual lines, with the wildcards of the expectation wherever these still hold, and one for each address."""
    if matches(expected, actual):
        return list(expected)
    matched = pairs(expected, actual)
    partner = dict(matched)
    partner[-1], partner[len(expected)] = -1, len(actual)  # both ends count as matched
    result = [_ADDRESS.sub(f"at 0x{ANY_TEXT}", line) for line in actual]
    swallowed: list[tuple[int, int]] = []
    for i, j in matched:
        result[j] = expected[i]
    for i, pattern in enumerate(expected):
        if _is_any_lines(pattern) and i not in partner and i - 1 in partner and i + 1 in partner:
            swallowed.append((partner[i - 1] + 1, partner[i + 1]))
    for start, stop in reversed(swallowed):
        result[start:stop] = [f"> {ANY_LINES}"]
    return result


def rewrite(source: str, changes: Iterable[tuple[Block, Sequence[str]]]) -> str:
    """The source with the expectations of some blocks replaced; every other character stays."""
    lines = source.split("\n")
    new: dict[int, list[str]] = {}  # behind which line they come
    dropped: set[int] = set()
    for block, expected in changes:
        dropped.update(block.places)
        new[block.places[0] - 1 if block.places else block.end] = [f"#{line}" for line in expected]

    def made() -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            if number not in dropped:
                yield line
            ending = "\r" if line.endswith("\r") else ""
            yield from (text + ending for text in new.get(number, ()))

    return "\n".join(made())
