"""The language server on pygls: what an editor asks, answered from what checks have told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from .checks import Workshop
from .document import Document, Settings
from .positions import Span
from .words import Words

HINT_PATIENCE = 0.3
"""Seconds that an answer with hints waits for the run of the newest text."""


class Protocol(LanguageServerProtocol):
    """Positions are UTF-16 units, whatever else a client offers."""

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Any:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = [lsp.PositionEncodingKind.Utf16]
        return (yield from super().lsp_initialize(params))


class Server(LanguageServer):
    """The server of one client."""

    def __init__(self, workshop: Workshop) -> None:
        super().__init__(
            "tensorsh", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full, protocol_cls=Protocol
        )
        self.workshop, self.settings = workshop, Settings()
        self.documents: dict[str, Document] = {}
        self.words = Words()

    def document(self, params: Any) -> Document | None:
        return self.documents.get(params.text_document.uri)

    def tell(self, document: Document, ended: bool) -> None:
        """Shows a document's faults, and asks for its hints again when a run has ended."""
        if self.documents.get(document.uri) is not document:
            return
        found = [diagnostic(document, fault) for fault in document.faults()]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(document.uri, found, document.version))
        asked = self.client_capabilities.workspace
        if ended and asked and asked.inlay_hint and asked.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def check_all(self) -> None:
        for document in self.documents.values():
            document.check(0)


def range_of(span: Span) -> lsp.Range:
    return lsp.Range(lsp.Position(span[0], span[1]), lsp.Position(span[2], span[3]))


def diagnostic(document: Document, fault: dict[str, Any]) -> lsp.Diagnostic:
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(document.uri, range_of(span)), text)
        for span, text in fault.get("related", ())
    ]
    return lsp.Diagnostic(
        range_of(fault["span"]),
        fault["message"],
        severity=lsp.DiagnosticSeverity(fault["severity"]),
        code=fault["code"],
        source="tensorsh",
        related_information=related or None,
    )


def serve(workshop: Workshop) -> Server:
    """A server with all its answers."""
    server = Server(workshop)
    for add in (_texts, _values):
        add(server)
    return server


def _texts(server: Server) -> None:
    """Texts come, change and go."""

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.settings.take(params.initialization_options)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configure(params: lsp.DidChangeConfigurationParams) -> None:
        server.settings.take(params.settings)
        server.check_all()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        document = Document(given.uri, given.text, server.workshop, server.settings, server.tell)
        document.version = given.version
        server.documents[given.uri] = document
        document.check(0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        document = server.document(params)
        if document is not None:
            document.version = params.text_document.version
            document.change(server.workspace.get_text_document(document.uri).source)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        document = server.documents.pop(params.text_document.uri, None)
        if document is not None:
            document.close()
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(document.uri, []))

    @server.feature(lsp.SHUTDOWN)
    def shutdown(*_: Any) -> None:
        for document in server.documents.values():
            document.close()


def _values(server: Server) -> None:
    """The values of names: where the pointer is, and behind assignments."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = server.document(params)
        if document is None:
            return None
        at = params.position
        found = server.words.explained(document, at.line, at.character)
        if found is None:
            return None
        text, span = found
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), range_of(span) if span else None)

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = server.document(params)
        if document is None or not server.settings.hints:
            return []
        await document.ran(HINT_PATIENCE)
        first, last = params.range.start.line, params.range.end.line
        return list(_hints(document, first, last))


def _hints(document: Document, first: int, last: int) -> Iterator[lsp.InlayHint]:
    for line, _, end, text, is_tensor, count, _ in document.notes:
        if is_tensor and first <= line <= last:
            times = f"bound {count} times" if count > 1 else None
            yield lsp.InlayHint(
                lsp.Position(line, end), f": {text}", lsp.InlayHintKind.Type, tooltip=times, padding_right=True
            )
