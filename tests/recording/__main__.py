"""Runs recorders, each in a process of its own: ``python -m tests.recording [NAME ...]`` with a Python that has PyTorch."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

from .origin import FOLDER

APART = {"goldens", "origin", "cupy", "overloads", "refusals", "outs", "overlaps", "stubs", "notebooks", "draws"}
"""Modules that write no table of their own, or nothing of PyTorch's."""
NAMES = sorted(each.stem for each in Path(__file__).parent.glob("[a-z]*.py") if each.stem not in APART)


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in (*NAMES, "cupy", "notebooks", "draws")]
    if unknown:
        print(f"no recorder {', '.join(unknown)}; there are {', '.join(NAMES)}, cupy, notebooks, draws")
        return 2
    if len(chosen) == 1:
        warnings.simplefilter("ignore")
        import_module(f"tests.recording.{chosen[0]}").record()
        return 0
    failed = []
    for name in chosen or NAMES:
        print(f"{name}:", flush=True)
        if subprocess.run([sys.executable, "-m", "tests.recording", name], cwd=FOLDER).returncode:
            failed.append(name)
    print("failed: " + " ".join(failed) if failed else "all recorded")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
