"""Programs of data sets and transforms, and what they print with torchvision."""

import pytest

from ..support.programs import differences, expected, programs, run


@pytest.mark.parametrize("program", programs("vision"), ids=lambda p: p.stem)
def test_prints_what_torchvision_prints(program):
    found = differences(run(program), expected(program))
    assert not found, "\n".join(found[:10])
