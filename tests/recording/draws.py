"""What PyTorch draws on a GPU, to the bit, for the tests of the device path.

``python -m tests.recording draws`` with an interpreter that has PyTorch for CUDA, on a GPU, writes ``tests/data/draws.jsonl``.
Numbers beyond some hundred thousand elements depend on the number of multiprocessors.
"""

from __future__ import annotations

from ..device.draws import drawn
from ..support import tables


def record() -> None:
    import torch

    made = f"python -m tests.recording draws, PyTorch {torch.__version__}, {torch.cuda.get_device_name(0)}"
    print(tables.write("draws", made, drawn(torch)))
