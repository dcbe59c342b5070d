"""Every request of a client on every kind of text, at every place of it, is answered and never with an error."""

from __future__ import annotations

import pytest

from ..support.later import later
from .conftest import Text

lsp = later("lsprotocol.types")

TEXTS = {
    "nothing": "",
    "a comment": "# no statement\n",
    "no cells": "import torch\n\nx = torch.ones(2)\n",
    "cells": "# %%\nx = ones(2)\n# %% two\n\n# %%",
    "what is no program": "x = ones(2\nfor\n",
    "an open block": "def f(x):\n",
    "wide letters": 'größe = "😀"; y = ones(3)  # 𝕏\nprint(größe, y.sum())\n',
    "other line ends": "x = ones(2)\r\ny = x @ x\r\n",
    "a fault": "x = ones(2, 3)\nx @ x\n",
    "a golden test": "x = ones(2)\nx\n#> tensor([1., 1.])\n",
}


def asked(text: Text) -> list[tuple[str, object]]:
    """Requests: of the whole text, and of each of its places."""
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(text.lines), 0))
    found: list[tuple[str, object]] = [
        (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lsp.DocumentSymbolParams(text.id)),
        (lsp.TEXT_DOCUMENT_FOLDING_RANGE, lsp.FoldingRangeParams(text.id)),
        (lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensParams(text.id)),
        (lsp.TEXT_DOCUMENT_INLAY_HINT, lsp.InlayHintParams(text.id, whole)),
        (lsp.TEXT_DOCUMENT_FORMATTING, lsp.DocumentFormattingParams(text.id, lsp.FormattingOptions(4, True))),
        (lsp.WORKSPACE_SYMBOL, lsp.WorkspaceSymbolParams("")),
        (lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensParams(text.id)),
        (lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionParams(text.id, whole, lsp.CodeActionContext(text.faults()))),
    ]
    far = lsp.Range(lsp.Position(10**9, 0), lsp.Position(10**9, 10**9))  # of a text that was longer
    found.append((lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionParams(text.id, far, lsp.CodeActionContext([]))))
    for number, line in [*enumerate(text.lines), (10**9, "")]:
        for column in {0, len(line) // 2, len(line), len(line) + 5}:
            at = lsp.Position(number, column)
            found += [
                (lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(text.id, at)),
                (lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionParams(text.id, at)),
                (lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpParams(text.id, at)),
                (lsp.TEXT_DOCUMENT_DEFINITION, lsp.DefinitionParams(text.id, at)),
                (lsp.TEXT_DOCUMENT_REFERENCES, lsp.ReferenceParams(lsp.ReferenceContext(True), text.id, at)),
                (lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, lsp.DocumentHighlightParams(text.id, at)),
                (lsp.TEXT_DOCUMENT_PREPARE_RENAME, lsp.PrepareRenameParams(text.id, at)),
            ]
    return found


@pytest.mark.parametrize("kind", TEXTS)
def test_every_request_is_answered(editor, kind):
    from pygls.exceptions import JsonRpcException

    text = editor.open(TEXTS[kind])
    try:
        failed = []
        for feature, params in asked(text):
            try:
                text.ask(feature, params)
            except JsonRpcException as error:
                failed.append(f"{feature} {getattr(params, 'position', '')}: {error}")
        assert not failed, "\n".join(failed)
    finally:
        text.close()
