"""The files that a shell writes, and the questions that nothing pasted answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .terminal import PASTE, PASTED, Terminal


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """A folder of a project, beside it files of its owner."""
    (tmp_path / "project").mkdir()
    (tmp_path / "victim.sh").write_text("mine\n")
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("command", "path"), [("save", "../victim.sh"), ("export", "train.py"), ("transcript", "../victim.sh")]
)
def test_a_paste_writes_over_nothing(inside: Path, command: str, path: str) -> None:
    terminal = Terminal(inside, columns=220)
    (inside / "train.py").write_text("mine\n")
    terminal.type(PASTE + f"x = 1\n%{command} -f {path}\ny\ny\ny = 2" + PASTED, "...> y = 2")
    terminal.send("\ry\r")  # what is typed ahead answers nothing either
    terminal.wait("(y/n)")
    terminal.answer("n")
    terminal.wait("nothing was written to")
    assert (inside / path).read_text() == "mine\n"
    terminal.close()


def test_a_path_elsewhere_is_asked_for(inside: Path) -> None:
    terminal = Terminal(inside, columns=220)
    terminal.run("a = 2")
    terminal.enter("%save here.tsr", "here.tsr: 1 lines")
    terminal.enter("%save -f here.tsr", "%save -f here.tsr\nhere.tsr: 1 lines")
    (inside / "link").symlink_to(inside.parent)
    terminal.send("%save link/other.tsr\r")
    terminal.wait(f"%save: write {inside.parent}/other.tsr? (y/n)")
    terminal.answer("y")
    assert (inside.parent / "other.tsr").read_text() == "a = 2\n"
    terminal.close()


def test_programs_ask_once_before_they_write(inside: Path) -> None:
    terminal = Terminal(inside, columns=220)
    terminal.wait("may read files below this folder, and ask before they write")
    terminal.send("torch.save(ones(2), 'a.pt')\r")
    terminal.wait(f"May programs write files below {inside}, in this session? (y/n)")
    terminal.answer("n")
    terminal.wait("PermissionError: writing 'a.pt' needs --allow-write=a.pt")
    terminal.send("torch.save(ones(2), 'a.pt')\r")
    terminal.until(lambda: terminal.text().count("(y/n)") == 2)
    terminal.answer("yes")
    terminal.enter("torch.save(ones(3), 'b.pt'); torch.load('b.pt')", "tensor([1., 1., 1.])")
    assert terminal.text().count("(y/n)") == 2 and (inside / "a.pt").exists()
    terminal.send("open('../victim.sh', 'w')\r")
    terminal.wait("May programs write /")
    terminal.answer("n")
    terminal.enter("open('../victim.sh').read()", "needs --allow-read")
    assert (inside.parent / "victim.sh").read_text() == "mine\n"
    terminal.close()


def test_a_flag_answers_beforehand(inside: Path) -> None:
    terminal = Terminal(inside, "--allow-write=..")
    terminal.run("print('new', file=open('../new.txt', 'w'))", "%save ../kept.tsr")
    assert (inside.parent / "new.txt").read_text() == "new\n" and (inside.parent / "kept.tsr").exists()
    terminal.close()


def test_what_was_interrupted_is_a_remark_of_the_transcript() -> None:
    from tensorsh.shell.record import Record, transcript

    ran, stopped, long = Record(1, "1 + 1"), Record(2, "while True:\n    pass"), Record(3, "f()")
    ran.outputs, ran.done = [(1, 1, "2\n")], True
    stopped.error, stopped.interrupted = "KeyboardInterrupt", True
    long.outputs, long.done = [(1, 1, "".join(f"{i}\n" for i in range(30_000)))], True
    text = transcript([ran, stopped, long])
    assert text.startswith("1 + 1\n#> 2\n# interrupted:\n# while True:\n#     pass\nf()\n#> 0\n")
    assert text.endswith("#> 99\n#> ...\n#> 29999\n")


def test_looking_at_the_settings_keeps_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorsh.shell.config import Config

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = Config()
    config.set("precision", 2)
    config.write()
    assert Config()["precision"] == 4
