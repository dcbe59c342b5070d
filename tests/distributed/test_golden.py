"""Golden files of many ranks: what stands for one rank, blessing, differences, ranks that fail."""

from __future__ import annotations

from pathlib import Path

from tensorsh.golden.document import ranks_of
from tensorsh.golden.ranks import of_rank
from tensorsh.golden.runner import run_file

from ..support.ranks import tensorsh

FILE = """\
#@ ranks 2
import torch.distributed as dist

dist.init_process_group("gloo")
dist.get_rank()
x = ones(2)
dist.all_reduce(x)
x
[dist.get_rank()] * 2 if dist.get_rank() else None
"""
BLESSED = """\
#@ ranks 2
import torch.distributed as dist

dist.init_process_group("gloo")
dist.get_rank()
#0> 0
#1> 1
x = ones(2)
dist.all_reduce(x)
x
#> tensor([2., 2.])
[dist.get_rank()] * 2 if dist.get_rank() else None
#1> [1, 1]
"""


def test_lines_of_a_rank() -> None:
    assert ranks_of(FILE) == 2 and ranks_of("x\n # @ ranks 2\n") == 0
    text = "x\n#> a\n#0> b\n#1! c\n#12> d\n"
    assert of_rank(text, 0) == "x\n#> a\n#> b\n# c\n# d\n"
    assert of_rank(text, 1) == "x\n#> a\n# b\n#! c\n# d\n"


def test_bless_and_compare(tmp_path: Path) -> None:
    path = tmp_path / "a.tsr"
    path.write_text(FILE)
    assert run_file(path, bless=True).blessed and path.read_text() == BLESSED
    path.write_text(BLESSED.replace("#1> 1", "#1> 5").replace("tensor([2., 2.])", "tensor([3., 2.])"))
    done = tensorsh("test", str(path))
    assert done.returncode == 1
    for line in ("[1] dist.get_rank()", "#> 5", "[0] x", "[1] x", "#> tensor([3., 2.])"):
        assert line in done.stdout
    assert "[0] dist.get_rank()" not in done.stdout


def test_the_option_and_ranks_that_fail(tmp_path: Path) -> None:
    path = tmp_path / "a.tsr"
    path.write_text("import os\nprint(os.environ['WORLD_SIZE'])\n#> 3\n")
    assert tensorsh("test", "-n", "3", str(path)).returncode == 0
    path.write_text(
        "#@ ranks 2\nimport os, time\nif os.environ['RANK'] == '1':\n    while True: pass\nx = 1\nx\n#> 1\n"
    )
    done = tensorsh("test", "--timeout", "1", str(path))
    assert done.returncode == 1 and f"rank 1: {path}:3: " in done.stdout
    path.write_text("#@ ranks 2\n1 / 0\n#> 1\n")
    done = tensorsh("test", str(path))
    assert done.returncode == 1 and "ZeroDivisionError" in done.stdout
