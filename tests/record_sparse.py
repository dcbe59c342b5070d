"""Records what the statements of tests/ops/sparse/*.txt print under PyTorch, which runs this file.

python tests/record_sparse.py
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "ops"))

from sparse_statements import FILES, RECORDED, outputs  # noqa: E402


def main() -> None:
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    told = {file.stem: outputs(file, torch) for file in FILES}
    RECORDED.write_bytes(gzip.compress(json.dumps(told).encode(), mtime=0))
    print({name: len(each) for name, each in told.items()}, RECORDED.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
