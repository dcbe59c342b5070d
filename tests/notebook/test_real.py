"""Notebooks of the kind that tutorials have, cell by cell: what this kernel shows is what ipykernel shows with PyTorch.

Their outputs are PyTorch's (`tests/recording/notebooks.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Client

pytestmark = pytest.mark.filterwarnings("default")

REAL = sorted((Path(__file__).parent / "real").glob("*.ipynb"))
MACHINES = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"\([^()]+, line (\d+)\)$"), r"(FILE, line \1)"),
    (re.compile(r"( got an unexpected keyword argument '\w+')\. Did you mean '\w+'\?$"), r"\1"),  # from Python 3.13 on
    (re.compile(r"^[^\n]+?:\d+: (\w+Warning: .*?)(?: \(Triggered internally at .*?\))?\n  .*\n\Z", re.DOTALL), r"\1\n"),
)
"""What differs from machine to machine: addresses, names of files, where a warning is said to come from."""


def recorded(outputs: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Outputs as (kind, text), streams of one name joined."""
    found: list[tuple[str, ...]] = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            text = "".join(output["text"])
            if found and found[-1][0] == output["name"]:
                text = found.pop()[1] + text
            found.append((output["name"], text))
        elif kind == "error":
            found.append((kind, output["ename"], output["evalue"]))
        else:
            found.append((kind, "".join(output["data"]["text/plain"])))
    return [tuple(_anywhere(part) for part in each) for each in found]


def _anywhere(text: str) -> str:
    for pattern, replacement in MACHINES:
        text = pattern.sub(replacement, text)
    return text


@pytest.fixture
def fresh(path: Path, kernel: Client, tmp_path: Path) -> Iterator[Client]:
    """The kernel that notebooks share, without variables: a start takes longer than most of them. One that reads what its cells
    were has a kernel of its own."""
    if "In[" in path.read_text():
        own = Client(tmp_path)
        yield own
        own.close()
    else:
        assert kernel.run("%reset -f")[0]["status"] == "ok"
        yield kernel


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_a_notebook_shows_what_pytorch_shows(path: Path, fresh: Client) -> None:
    wrong = []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = "".join(cell["source"])
        _, shown = fresh.run(code, stop_on_error=False)
        got = recorded([{"output_type": kind, **content} for kind, content in shown])
        wanted = recorded(cell["outputs"])
        if got != wanted:
            wrong.append(f"{code}\n  PyTorch: {wanted}\n  here:    {got}")
    assert not wrong, "\n\n".join(wrong)
