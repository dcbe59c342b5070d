"""Completion and signature help: the shell's own, on stand-ins for the values of the last run."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types as lsp

from ..assist.completion import find
from ..assist.scanner import typed
from ..assist.signatures import Parameter, parameters
from ..language import peek
from .document import Document
from .positions import characters, units
from .server import Server, range_of

MOST = 700
"""Completions in one answer; more come as the word grows."""
KINDS = {
    "function": lsp.CompletionItemKind.Function, "class": lsp.CompletionItemKind.Class,
    "variable": lsp.CompletionItemKind.Variable, "module": lsp.CompletionItemKind.Module,
    "keyword": lsp.CompletionItemKind.Keyword, "keyword argument": lsp.CompletionItemKind.Field,
    "dtype": lsp.CompletionItemKind.Constant, "device": lsp.CompletionItemKind.Constant,
    "file": lsp.CompletionItemKind.File, "parameter": lsp.CompletionItemKind.Variable,
    "namespace": lsp.CompletionItemKind.Module,
}  # fmt: skip


def add(server: Server) -> None:
    """What is typed, completed."""

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions([".", "(", '"', "'"], resolve_provider=True))
    def complete(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        document = server.document(params)
        if document is None:
            return None
        at = params.position
        asked = params.context.trigger_character if params.context else None
        return _completed(server, document, at.line, at.character, asked)

    @server.feature(lsp.COMPLETION_ITEM_RESOLVE)
    def resolve(item: lsp.CompletionItem) -> lsp.CompletionItem:
        document = server.documents.get((item.data or {}).get("uri", ""))
        if document is not None and item.data["path"]:
            found = server.words.session(document, item.data["line"]).inspect(item.data["path"])
            if found is not None:
                item.detail = item.detail or found.signature or found.type
                item.documentation = lsp.MarkupContent(lsp.MarkupKind.PlainText, found.doc[:2000])
        return item

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(["(", ","]))
    def signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        document = server.document(params)
        if document is None:
            return None
        at = params.position
        place = typed(_before(document, at.line, at.character))
        session = server.words.session(document, at.line)
        value = find(session, place.callee) if place.callee else peek.MISSING
        found = parameters(value) if value is not peek.MISSING and callable(value) else None
        return None if found is None else _help(place.callee, found, place.keyword, place.position)


def _before(document: Document, line: int, column: int) -> str:
    text = document.lines[line] if line < len(document.lines) else ""
    return "\n".join([*document.lines[:line], text[: characters(text, column)]])


def _completed(server: Server, document: Document, line: int, column: int, asked: str | None) -> lsp.CompletionList:
    before = _before(document, line, column)
    found = server.words.session(document, line).complete(before, len(before))
    start = min((each.start for each in found), default=len(before))
    prefix = before[start:]
    if asked in ("(", '"', "'") and not all(each.kind in ("keyword argument", "device", "file") for each in found[:1]):
        found = []
    items = []
    owner = before[before.rfind("\n") + 1 : start]
    path = owner[len(owner.rstrip("._0123456789[]" + _LETTERS)) :] if owner.endswith(".") else ""
    for number, each in enumerate(found[:MOST]):
        kind = KINDS.get(each.kind, lsp.CompletionItemKind.Text)
        column_from = column - units(before[each.start :])
        detail = each.detail if each.kind not in ("function", "class") else None
        items.append(
            lsp.CompletionItem(
                each.text,
                kind=kind,
                detail=detail or None,
                sort_text=f"{number:04}",
                text_edit=lsp.TextEdit(range_of([line, column_from, line, column]), each.text),
                data={"uri": document.uri, "path": path + each.text if each.kind != "keyword" else "", "line": line},
            )
        )
    word = prefix if found else _WORD.search(before)[0]  # type: ignore[index]
    if not path and not before[: len(before) - len(word)].endswith(".") and asked is None:
        known, prefix = {each.text for each in found}, word
        for name, kind in server.words.names(document, line).items():
            if name.startswith(prefix) and name not in known:
                edit = lsp.TextEdit(range_of([line, column - units(prefix), line, column]), name)
                items.append(lsp.CompletionItem(name, kind=KINDS[kind], sort_text="0000", text_edit=edit))
    return lsp.CompletionList(len(found) > MOST, items)


_WORD = re.compile(r"\w*\Z")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _help(name: str, found: list[Parameter], keyword: str, position: int) -> lsp.SignatureHelp:
    parts: list[str] = []
    spans: list[Any] = []
    label = name + "("
    starred = any(each.name.startswith("*") for each in found)
    for each in found:
        if each.keyword_only and not starred:
            parts.append("*")
            label += "*, "
            starred = True
        text = each.name + (f"={each.default}" if each.default else "")
        spans.append((units(label), units(label + text)))
        label += text + ", "
    label = label.removesuffix(", ") + ")"
    names = [each.name for each in found]
    positional = [at for at, each in enumerate(found) if not each.keyword_only]
    active = names.index(keyword) if keyword in names else None
    if active is None and positional:
        star = next((at for at in positional if names[at].startswith("*")), positional[-1])
        active = positional[position] if position < len(positional) and position < star else star
    information = lsp.SignatureInformation(
        label, parameters=[lsp.ParameterInformation(span) for span in spans], active_parameter=active
    )
    return lsp.SignatureHelp([information], 0, active)
