"""What a click does: changes that a fault proposes, lines wrapped in no_grad, golden tests run and blessed."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp
from pygls.uris import to_fs_path

from ..golden.document import expectation
from .document import Document
from .faults import WARNING, without_grad
from .positions import units
from .server import Server, diagnostic, range_of

RUN, BLESS = "tensorsh.runGolden", "tensorsh.blessGolden"
SECONDS = 20.0
"""The time that a golden test has."""


def add(server: Server) -> None:
    """Actions on code, lenses above golden tests, their commands."""
    add_actions(server)
    add_golden_tests(server)


def add_actions(server: Server) -> None:
    """Changes of the text that a fault or a selection offers."""
    kinds = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(kinds))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = server.document(params)
        if document is None:
            return []
        found = []
        first, last = params.range.start, params.range.end
        for fault in document.faults():
            if fault["span"][0] <= last.line and fault["span"][2] >= first.line:
                shown = diagnostic(document, fault)
                for each in fault["fixes"]:
                    found.append(_action(document, each, lsp.CodeActionKind.QuickFix, shown))
        if (first.line, first.character) != (last.line, last.character) and first.line < len(document.lines):
            end = last.line if last.character or last.line == first.line else last.line - 1
            fix = without_grad(document.lines, first.line, min(end, len(document.lines) - 1))
            found.append(_action(document, fix, lsp.CodeActionKind.RefactorRewrite))
        return found


def add_golden_tests(server: Server) -> None:
    """Lenses above golden tests, and what they run."""

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions())
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        document = server.document(params)
        if document is None or not any(expectation(line) for line in document.lines):
            return []
        place = range_of([0, 0, 0, 0])
        return [
            lsp.CodeLens(place, lsp.Command("run golden test", RUN, arguments=[document.uri])),
            lsp.CodeLens(place, lsp.Command("bless", BLESS, arguments=[document.uri])),
        ]

    @server.command(RUN)
    async def run(uri: str) -> str:
        document = server.documents.get(uri)
        told = await _golden(document) if document is not None else None
        if document is None or told is None:
            return _say(server, "the golden test did not end in its time", lsp.MessageType.Warning)
        if told["problem"]:
            return _say(server, told["problem"], lsp.MessageType.Error)
        document.golden_faults = [
            {
                "span": [line, 0, line, units(document.lines[line])],
                "message": text,
                "severity": WARNING,
                "code": "golden",
            }
            | {"fixes": []}
            for line, text in told["differences"]
        ]
        server.tell(document, False)
        count = len(told["differences"])
        said = f"{count} statement{'' if count == 1 else 's'} gave other output" if count else "the golden test passed"
        return _say(server, said, lsp.MessageType.Warning if count else lsp.MessageType.Info)

    @server.command(BLESS)
    async def bless(uri: str) -> str:
        document = server.documents.get(uri)
        text = document.text if document is not None else ""
        told = await _golden(document) if document is not None else None
        if document is None or told is None or document.text != text:
            return _say(server, "the golden test did not end in its time", lsp.MessageType.Warning)
        if told["problem"] or told["text"] == text:
            return _say(server, told["problem"] or "the golden test holds as it is", lsp.MessageType.Info)
        whole = range_of([0, 0, len(document.lines) - 1, units(document.lines[-1])])
        edit = lsp.WorkspaceEdit({uri: [lsp.TextEdit(whole, told["text"])]})
        await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, "bless"))
        return _say(server, "the golden test has the output of this run", lsp.MessageType.Info)


def _say(server: Server, text: str, kind: lsp.MessageType) -> str:
    server.window_show_message(lsp.ShowMessageParams(kind, text))
    return text


async def _golden(document: Document) -> dict[str, Any] | None:
    """What comes of running a text as a golden test; None if it did not end."""
    path = to_fs_path(document.uri) if document.uri.startswith("file:") else None
    request = {"golden": True, "text": document.text, "path": path or "", "seconds": SECONDS}
    request["memory"] = document.settings.memory
    async for told in document.workshop.check(request):
        return told
    return None


def _action(
    document: Document, fix: dict[str, Any], kind: lsp.CodeActionKind, shown: lsp.Diagnostic | None = None
) -> lsp.CodeAction:
    edits = [lsp.TextEdit(range_of(edit[:4]), edit[4]) for edit in fix["edits"]]
    return lsp.CodeAction(
        fix["title"],
        kind=kind,
        diagnostics=[shown] if shown else None,
        edit=lsp.WorkspaceEdit({document.uri: edits}),
        is_preferred=True if shown else None,
    )
