"""Objects that take away what asks them: Python's own functions read no freed memory, which is filled with what leads nowhere here."""

from __future__ import annotations

import subprocess
import sys
import textwrap

from .corpus import FOLDER, read
from .runner import run


def test_nothing_that_is_asked_is_freed_meanwhile() -> None:
    programs = read(FOLDER / "asked.txt")
    command = ["env", "PYTHONMALLOC=debug", sys.executable, "-m", "tests.hostile.worker"]
    answers = run([program.source for program in programs], command)
    wrong = [
        (p.title, text, harm) for p, (text, harm) in zip(programs, answers, strict=True) if harm or "Assertion" in text
    ]
    assert wrong == []


def test_classes_stay_apart_when_their_numbers_are_used_up() -> None:
    program = textwrap.dedent(
        """
        import time
        from tensorsh import Session
        from tensorsh.sandbox import held
        session = Session()
        session.run("class A:\\n    x = 1\\ndef change(self): self.x += 1\\nchange(A)")
        held.tell_apart(0)
        time.sleep(1.1)
        for text in "A.x = 3", "change(A)", "del A.x", "class B: pass", "type('C', (A,), {})":
            try:
                session.run(text)
            except RuntimeError as error:
                assert "start a new process" in str(error), error
            else:
                raise AssertionError(text)
        assert session.run("A.x") == 2
        class P: pass
        P.x = 1
        """
    )
    from tensorsh.sandbox import held

    if sys.version_info[:2] == (3, 11) and sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 2):
        subprocess.run([sys.executable, "-c", program], check=True)
    assert held.can_tell() is None
