"""Record the digests of PyTorch's bits for the table in tests/engine/bit_cases.py: `python tests/record_bits.py`.

Run by hand, with an interpreter that has PyTorch, when the table changes. The tests only read the recorded file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "engine"))
import bit_cases as cases  # noqa: E402


def main() -> None:
    torch.set_num_threads(1)
    found = {key: cases.digest(torch, *rest) for key, *rest in cases.keys()}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    (HERE / "data" / "bits.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
