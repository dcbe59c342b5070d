"""`docs/operators.md` and the type stubs are what the table says; an editor reads them."""

from __future__ import annotations

import ast

import pytest

from tensorsh import catalogue

FILES = catalogue.files()


@pytest.mark.parametrize("path", FILES, ids=lambda p: "/".join(p.parts[-2:]))
def test_current(path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path], "make tables"


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".pyi"], ids=lambda p: "/".join(p.parts[-2:]))
def test_stub_is_python(path) -> None:
    ast.parse(FILES[path])


def test_the_page_says_of_every_name() -> None:
    text = catalogue.operators_text()
    for owner, names in catalogue.pytorch_names().items():
        part = text.split(f"## {owner}\n")[1].split("\n## ")[0]
        assert all(f"`{name}`" in part for name in names)


def test_an_editor_knows_the_names() -> None:
    root = FILES[catalogue.stub_path("")]
    for line in ("from . import nn as nn", "def softmax(input: Tensor | Any, dim: Any, dtype: Any = None, *, out: Any = None) -> Tensor: ...",
                 "    def sum(self, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None, out: Any = None) -> Tensor: ..."):  # fmt: skip
        assert line in root
    assert "import Linear as Linear" in FILES[catalogue.stub_path("nn")]
