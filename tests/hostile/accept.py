"""Writes the refusals that are in other words than PyTorch's into the files of programs: ``python -m tests.hostile.accept [NAME ...]``.

All else that differs is shown, and stays to be cured; ``--answers`` accepts it, after each was looked at.
"""

from __future__ import annotations

import sys

from . import runner
from .corpus import FILES, read, refused, write


def main() -> None:
    names = [name for name in sys.argv[1:] if name != "--answers"]
    for path in FILES:
        if names and path.stem not in names:
            continue
        programs = read(path)
        words = 0
        for program, (text, harm) in zip(programs, runner.run([p.source for p in programs]), strict=True):
            if not harm and text == program.answer:
                program.here = ""
            elif harm or (program.answer and text != program.expected):
                if not harm and ("--answers" in sys.argv or refused(program.answer) and refused(text)):
                    program.here, words = text, words + 1
                else:
                    print(
                        f"--- {program.title}\n{program.source}\n==> {program.answer}\nhere: {text} {harm}\n",
                        flush=True,
                    )
        write(path, programs)
        print(f"{path.stem}: {words} of {len(programs)} refused in other words")


if __name__ == "__main__":
    main()
