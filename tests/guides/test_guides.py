"""The programs of PyTorch's guides (broadcasting, autograd, modules, saving, mixed precision, extending torch), and what they
print there."""

import pytest

from ..support.programs import differences, expected, programs, run


@pytest.mark.parametrize("program", programs("guides"), ids=lambda p: p.stem)
def test_prints_what_pytorch_prints(program):
    found = differences(run(program), expected(program))
    assert not found, "\n".join(found[:10])
