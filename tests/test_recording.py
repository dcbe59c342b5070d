"""Recorded tables are text that a diff shows, sorted, and say what made them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tensorsh.engine.examples import FOLDER as EXAMPLES
from tensorsh.engine.graph import saved_names
from tensorsh.engine.loading import recorded as functions
from tensorsh.engine.sparse import missing
from tensorsh.language import pytorch_names

from .hostile.corpus import FILES as HOSTILE
from .support import tables
from .support.programs import FOLDERS, programs, recorded

RECORDING = Path(__file__).parent / "recording"
MADE = re.compile(r"make record ONLY=(\w+), PyTorch 2\.13\.0\S* of git \w{10}, \w+ .*\(.*\), \d+ threads?\b")
TABLES = sorted(tables.DATA.glob("*.jsonl"))
PACKAGE = [Path(module.FILE) for module in (missing, saved_names, functions, pytorch_names)]
PACKAGE.append(Path(pytorch_names.MODULES))
TEXTS = [
    *PACKAGE,
    *HOSTILE,
    *Path(EXAMPLES).glob("*.tsr"),
    *(recorded(p) for folder in FOLDERS for p in programs(folder)),
]


@pytest.mark.parametrize("file", [*TABLES, *TEXTS], ids=lambda file: file.name)
def test_a_table_says_what_made_it(file: Path) -> None:
    heading = "\n".join(file.read_text(encoding="utf-8").split("\n")[:2])
    if file.stem == "cupy":
        assert re.search(r"python -m tests\.recording cupy, CuPy \d", heading)
        return
    if file.stem == "draws":
        assert re.search(r"python -m tests\.recording draws, PyTorch 2\.\d+\.\d\S*, NVIDIA", heading)
        return
    made = MADE.search(heading)
    assert made and (RECORDING / f"{made[1]}.py").exists()


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.name)
def test_a_table_is_sorted_and_names_no_case_twice(file: Path) -> None:
    cases = [[(type(x).__name__, x) for x in row[:-1]] for row in tables.rows(file.stem)]
    assert cases == sorted(cases) and len({json.dumps(case) for case in cases}) == len(cases) > 0


def test_data_is_text_but_for_checkpoints() -> None:
    others = {file.name for file in tables.DATA.rglob("*.*") if file.suffix not in (".jsonl", ".txt")}
    sharded = {".metadata", "__0_0.distcp", "__1_0.distcp"}  # a checkpoint of two ranks
    assert others == {"checkpoint.pt", "checkpoint_structure.pkl", "states.pt.gz"} | sharded
    assert sum(file.stat().st_size for file in tables.DATA.rglob("*.*")) < 10 << 20


def test_tests_are_a_package() -> None:
    """Neighbours are imported by their names: no test changes where Python looks for modules."""
    changed = "sys.path." + "insert"
    assert not [file for file in Path(__file__).parent.rglob("*.py") if changed in file.read_text(encoding="utf-8")]
