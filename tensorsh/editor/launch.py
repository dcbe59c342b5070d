"""The start of the language server: `tensorsh lsp [--stdio | --tcp[=PORT]] [--host=HOST]`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

from ..command.arguments import UsageError, whole
from . import MISSING

PORT = 2087


class Brief(logging.Formatter):
    """A fault of a message in one line: what pygls says of it, and the error, without the frames between."""

    def format(self, record: logging.LogRecord) -> str:
        first, *rest = super().format(record).strip().splitlines() or [""]
        return f"tensorsh: {first}" + (f": {rest[-1].strip()}" if rest else "")


def launch(words: Sequence[str]) -> int:
    """Serves one client on standard input and output, or over TCP on this machine; the exit code. Raises UsageError."""
    port, host = None, "127.0.0.1"
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--tcp" and (not equals or 0 <= whole(value) < 1 << 16):
            port = int(value or PORT)
        elif name == "--host" and value:
            host = value
        elif word != "--stdio":
            raise UsageError("lsp takes --stdio (the default), --tcp, --tcp=PORT, --host=HOST")
    if not hasattr(os, "fork"):
        raise UsageError(
            "lsp needs a system that can go on as two processes (Linux, macOS), for it runs the open text in one"
        )
    from .workshop_process import Workshop  # which needs such a system, too

    handler = logging.StreamHandler()
    handler.setFormatter(Brief())
    logging.getLogger("pygls").addHandler(handler)
    workshop = Workshop()
    workshop.start()  # it loads while pygls does
    try:
        try:
            from .answers import serve
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
                raise
            raise UsageError(MISSING) from None
        server = serve(workshop)
        if port is None:
            server.start_io()
        else:
            server.start_tcp(host, port)
    except (ValueError, OverflowError, MemoryError) as error:  # the length of a message is no length
        print(f"tensorsh: a message cannot be read: {error or 'it is larger than the memory'}", file=sys.stderr)
        return 1
    finally:
        workshop.close()
        if port is None:
            sys.stdout = None  # type: ignore[assignment]  # it is closed: nothing is left to be written
    return 0
