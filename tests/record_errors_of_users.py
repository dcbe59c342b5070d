"""Writes tests/data/errors_of_users.json.gz anew: what PyTorch says of the programs in it, the last statement of each being
wrong. Run it with a Python in which PyTorch is installed; further programs are given as lines of files, `\\n` between statements.

    python tests/record_errors_of_users.py [FILES]
"""

from __future__ import annotations

import ast
import copy
import gzip
import json
import math
import sys
import warnings
from pathlib import Path

import torch
import torch.nn.utils.parametrize
import torch.nn.utils.prune
import torch.utils.checkpoint

FILE = Path(__file__).parent / "data" / "errors_of_users.json.gz"
SPACE = {
    "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "optim": torch.optim, "D": torch.utils.data,
    "T": torch.distributions, "math": math, "copy": copy,
}  # fmt: skip


def said(code: str) -> str:
    *before, last = ast.parse(code).body
    space = dict(SPACE)
    torch.manual_seed(0)
    exec(compile(ast.Module(before, []), "<case>", "exec"), space)
    try:
        exec(compile(ast.Module([last], []), "<case>", "exec"), space)
    except Exception as error:
        return f"{type(error).__name__}: " + str(error).split("\n")[0]
    return "no error"


def main() -> None:
    warnings.simplefilter("ignore")
    known = json.loads(gzip.decompress(FILE.read_bytes())) if FILE.exists() else {}
    new = [line.replace("\\n", "\n") for name in sys.argv[1:] for line in Path(name).read_text().splitlines() if line]
    told = {code: said(code) for code in [*known, *new]}
    FILE.write_bytes(gzip.compress(json.dumps(told, indent=0).encode(), 9, mtime=0))
    print(sum(text != "no error" for text in told.values()), "errors of", len(told), "programs")


if __name__ == "__main__":
    main()
