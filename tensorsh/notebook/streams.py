"""What programs print, on its way to the clients."""

from __future__ import annotations

from ipykernel.iostream import OutStream


class Stream(OutStream):
    """ipykernel's stream, which asks its thread to send what was written only where something was: each such question is two
    changes of threads, and a cell asks seven times."""

    written = False

    def write(self, string: str) -> int | None:  # type: ignore[override]
        count = super().write(string)
        self.written = True  # not before: a flush of another thread in between would find nothing, and ours not look
        return count

    def flush(self) -> None:
        if self.written:
            self.written = False
            super().flush()
