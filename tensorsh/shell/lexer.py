"""The colours of source text: a Pygments lexer for tsr, which editors and documentation tools find by its entry point.

Python's own lexer does most of it; torch's names without prefix, expected output in golden files (`#> `, `#! `), commands
of the shell (`%time`) and its questions (`name?`) are added.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Generic, Name, Operator, Token

_names: frozenset[str] | None = None


def torch_words() -> frozenset[str]:
    """The names that need no prefix, from the index of operators."""
    global _names
    if _names is None:
        found = {"torch", "np", "nn", "graph", "detect_nan", "track", "plot", "hist", "summary"}
        index = os.path.join(os.path.dirname(os.path.dirname(__file__)), "engine", "loading", "names.txt")
        try:
            with open(index, encoding="utf-8") as lines:
                for line in lines:
                    _, _, kind, *names = line.split()
                    if kind == "functions":
                        found.update(name for name in names if "." not in name)
        except OSError:
            pass
        _names = frozenset(found)
    return _names


class TsrLexer(PythonLexer):
    """tsr: PyTorch's language as tensorsh runs it."""

    name = "tensorsh"
    url = "https://pypi.org/project/tensorsh/"
    aliases = ["tsr", "tensorsh"]
    filenames = ["*.tsr"]
    mimetypes = ["text/x-tsr"]

    def get_tokens_unprocessed(self, text: str, stack: Any = ("root",)) -> Iterator[tuple[int, Any, str]]:  # type: ignore[override]
        if text.startswith(("%", "!")):
            head = text.split(None, 1)[0].split("\n")[0]
            yield 0, Comment.Preproc, head
            for index, token, value in self._python(text[len(head) :]):
                yield index + len(head), token, value
            return
        yield from self._python(text)

    def _python(self, text: str) -> Iterator[tuple[int, Any, str]]:
        words = torch_words()
        previous = ""
        for index, token, value in super().get_tokens_unprocessed(text):
            if token is Name and value in words and previous != ".":
                token = Name.Builtin
            elif token is Token.Error and value == "?":
                token = Operator
            elif token is Comment.Single and value.startswith(("#> ", "#! ")):
                token = Generic.Error if value[1] == "!" else Generic.Output
            if value.strip():
                previous = value
            yield index, token, value
