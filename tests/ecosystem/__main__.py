"""``python -m tests.ecosystem PYTHON [NAME...]``: runs the programs in an environment that has the libraries, and writes docs/ecosystem.md.

``--record PYTHON_WITH_TORCH [NAME...]`` writes what PyTorch prints to `expected/`, from an environment with the libraries and PyTorch.
"""

from __future__ import annotations

import sys

from .running import HERE, outcome, programs, run

WAY = (
    "-c",
    "import sys; sys.argv[:] = sys.argv[1:]; import runpy, tensorsh.as_torch; runpy.run_path(sys.argv[0], run_name='__main__')",
)


def record(python: str, names: list[str]) -> int:
    for name in names:
        text, error = run(python, name)
        print(f"{name:26} {error or f'{len(text.splitlines())} lines'}", flush=True)
        if not error:
            (HERE / "expected" / f"{name}.txt").write_text(text, encoding="utf-8")
    return 0


def main(words: list[str]) -> int:
    recording = words[:1] == ["--record"]
    python, *names = words[1:] if recording else words
    if recording:
        return record(python, names or programs())
    for name in names or programs():
        text, error = run(python, name, WAY)
        expected = HERE / "expected" / f"{name}.txt"
        told = (
            "error: " + error
            if error
            else outcome(text, expected.read_text(encoding="utf-8"))
            if expected.exists()
            else "not recorded"
        )
        print(f"{name:26} {told[:260]}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
