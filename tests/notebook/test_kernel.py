"""The notebook kernel, asked by Jupyter's own client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from .conftest import ROOT

pytestmark = pytest.mark.filterwarnings("default")


def test_a_cell_shows_the_value_of_its_last_expression_alone(kernel) -> None:
    assert kernel.texts("1\nx = torch.arange(3.)\nx + 1") == ["tensor([1., 2., 3.])"]
    assert kernel.texts("x;") == [] and kernel.texts("x = 5") == [] and kernel.texts("") == []
    assert kernel.texts("_") == ["tensor([1., 2., 3.])"]
    assert kernel.texts("x = torch.arange(3.)\nprint('printed')\n[x, x]") == [
        "printed\n",
        "[tensor([0., 1., 2.]), tensor([0., 1., 2.])]",
    ]


def test_results_are_numbered_like_their_cells(kernel) -> None:
    reply, shown = kernel.run("3")
    assert shown == [
        ("execute_result", {"data": {"text/plain": "3"}, "metadata": {}, "execution_count": reply["execution_count"]})
    ]
    assert kernel.run("4")[0]["execution_count"] == reply["execution_count"] + 1


def test_a_tensor_shows_its_facts_to_a_browser(kernel) -> None:
    data = kernel.run("torch.tensor([1., float('nan')], requires_grad=True) * 2")[1][0][1]["data"]
    assert data["text/plain"] == "tensor([2., nan], grad_fn=<MulBackward0>)"
    assert "&lt;MulBackward0&gt;" in data["text/html"] and "<svg" in data["text/html"]
    assert "float32[2]" in data["text/html"] and "not finite" in data["text/html"]


def test_an_error_comes_with_its_place_and_leaves_the_variables(kernel) -> None:
    reply, shown = kernel.run("kept = 17\ntorch.ones(2, 3) @ torch.ones(2, 3)")
    assert reply["status"] == "error" and reply["ename"] == "RuntimeError"
    assert reply["evalue"] == "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
    assert shown[0][0] == "error" and any("^^^" in line for line in shown[0][1]["traceback"])
    assert kernel.texts("kept") == ["17"]
    assert kernel.run("def f(:")[0]["ename"] == "SyntaxError"


@pytest.mark.parametrize(
    "call", ["while True: pass", "a = torch.ones(6000, 6000)\na @ a @ a", "import time\ntime.sleep(50)"]
)
def test_an_interrupt_keeps_the_variables(kernel, call: str) -> None:
    kernel.run("kept = 18")
    timer = threading.Timer(0.7, kernel.manager.interrupt_kernel)
    timer.start()
    began = time.monotonic()
    reply, _ = kernel.run(call)
    assert reply["ename"] == "KeyboardInterrupt" and time.monotonic() - began < 0.7 + 2
    assert kernel.texts("kept") == ["18"]


def test_input_is_asked_of_the_person(kernel) -> None:
    kernel.channels.input  # noqa: B018 - the channel is there

    def answer(message) -> None:
        kernel.channels.input("42")

    shown, asked = [], []
    reply = kernel.channels.execute_interactive(
        "int(input('how many? ')) + 1",
        allow_stdin=True,
        stdin_hook=lambda message: answer(asked.append(message["content"]["prompt"])),
        output_hook=lambda message: shown.append(message["content"]),
        timeout=30,
    )
    assert asked == ["how many? "] and "how many? " not in str([each.get("text") for each in shown])
    assert reply["content"]["status"] == "ok" and any(each.get("data", {}).get("text/plain") == "43" for each in shown)
    assert kernel.run("input()", allow_stdin=False)[0]["ename"] == "EOFError"


def test_settings_are_set_and_those_of_ipython_passed_over(kernel) -> None:
    assert kernel.texts("%config InlineBackend.figure_format = 'retina'") == kernel.texts("%config Completer.x=1") == []
    assert kernel.texts("%config precision = 2") == ["precision = 2\n"]
    assert kernel.texts("tensor([3.14159])") == ["tensor([3.14])"]
    kernel.run("%config precision 4")
    assert kernel.texts("%config") == []


def test_questions_of_commands_stand_where_they_are_answered(kernel) -> None:
    asked: list[str] = []

    def hear(message) -> None:
        asked.append(message["content"]["prompt"])
        kernel.channels.input({1: "n", 2: "a"}.get(len(asked), "q"))

    kernel.run("a = 5\n1 / 0")
    assert kernel.run("%reset", allow_stdin=True, stdin_hook=hear)[1] == []
    _, shown = kernel.run("%debug", allow_stdin=True, stdin_hook=hear)
    assert asked == ["Forget all variables? (y/n) ", "debug> ", "debug> "]
    told = "".join(content["text"] for _, content in shown)
    assert told.endswith("\n5\n") and "debug>" not in told
    assert kernel.run("%reset", allow_stdin=False)[0]["status"] == "ok" and kernel.texts("a") == ["5"]


def test_completion_inspection_and_completeness(kernel) -> None:
    kernel.run("weights = torch.ones(2, 3)")
    found = kernel.channels.complete("weights.su", 10, reply=True, timeout=30)["content"]
    assert "sum" in found["matches"] and (found["cursor_start"], found["cursor_end"]) == (8, 10)
    found = kernel.channels.complete("weig", 4, reply=True, timeout=30)["content"]
    kinds = found["metadata"]["_jupyter_types_experimental"]
    assert found["matches"] == ["weights"] and kinds[0]["signature"] == "float32[2, 3]"
    assert kernel.channels.complete("%who", 4, reply=True, timeout=30)["content"]["matches"] == [
        "who",
        "who_ls",
        "whos",
    ]
    for code, at, text in (
        ("weights", 3, "Size([2, 3])"),
        ("torch.cumsum(weights, ", 22, "torch.cumsum(input, dim"),
        ("nothing", 3, ""),
        ("weights", -9, "Size([2, 3])"),
        ("weights", 99, "Size([2, 3])"),
    ):
        content = kernel.channels.inspect(code, at, reply=True, timeout=30)["content"]
        assert content["found"] == bool(text) and text in content["data"].get("text/plain", "")
    for code, status in (
        ("for i in x:", "incomplete"),
        ("1 + 1", "complete"),
        ("%who", "complete"),
        ("1 +* 1", "invalid"),
    ):
        asked = kernel.channels.is_complete(code)
        reply = kernel.channels.get_shell_msg(timeout=30)
        assert reply["parent_header"]["msg_id"] == asked and reply["content"]["status"] == status


def test_history_is_the_kernels_own(kernel) -> None:
    kernel.run("'remembered'")
    kernel.run("'not kept'", store_history=False)
    content = kernel.channels.history(hist_access_type="tail", n=1, reply=True, timeout=30)["content"]
    assert [entry[2] for entry in content["history"]] == ["'remembered'"]
    content = kernel.channels.history(hist_access_type="search", pattern="*ember*", reply=True, timeout=30)["content"]
    assert [entry[2] for entry in content["history"]] == ["'remembered'"]


def test_commands_of_the_shell(kernel) -> None:
    kernel.run("%reset -f\nlayer = nn.Linear(2, 3)")
    assert kernel.texts("%who") == ["layer\n"]
    assert "Linear" in "".join(kernel.texts("layer?"))
    assert "%save is a command of the shell" in "".join(kernel.texts("%save a.tsr"))
    assert "there is no command %%bash" in "".join(kernel.texts("%%bash\nls"))


def test_a_program_never_ends_the_kernel(kernel) -> None:
    kernel.run("kept = 19\nimport os", stop_on_error=False)
    for code in ("def f(): f()\nf()", "torch.empty(2**60)", "1 / 0", "raise MemoryError"):
        assert kernel.run(code)[0]["status"] == "error"
    assert kernel.texts("kept") == ["19"]


def test_user_expressions_are_programs_of_the_session(kernel) -> None:
    expressions = {"two": "1 + 1", "file": "open('/etc/passwd').read()", "wrong": "1 +"}
    found = kernel.run("1", user_expressions=expressions)[0]["user_expressions"]
    assert found["two"] == {"status": "ok", "data": {"text/plain": "2"}, "metadata": {}}
    assert found["file"]["ename"] == "PermissionError" and found["wrong"]["ename"] == "SyntaxError"


SHOWN = """
class Shown:
    def _repr_{name}_(self{more}): return {value}
Shown()
"""


@pytest.mark.parametrize(
    ("name", "value", "kind", "shown"),
    [
        ("html", "'<b onclick=\"f()\">bold</b><script>alert(1)</script>'", "text/html", "<b>bold</b>"),
        ("markdown", "'**a** <img src=x onerror=f()>'", "text/markdown", '**a** <img src="x">'),
        ("svg", "'<svg onload=\"f()\"/>'", "text/html", '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImYoKSIvPg==">'),
        ("png", "b'\\x89PNG'", "image/png", "iVBORw=="),
        ("latex", "'$x^2$'", "text/latex", "$x^2$"),
        ("markdown", "'[a](&#106;avascript:f())'", "text/markdown", "[a](j\u200cavascript:f())"),
        ("javascript", "'alert(1)'", "application/javascript", None),
        ("markdown", r"r'[a](JavaScript\:f())'", "text/markdown", "[a](J\u200cavaScript\\:f())"),
        ("latex", r"'$\\href{java\nscript:f()}x$'", "text/latex", "$\\href{j\u200cava\nscript:f()}x$"),
        ("html", r"'$\\href{java&#115;cript:f()}x$ \ud800'", "text/html", "$\\href{j\u200cavascript:f()}x$ \\ud800"),
        ("png", r"""'"onerror="f()'""", "image/png", None),
        ("mimebundle", "{'text/html': '<i>i</i>', 'application/javascript': 'alert(1)', 'text/x': 3}", "text/html", "<i>i</i>"),
    ],
)  # fmt: skip
def test_what_a_program_shows_holds_no_script(kernel, name, value, kind, shown) -> None:
    more = ", include=None, exclude=None" if name == "mimebundle" else ""
    data = kernel.run(SHOWN.format(name=name, value=value, more=more))[1][0][1]["data"]
    assert data.get(kind) == shown and set(data) <= {"text/plain", kind}
    assert "script>" not in json.dumps(data) and "onclick" not in json.dumps(data)


LIES = """
class Text(str):
    def replace(self, *a): return self
    def __format__(self, spec): return self
class T(torch.Tensor):
    def __repr__(self, **k): return Text("<script>f()</script>")
torch.ones(2).as_subclass(T)
"""


def test_the_text_of_a_program_s_tensor_holds_no_script(kernel) -> None:
    data = kernel.run(LIES)[1][0][1]["data"]
    assert "&lt;script&gt;" in data["text/html"] and "<script" not in data["text/html"]


@pytest.mark.parametrize(
    "code",
    [
        "get_ipython()", "get_ipython", "get_ipython().system('ls')", "!cat /etc/passwd", "%run /etc/passwd", "%%bash\ncat /etc/passwd",
        "open('/etc/passwd').read()", "In", "_ih", "_oh", "display_pub", "import IPython", "import ipykernel",
        "class A:\n    def _repr_pretty_(self, p, cycle): p.text(open('/etc/passwd').read())\n[A()]",
        "class A:\n    def _ipython_display_(self): print(open('/etc/passwd').read())\nA()",
        "class A:\n    def _repr_html_(self): return open('/etc/passwd').read()\nA()",
        "%load /etc/passwd",
    ],
)  # fmt: skip
def test_no_way_around_the_gate(kernel, code: str) -> None:
    told = json.dumps(kernel.run(code))
    assert "root:" not in told


@pytest.mark.parametrize(
    "code",
    [
        "x = iter([])\nfor i in range(100_000): x = map(abs, x)\nlist(x)",
        "x = []\nfor i in range(100_000): x = [x]\nrepr(x) == ''",
        "import os\nos._exit(3)",
        "exit",
        "[0] * 10**12",
        "raise SystemExit(3)",
    ],
)
def test_traps_end_no_kernel(kernel, code: str) -> None:
    kernel.run("kept = 20")
    kernel.run(code, stop_on_error=False)
    assert kernel.manager.is_alive() and kernel.texts("kept") == ["20"]


def test_a_million_lines_come_to_an_end(kernel) -> None:
    seen = 0

    def note(message) -> None:
        nonlocal seen
        seen += len(message["content"].get("text", ""))

    began = time.monotonic()
    reply = kernel.channels.execute_interactive("for i in range(300_000): print(i)", timeout=60, output_hook=note)
    assert reply["content"]["status"] == "ok" and seen == sum(len(f"{i}\n") for i in range(300_000))
    assert time.monotonic() - began < 50 and kernel.texts("1") == ["1"]


def test_messages_that_open_doors_are_not_answered(kernel) -> None:
    """A comm, and the debugger, which reads files and evaluates outside of the gate."""
    session = kernel.channels.session
    opened = {"comm_id": "1", "target_name": "jupyter.widget", "data": {"state": {"_model_name": "x"}}}
    session.send(kernel.channels.shell_channel.socket, session.msg("comm_open", opened))
    request = {
        "type": "request",
        "seq": 1,
        "command": "evaluate",
        "arguments": {"expression": "open('/etc/passwd').read()"},
    }
    session.send(kernel.channels.control_channel.socket, session.msg("debug_request", request))
    with pytest.raises(Exception):  # noqa: B017 - no reply
        print(kernel.channels.get_control_msg(timeout=1))
    assert kernel.texts("1") == ["1"]


def test_what_tools_make_is_drawn(kernel) -> None:
    """The text is the shell's; pictures are well-formed, and what a program named is text in them."""
    from xml.etree import ElementTree

    kernel.run(
        "w = torch.ones(2, requires_grad=True)\nloss = (w * w).sum()\nnet = nn.Sequential(nn.Linear(3, 2), nn.ReLU())"
    )

    def shown(code: str) -> dict[str, str]:
        return kernel.run(code)[1][0][1]["data"]

    def words(data: dict[str, str]) -> list[str]:
        tree = ElementTree.fromstring(data["image/svg+xml"])
        return [each.text or "" for each in tree.iter("{http://www.w3.org/2000/svg}text")]

    for code in ("graph(loss)", "%graph loss"):
        data = shown(code)
        assert words(data) == ["loss = SumBackward0", "float32[]", "MulBackward0", "float32[2]", "w", "float32[2]"]
        assert data["text/plain"].startswith("loss = SumBackward0") and data["image/svg+xml"].count("<line") == 3
    data = shown("plot({'<script>': [1., 2.], 'b': [3., float('nan'), 1.]}, title='</text>')")
    assert {"<script>", "b", "</text>", "3", "1", "0", "2"} <= set(words(data))
    data = shown("hist(torch.arange(10.), bins=5)")
    tree = ElementTree.fromstring(data["image/svg+xml"])
    assert [each.text for each in tree.iter("{http://www.w3.org/2000/svg}title")] == ["2"] * 5
    assert set(shown("plot([float('nan')])")) == {"text/plain"}
    data = shown("summary(net, (1, 3))")
    assert "<td" in data["text/html"] and "8 parameters" in data["text/html"] and "Linear" in data["text/plain"]


def test_progress_bars_are_redrawn_in_place(kernel) -> None:
    for code in (
        "for i in track(range(4), 'epochs'): pass",
        "from tqdm import tqdm\nfor i in tqdm(range(4), desc='<b>'): pass",
    ):
        shown = kernel.run(code)[1]
        kinds = [kind for kind, _ in shown]
        assert kinds[0] == "display_data" and set(kinds[1:]) == {"update_display_data"}
        assert len({content["transient"]["display_id"] for _, content in shown}) == 1
        data = shown[-1][1]["data"]
        assert (
            "#################### 4/4 [" in data["text/plain"] and "<progress value='4' max='4'>" in data["text/html"]
        )
        assert "<b>" not in data["text/html"]


def test_a_form_that_fails_leaves_the_text(kernel) -> None:
    reply, seen = kernel.run(
        "class Bad:\n    def _repr_html_(self): raise ValueError('no html')\n    def __repr__(self): return 'text'\nBad()"
    )
    assert reply["status"] == "ok" and [kind for kind, _ in seen] == ["stream", "execute_result"]
    assert "ValueError: no html" in seen[0][1]["text"] and seen[1][1]["data"] == {"text/plain": "text"}


def test_settings_of_ipython_are_passed_over(kernel) -> None:
    assert kernel.texts("%config InlineBackend.figure_format = 'svg'\n%load_ext autoreload\n%matplotlib inline\n7") == [
        "7"
    ]


def test_what_programs_display_themselves(kernel) -> None:
    """As ipykernel shows it: the kinds of messages and their text, tried beside it."""
    kernel.run("from IPython.display import *\nimport IPython.display as shown, IPython")
    _, seen = kernel.run("display(HTML('<i>x</i>')); display('s', 3); print('then'); HTML('<b>y</b>')")
    html = {"text/plain": "<IPython.core.display.HTML object>"}
    assert [(kind, content.get("data", content.get("text"))) for kind, content in seen] == [
        ("display_data", html | {"text/html": "<i>x</i>"}), ("display_data", {"text/plain": "'s'"}),
        ("display_data", {"text/plain": "3"}), ("stream", "then\n"), ("execute_result", html | {"text/html": "<b>y</b>"}),
    ]  # fmt: skip
    _, seen = kernel.run(
        "h = display(1, display_id='d'); h.update(2); clear_output(wait=True)\nupdate_display(3, display_id='d')"
    )
    assert [kind for kind, _ in seen] == ["display_data", "update_display_data", "clear_output", "update_display_data"]
    assert seen[0][1]["transient"] == {"display_id": "d"} and seen[2][1] == {"wait": True}
    assert seen[3][1]["data"] == {"text/plain": "3"}
    assert kernel.run("Math('x^2')")[1][0][1]["data"]["text/latex"] == "$\\displaystyle x^2$"
    assert kernel.run("shown.Markdown('# h')")[1][0][1]["data"]["text/markdown"] == "# h"
    _, seen = kernel.run("display({'text/plain': 'p', 'text/html': '<script>1</script>q'}, raw=True)")
    assert seen[0][1]["data"] == {"text/plain": "p", "text/html": "q"}
    assert "<script" not in str(kernel.run("HTML('<b>z</b><script>alert(1)</script>')"))


def test_what_a_program_writes_to_a_printer(kernel) -> None:
    kernel.run(
        "class Pr:\n    def __init__(s, x): s.x = x\n    def _repr_pretty_(s, p, cycle):\n        with p.group(2, 'Pr(', ')'):\n"
        "            p.pretty(s.x); p.text(','); p.breakable(); p.text('end')"
    )
    assert kernel.texts("Pr([1, 2])") == ["Pr([1, 2], end)"]
    assert kernel.texts("[Pr(1), Pr(Pr(2))]") == ["[Pr(1, end), Pr(Pr(2, end), end)]"]


@pytest.mark.parametrize(
    "code",
    [
        "IPython.get_ipython()", "IPython.display.os", "shown.Image('/etc/passwd')", "HTML(filename='/etc/passwd')",
        "Markdown(filename='../../../../etc/passwd')", "HTML._read", "HTML('x')._read('/etc/passwd')", "display.__globals__",
        "HTML(url='file:///etc/passwd')", "DisplayHandle('x').__class__.__init__.__globals__", "IPython.core.display.acting",
        "class G(HTML):\n    def g(self): return self._forms.__func__.__globals__\nG('x').g()",
        "class Q:\n    def _repr_pretty_(s, p, cycle): p.text(p._Printer__text_of)\nQ()",
        "class Q:\n    def _repr_pretty_(s, p, cycle): p.text(p.group.__wrapped__.__globals__)\nQ()",
    ],
)  # fmt: skip
def test_no_display_leads_out(kernel, code: str) -> None:
    kernel.run("from IPython.display import *\nimport IPython.display as shown, IPython")
    reply, seen = kernel.run(code)
    assert reply["status"] == "error" and "root:" not in str(seen)


def test_lines_are_captured(kernel) -> None:
    assert kernel.texts("%%capture seen\nprint(3)\ndisplay(4)\nones(2)") == []
    assert kernel.texts("seen.stdout, str(seen)") == ["('3\\n', '3\\n')"]
    assert kernel.texts("seen.outputs") == ["[4, tensor([1., 1.])]"]
    assert kernel.texts("seen.show()") == ["3\n", "4", "tensor([1., 1.])"]
    assert kernel.texts("%%capture seen --no-stdout\nprint(5)\n6") == ["5\n"]
    assert kernel.texts("seen.stdout, seen.outputs") == ["('', [6])"]
    assert kernel.texts("%%capture seen\n1 / 0") == ["ZeroDivisionError: division by zero"]
    for name in ("__builtins__", "a b", "for"):
        assert kernel.run(f"%%capture {name}\n1")[0]["ename"] == "UsageError"
    assert kernel.texts("type(seen)([1], '')")[0].startswith("TypeError")


def test_lines_are_written_where_programs_may_write(kernel) -> None:
    assert "".join(kernel.texts("%%writefile a.txt\none\ntwo")) == "Writing a.txt\n"
    assert "".join(kernel.texts("%%writefile -a a.txt\nthree")) == "Appending to a.txt\n"
    assert kernel.texts("open('a.txt').read()") == ["'one\\ntwo\\nthree\\n'"]
    assert "".join(kernel.texts("%%file a.txt\nfour")) == "Overwriting a.txt\n"
    reply, shown = kernel.run("%%writefile /tmp/nowhere/a.txt\nx")
    assert reply["ename"] == "UsageError" and "--allow-write" in reply["evalue"]


@pytest.mark.parametrize(
    "code, data",
    [
        (
            "%%html\n<b>x</b><script>y</script>",
            {"text/html": "<b>x</b>", "text/plain": "<IPython.core.display.HTML object>"},
        ),
        ("%%markdown\n*x*", {"text/markdown": "*x*", "text/plain": "<IPython.core.display.Markdown object>"}),
        ("%%latex\n$x$", {"text/latex": "$x$", "text/plain": "<IPython.core.display.Latex object>"}),
    ],
)
def test_lines_are_displayed(kernel, code: str, data: dict[str, str]) -> None:
    assert [content["data"] for _, content in kernel.run(code)[1]] == [data]


def test_an_unknown_command_ends_a_run_of_all_cells_and_one_left_out_on_purpose_does_not(kernel) -> None:
    reply, _ = kernel.run("%nonsense")
    assert (reply["status"], reply["ename"]) == ("error", "UsageError") and "%help" in reply["evalue"]
    for code in ("!pip install torch", "%pip install torch", "%%bash\nls", "%env A=1", "%matplotlib inline"):
        assert kernel.run(code)[0]["status"] == "ok", code
    assert "%ls" not in kernel.texts("!ls")[0]
    assert kernel.texts("%%time\nx = 1")[0].startswith("CPU times: user ")


def test_other_tools_run_the_kernel(tmp_path: Path) -> None:
    """nbclient, with which `jupyter execute`, nbconvert, papermill and nbval run notebooks."""
    import nbformat

    from tensorsh.notebook.launch import install

    prefix = tmp_path / "prefix"
    install([f"--prefix={prefix}"])
    v4 = nbformat.v4
    kernel = {"kernelspec": {"name": "tensorsh", "display_name": "tensorsh", "language": "tensorsh"}}
    cells = ["x = ones(2)\nx", "print(x.sum())", "!ls", "x @ ones(3)"]
    book = v4.new_notebook(metadata=kernel, cells=[v4.new_code_cell(each) for each in cells])
    code = (
        "import sys, os, nbformat\nfrom nbclient import NotebookClient\nfrom nbclient.exceptions import CellExecutionError\n"
        "book = nbformat.read('a.ipynb', 4)\n"
        "try:\n    NotebookClient(book, timeout=60).execute()\nexcept CellExecutionError as error:\n    print(error.ename)\n"
        "nbformat.write(book, 'a.ipynb')\n"
    )
    nbformat.write(book, tmp_path / "a.ipynb")
    environment = {
        **os.environ,
        "JUPYTER_PATH": str(prefix / "share" / "jupyter"),
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
    }
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout == "RuntimeError\n", done.stderr
    outputs = [cell.outputs for cell in nbformat.read(tmp_path / "a.ipynb", 4).cells]
    assert outputs[0][0].data["text/plain"] == "tensor([1., 1.])" and outputs[1][0].text == "tensor(2.)\n"
    assert "starts no programs" in outputs[2][0].text and outputs[3][0].evalue.startswith("inconsistent tensor size")


BY_THEMSELVES = (  # as ipykernel shows it
    ("class A:\n    def _ipython_display_(self): print('by itself')\nA()", ["by itself\n"]),
    ("display(A())", ["by itself\n"]),
    ("display([A.__name__, 1])", ["['A', 1]"]),
    (
        "class B:\n    def _ipython_display_(self): raise NotImplementedError\n    def __repr__(self): return 'B()'\nB()",
        ["B()"],
    ),
    ("    x = 3\n    if x:\n        y = 4\n    x + y", ["7"]),
    ("raise SystemExit", ["SystemExit: "]),
    ("import sys\nsys.exit(3)", ["SystemExit: 3"]),
    ("from IPython.display import JSON, Code, Javascript, Pretty, ProgressBar, display_html\nJSON({'a': 1})", ["<IPython.core.display.JSON object>"]),
    ("Code('x = 1')", ["x = 1"]),
    ("Pretty('hello')", ["hello"]),
    (
        "for i in ProgressBar(2): pass",
        [f"[{' ' * 60}] 0/2", f"[{' ' * 60}] 0/2", f"[{'=' * 30}{' ' * 30}] 1/2", f"[{'=' * 60}] 2/2"],
    ),
    (
        "class C:\n    def _repr_pretty_(self, p, cycle):\n        with p.group(4, 'G(', ')'):\n            for i in range(30):\n"
        "                if i: p.text(','); p.breakable()\n                p.pretty(i)\nC()",
        ["G(0,\n" + "".join(f"    {i},\n" for i in range(1, 29)) + "    29)"],
    ),
)  # fmt: skip


@pytest.mark.parametrize(("code", "shown"), BY_THEMSELVES)
def test_what_objects_do_to_be_shown(kernel, code: str, shown: list[str]) -> None:
    assert kernel.texts(code, stop_on_error=False) == shown


def test_exit_asks_to_leave_and_groups_without_end_are_refused(kernel) -> None:
    assert kernel.run("exit")[0]["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    told = kernel.texts(
        "class D:\n    def _repr_pretty_(self, p, cycle):\n        for i in range(10**9): p.begin_group(10**9)\nD()"
    )
    assert "groups in groups" in told[-1]
