"""Ways through a text: definitions, references, names changed together, the outline, semantic colours, folding."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from ..sandbox.names import is_gated
from .document import Document
from .positions import Span, units
from .server import Server, range_of

TOKENS = ["namespace", "class", "function", "method", "parameter", "variable", "property"]
MODIFIERS = ["declaration", "defaultLibrary"]
SYMBOLS = {
    "function": lsp.SymbolKind.Function, "method": lsp.SymbolKind.Method, "class": lsp.SymbolKind.Class,
    "variable": lsp.SymbolKind.Variable,
}  # fmt: skip
_CELL = re.compile(r"#\s*%%")


async def _named(server: Server, params: Any) -> tuple[Document, list[Any]] | None:
    """The document, and the name at the place that is asked about: `[line, start, end, symbol, is bound here]`. An attribute is
    the symbol of a class's body that has its name, else itself, by its name, where the text sets it."""
    document = server.document(params)
    if document is None:
        return None
    await document.indexed()
    row = document.name_at(params.position.line, params.position.character)
    if row is not None:
        return (document, row) if row[3] >= 0 else None
    row = document.attribute_at(params.position.line, params.position.character)
    if row is None:
        return None
    symbols = enumerate(document.index["symbols"])
    number = next((n for n, each in symbols if each["scope"] == "class" and each["name"] == row[3]), None)
    if number is None and not any(each[3] == row[3] and each[4] for each in document.index["attributes"]):
        return None
    return document, [*row[:3], row[3] if number is None else number, row[4]]


def add(server: Server) -> None:
    """What stands where."""
    add_names(server)
    add_outline(server)


def add_names(server: Server) -> None:
    """Where a name comes from, where else it stands, and what it is to be called instead."""

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        found = await _named(server, params)
        if found is None:
            return None
        document, row = found
        bound = [each for each in document.rows(row[3]) if each[4]]
        before = [each for each in bound if (each[0], each[1]) <= (row[0], row[1]) and type(row[3]) is int]
        chosen = max(before or bound[:1], default=None)
        return None if chosen is None else lsp.Location(document.uri, range_of(_span(chosen)))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        found = await _named(server, params)
        if found is None:
            return None
        document, row = found
        bound = {(each[0], each[1]) for each in document.rows(row[3]) if each[4]}
        spans = document.occurrences(row[3])
        if not params.context.include_declaration:
            spans = [span for span in spans if (span[0], span[1]) not in bound]
        return [lsp.Location(document.uri, range_of(span)) for span in spans]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlights(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight] | None:
        found = await _named(server, params)
        return (
            None if found is None else [lsp.DocumentHighlight(range_of(s)) for s in found[0].occurrences(found[1][3])]
        )

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        found = await _named(server, params)
        return None if found is None or found[0].is_begun else range_of(_span(found[1]))

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        found = await _named(server, params)
        if found is None or found[0].is_begun:  # what stands behind a fault would keep the old name
            return None
        document, row = found
        new = params.new_name
        _check_name(document, row, new)
        edits = [lsp.TextEdit(range_of(span), new) for span in document.occurrences(row[3])]
        return lsp.WorkspaceEdit({document.uri: edits})


def add_outline(server: Server) -> None:
    """What a text consists of: definitions, parts that fold, the kinds of its names."""

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = server.document(params)
        return [] if document is None else [_symbol(each) for each in (await document.indexed()).get("outline", ())]

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folds(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        document = server.document(params)
        if document is None:
            return []
        found = [lsp.FoldingRange(first, last) for first, last in (await document.indexed()).get("folds", ())]
        cells = [number for number, line in enumerate(document.lines) if _CELL.match(line)]
        return found + [
            lsp.FoldingRange(first, last - 1, kind=lsp.FoldingRangeKind.Region)
            for first, last in zip(cells, [*cells, len(document.lines)][1:], strict=True)
            if last - 1 > first
        ]

    legend = lsp.SemanticTokensLegend(TOKENS, MODIFIERS)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        document = server.document(params)
        if document is None:
            return lsp.SemanticTokens([])
        await document.indexed()
        return lsp.SemanticTokens(_tokens(server, document))


def _span(row: list[Any]) -> Span:
    return [row[0], row[1], row[0], row[2]]


def _check_name(document: Document, row: list[Any], new: str) -> None:
    """Raises what the editor shows where a name cannot be the new one."""
    from keyword import iskeyword

    symbols = document.index["symbols"]
    own = symbols[row[3]] if type(row[3]) is int else {"name": row[3], "scope": "class"}
    if not new.isidentifier() or iskeyword(new) or is_gated(new) and new.startswith("__"):
        raise JsonRpcInvalidParams(f"`{new}` is no name")
    if own.get("module") and own["module"].rpartition(".")[2] == own["name"]:
        raise JsonRpcInvalidParams(f"`{own['name']}` is the name of what is imported")
    if own["scope"] == "class":
        if (
            sum(each["name"] == own["name"] and each["scope"] == "class" for each in symbols) > 1
            or _classes(document, own["name"]) > 1
        ):
            raise JsonRpcInvalidParams(
                f"`{own['name']}` is a name of several classes, and which of them is meant is not known"
            )
        if any(hasattr(each, own["name"]) for each in _library_classes()):
            raise JsonRpcInvalidParams(f"`{own['name']}` is a name of tensors, modules or Python's own objects, too")
    if any(each["name"] == new for each in symbols) or any(each[3] == new for each in document.index["attributes"]):
        raise JsonRpcInvalidParams(f"`{new}` is a name of this text already")


def _classes(document: Document, name: str) -> int:
    """In how many classes the text sets an attribute."""
    lines = [each[0] for each in document.index["attributes"] if each[3] == name and each[4]]
    spans = [each["span"] for each in document.index["outline"] if each["kind"] == "class"]
    return sum(any(span[0] <= line <= span[2] for line in lines) for span in spans)


def _library_classes() -> tuple[type, ...]:
    """Those whose attributes stand in nearly each program."""
    from ..session import torch_namespace

    torch = torch_namespace()
    return torch.Tensor, torch.nn.Module, torch.optim.Optimizer, str, list, dict, set, tuple, int, float


def _symbol(told: dict[str, Any]) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        told["name"],
        SYMBOLS[told["kind"]],
        range_of(told["span"]),
        range_of(told["selection"]),
        children=[_symbol(each) for each in told.get("children", ())],
    )


def _tokens(server: Server, document: Document) -> list[int]:
    """Five numbers for each name: lines and columns from the one before, length, kind, modifiers."""
    rows = []
    symbols = document.index.get("symbols", ())
    for line, start, end, number, bound in document.index.get("names", ()):
        if number >= 0:
            rows.append((line, start, end, TOKENS.index(symbols[number]["kind"]), int(bound)))
        else:
            text = document.lines[line].encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le")
            kind = server.words.kind(text) if not document.is_python else ""
            if kind:
                rows.append((line, start, end, TOKENS.index(kind), 2))
    for line, start, end, *_ in document.index.get("attributes", ()):
        text = document.lines[line].encode("utf-16-le", "surrogatepass")[2 * end : 2 * end + 2].decode("utf-16-le")
        rows.append((line, start, end, TOKENS.index("method" if text == "(" else "property"), 0))
    found: list[int] = []
    line = column = 0
    for at, start, end, kind, modifiers in sorted(set(rows)):
        if (at, start) < (line, column) or end > units(document.lines[at]):
            continue
        found += [at - line, start - column if at == line else start, end - start, kind, modifiers]
        line, column = at, start
    return found
