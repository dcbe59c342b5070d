"""One language server for the tests of editors, and a client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..support.later import later

lsp = later("lsprotocol.types")

ROOT = Path(__file__).parents[2]


class Client:
    """A client that waits for what it asks."""

    def __init__(self, command: list[str], settings: Any = None, folders: Sequence[str] = ()) -> None:
        self.loop = asyncio.new_event_loop()
        from pygls.lsp.client import LanguageClient

        self.client = LanguageClient("tests", "1")
        self.shown: dict[str, list[lsp.Diagnostic]] = {}
        self.told: dict[tuple[str, int | None], int] = {}
        self.refreshed = 0
        self.edits: list[Any] = []
        self._news = asyncio.Event()
        self._count = 0

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def shown(params: lsp.PublishDiagnosticsParams) -> None:
            self.shown[params.uri] = list(params.diagnostics)
            key = params.uri, params.version
            self.told[key] = self.told.get(key, 0) + 1
            self._news.set()

        @self.client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
        def refresh(*_: Any) -> None:
            self.refreshed += 1
            self._news.set()

        @self.client.feature(lsp.WORKSPACE_APPLY_EDIT)
        def edit(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            self.edits.append(params.edit)
            return lsp.ApplyWorkspaceEditResult(applied=True)

        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.wait(self.client.start_io(*command, env=environment))
        capabilities = lsp.ClientCapabilities(
            workspace=lsp.WorkspaceClientCapabilities(
                inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True), apply_edit=True
            ),
            general=lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf8]),
        )
        asked = lsp.InitializeParams(
            capabilities=capabilities,
            initialization_options=settings,
            workspace_folders=[lsp.WorkspaceFolder(uri, uri) for uri in folders],
        )
        self.capabilities = self.wait(self.client.initialize_async(asked)).capabilities
        self.client.initialized(lsp.InitializedParams())

    def wait(self, awaited: Any, seconds: float = 60) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(awaited, seconds))

    def until(self, holds: Callable[[], Any], seconds: float = 20) -> Any:
        """Handles what comes until something holds."""

        async def waited() -> Any:
            while not (found := holds()):
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), 0.05)
                except TimeoutError:
                    pass
            return found

        return self.wait(waited(), seconds)

    def open(self, text: str, name: str = "") -> Text:
        self._count += 1
        return Text(self, f"file:///tests/{name or f'text{self._count}.tsr'}", text)

    def close(self) -> None:
        self.wait(self.client.shutdown_async(None))
        self.client.exit(None)
        self.wait(self.client.stop())
        self.loop.close()


class Text:
    """An open text."""

    def __init__(self, client: Client, uri: str, text: str) -> None:
        self.client, self.uri, self.version, self.text = client, uri, 1, text
        self.lines = text.split("\n")
        self.id = lsp.TextDocumentIdentifier(uri)
        item = lsp.TextDocumentItem(uri, "tensorsh", 1, text)
        client.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, text: str) -> None:
        self.version += 1
        self.text, self.lines = text, text.split("\n")
        of = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.client.text_document_did_change(lsp.DidChangeTextDocumentParams(of, [whole]))

    def faults(self, times: int = 2) -> list[lsp.Diagnostic]:
        """What is shown when the newest text was read, and when its run has ended."""
        self.client.until(lambda: self.client.told.get((self.uri, self.version), 0) >= times)
        return self.client.shown[self.uri]

    def messages(self) -> list[str]:
        return [f"{each.range.start.line}: {each.message}" for each in self.faults()]

    def ask(self, feature: str, params: Any) -> Any:
        async def asked() -> Any:
            return await self.client.client.protocol.send_request_async(feature, params)

        return self.client.wait(asked())

    def hover(self, line: int, column: int) -> str:
        found = self.ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(self.id, lsp.Position(line, column)))
        return found.contents.value if found else ""

    def hints(self) -> list[tuple[int, int, str]]:
        span = lsp.Range(lsp.Position(0, 0), lsp.Position(len(self.lines), 0))
        found = self.ask(lsp.TEXT_DOCUMENT_INLAY_HINT, lsp.InlayHintParams(self.id, span))
        return sorted((each.position.line, each.position.character, each.label) for each in found)

    def close(self) -> None:
        self.client.client.text_document_did_close(lsp.DidCloseTextDocumentParams(self.id))


def start(*words: str, settings: Any = None) -> Client:
    return Client([sys.executable, "-P", "-m", "tensorsh", "lsp", *words], settings)


@pytest.fixture(scope="session")
def editor() -> Iterator[Client]:
    client = start(settings={"seconds": 1.0})
    yield client
    client.close()


def seconds(call: Callable[[], Any]) -> float:
    """The time that a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
