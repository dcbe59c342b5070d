"""What the programs of tests/nn, tests/optim, tests/data_loader, tests/guides and (with torchvision) tests/vision print under PyTorch."""

from __future__ import annotations

import contextlib
import io
import sys
from importlib.util import find_spec
from types import ModuleType

from ..support.programs import FOLDERS, programs, recorded
from .origin import one_thread, origin


def record() -> None:
    import torch

    one_thread()
    folders = FOLDERS if find_spec("torchvision") else [folder for folder in FOLDERS if folder != "vision"]
    for program in [p for folder in folders for p in programs(folder)]:
        output = io.StringIO()
        torch.set_default_dtype(torch.float32)
        with contextlib.redirect_stdout(output):
            module = sys.modules["__main__"] = ModuleType("__main__")  # where pickle looks for a program's classes
            exec(compile(program.read_text(), str(program), "exec"), module.__dict__)
        recorded(program).write_text(f"# {origin('programs')}\n{output.getvalue()}", encoding="utf-8")
        print(f"  {program.stem}: {len(output.getvalue().splitlines())} lines")
