"""``python -m tests.ecosystem FOLDER``: the programs, in an environment in this folder; writes docs/ecosystem.md (`make ecosystem`).

With names behind it, ``FOLDER NAME...`` runs these and writes nothing. ``--record PYTHON [NAME...]`` writes what PyTorch prints to
`expected/`; that Python has PyTorch and the libraries.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .environment import prepare, versions
from .report import write
from .running import HERE, outcome, programs, run

RUN = "import runpy, sys; sys.argv[:] = sys.argv[1:]; import tensorsh.as_torch; runpy.run_path(sys.argv[0], run_name='__main__')"


def record(python: str, names: list[str]) -> int:
    """Keep what programs print on PyTorch."""
    for name in names:
        text, error = run(python, name)
        print(f"{name:26} {error or f'{len(text.splitlines())} lines'}", flush=True)
        if not error:
            (HERE / "expected" / f"{name}.txt").write_text(text, encoding="utf-8")
    return 0


def compare(python: str, name: str) -> str:
    """What a program did on tensorsh, in a few words."""
    text, error = run(python, name, ("-c", RUN))
    if error:
        return "error: " + error
    expected = HERE / "expected" / f"{name}.txt"
    return outcome(text, expected.read_text(encoding="utf-8")) if expected.exists() else "not recorded"


def main(words: list[str]) -> int:
    if not words:
        sys.stderr.write(__doc__ or "")
        return 2
    if words[0] == "--record":
        return record(words[1], words[2:] or programs())
    python = prepare(Path(words[0]))
    found = {}
    for name in words[1:] or programs():
        found[name] = compare(python, name)
        print(f"{name:26} {found[name][:200]}", flush=True)
    if not words[1:]:
        write(found, versions(python))
    return int(any(told not in ("same", "close") for told in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
