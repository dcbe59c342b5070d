"""`docs/operators.md` and the type stubs are what the table says; an editor reads them."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from tensorsh.assist import catalogue
from tensorsh.assist.operator_tables import rows, sentence
from tensorsh.engine.loading import table
from tensorsh.language.pytorch_names import names as pytorch_names

from .support.processes import printed

STUBS = [catalogue.stub_path(dotted) for dotted in catalogue.STUBBED]


@cache
def files() -> dict[str, str]:
    """What `make tables` writes: in a process that has loaded nothing else."""
    code = "from tensorsh.assist import catalogue; print(json.dumps({str(p): t for p, t in catalogue.files().items()}))"
    return json.loads(printed(f"import json; {code}"))


def text(path: Path) -> str:
    return files()[str(path)]


def page() -> str:
    return text(catalogue.OPERATORS)


@pytest.mark.sources
@pytest.mark.parametrize("path", [catalogue.OPERATORS, *STUBS], ids=lambda p: "/".join(p.parts[-2:]))
def test_current(path) -> None:
    assert path.read_text(encoding="utf-8") == text(path), "make tables"


@pytest.mark.parametrize("path", STUBS, ids=lambda p: "/".join(p.parts[-2:]))
def test_stub_is_python(path) -> None:
    ast.parse(text(path))


def test_the_page_says_of_every_name() -> None:
    operators, others, lacking = re.split("\n## (?:Names that are no operators|What is not there)\n", page())
    said = {found.removeprefix("Tensor.") for found in re.findall(r"`([\w.]+)[`(]", operators)}
    for owner, names in pytorch_names().items():
        part = re.search(rf"\n### {owner}\n(.*?)(?=\n### |$)", others, re.DOTALL)
        line = next(line for line in lacking.splitlines() if line.startswith(f"| `{owner}` |"))
        rest = set(re.findall(r"`(\w+)`", line + part[1] if part else line))
        below = owner.removeprefix("torch").removeprefix("Tensor").lstrip(".")
        for name in names:
            dotted = f"{below}.{name}".lstrip(".")
            assert name in rest or dotted in said or dotted.rstrip("_") in said, (owner, name)


def test_a_line_says_what_an_operator_has() -> None:
    for line in (
        "| `mul(input, other, *, out=None)` | `input * other`. | method, in-place, out= | `MulBackward0` | `multiply` |",
    ):
        assert line in page()


def test_every_operator_has_its_line() -> None:
    families = rows()
    assert set(families) <= set(table.families())
    assert [row.names[0] for found in families.values() for row in found if not sentence(row.function)] == []
    named = {name.removeprefix("Tensor.") for found in families.values() for row in found for name in row.names}
    public = {n for n in {**table.FUNCTIONS, **table.METHODS} if not n.rpartition(".")[2].startswith("_")}
    assert not {name for name in public if name not in named and name.rstrip("_") not in named}


def test_an_editor_knows_the_names() -> None:
    root = text(catalogue.stub_path(""))
    for line in ("from . import nn as nn", "def softmax(input: Tensor | Any, dim: Any, dtype: Any = None, *, out: Any = None) -> Tensor: ...",
                 "    def sum(self, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None, out: Any = None) -> Tensor: ..."):  # fmt: skip
        assert line in root
    assert "import Linear as Linear" in text(catalogue.stub_path("nn"))
