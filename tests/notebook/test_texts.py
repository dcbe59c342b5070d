"""Texts of programs on their way to a browser: escaped, whatever they are of, and answered, whatever they hold."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.filterwarnings("default")

LYING = """
class S(str):
    def __str__(self): return self
    __repr__ = __str__
    def replace(self, *given): return S("<script>")
    translate = __format__ = __getitem__ = __add__ = __radd__ = replace
class F(float):
    def __format__(self, form): return "'><script>"
class T(torch.Tensor):
    def __repr__(self): return S("x")
class M(nn.Module):
    def forward(self, x): return x
M.__name__ = M.__qualname__ = S("x")
"""


def test_texts_that_answer_for_themselves_are_escaped_like_others(kernel) -> None:
    """A class of texts or numbers of a program's own would say how it is escaped, cut or written."""
    kernel.run(LYING)
    for code in (
        "torch.ones(2).as_subclass(T)", "plot([1., 2.], title=S('x'))", "plot({S('x'): [1., 2.]})", "hist(torch.ones(3), title=S('x'))",
        "summary(M(), (1, 3))", "from tqdm import tqdm\nfor i in tqdm(range(2), total=F(2), desc=S('x')): pass",
    ):  # fmt: skip
        reply, shown = kernel.run(code)
        assert reply["status"] == "ok" and shown, (code, reply)
        for _, content in shown:
            drawn = {kind: each for kind, each in content["data"].items() if kind != "text/plain"}
            assert drawn and "<script" not in json.dumps(drawn), code


def test_halves_of_characters_are_answered_and_shown(kernel) -> None:
    """No message can hold them: nobody would be sent anything, and the notebook would wait for ever."""
    for code, kind, told in (
        (r"print('\ud800')", "stream", r"\ud800"),
        (r"raise ValueError('\ud800')", "error", r"\ud800"),
        (r"from IPython.display import *; display(Markdown('\ud800'))", "display_data", r"\ud800"),
    ):
        reply, shown = kernel.run(code, timeout=20)
        assert reply["status"] == ("error" if kind == "error" else "ok")
        assert [each for each, _ in shown] == [kind] and told in str(shown).replace("\\\\", "\\")
