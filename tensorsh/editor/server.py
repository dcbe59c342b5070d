"""The language server of one client, on pygls: its settings, its documents, what it shows of its own accord."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from .document import Document, Settings
from .positions import Span
from .words import Words
from .workshop_process import Workshop


class Protocol(LanguageServerProtocol):
    """Positions are UTF-16 units, whatever else a client offers; an error of the server's own is told without its frames."""

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if error is not None:
            error.data = None
        super()._send_response(msg_id, result, error)

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
