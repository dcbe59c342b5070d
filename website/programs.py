"""The code on the site's pages: what is written there, and what it gives.

A fenced block says by its language how it is run: `tsr` is part of the page's golden program (all such blocks of a page are one
program, in order); `console` holds `$ ` commands and what they print; `python` is plain Python, all of a page's blocks one
program; `toml` and `json` are parsed. Others, such as `sh` for what is installed, are for reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FENCE = re.compile(
    r"^(?P<margin> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=margin)```[ ]*$", re.MULTILINE | re.DOTALL
)
GRAPH = re.compile(r"^<!-- graph: (?P<name>\w+) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Code:
    """A fenced block: its language, its text, and where it begins in the page."""

    language: str
    text: str
    position: int


def code(page: str) -> Iterator[Code]:
    """The fenced blocks of a page."""
    for found in FENCE.finditer(page):
        margin = found["margin"]
        lines = [line.removeprefix(margin) for line in found["text"].splitlines()]
        yield Code(found["language"], "\n".join(lines) + "\n", found.start())


def program(page: str, language: str, until: int | None = None) -> str:
    """The blocks of a language as one text, those that begin before a place."""
    return "\n".join(
        each.text for each in code(page) if each.language == language and (until is None or each.position < until)
    )


def graph(page: str, name: str, until: int) -> Any:
    """The backward graph of a variable where the page's program has come to a place."""
    import io

    from tensorsh import Session

    session = Session(stdout=io.StringIO())
    for statement in statements(program(page, "tsr", until)):
        try:
            session.run(statement, "page.tsr")
        except Exception:
            if "\n#! " not in statement:  # else the page shows it
                raise
    return session.run(f"graph({name})")


def statements(text: str) -> list[str]:
    """A program cut where an expectation ends, so that an error that it shows ends its own part only."""
    parts = re.split(r"(?m)^(#[>!].*\n)(?!#[>!])", text)
    return [before + mark for before, mark in zip(parts[::2], [*parts[1::2], ""], strict=True)]


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what is printed beneath it."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found
