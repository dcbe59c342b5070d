"""What an editor asks, answered from what checks have told: texts as they change, hover, hints; the rest stands in files beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp

from . import actions, completing, folders, formatting, navigating
from .document import Document
from .server import Server, range_of
from .workshop_process import Workshop

HINT_PATIENCE = 0.3
"""Seconds that an answer with hints waits for the run of the newest text."""


def serve(workshop: Workshop) -> Server:
    """A server with all its answers."""
    server = Server(workshop)
    for add in (_texts, _values, completing.add, navigating.add, actions.add, formatting.add, folders.add):
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
            server.words.forget(document.uri)
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
    for line, _, end, text, shape, count, _ in document.notes:
        if shape is not None and first <= line <= last:
            times = f"bound {count} times" if count > 1 else None
            yield lsp.InlayHint(
                lsp.Position(line, end), f": {text}", lsp.InlayHintKind.Type, tooltip=times, padding_right=True
            )
