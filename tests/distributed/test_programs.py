"""Programs of 2 and 4 ranks print on each rank what they print under PyTorch with gloo."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.programs import same
from ..support.ranks import RANKS, by_rank, programs, recorded, runs, tensorsh


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], list[list[str]]]:
    """What each rank printed, by program and number of ranks: all programs run one after the other in one start of 2 ranks, as plain
    Python, and in one of 4, as a script in the sandbox. Those that write files run by themselves."""
    found: dict[tuple[str, int], list[list[str]]] = {}
    together = "\n".join(f'print("<<<", {path.stem!r})\n{path.read_text()}' for path in programs())
    for size in RANKS:
        path = tmp_path_factory.mktemp("ranks") / ("programs.py" if size == 2 else "programs.tsr")
        path.write_text(together)
        done = tensorsh("run", "-n", str(size), str(path))
        assert done.returncode == 0, done.stderr
        for rank, lines in enumerate(by_rank(done.stdout, size)):
            for line in lines:
                if line.startswith("<<< "):
                    mine = found.setdefault((line[4:], size), [[] for _ in range(size)])[rank]
                else:
                    mine.append(line)
    return found


@pytest.mark.parametrize(("program", "size"), runs(), ids=lambda value: getattr(value, "stem", str(value)))
def test_as_under_pytorch(program: Path, size: int, printed: dict) -> None:
    if program in programs():
        found = printed[program.stem, size]
    else:
        done = tensorsh("run", "-n", str(size), str(program))
        assert done.returncode == 0, done.stderr
        found = by_rank(done.stdout, size)
    wanted = by_rank(recorded(program, size).read_text().partition("\n")[2], size)
    for rank, lines in enumerate(found):
        different = [(a, b) for a, b in zip(lines, wanted[rank], strict=False) if a != b and not same(a, b)]
        assert not different, f"rank {rank}: {different[:5]}"
        assert len(lines) == len(wanted[rank])
