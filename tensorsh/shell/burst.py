"""Keys that arrive at once: what is pasted where the terminal does not say so, as through a serial line or tmux's `send-keys`.

A line that follows with an indent of its own gets none, and an empty line before it ends no block. What a person types ahead
brings no indent, and is treated as if it were typed now. Characters in a row are typed at once: each key by itself takes the
editor of lines some milliseconds.
"""

from __future__ import annotations

import re
import select
from typing import Any

from prompt_toolkit.keys import Keys

_LINES = {Keys.ControlM: "\n", Keys.ControlJ: "\n", Keys.ControlI: "\t"}
_GOES_ON = re.compile(r"\n*(?:[ \t]+\S|(?:else|elif|except|finally)\b)")


class Burst:
    """What has arrived behind the key Enter."""

    def __init__(self) -> None:
        self.text = ""
        self.own = False
        """Whether the lines that arrive have indents of their own."""

    def look(self, event: Any) -> None:
        """Read what has arrived behind this key."""
        keys = event.key_processor
        self.text = _text(keys.input_queue)
        if not _GOES_ON.match(self.text) and not self.text.strip("\n \t") and _has_more(event.app.input):
            keys.feed_multiple(event.app.input.read_keys())  # a terminal is read in pieces
            self.text = _text(keys.input_queue)
        self.own = bool(self.text) and (self.own or self.text[0] in " \t" or self.goes_on)

    @staticmethod
    def take(event: Any) -> str:
        """The characters that have arrived in a row behind this key, which are taken out of the queue."""
        queue, taken = event.key_processor.input_queue, []
        while True:
            while queue and len(queue[0].key) == 1 and queue[0].key == queue[0].data:
                taken.append(queue.popleft().data)
            more = [] if queue or not _has_more(event.app.input) else event.app.input.read_keys()
            if not more:
                return "".join(taken)
            queue.extend(more)

    @property
    def goes_on(self) -> bool:
        """Whether the block of this line goes on behind it."""
        return _GOES_ON.match(self.text) is not None

    def indent(self, usual: int) -> int:
        """The indent of the next line: none where it brings its own."""
        return 0 if self.own else usual


def _text(queue: Any) -> str:
    """The characters and lines at the beginning of a queue of keys."""
    found: list[str] = []
    for press in queue:
        one = _LINES.get(press.key) or press.key
        if len(one) != 1:
            break
        found.append(one)
    return "".join(found)


def _has_more(source: Any) -> bool:
    """Whether there is more to read; no, where nothing tells."""
    try:
        return bool(select.select([source.fileno()], [], [], 0)[0])
    except (AttributeError, NotImplementedError, OSError, ValueError):
        return False
