"""Formatting: blanks between tokens change, tokens never; and symbols of whole folders."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..support.later import later
from .conftest import ROOT, Client

lsp = later("lsprotocol.types")

GIVEN = """\
x=ones( 2,3 ,requires_grad)   # first
def f (a,b:int=3,* ,k = None)->int :
    return -a+b**2 if a>-1 else{ 'k' :x[1:,: : 2] }   
y = f(* x,** {'a':1}); z=lambda q,r=2:q@r
@ no_grad()
def g(): s = '''kept  
  as is'''  +f'{x = }  {  1 }';return(not(s))# c
from  .  import a
#> tensor([1.,  2.])  
x [..., 0].T . shape,"größe"  "😀" ,1   


"""
WANTED = """\
x = ones(2, 3, requires_grad)   # first
def f(a, b: int = 3, *, k=None) -> int:
    return -a + b**2 if a > -1 else {'k': x[1:,: : 2]}
y = f(*x, **{'a': 1}); z = lambda q, r=2: q @ r
@no_grad()
def g(): s = '''kept  
  as is''' + f'{x = }  {  1 }'; return (not (s))  # c
from  .  import a
#> tensor([1.,  2.])  
x[..., 0].T.shape, "größe" "😀", 1
"""


def applied(text: str, edits: list[tuple[list[int], str]]) -> str:
    """A text with its edits, made from the last to the first, as editors count places."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    for (line, start, last, end), new in reversed(edits):
        whole = lines[line][: 2 * start] + new.encode("utf-16-le") + lines[last][2 * end :]
        lines[line : last + 1] = [part.encode("utf-16-le") for part in whole.decode("utf-16-le").split("\n")]
    return "\n".join(line.decode("utf-16-le") for line in lines)


def test_a_text_is_formatted_in_the_editor(editor):
    text = editor.open(GIVEN)
    options = lsp.FormattingOptions(4, True)
    found = text.ask(lsp.TEXT_DOCUMENT_FORMATTING, lsp.DocumentFormattingParams(text.id, options))
    spans = [
        (
            [each.range.start.line, each.range.start.character, each.range.end.line, each.range.end.character],
            each.new_text,
        )
        for each in found
    ]
    assert applied(GIVEN, spans) == WANTED
    lines = lsp.Range(lsp.Position(3, 0), lsp.Position(4, 3))
    part = text.ask(lsp.TEXT_DOCUMENT_RANGE_FORMATTING, lsp.DocumentRangeFormattingParams(text.id, lines, options))
    assert list(part) == [each for each in found if each.range.start.line in (3, 4)]
    broken = editor.open("x=(1\n")
    assert broken.ask(lsp.TEXT_DOCUMENT_FORMATTING, lsp.DocumentFormattingParams(broken.id, options)) is None


def test_formatting_changes_no_token_and_nothing_twice():
    from tensorsh.editor.formatting import formatted
    from tensorsh.language.parser import tokens_of

    def read(text: str) -> list[tuple[str, object]]:
        return [token[:2] for token in tokens_of(text) if token[0] != "FSTRING_DEBUG"]

    for path in sorted([*ROOT.glob("scripts/**/*.tsr"), *ROOT.glob("tests/**/programs/*.py")]):
        text = path.read_text(encoding="utf-8")
        edits = formatted(text)
        if edits is not None:
            new = applied(text, edits)
            assert read(new) == read(text) and formatted(new) == [], path


def test_symbols_of_the_folders_that_are_open(tmp_path: Path):
    (tmp_path / "net.tsr").write_text("class Net(nn.Module):\n    def forward(self, x): return x\nrate = 3\n", "utf-8")
    (tmp_path / "broken.tsr").write_text("def f(:\n", "utf-8")
    (tmp_path / "long.tsr").write_text("def forward_long(): pass\n" + "x = 1" + " + 1" * 200_000 + "\n", "utf-8")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "link.tsr").symlink_to(tmp_path / ".hidden" / "other.tsr")
    os.mkfifo(tmp_path / "pipe.tsr")
    (tmp_path / ".hidden" / "other.tsr").write_text("def forwards(): pass\n", "utf-8")
    client = Client([sys.executable, "-P", "-m", "tensorsh", "lsp"], folders=[tmp_path.as_uri()])
    try:
        opened = client.open("def forward_again(): pass\n")
        opened.faults()

        def names(query: str) -> list[tuple[str, str | None, str]]:
            found = opened.ask(lsp.WORKSPACE_SYMBOL, lsp.WorkspaceSymbolParams(query))
            return [(each.name, each.container_name, each.location.uri.rpartition("/")[2]) for each in found]

        assert names("fwd") == [("forward_again", None, "text1.tsr"), ("forward", "Net", "net.tsr")]
        assert names("NET") == [("Net", None, "net.tsr")] and len(names("")) == 4
        (tmp_path / "net.tsr").write_text("later = 1\nlast = 2\n", "utf-8")
        assert [name for name, *_ in names("la")] == ["later", "last"]
    finally:
        client.close()
