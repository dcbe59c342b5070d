"""%debug: the frames of an error, their variables, evaluation in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tensorsh.shell.loop import Shell

from .terminal import TAB, Terminal

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(31, 10)
    def forward(self, x):
        h, w = x.relu(), [x, x]
        return self.fc(h)

def use(net):
    return net(ones(2, 30))

net = Net()
"""


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What %debug prints where a person types these lines."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    shell = Shell()
    shell.enter(NET)

    def talk(entry: str, *lines: str) -> str:
        answers = list(lines)

        def ask(prompt: str, names: list[str]) -> str:
            if not answers:
                raise EOFError
            return answers.pop(0)

        shell.ask = ask  # type: ignore[method-assign]
        if entry:
            shell.enter(entry)
        capsys.readouterr()
        shell.enter("%debug")
        return "".join(capsys.readouterr())

    return talk


def test_the_frame_of_the_error_is_shown(talk: Callable[..., str]) -> None:
    assert talk("use(net)").split("\n") == [
        "<input 1>:8:16 in Net.forward",
        "8 |         return self.fc(h)",
        "                   ^^^^^^^^^^",
        "  self  Net",
        "  x     float32[2, 30]",
        "  h     float32[2, 30]",
        "  w     list of 2: float32[2, 30]",
        "",
    ]


def test_up_and_down(talk: Callable[..., str]) -> None:
    text = talk("use(net)", "up", "u", "u", "d 2", "d", "where")
    assert "<input 1>:11:12 in use\n11 |     return net(ones(2, 30))" in text and "\n  net  Net\n" in text
    assert "this is the first frame" in text and "this is the frame of the error" in text
    assert text.endswith("> <input 1>:8:16 in Net.forward  return self.fc(h)\n")


def test_lines_are_evaluated_in_the_frame(talk: Callable[..., str]) -> None:
    text = talk(
        "use(net)", "h.shape", "z = h.mean()", "z", "[v.dim() for v in w]", "w", "p 1 + 1", "nothing", "1 +", "!h.dim()"
    )
    assert "torch.Size([2, 30])\ntensor(1.)\n[2, 2]\n[tensor([[" in text
    assert "\n2\n" in text and text.count("2\n") >= 2
    assert "NameError: name 'nothing' is not defined" in text and "SyntaxError: invalid syntax" in text
    assert "1 | z" in talk("z", "quit")  # what was bound there was seen there alone


def test_evaluation_stands_behind_the_gate(talk: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path.parent / "secret").write_text("x")
    text = talk(
        "use(net)",
        "open('../secret').read()",
        "h.__class__.__mro__",
        "(lambda: 0).__globals__",
        "__builtins__",
        "self.forward.__func__.__code__",
    )
    assert "PermissionError" in text and text.count("AttributeError") == 3 and "x\n'x'" not in text
    assert "SyntaxError" in text or "NameError" in text


def test_there_must_be_an_error(talk: Callable[..., str]) -> None:
    assert "no error has left frames" in talk("x = 1")
    assert "before anything ran" in talk("1 +")


def test_at_a_terminal(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.run("def f(width):\r    return width / 0\r", "f(3)")
    terminal.send("%debug\r")
    terminal.wait("width  3\ndebug>")
    terminal.send("wid" + TAB)
    terminal.wait("debug> width")
    terminal.send(" + 4\r")
    terminal.wait("\n7\ndebug>")
    terminal.send("while True: pass\r")
    terminal.busy(0.3)
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt\ndebug>")
    terminal.send("\x03")
    terminal.until(lambda: terminal.text().count("KeyboardInterrupt\ndebug>") == 2)
    terminal.send("up\r")  # Ctrl-C at its prompt drops the line
    terminal.wait("1 | f(3)")
    terminal.answer("q")
    terminal.enter("1 + 1", "\n2\ntsr>")
    terminal.close()


@pytest.mark.parametrize("line", ["%who", "x?", "?x"])
def test_commands_of_the_shell_are_told_from_programs(talk: Callable[..., str], line: str) -> None:
    assert " ".join(talk("use(net)", line).split()).endswith("are not there within %debug; q leads back to them")


def test_the_mark_stands_below_the_fault_on_a_narrow_terminal(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, columns=60)
    terminal.enter("x = ones(2); " * 5 + "y = x @ ones(3)", "RuntimeError")
    terminal.type("%debug\r", "debug>")
    shown = terminal.text().rpartition("%debug")[2].split("\n")
    at = next(k for k, line in enumerate(shown) if line.startswith("1 | ..."))
    assert shown[at][shown[at + 1].index("^") :] == "x @ ones(3)" and len(shown[at]) <= 60
    terminal.close()
