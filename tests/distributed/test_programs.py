"""Programs of 2 and 4 ranks print on each rank what they print under PyTorch with gloo."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.programs import same
from ..support.ranks import by_rank, recorded, runs, tensorsh


@pytest.mark.parametrize(("program", "size"), runs(), ids=lambda value: getattr(value, "stem", str(value)))
def test_as_under_pytorch(program: Path, size: int, tmp_path: Path) -> None:
    """On 2 ranks as plain Python, on 4 as a script in the sandbox."""
    path = program
    if size == 4:
        path = tmp_path / f"{program.stem}.tsr"
        path.write_text(program.read_text())
    done = tensorsh("run", "-n", str(size), str(path))
    assert done.returncode == 0, done.stderr
    wanted = by_rank(recorded(program, size).read_text().partition("\n")[2], size)
    for rank, lines in enumerate(by_rank(done.stdout, size)):
        different = [(a, b) for a, b in zip(lines, wanted[rank], strict=False) if a != b and not same(a, b)]
        assert not different, f"rank {rank}: {different[:5]}"
        assert len(lines) == len(wanted[rank])
