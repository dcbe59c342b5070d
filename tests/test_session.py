"""Session: values, variables, isolation, what user interfaces ask."""

from __future__ import annotations

import ast
import gc
import io
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.sandbox.files import Permissions

from .support.processes import printed

ROOT = Path(__file__).parents[1]


@pytest.fixture
def session() -> Session:
    return Session(stdout=io.StringIO())


def test_value_of_a_final_expression(session: Session) -> None:
    assert session.run("1 + 2") == 3
    assert session.run("x = 3") is None
    assert session.run("x; y = 1") is None
    assert session.run("y = x + 1\ny") == 4
    assert session.run("") is None


def test_variables(session: Session) -> None:
    session["x"] = [1]
    session.run("x.append(2); y = x")
    assert session["y"] is session["x"] and session["x"] == [1, 2]
    assert list(session) == ["x", "y"] and len(session) == 2
    assert "x" in session and "z" not in session and "__name__" not in session and "print" not in session
    del session["x"]
    assert list(session) == ["y"]
    with pytest.raises(KeyError):
        session["x"]
    with pytest.raises(NameError, match="name 'x' is not defined"):
        session.run("x")


def test_annotations_and_classes_belong_to_main(session: Session) -> None:
    assert session.run("a: int = 1\nclass A: pass\nA")
    assert repr(session["A"]) == "<class '__main__.A'>" and list(session) == ["a", "A"]
    assert session.run("__name__") == "__main__"


def test_functions_see_later_definitions(session: Session) -> None:
    session.run("def f():\n    return g()")
    session.run("def g():\n    return relu\nrelu = 5")
    assert session.run("f()") == 5


def test_a_script_names_come_before_torch_names(session: Session) -> None:
    assert session.run("[max(3, 4), sum([1]), range(2)[1], abs(-1), float(2)]") == [4, 1, 1, 1, 2.0]
    assert session.run("ones(2).shape[0]") == 2
    assert session.run("ones = 3\nones") == 3
    assert session.run("del ones\nones(4).shape[0]") == 4
    assert "ones" not in session


def test_torch_and_np_need_no_import(session: Session) -> None:
    assert session.run("torch.ones(2).shape[0] + np.ones(3).shape[0] + math.floor(0.5)") == 5
    assert session.run("import torch\nimport numpy as np\ntorch.ones(1).numpy().shape") == (1,)


def test_the_namespace_is_the_one_python_sees(session: Session) -> None:
    from tensorsh import Tensor, torch

    assert session.run("torch") is torch and isinstance(session.run("torch.ones(1)"), Tensor)


def test_output_goes_where_the_session_says() -> None:
    out = io.StringIO()
    Session(stdout=out).run("print('a', end=''); print('b')")
    assert out.getvalue() == "ab\n"


def test_errors_are_raised(session: Session) -> None:
    with pytest.raises(ZeroDivisionError):
        session.run("1 / 0")
    with pytest.raises(SyntaxError):
        session.run("x = = 1")
    session.run("x = 1")
    assert session["x"] == 1


def test_execute_echoes_each_value(session: Session) -> None:
    seen: list[object] = []
    program = session.compile("1\nx = 2\nx\nNone\n'a'")
    session.execute(program, seen.append)
    assert seen == [1, 2, "a"]
    session.execute(program, seen.append, program.statements[:1])
    assert seen == [1, 2, "a", 1]


SETTINGS = [
    ("torch.set_grad_enabled(False)", "torch.is_grad_enabled()"),
    ("torch.set_default_dtype(torch.float64)", "str(torch.get_default_dtype())"),
    ("torch.manual_seed(3)", "torch.initial_seed() == 3"),
    ("torch.set_printoptions(precision=1)", "repr(torch.tensor([0.123456]))"),
    ("np.set_printoptions(precision=1)", "repr(np.array([0.123456]))"),
    ("random.seed(3)\nfirst = random.random()\nrandom.seed(3)", "random.random() == 0.23796462709189137"),
    ("np.random.seed(3)", "np.random.rand() == 0.5507979025745755"),
]


@pytest.mark.parametrize(("change", "read"), SETTINGS)
@pytest.mark.parametrize("fails", [False, True])
def test_settings_belong_to_their_session(change: str, read: str, fails: bool) -> None:
    from tensorsh import torch

    prelude = "import random\n"
    outside = [torch.is_grad_enabled(), torch.get_default_dtype(), repr(np.array([0.123456]))]
    first, second = Session(), Session()
    before = first.run(prelude + read), second.run(prelude + read)
    if fails:
        with pytest.raises(ZeroDivisionError):
            first.run(change + "\n1 / 0")
    else:
        first.run(change)
    assert [torch.is_grad_enabled(), torch.get_default_dtype(), repr(np.array([0.123456]))] == outside
    assert second.run(read) == before[1] and Session().run(prelude + read) == before[1]
    assert first.run(read) != before[0]


def test_the_host_keeps_its_own_settings(session: Session) -> None:
    from tensorsh import torch

    torch.set_default_dtype(torch.float64)
    try:
        assert session.run("str(torch.ones(1).dtype)") == "torch.float32"
        assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_session_may_run_itself_and_others(session: Session) -> None:
    other = Session()
    session["again"] = lambda: session.run("torch.set_grad_enabled(False); 1")
    session["other"] = lambda: other.run("torch.is_grad_enabled()")
    assert session.run("again() + other()") == 2
    assert session.run("torch.is_grad_enabled()") is False


def test_threads_take_turns() -> None:
    wrong = []

    def work(number: int) -> None:
        mine = Session()
        dtype = "torch.float64" if number % 2 else "torch.float32"
        mine.run(f"torch.set_default_dtype({dtype})")
        for _ in range(20):
            if mine.run("str(torch.ones(1).dtype)") != dtype:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_warnings_name_the_line_of_the_script(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session["warn"] = lambda: warnings.warn("careful", UserWarning, stacklevel=1)
    session.run("\ndef f():\n    warn()\nf()", "demo.tsr")
    assert capsys.readouterr().err == "demo.tsr:3: UserWarning: careful\n  warn()\n"


def test_syntax_warnings_name_their_line(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.run("x = 1\nx is 2", "demo.tsr")
    assert capsys.readouterr().err.startswith("demo.tsr:2: SyntaxWarning: ")


def test_the_process_keeps_its_warning_filters(session: Session) -> None:
    before, listed = warnings.filters, list(warnings.filters)
    shown = warnings.showwarning, warnings._showwarnmsg_impl  # type: ignore[attr-defined]
    session.run(
        "import warnings; kept = warnings.catch_warnings(record=True); kept.__enter__(); warnings.simplefilter('error')"
    )
    assert warnings.filters is before == listed
    assert (warnings.showwarning, warnings._showwarnmsg_impl) == shown  # type: ignore[attr-defined]


def test_only_the_newest_program_keeps_its_tree(session: Session) -> None:
    """A long session's memory and Python's collector of cycles are not left with all that was ever typed."""

    def trees() -> int:
        gc.collect()
        return sum(type(each) is ast.Module or isinstance(each, ast.expr) for each in gc.get_objects())

    before = trees()
    programs = [session.compile(f"a = {i} + 1\nb = a * 2\na + b", f"<input {i}>") for i in range(20)]
    assert trees() - before < 30
    for program in programs:
        session.execute(program)
    assert trees() - before < 30 and session["b"] == 40


def test_diagnosis_finds_the_text_among_programs_of_one_name(session: Session) -> None:
    session.run("def f():\n    return 1 / 0  # the first")
    session.run("def g():\n    return 1 / 0  # the second")
    for call, text in (("f()", "# the first"), ("g()", "# the second")):
        with pytest.raises(ZeroDivisionError) as caught:
            session.run(f"\n{call}")
        said = session.diagnose(caught.value)
        assert f"2 |     return 1 / 0  {text}" in said and f"      {call}" in said


def test_diagnosis_with_tensors(session: Session) -> None:
    with pytest.raises(RuntimeError) as caught:
        session.run("x, w = ones(2, 3), ones(5, 3)\ny = relu(x @ w)", "demo.tsr")
    assert session.diagnose(caught.value).split("\n") == [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x3)",
        "  --> demo.tsr:2:10",
        "2 | y = relu(x @ w)",
        "             ^^^^^",
        "    x: float32[2, 3]   w: float32[5, 3]",
        "hint: inner sizes differ (3 and 5); did you mean `x @ w.T`?",
    ]


def test_unknown_torch_names_are_explained(session: Session) -> None:
    with pytest.raises(NameError) as caught:
        session.run("zeross(3)")
    assert "hint: did you mean `zeros`" in session.diagnose(caught.value)
    with pytest.raises(AttributeError) as attribute:
        session.run("torch.zeross(3)")
    assert "hint: did you mean `zeros`" in session.diagnose(attribute.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("use_deterministic_algorithmss(3)", None),
        ("xpu_stream_like(3)", None),
        ("torch.compile_with_cxx11_abi()", None),
        ("np.ones(2).cuda()", None),
        ("cudnn_is_acceptable()", "hint: PyTorch has `torch.cudnn_is_acceptable`, tensorsh does not"),
        ("torch.cudnn_is_acceptable()", "PyTorch has `torch.cudnn_is_acceptable`, tensorsh does not"),
        ("ones(2).to_padded_tensor()", "hint: PyTorch has `Tensor.to_padded_tensor`, tensorsh does not"),
    ],
)
def test_what_pytorch_has_and_tensorsh_lacks_is_said(session: Session, code: str, said: str | None) -> None:
    with pytest.raises((NameError, AttributeError)) as caught:
        session.run(code)
    text = session.diagnose(caught.value)
    assert said in text if said else "PyTorch has" not in text


def test_permissions(tmp_path: Path) -> None:
    from tensorsh.sandbox.files import Permissions

    (tmp_path / "a.txt").write_text("hello")
    code = f"open({str(tmp_path / 'a.txt')!r}).read()"
    with pytest.raises(PermissionError, match="--allow-read"):
        Session().run(code)
    assert Session(permissions=Permissions(read=[str(tmp_path)])).run(code) == "hello"


def test_completion(session: Session) -> None:
    session.run("alpha = 1\nalps = ones(2, 3)\nclass Box:\n    def forward(self): pass\nbox = Box()\nbox.width = 3")
    found = session.complete("y = al")
    assert [c.text for c in found][:2] == ["alpha", "alps"] and found[0].start == 4
    assert {c.text: c.detail for c in found}["alps"] == "float32[2, 3]"
    assert [c.text for c in session.complete("box.")] == ["forward", "width"]
    assert {c.start for c in session.complete("alpha\n")} == {6}  # a new line begins a new word
    assert "unsqueeze" in [c.text for c in session.complete("alps.uns")]
    assert "zeros" in [c.text for c in session.complete("torch.zer")]
    assert "zeros" in [c.text for c in session.complete("zer")]
    assert "lambda" in [c.text for c in session.complete("lamb")]
    assert session.complete("'al") == [] and session.complete("x  # al") == [] and session.complete("f().al") == []
    assert [c.text for c in session.complete("alph + 1", 4)][:1] == ["alpha"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ones(2, 2, requires_g", "requires_grad="),
        ("x.sum(keep", "keepdim="),
        ("x.sum(0, keepdim=True, ke", None),
        ("zeros(3, dtype=bf", "bfloat16"),
        ("zeros(3, dtype=torch.bf", "bfloat16"),
        ("zeros(3, device=", '"cpu"'),
        ("x.to('cu", "cuda"),
        ("(x * 2).exp().argm", "argmax"),
        ("nn.functional.softmax(x, 0).argm", "argmax"),
        ("x[0].argm", "argmax"),
        ("a[0].argm", "argmax"),
        ("zeros(2).argm", "argmax"),
        ("f().argm", None),
        ("len(a).argm", None),
        ("nn.Lin", "Linear"),
        ("net.wei", "weight"),
        ("open('dat", "data.csv"),
        ("f(1, [2, x.argm", "argmax"),
        ("f(t['be", "beta"),
        ("t['alpha'] + t[\"", "alpha"),
        ("x['", None),
        ("['al", None),
        ('f"{net.wei', "weight"),
        ('f"{{net.wei', None),
        ("rf'{x:{t[\"be", "beta"),
        ("f'{x:.3", None),
        ('"{net.wei', None),
        ("import mat", "math"),
        ("import numpy as np, mat", "math"),
        ("import mym", "mymodule"),
        ("if x: import torch.nn.fun", "functional"),
        ("from collections import defa", "defaultdict"),
        ("from torch.nn import (Linear,\n    Conv1", "Conv1d"),
        ("from math import pi, sqr", "sqrt"),
        ("from mymodule import f", None),
        ("import numpy as n", None),
        ("from torch import nn as ma", None),
    ],
)
def test_what_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, first: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("1")
    (tmp_path / "mymodule.tsr").write_text("print('ran')\nf = 1")
    session = Session(permissions=Permissions(read=[str(tmp_path)]))
    session.run("x = ones(2)\na = [x]\nt = {'alpha': 1, 4: 5, 'beta': x}\nnet = nn.Linear(2, 2)\ndef f(*args): pass")
    found = [c.text for c in session.complete(text)]
    assert found[:1] == ([] if first is None else [first])


def test_what_a_program_wrote_comes_before_what_it_inherited() -> None:
    session = Session()
    session.run(
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.out = nn.Linear(1, 1)\n"
        "    def forward(self, x): return x\nnet = Net()"
    )
    found = [c.text for c in session.complete("net.")]
    assert found[:2] == ["forward", "out"] and "add_module" in found and "training" in found


def test_files_are_completed_only_where_they_may_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("1")
    assert Session().complete("open('dat") == []
    assert Session(permissions=Permissions(read=[str(tmp_path)])).complete("open('/etc/pas") == []


@pytest.mark.parametrize("path", ["nn.Linear", "optim.Adam", "linalg.inv", "torch.optim.SGD"])
def test_a_path_is_told_before_anything_of_it_was_used(path: str) -> None:
    found = Session().inspect(path)
    assert found is not None and found.doc


def test_completion_is_quick(session: Session) -> None:
    import time

    session.run("x = ones(2)")
    texts = ("x.", "torch.", "s", "x.sum(", "nn.functional.", "")
    for text in texts:  # the first time loads what is completed
        session.complete(text)
    for text in texts:
        began = time.thread_time()
        session.complete(text)
        assert time.thread_time() - began < 0.1, text  # of the processor's time: others may be using it


def test_completion_runs_nothing(session: Session) -> None:
    session.run("""
class Loud:
    @property
    def shout(self):
        raise ValueError("ran")
    def __getattr__(self, name):
        raise ValueError("ran")
loud = Loud()
""")
    assert "shout" in [c.text for c in session.complete("loud.")]
    assert session.complete("loud.shout.") == []


def test_inspection(session: Session) -> None:
    session.run("def f(a, b=2):\n    'Adds.'\n    return a + b\nt = ones(2, 3)")
    found = session.inspect("f")
    assert found is not None and found.signature == "(a, b=2)" and found.doc == "Adds."
    found = session.inspect("t")
    assert (
        found is not None and found.facts["shape"] == "torch.Size([2, 3])" and found.facts["dtype"] == "torch.float32"
    )
    assert session.inspect("nothing.at.all") is None


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("x = 1", "complete"),
        ("def f():", "incomplete"),
        ("f(1,", "incomplete"),
        ("'''a", "incomplete"),
        ("x = )", "invalid"),
    ],
)
def test_completeness(session: Session, source: str, state: str) -> None:
    assert session.is_complete(source)[0] == state


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys; import tensorsh; print(sorted(m for m in sys.modules if m.startswith(('tensorsh', 'numpy'))))"
    assert printed(code) == "['tensorsh']\n"


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        ("torch.sum(x, 1, keepdim)", (2, 1)),
        ("x.sum(1, keepdim)", (2, 1)),
        ("x.prod(1, keepdim)", (2, 1)),
        ("x.max(1, keepdim).values", (2, 1)),
        ("x.mode(1, keepdim).values", (2, 1)),
        ("x.std(1, unbiased)", (2,)),
        ("torch.nonzero(x, as_tuple)[0]", (6,)),
    ],
)
def test_bare_flags_of_operators(session: Session, call: str, shape: tuple[int, ...]) -> None:
    assert session.run(f"x = ones(2, 3)\n{call}.shape") == shape


def test_a_name_that_an_operator_does_not_take_is_no_flag(session: Session) -> None:
    with pytest.raises(NameError, match="name 'keepdim' is not defined"):
        session.run("relu(ones(2), keepdim)")


def test_a_text_that_is_run_again_means_what_it_means_now() -> None:
    """A text is translated once as long as the names on which it depends are there, or not, as they were."""
    session = Session()
    session.run("def f(x, deep=False): return x, deep")
    assert session.run("f(1, deep)") == (1, True)
    session["deep"] = 7
    assert session.run("f(1, deep)") == (1, 7)
    del session["deep"]
    assert session.run("f(1, deep)") == (1, True)
    for number in range(600):
        assert session.run(f"f({number})") == (number, False)
    assert session.run("f(1, deep)") == (1, True)
    with pytest.raises(ZeroDivisionError) as first:
        session.run("1 / 0")
    with pytest.raises(ZeroDivisionError) as second:
        session.run("1 / 0")
    assert session.diagnose(first.value) == session.diagnose(second.value)
