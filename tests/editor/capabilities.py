"""The server before clients that can do what known editors can: pytest-lsp checks each answer against what its client has said.

`.ci/run` runs this file by itself: pytest-lsp's plugin fails for tests that are no functions, as golden files are.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = Path(__file__).parents[2]
EDITORS = ["visual-studio-code", "neovim", "emacs"]
TEXT = "w = randn(3, 4)\ny = w @ ones(4)\nz = y + undefinde\n"
URI = "file:///written/here.tsr"
SERVER = ClientServerConfig(
    [sys.executable, "-m", "tensorsh", "lsp"], server_env={**os.environ, "PYTHONPATH": str(ROOT)}
)


@pytest_lsp.fixture(params=EDITORS, config=SERVER)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    @lsp_client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
    def refresh(*_: object) -> None: ...

    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(lsp.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_what_is_shown_of_a_text(client: LanguageClient) -> None:
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(URI, "tensorsh", 1, TEXT)))
    while not client.diagnostics.get(URI):
        await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    [told] = client.diagnostics[URI]
    assert "name 'undefinde' is not defined" in told.message and told.range.start.line == 2
    document = lsp.TextDocumentIdentifier(URI)
    hover = None
    while hover is None:  # it answers from what is known, and the text still runs
        hover = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(1, 0)))
        await asyncio.sleep(0.02)
    assert "float32" in str(hover.contents)
    found = await client.text_document_completion_async(lsp.CompletionParams(document, lsp.Position(2, 5)))
    assert found is not None and found.items if isinstance(found, lsp.CompletionList) else found
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    assert [each.name for each in symbols or []] == ["w", "y", "z"]
    lines = lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0))
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(document, lines))
    assert len(hints or []) >= 2
