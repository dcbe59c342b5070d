"""What programs print, on its way to the clients."""

from __future__ import annotations

from threading import RLock, current_thread
from typing import Any

from ipykernel.iostream import OutStream


class Stream(OutStream):
    """ipykernel's stream, which asks its thread to send what was written only where something was: each such question is two
    changes of threads, and a cell asks seven times."""

    written = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.sending = RLock()

    def write(self, string: str) -> int | None:  # type: ignore[override]
        count = super().write(string)
        self.written = True  # not before: a flush of another thread in between would find nothing, and ours not look
        return count

    def flush(self) -> None:
        """Sends what was written; what another thread is sending has been sent, too, when this returns."""
        if current_thread() is getattr(self.pub_thread, "thread", None):  # which others wait for
            super().flush()
            return
        with self.sending:
            if self.written:
                try:
                    self.written = False
                    super().flush()
                except BaseException:  # an interrupt: the next flush sends what this one did not
                    self.written = True
                    raise
