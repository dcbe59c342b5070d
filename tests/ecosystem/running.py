"""One program run in plain Python, its text kept apart from what libraries say on the side, and two texts compared."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf")
SPACES = re.compile(r"\s+")
WITHIN, LIMIT = 2e-4, 300
OWN = {
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "CUDA_VISIBLE_DEVICES": "",
}


def programs() -> list[str]:
    return sorted(path.stem for path in (HERE / "programs").glob("*.py"))


def run(python: str, name: str, words: tuple[str, ...] = ()) -> tuple[str, str]:
    """What a program printed, and its error, empty where there was none."""
    command = [python, "-P", "-W", "ignore", *words, str(HERE / "programs" / f"{name}.py")]
    try:
        with TemporaryDirectory() as folder:  # libraries write records of what they did where they are run
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT, env=os.environ | OWN, cwd=folder
            )
    except subprocess.TimeoutExpired:
        return "", f"no end after {LIMIT} s"
    lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
    return done.stdout, "" if done.returncode == 0 else (lines or ["ended without a word"])[-1]


def outcome(found: str, expected: str) -> str:
    """`same` to the letter, `close` where only last digits of numbers differ, or what differs first."""
    if found == expected:
        return "same"
    one, other = NUMBER.findall(found), NUMBER.findall(expected)
    words = [SPACES.sub("", NUMBER.sub("#", text)) for text in (found, expected)]
    if len(one) != len(other) or words[0] != words[1]:
        pairs = zip(found.splitlines(), expected.splitlines(), strict=False)
        return "different: " + next((f"{a[:80]!r} for {b[:80]!r}" for a, b in pairs if a != b), "its length")
    for a, b in zip(map(float, one), map(float, other), strict=True):
        if not (a == b or a != a and b != b or abs(a - b) <= WITHIN * max(1.0, abs(b))):
            return f"different: {a} for {b}"
    return "close"
