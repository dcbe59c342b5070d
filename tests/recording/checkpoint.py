"""A checkpoint that two processes of PyTorch wrote, for tests/distributed/test_checkpoint.py."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..distributed.test_checkpoint import PROGRAM


def record() -> None:
    target = Path(__file__).parents[1] / "data" / "checkpoint"
    with tempfile.TemporaryDirectory() as folder:
        program, made = Path(folder) / "program.py", Path(folder) / "checkpoint"
        program.write_text(PROGRAM)
        torchrun = os.path.join(os.path.dirname(sys.executable), "torchrun")
        subprocess.run([torchrun, "--nproc-per-node", "2", str(program), str(made), "save"], check=True, timeout=120)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(made, target)
    print(f"  {len(list(target.iterdir()))} files")
