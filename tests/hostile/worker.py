"""A process that runs hostile programs, each in a session of its own: one request a line on standard input, one answer a line.

A request is a program's text as JSON. A line "start" says that it runs, the answer then is its text, what was found in memory, and
the seconds of processor time that it took.
"""

from __future__ import annotations

import gc
import io
import json
import sys
import time
import warnings

import numpy as np

from tensorsh import Session
from tensorsh.engine.loading import table

from ..support.outcomes import headline
from .corpus import PRELUDE
from .runner import BYTE, SIGNS

SIZES = [4, 8, 16, 24, 40, 64, 72, 128, 256, 400, 512, 1024, 4096, 16384, 65536]
MEMORY = 1 << 30
LIMIT = f"; the limit is {MEMORY} bytes (--max-memory)"


def neighbours() -> list[np.ndarray]:
    """Blocks in use, filled, with freed blocks between them that hold the same."""
    made = [np.full(size, BYTE, np.uint8) for size in SIZES for _ in range(6)]
    return made[::2]


def answer(source: str) -> str:
    """The text of a program: of what it prints and of its last expression, or of its error."""
    output = io.StringIO()
    session = Session(stdout=output, max_memory=MEMORY)
    session.run(PRELUDE)
    before = gc.get_threshold()
    gc.set_threshold(1, 3, 3)
    try:
        last = session.run(source)
        text = "" if last is None else session.text(last)
    except Exception as error:
        text = headline(error).rstrip(": ")
    finally:
        gc.set_threshold(*before)
    return (output.getvalue() + text.replace(LIMIT, "")).strip()


def main() -> None:
    warnings.simplefilter("ignore")
    table.load_all()
    answer("x = ones(2, requires_grad); (x @ x).backward(); print(x.grad)")
    for line in sys.stdin:
        source = json.loads(line)
        gc.collect()
        gc.freeze()  # collections look at a program's own objects only, not at what was loaded for others
        kept = neighbours()
        print("start", flush=True)
        begin = time.process_time()
        text = answer(source)
        seconds = time.process_time() - begin
        problem = ""
        if any(not (block == BYTE).all() for block in kept):
            problem = "foreign memory was written"
        elif any(sign in text for sign in SIGNS):
            problem = "foreign memory was read"
        print(json.dumps([text, problem, seconds]), flush=True)


if __name__ == "__main__":
    main()
