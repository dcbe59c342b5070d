"""The programs of PyTorch's guides (broadcasting, autograd, modules, saving, mixed precision, extending torch), and what they
print there (recorded by ../record_programs.py)."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "nn"))

from programs_runner import differences, expected, programs, run  # noqa: E402


@pytest.mark.parametrize("program", programs("guides"), ids=lambda p: p.stem)
def test_prints_what_pytorch_prints(program):
    found = differences(run(program), expected(program))
    assert not found, "\n".join(found[:10])
