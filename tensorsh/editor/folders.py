"""The symbols of the folders that are open: the outlines of texts that are open, and of programs that lie there."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path

from ..language.mistake import Mistake
from ..language.parser import clean, run_lowering
from ..language.source import SourceError, read_source
from .index import Index
from .navigating import SYMBOLS
from .server import Server, range_of

FILES = 500
"""Files of the folders that are looked at, at most."""
LARGEST = 100_000
"""Bytes of a file that is read."""
SECONDS = 1.0
"""How long an answer reads files; the next question goes on."""


def add(server: Server) -> None:
    """Answers the question for symbols anywhere."""
    known: dict[str, tuple[float, list[dict[str, Any]]]] = {}

    @server.feature(lsp.WORKSPACE_SYMBOL)
    async def symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
        outlines = {uri: (await each.indexed()).get("outline", []) for uri, each in list(server.documents.items())}
        end = time.monotonic() + SECONDS
        for path, changed in _programs([to_fs_path(uri) or "" for uri in server.workspace.folders]):
            uri = from_fs_path(path) or ""
            if uri not in outlines:
                if known.get(path, (None,))[0] != changed and time.monotonic() < end:
                    known[path] = changed, _outline(path)
                outlines[uri] = known.get(path, (None, []))[1]
        query = params.query.casefold()
        return [found for uri, outline in outlines.items() for found in _found(query, uri, outline, None)]


def _programs(folders: list[str]) -> Iterator[tuple[str, float]]:
    """The programs that lie below folders, no links to others elsewhere, with the times of their last changes."""
    left = FILES
    for folder in folders:
        for where, inner, names in os.walk(folder):
            inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
            for name in sorted(names):
                path = os.path.join(where, name)
                if not name.endswith(".tsr"):
                    continue
                found = os.lstat(path)
                if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
                    continue
                if not left:
                    return
                left -= 1
                yield path, found.st_mtime


def _outline(path: str) -> list[dict[str, Any]]:
    try:
        text = clean(read_source(path))
        return Index(text, run_lowering(text)).outline()
    except (SourceError, OSError, Mistake, SyntaxError, RecursionError):  # what is no program has none
        return []


def _found(query: str, uri: str, outline: Any, holder: str | None) -> Iterator[lsp.SymbolInformation]:
    """Those whose names have the letters of the query in their order."""
    for each in outline:
        letters = iter(each["name"].casefold())
        if all(letter in letters for letter in query):
            place = lsp.Location(uri, range_of(each["selection"]))
            yield lsp.SymbolInformation(place, each["name"], SYMBOLS[each["kind"]], container_name=holder)
        yield from _found(query, uri, each.get("children", ()), each["name"])
