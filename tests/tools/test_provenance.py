"""Where a NaN came from, where a chain of gradients was cut, which line modified what another line saved."""

from __future__ import annotations

import re

import pytest

from tensorsh import Session


@pytest.fixture
def session() -> Session:
    made = Session()
    made.trace()
    return made


def failure(session: Session, source: str, filename: str = "a.tsr") -> str:
    with pytest.raises(Exception) as caught:
        session.run(source, filename)
    return session.diagnose(caught.value)


def test_nan_stops_at_the_first_operation(session: Session) -> None:
    text = failure(session, "with detect_nan():\n    a = tensor([1., 0., 4.])\n    b = (a * 2).log()\n    c = b + 1\n")
    assert text.startswith("FloatingPointError: log has -infinity at [1], and its operands had none\n  input[1] = 0")
    assert "a.tsr:3:9" in text and "c" not in session


def test_nan_stops_also_where_calls_are_interposed(session: Session) -> None:
    session.run(
        "class Tagged:\n    @classmethod\n    def __torch_function__(cls, f, types, args=(), kwargs=None): return 5\n"
    )
    assert session.run("torch.sum(Tagged())") == 5
    text = failure(session, "with detect_nan():\n    a = tensor([1., 0., 4.])\n    b = (a * 2).log()\n    c = b + 1\n")
    assert text.startswith("FloatingPointError: log has -infinity at [1], and its operands had none\n  input[1] = 0")


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        ("ones(2) / zeros(2)", "div|true_divide", "infinity at [0] (2 of 2 elements)"),
        ("x = tensor([-1., 4.]); x.sqrt()", "sqrt", "NaN at [0]"),
        ("x = tensor([-1., 4.]); x.sqrt_()", "sqrt", "NaN at [0]"),
        ("x = ones(2); x /= 0", "div|true_divide", "infinity at [0] (2 of 2 elements)"),
        ("tensor([[1., 2.], [3., 80000.]]).half()", "half|to|the operation", "infinity at [1, 1]"),
        ("torch.nn.functional.softplus(tensor(1e30) * 1e30)", "mul", "infinity as its value"),
    ],
)
def test_nan_names_operation_and_place(session: Session, source: str, name: str, value: str) -> None:
    session.watch("nan")
    assert re.match(
        rf"FloatingPointError: ({name})_? has {re.escape(value)}, and its operands had none", failure(session, source)
    )


@pytest.mark.parametrize(
    "source",
    [
        "tensor([float('nan'), 1.]).sum()",
        "(tensor([float('inf')]) * 2).exp()",
        "zeros(3).masked_fill(tensor([True, False, True]), float('-inf')).softmax(0)",
        "torch.full((2,), float('inf'))",
        "torch.empty(1000).fill_(1.)",
        "ones(3).log().sum()",
        "torch.argmax(ones(3))",
    ],
)
def test_what_came_in_is_no_news(session: Session, source: str) -> None:
    session.watch("nan")
    session.run(source)


def test_nan_in_a_backward_pass(session: Session) -> None:
    session.watch("nan")
    text = failure(session, "x = zeros(2, requires_grad)\ny = x.sqrt()\ny.sum().backward()")
    assert "the gradient that SqrtBackward0 gives its operand 0 has infinity at [0]" in text
    assert "the operation stands at a.tsr:2" in text


def test_the_watch_ends_with_its_block(session: Session) -> None:
    session.run("with detect_nan():\n    ones(2).log()\nzeros(2).log()")
    failure(session, "with detect_nan():\n    zeros(2).log()")
    session.run("zeros(2).log()")
    session.watch("nan")
    failure(session, "zeros(2).log()")
    failure(session, "zeros(2).log()")
    session.watch("nan", False)
    session.run("zeros(2).log()")


def test_in_place_error_names_both_lines(session: Session) -> None:
    text = failure(session, "x = ones(3, requires_grad)\ny = x.exp()\ny.add_(1)\ny.sum().backward()")
    assert "ExpBackward0 saved it at a.tsr:2 (`y = x.exp()`); it was modified at a.tsr:3 (`y.add_(1)`)" in text
    text = failure(session, "x = ones(3, requires_grad); y = x.exp(); y += 1; y.sum().backward()")
    assert (
        text.count("y += 1") == 2 and "saved it and another operation modified it, both at a.tsr:1 (`x = ones" in text
    )
    text = failure(Session(), "x = ones(3, requires_grad)\ny = x.exp()\ny.add_(1)\ny.sum().backward()")
    assert "--trace" in text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("h = (x * 2).detach()\nh.sum().backward()", "`(x * 2).detach()` cuts it at a.tsr:2"),
        ("h = (x * 2).data\n(h * h).mean().backward()", "`(x * 2).data` is without history at a.tsr:2"),
        ("with no_grad():\n    h = x * 2\nloss = h.sum()\nloss.backward()", "under `no_grad()` at a.tsr:3"),
        ("h = x.sum().item()\ntensor(h).backward()", "`x.sum().item()` makes it a Python number at a.tsr:2"),
        ("(x > 0).float().sum().backward()", "`x > 0` is a comparison at a.tsr:2"),
        (
            "@torch.no_grad()\ndef f(a):\n    return a * 2\nf(x).sum().backward()",
            "`f` computes under `torch.no_grad()`",
        ),
        ("def f(a):\n    return a.detach() * 2\ny = f(x)\ny.sum().backward()", "`a.detach()` cuts it at a.tsr:3"),
        ("p = ones(3)\n(p * 2).sum().backward()", "it was computed from `p`, without requires_grad"),
        ("tensor(x.tolist()).sum().backward()", "`tensor(x.tolist())` takes the numbers only at a.tsr:2"),
        ("a = x.argmax()\na.float().backward()", "`x.argmax()` gives indices at a.tsr:2"),
    ],
)
def test_backward_without_a_graph_says_where_it_was_cut(session: Session, source: str, reason: str) -> None:
    text = failure(session, "x = ones(3, requires_grad)\n" + source)
    assert "does not require grad and does not have a grad_fn" in text and reason in text


def test_a_cut_in_an_earlier_entry(session: Session) -> None:
    session.run("x = ones(3, requires_grad)", "<input 1>")
    session.run("h = x.exp().detach()", "<input 2>")
    assert "`x.exp().detach()` cuts it at <input 2>:1" in failure(session, "h.sum().backward()", "<input 3>")


def test_lint_warns_of_broadcasting_and_missing_zero_grad(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.watch("lint")
    session.run("a = ones(3, 1) - ones(3)", "a.tsr")
    assert "a.tsr:1: UserWarning: sub of shapes [3, 1] and [3] gives [3, 3]" in capsys.readouterr().err
    session.run("b = ones(3, 1) - ones(3, 1); c = ones(3) * ones(3); d = ones(3, 4) + ones(4)")
    assert capsys.readouterr().err == ""
    step = "    ((w * w).sum()).backward()\n    o.step()\n"
    start = "w = ones(2, requires_grad)\no = torch.optim.SGD([w], 0.1)\n"
    session.run(start + "for i in range(3):\n    o.zero_grad()\n" + step)
    assert capsys.readouterr().err == ""
    session.run(start + "for i in range(3):\n" + step)
    assert "UserWarning: step() without zero_grad() since the last step" in capsys.readouterr().err


def test_both_watches_at_once(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.watch("lint")
    session.watch("nan")
    assert "log has" in failure(session, "a = ones(2, 1) + ones(2)\nzeros(2).log()")
    assert "UserWarning: add of shapes" in capsys.readouterr().err
