"""Narrow and wide terminals, other encodings, no colours, a home that cannot be written, two shells at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tensorsh.display.cells import cell_width

from .terminal import ROOT, UP, Terminal


def test_history_lasts_and_holds_whole_entries(tmp_path: Path) -> None:
    first = Terminal(tmp_path)
    first.run("def f(n):\rreturn n + 4\r")
    first.enter("f(17)", "21\ntsr>")
    first.send("\x04")
    assert first.ended() == 0
    second = Terminal(tmp_path)
    second.type(UP, " f(17)")
    second.type(UP, "...>     return n + 4")
    second.run("\r")  # a line more, which ends it
    second.enter("f(1)", "\n5\ntsr>")
    assert (tmp_path / "state/tensorsh/history.jsonl").stat().st_mode & 0o077 == 0
    second.close()


def test_two_shells_lose_nothing(tmp_path: Path) -> None:
    one, two = Terminal(tmp_path), Terminal(tmp_path)
    for i in range(3):
        one.enter(f"{i} + 100", f"\n{i + 100}\n")
        two.enter(f"{i} + 200", f"\n{i + 200}\n")
    one.close()
    two.close()
    kept = [json.loads(line) for line in (tmp_path / "state/tensorsh/history.jsonl").read_text().splitlines()]
    assert sorted(kept) == sorted([f"{i} + {n}" for i in range(3) for n in (100, 200)])


def test_many_writers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    from tensorsh.shell.history import Entries

    def write(name: int) -> None:
        entries = Entries()
        for i in range(100):
            entries.append(f"{name}: {i}\nsecond line")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Entries().earlier) == 500


def test_a_long_history_is_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    from tensorsh.shell.history import Entries

    entries = Entries(10)
    for i in range(14):
        entries.append(str(i))
    assert Entries(10).earlier == [str(i) for i in range(4, 14)]
    assert len((tmp_path / "tensorsh/history.jsonl").read_text().splitlines()) == 10


def test_a_damaged_history_warns_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    from tensorsh.shell.history import Entries

    (tmp_path / "tensorsh").mkdir()
    (tmp_path / "tensorsh/history.jsonl").write_bytes(b'"good"\n{"half": \n\xff\xfe\n3\n"also good"\n"cut')
    entries = Entries()
    assert entries.earlier == ["good", "also good"]
    assert capsys.readouterr().err.count("\n") == 1
    entries.append("new")
    assert Entries().earlier == ["good", "also good", "new"]


@pytest.mark.parametrize(
    "text",
    [
        b"garbage = = =",
        b"\xff\xfe\0",
        b"theme = 5\nunknown = 1\n",
        b"x = " + b"[" * 100_000,
        b"precision = -1",
        b"precision = 99999999999999999999\noutputs = -5\nhistory_size = " + b"9" * 4000,
    ],
    ids=range(6),
)
def test_a_damaged_config_is_told_of_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    from tensorsh.shell.config import KEYS, Config

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "tensorsh").mkdir()
    (tmp_path / "tensorsh" / "config.toml").write_bytes(text)
    config = Config()
    assert config.problems and all(config[name] == key.default for name, key in KEYS.items())


@pytest.mark.parametrize("variables", [{"XDG_STATE_HOME": "/dev/null/state", "XDG_CONFIG_HOME": "/dev/null/config"}])
def test_a_home_that_cannot_be_written(tmp_path: Path, variables: dict[str, str]) -> None:
    terminal = Terminal(tmp_path, wait=False, **variables)
    terminal.wait("the history cannot be kept in a file")
    terminal.enter("1 + 1", "2\ntsr>")
    terminal.enter("2 + 2", "4\ntsr>")
    assert terminal.text().count("cannot be kept") == 1
    terminal.enter("%config", "the settings file cannot be written")
    terminal.close()


def test_a_disk_that_is_full_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    from tensorsh.shell import history

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    entries = history.Entries()
    monkeypatch.setattr(history.os, "write", full)
    for entry in ("1", "2"):
        entries.append(entry)
        assert capsys.readouterr().err == ""  # the editor still holds the screen
        entries.say()
        assert capsys.readouterr().err.count("(No space left on device)") == (entry == "1")
    assert entries.session == ["1", "2"]


@pytest.mark.parametrize("columns", [40, 60, 300])
def test_widths(tmp_path: Path, columns: int) -> None:
    terminal = Terminal(tmp_path, columns=columns, rows=50)
    terminal.run("weights = ones(2, 3, requires_grad)", "loss = ((weights * 2).exp() + 1).log().mean()")
    terminal.enter("loss", "MeanBackward0 ←")
    assert any(line.endswith(("…", "weights")) for line in terminal.text().split("\n"))
    terminal.enter("%graph loss", "└─")
    terminal.enter("%whos", "\nweights  ")
    terminal.wait("cpu · float32")
    lines = terminal.screen.display
    assert not any(line.startswith(("float32", "Mean", "  ×")) for line in lines if "tsr" in line)
    bar = lines[-1].rstrip()
    assert bar.startswith(" cpu · float32") and len(bar) < columns
    assert "weights" in terminal.text() and "…" not in terminal.text().rpartition("%whos")[2]
    long = "value = [" + "1, " * (columns // 3) + "1]"
    terminal.type(long, "1]\n")
    assert "...>" not in terminal.entry()
    terminal.close()


def test_wide_characters_are_aligned(terminal: Terminal) -> None:
    terminal.run("重み = ones(2)", "x = ones(3)", "%whos")
    rows = [line for line in terminal.text().split("\n") if "Tensor" in line]
    places = {cell_width(line[: line.index("Tensor")].replace("重み", "重み")) for line in rows}
    assert len(rows) == 2 and len(places) == 1, terminal.text()


def test_ascii_where_the_encoding_is_no_unicode(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, PYTHONIOENCODING="latin-1")
    terminal.run("w = ones(2, requires_grad)")
    terminal.enter("(w * 2).sum()", "SumBackward0 <- MulBackward0 <- w")
    terminal.enter("graph(_)", "`- MulBackward0")
    terminal.enter("plot([1, 2, 3])", "+------")
    terminal.wait("cpu | float32 | grad on")
    assert all(byte < 0x80 for byte in terminal.raw)
    terminal.close()


@pytest.mark.parametrize(
    ("variables", "code"),
    [({"COLORFGBG": "15;0"}, "36"), ({"COLORFGBG": "0;15"}, "34"), ({"NO_COLOR": "1"}, None)],
)
def test_themes(tmp_path: Path, variables: dict[str, str], code: str | None) -> None:
    terminal = Terminal(tmp_path, **variables)
    terminal.enter("tensor([1.5])", "float32[1]")
    assert (f"\x1b[{code}m1.5000".encode() in terminal.raw) == (code is not None)
    assert code is not None or b"m1.5000" not in terminal.raw
    terminal.close()


@pytest.mark.parametrize(
    ("kind", "typed", "shown", "code"),
    [
        ("dumb", "", "tsr>", 0),
        ("vt100", "", "tsr>", 129),
        ("dumb", "print('no' 'w'); [i for i in iter(int, 1)]\r", "now", 129),
        ("dumb", "input('no' 'w')\r", "now", 129),
    ],
)
def test_a_terminal_that_goes_takes_the_shell_with_it(
    tmp_path: Path, kind: str, typed: str, shown: str, code: int
) -> None:
    """Also without SIGHUP, which whoever started the shell may ignore."""
    ours, theirs = os.openpty()
    env = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "TERM": kind}
    env.pop("PYTHONUNBUFFERED", None)  # what is buffered cannot be written any more when it ends
    command = [sys.executable, "-m", "tensorsh"]
    process = subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    seen = b""
    os.write(ours, typed.encode())
    while shown.encode() not in seen:
        seen += os.read(ours, 65536)
    os.close(ours)
    assert process.wait(60) == code


def test_the_bar_tells_memory_and_duration(terminal: Terminal) -> None:
    terminal.run("a = zeros(1000, 250); b = a.t()")
    terminal.wait("tensors 1 MB")
    terminal.enter("torch.set_grad_enabled(False);", "grad off")
    terminal.run("import time; time.sleep(0.2)")
    terminal.until(lambda: re.search(r" · ([2-9]\d\d ms|[\d.]+ s)$", terminal.text()), "a duration")
    terminal.enter("%config status_bar off", "status_bar = False")
    assert "grad off" not in terminal.screen.display[-1]


def test_progress_is_seen(terminal: Terminal) -> None:
    terminal.run("import time")
    terminal.send("for i in track(range(8), 'epochs'): time.sleep(0.1)\r\r")
    terminal.wait("/8")
    terminal.until(terminal.is_reading, "the prompt")
    assert "epochs ━" not in terminal.enter("i", "\n7\ntsr>")


def test_entries_through_a_pipe(tmp_path: Path) -> None:
    env = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "tensorsh", "-"], input="print(ones(2))\n", text=True, env=env, capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, "tensor([1., 1.])\n")


def test_the_lexer_is_found_by_pygments() -> None:
    from pygments.token import Comment, Generic, Name

    from tensorsh.shell.lexer import TsrLexer

    tokens = list(TsrLexer().get_tokens("x = zeros(2)\n#> tensor\n#! Error\nlist(x.zeros)\n"))
    assert (Name.Builtin, "zeros") in tokens and (Name, "zeros") in tokens
    assert (Generic.Output, "#> tensor") in tokens and (Generic.Error, "#! Error") in tokens
    assert (Comment.Preproc, "%time") in list(TsrLexer().get_tokens("%time x + 1"))
    text = (ROOT / "pyproject.toml").read_text()
    assert '"tensorsh.shell.lexer:TsrLexer"' in text


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_history_without_an_end_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    from tensorsh.shell.history import Entries

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "tensorsh").mkdir()
    path = tmp_path / "tensorsh/history.jsonl"
    path.symlink_to("/dev/zero") if kind == "device" else os.mkfifo(path)
    assert Entries().earlier == []
    assert "is not a regular file" in capsys.readouterr().err.replace("\n", " ")


def test_of_a_huge_history_the_newest_part_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorsh.shell import own_files
    from tensorsh.shell.history import Entries

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(own_files, "MOST", 100)
    (tmp_path / "tensorsh").mkdir()
    (tmp_path / "tensorsh/history.jsonl").write_text("".join(f'"entry {i}"\n' for i in range(1000)))
    assert Entries().earlier[-1] == "entry 999" and len(Entries().earlier) < 10
