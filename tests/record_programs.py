"""Records what the programs of tests/nn, tests/optim, tests/data_loader and tests/guides print under PyTorch, which runs this file.

python tests/record_programs.py [name ...]
"""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import warnings
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent / "nn"))

from programs_runner import programs, recorded  # noqa: E402


def main(names: list[str]) -> None:
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for program in [p for folder in ("nn", "optim", "data_loader", "guides") for p in programs(folder)]:
        if names and program.stem not in names:
            continue
        output = io.StringIO()
        torch.set_default_dtype(torch.float32)
        with contextlib.redirect_stdout(output):
            module = sys.modules["__main__"] = ModuleType("__main__")  # where pickle looks for a program's classes
            exec(compile(program.read_text(), str(program), "exec"), module.__dict__)
        target = recorded(program)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(gzip.compress(output.getvalue().encode(), mtime=0))
        print(program.stem, len(output.getvalue().splitlines()), "lines", target.stat().st_size, "bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
