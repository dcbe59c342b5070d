"""Help while one writes: completion, signatures, changes that a fault proposes, golden tests."""

from __future__ import annotations

import pytest

from ..support.later import later
from .conftest import seconds

lsp = later("lsprotocol.types")

PROGRAM = """\
import torch.nn.functional as F
x = randn(2, 3)
words = ["a", "b"]
table = {"first": 1, "second": x}
class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.inner = nn.Linear(3, width)
        self.scale = ones(width)
    def forward(self, x, flip=False):
        hidden = self.inner(x)
        return hidden * self.scale
net = Net()
def scaled(a, *, by=2):
    return net(a) * by
y = scaled(x)
"""


@pytest.fixture(scope="module")
def text(editor):
    opened = editor.open(PROGRAM)
    assert opened.messages() == []
    return opened


def completions(text, typed: str, line: int | None = None) -> list[str]:
    """What is offered behind a text typed on a new line at the end, or after a line."""
    lines = PROGRAM.rstrip("\n").split("\n")
    at = len(lines) if line is None else line
    text.change("\n".join([*lines[:at], typed, *lines[at:]]))
    place = lsp.Position(at, len(typed))
    found = text.ask(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionParams(text.id, place))
    return [each.label for each in found.items]


@pytest.mark.parametrize(
    "typed, wanted",
    [
        ("x.tra", "transpose"),
        ("words.app", "append"),
        ("table['f", "first"),
        ("net.in", "inner"),
        ("net.inner.wei", "weight"),
        ("net.inner.weight.lo", "log"),
        ("F.rel", "relu"),
        ("torch.linalg.in", "inv"),
        ("scaled(x, b", "by="),
        ("zeros(2, dty", "dtype="),
        ("zeros(2, dtype=torch.int6", "int64"),
        ("sca", "scaled"),
        ("ran", "randn"),
        ("net.for", "forward"),
        ("y.sum().exp().lo", "log"),
    ],
)
def test_names_are_completed_from_the_last_run(text, typed, wanted):
    assert wanted in completions(text, typed)


def test_names_of_a_function_are_completed_within_it(text):
    assert "hidden" in completions(text, "        hid", 11)
    assert "log" in completions(text, "        hidden.lo", 11)
    assert {"inner", "scale"} <= set(completions(text, "        self.", 11))
    assert "flip" in completions(text, "        fli", 11)
    assert "hidden" not in completions(text, "hid")


def test_a_completion_replaces_the_word_and_tells_more_when_asked(text):
    completions(text, "s = '\U0001f600'; x.transp")
    place = lsp.Position(len(text.lines) - 1, 18)
    found = text.ask(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionParams(text.id, place)).items
    item = next(each for each in found if each.label == "transpose")
    assert (item.text_edit.range.start.character, item.text_edit.range.end.character) == (12, 18)
    more = text.ask(lsp.COMPLETION_ITEM_RESOLVE, item)
    assert more.detail == "(dim0, dim1)" and "dim" in more.documentation.value


def signature(text, typed: str) -> tuple[str, str]:
    completions(text, typed)
    place = lsp.Position(len(text.lines) - 1, len(typed))
    found = text.ask(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpParams(text.id, place))
    (shown,) = found.signatures
    start, end = shown.parameters[found.active_parameter].label
    return shown.label, shown.label[start:end]


def test_signatures_name_the_parameter_at_hand(text):
    assert signature(text, "scaled(x, by=") == ("scaled(a, *, by=2)", "by=2")
    assert signature(text, "nn.Linear(3, ")[1] == "out_features"
    assert signature(text, "x.transpose(0, ") == ("x.transpose(dim0, dim1)", "dim1")
    assert signature(text, "net.forward(")[1] == "x"
    assert signature(text, "zeros(2, 3, ")[1] == "*size"


def changed(text, action: lsp.CodeAction) -> str:
    """The text after an action."""
    lines = text.text.split("\n")
    ((_, edits),) = action.edit.changes.items()
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        first, last = edit.range.start, edit.range.end
        tail = lines[last.line :] or [""]
        joined = lines[first.line][: first.character] + edit.new_text + tail[0][last.character :]
        lines[first.line : last.line + 1] = joined.split("\n")
    return "\n".join(lines)


def actions(text, line: int, start: int = 0, end: int = 0) -> dict[str, str]:
    span = lsp.Range(lsp.Position(line, start), lsp.Position(line, end))
    asked = lsp.CodeActionParams(text.id, span, lsp.CodeActionContext([]))
    found = text.ask(lsp.TEXT_DOCUMENT_CODE_ACTION, asked)
    return {each.title: changed(text, each) for each in found}


@pytest.mark.parametrize(
    "program, line, title, wanted",
    [
        ("x = resahpe(3)", 0, "Change to `reshape`", "x = reshape(3)"),
        ("zeros(2, dtyp=1)", 0, "Change to `dtype`", "zeros(2, dtype=1)"),
        ("x = ones(2, 3)\ny = x @ x", 1, "Change to `x @ x.T`", "x = ones(2, 3)\ny = x @ x.T"),
        ("x = ones(2)\nx.summ()", 1, "Change to `sum`", "x = ones(2)\nx.sum()"),
        (
            "a = ones(3)\nb = ones(3, 2)\nc = a + b",
            2,
            "Change to `a[:, None]`",
            "a = ones(3)\nb = ones(3, 2)\nc = a[:, None] + b",
        ),
        (
            "w = ones(2, requires_grad)\nfor i in range(2):\n    w += 1\n",
            2,
            "Wrap in `with torch.no_grad():`",
            "w = ones(2, requires_grad)\nfor i in range(2):\n    with torch.no_grad():\n        w += 1\n",
        ),
    ],
)
def test_faults_propose_changes(editor, program, line, title, wanted):
    text = editor.open(program)
    text.faults()
    assert actions(text, line)[title] == wanted


def test_selected_lines_are_wrapped_in_no_grad(editor):
    text = editor.open("x = ones(2)\n")
    assert actions(text, 0, 0, 5) == {"Wrap in `with torch.no_grad():`": "with torch.no_grad():\n    x = ones(2)\n"}


GOLDEN = "x = ones(2)\nx\n#> tensor([1., 1.])\nx + 1\n#> tensor([9., 9.])\n"


def command(text, name: str) -> str:
    return text.ask(lsp.WORKSPACE_EXECUTE_COMMAND, lsp.ExecuteCommandParams(name, [text.uri]))


def test_golden_tests_have_lenses_that_run_and_bless_them(editor):
    text = editor.open(GOLDEN)
    text.faults()
    lenses = text.ask(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensParams(text.id))
    assert [each.command.title for each in lenses] == ["run golden test", "bless"]
    assert command(text, lenses[0].command.command) == "1 statement gave other output"
    editor.until(lambda: any("this gave:\n#> tensor([2., 2.])" in each.message for each in editor.shown[text.uri]))
    editor.edits.clear()
    command(text, lenses[1].command.command)
    ((_, (edit,)),) = editor.edits[0].changes.items()
    assert edit.new_text == GOLDEN.replace("9., 9.", "2., 2.")
    text.change(edit.new_text)
    assert command(text, "tensorsh.runGolden") == "the golden test passed"
    assert not text.ask(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensParams(editor.open("x = 1\n").id))


def test_a_golden_test_imports_what_lies_beside_its_own_file_only(editor, tmp_path):
    (tmp_path / "beside.tsr").write_text("width = 3\n")
    program = "import beside\nbeside.width\n#> 3\n"
    text = editor.open(program)
    assert "ModuleNotFoundError" in text.messages()[0]
    assert command(text, "tensorsh.runGolden") != "the golden test passed"
    text.uri = (tmp_path / "program.tsr").as_uri()
    client = editor.client
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(text.uri, "tensorsh", 1, program)))
    assert command(text, "tensorsh.runGolden") == "the golden test passed"


def test_a_hover_of_what_is_known_is_quick(text):
    text.change(PROGRAM)
    text.faults()
    text.hover(1, 0)
    assert min(seconds(lambda: text.hover(15, 0)) for _ in range(10)) < 0.02


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("x = torch.ones(2, 3)\ny = x.res|\nz = torch.nn.Linear(\n", "reshape"),
        ("x = torch.ones(3)\n\n@once\ndef f(a):\n    return [1, x.res|\nz = 3\n", "reshape"),
        ("net = nn.Linear(2, 3)\nfor i in [1, 2]:\n    net.wei|\n  else\n", "weight"),
        ("import numpy as np\ntry:\n    np.ar|\nexcept ValueError:\n    pass\n)\n", "array"),
    ],
)
def test_a_text_that_is_opened_half_written_knows_what_stands_before(editor, text: str, offered: str) -> None:
    before, behind = text.split("|")
    opened = editor.open(before + behind)
    line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
    place = lsp.Position(line, column)
    client = editor.client
    editor.until(lambda: opened.uri in editor.shown and editor.shown[opened.uri])

    def labels() -> list[str]:
        asked = lsp.CompletionParams(opened.id, place)
        return [each.label for each in editor.wait(client.text_document_completion_async(asked)).items]

    editor.wait(
        asked_until(lambda: client.text_document_completion_async(lsp.CompletionParams(opened.id, place)), offered)
    )
    assert offered in labels()
    assert "net" not in labels() and "x" not in labels()
    renamed = lsp.RenameParams(opened.id, lsp.Position(0, 0), "other")
    assert editor.wait(client.text_document_rename_async(renamed)) is None


async def asked_until(ask, label: str) -> None:
    """Asks until a completion is there, for the run of the text may not have ended."""
    import asyncio

    for _ in range(40):
        if label in [each.label for each in (await ask()).items]:
            return
        await asyncio.sleep(0.1)


def test_it_ends_well() -> None:
    """The exit code is 0 after `shutdown` and `exit`, and nothing is said."""
    import json
    import subprocess
    import sys

    server = subprocess.Popen(
        [sys.executable, "-m", "tensorsh", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    for each in messages:
        body = json.dumps({"jsonrpc": "2.0"} | each).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()
    _, said = server.communicate(timeout=30)
    assert (server.returncode, said) == (0, b"")
