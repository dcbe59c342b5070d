"""Ways through a text: definitions, references, renaming, the outline, colours, folding."""

from __future__ import annotations

import pytest

from ..support.later import later

lsp = later("lsprotocol.types")

PROGRAM = """\
import torch.nn as nn
'\U0001f600'; size = 3
def scaled(a, by=2):
    size = a * by
    def inner():
        nonlocal size
        size = size + 1
        return size
    return inner()
class Net(nn.Module):
    def forward(self, x):
        self.last = x
        return scaled(x, by=size)
net = Net()
print([size for size in range(size)], net.forward(size), relu(ones(2)))
# %% a cell
x = [
    1,
]
"""


@pytest.fixture(scope="module")
def text(editor):
    opened = editor.open(PROGRAM)
    opened.faults()
    return opened


def places(found) -> list[tuple[int, int]]:
    return [(each.range.start.line, each.range.start.character) for each in found]


def references(text, line: int, column: int, declaration: bool = True) -> list[tuple[int, int]]:
    asked = lsp.ReferenceParams(lsp.ReferenceContext(declaration), text.id, lsp.Position(line, column))
    return places(text.ask(lsp.TEXT_DOCUMENT_REFERENCES, asked))


def test_references_are_those_of_one_variable(text):
    assert references(text, 1, 7) == [(1, 6), (12, 28), (14, 30), (14, 50)]
    assert references(text, 3, 5) == [(3, 4), (5, 17), (6, 8), (6, 15), (7, 15)]
    assert references(text, 14, 8) == [(14, 7), (14, 16)]
    assert references(text, 2, 15) == [(2, 14), (3, 15), (12, 25)]
    assert references(text, 1, 7, False) == [(12, 28), (14, 30), (14, 50)]


@pytest.mark.parametrize(
    "at, wanted", [((12, 17), (2, 4)), ((12, 29), (1, 6)), ((13, 7), (9, 6)), ((14, 43), (10, 8)), ((7, 16), (6, 8))]
)
def test_definitions(text, at, wanted):
    found = text.ask(lsp.TEXT_DOCUMENT_DEFINITION, lsp.DefinitionParams(text.id, lsp.Position(*at)))
    assert places([found]) == [wanted]


def rename(text, line: int, column: int, name: str) -> list[tuple[int, int]]:
    found = text.ask(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameParams(text.id, lsp.Position(line, column), name))
    ((_, edits),) = found.changes.items()
    assert {edit.new_text for edit in edits} == {name}
    return places(edits)


def test_a_variable_is_renamed_wherever_it_stands_also_as_a_keyword(text):
    assert rename(text, 1, 6, "width") == [(1, 6), (12, 28), (14, 30), (14, 50)]
    assert rename(text, 2, 14, "factor") == [(2, 14), (3, 15), (12, 25)]


def test_a_name_of_a_class_is_renamed_where_it_is_an_attribute(editor):
    from pygls.exceptions import JsonRpcException

    program = (
        "class A:\n    rate = 2\n    def tick(self): return self.rate\n    def run(self): return self.tick()\n"
        "class B:\n    def run(self): pass\n    def sum(self): pass\nA().tick(); A.rate; B().sum()\n"
    )
    opened = editor.open(program)
    opened.faults()
    assert rename(opened, 2, 8, "advance") == [(2, 8), (3, 31), (7, 4)]
    assert rename(opened, 1, 4, "pace") == [(1, 4), (2, 32), (7, 14)]
    assert references(opened, 2, 8, False) == [(3, 31), (7, 4)]
    assert references(opened, 7, 5) == [(2, 8), (3, 31), (7, 4)] and rename(opened, 3, 33, "go") == [
        (2, 8),
        (3, 31),
        (7, 4),
    ]
    for line, column, why in ((3, 8, "several classes"), (6, 8, "a name of tensors")):
        with pytest.raises(JsonRpcException, match=why):
            rename(opened, line, column, "other")


def test_an_attribute_is_found_and_renamed_where_the_text_sets_it(editor):
    from pygls.exceptions import JsonRpcException

    program = (
        "class A:\n    def __init__(self): self.fc = 2; self.b = 1\n    def f(self): return self.fc\n"
        "class B:\n    def __init__(self): self.b = ones(2).data\nA().fc; A().b; B().b.data\n"
    )
    opened = editor.open(program)
    opened.faults()
    assert references(opened, 2, 30) == [(1, 29), (2, 29), (5, 4)] and references(opened, 5, 4, False) == [
        (2, 29),
        (5, 4),
    ]
    assert rename(opened, 5, 4, "layer") == [(1, 29), (2, 29), (5, 4)]
    found = opened.ask(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, lsp.DocumentHighlightParams(opened.id, lsp.Position(5, 4)))
    assert places(found) == [(1, 29), (2, 29), (5, 4)]
    asked = lsp.ReferenceParams(lsp.ReferenceContext(True), opened.id, lsp.Position(5, 22))
    assert opened.ask(lsp.TEXT_DOCUMENT_REFERENCES, asked) is None  # what the text nowhere sets
    for name, why in (("b", "a name of this text"), ("for", "is no name")):
        with pytest.raises(JsonRpcException, match=why):
            rename(opened, 5, 4, name)
    with pytest.raises(JsonRpcException, match="several classes"):
        rename(opened, 5, 12, "other")


@pytest.mark.parametrize("name", ["2x", "for", "net", "__class__"])
def test_names_that_cannot_be_are_refused(text, name):
    from pygls.exceptions import JsonRpcException

    with pytest.raises(JsonRpcException, match="name"):
        rename(text, 1, 6, name)


def test_the_outline_shows_classes_functions_and_variables(text):
    found = text.ask(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lsp.DocumentSymbolParams(text.id))
    assert [each.name for each in found] == ["size", "scaled", "Net", "net", "x"]
    net = found[2]
    assert [(each.name, each.kind) for each in net.children] == [("forward", lsp.SymbolKind.Method)]
    assert (net.range.start.line, net.range.end.line, net.selection_range.start.character) == (9, 12, 6)


def test_blocks_brackets_and_cells_fold(text):
    found = text.ask(lsp.TEXT_DOCUMENT_FOLDING_RANGE, lsp.FoldingRangeParams(text.id))
    assert {(2, 8), (4, 7), (9, 12), (10, 12), (16, 18), (15, 19)} <= {
        (each.start_line, each.end_line) for each in found
    }


def test_names_have_colours_by_what_they_are(text):
    numbers = text.ask(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensParams(text.id)).data
    legend = text.client.capabilities.semantic_tokens_provider.legend
    found, line, column = {}, 0, 0
    for at in range(0, len(numbers), 5):
        lines, columns, length, kind, modifiers = numbers[at : at + 5]
        line, column = line + lines, columns if lines else column + columns
        found[line, column] = length, legend.token_types[kind], modifiers
    assert found[0, 19] == (2, "namespace", 1) and found[1, 6] == (4, "variable", 1)
    assert found[2, 4] == (6, "function", 1) and found[3, 15] == (2, "parameter", 0)
    assert found[9, 6] == (3, "class", 1) and found[11, 13] == (4, "property", 0)
    assert found[14, 42] == (7, "method", 0) and found[14, 57] == (4, "function", 2)
    assert (14, 0) not in found
