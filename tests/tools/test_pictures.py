"""graph(), plot(), hist(), summary(), track() as a program sees them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tensorsh import Session
from tensorsh.sandbox.files import Permissions


@pytest.fixture
def session() -> Session:
    made = Session()
    made.trace()
    made.run("x = ones(2, 3, requires_grad)\nw = ones(3, requires_grad)\nc = (x * 2).detach()", "a.tsr")
    made.run("h = x * w\ny = h.exp().sum(0).mean() + (c * w).sum()", "b.tsr")
    return made


def test_the_graph_tells_all_there_is(session: Session) -> None:
    lines = session.run("graph(y).text(200)").split("\n")
    assert [line.split("  ")[0].strip() for line in lines][0] == "y = AddBackward0"
    text = "\n".join(" ".join(line.split()) for line in lines)
    assert "└─ h = MulBackward0 float32[2, 3] b.tsr:1" in text
    assert "saved other[3], self[2, 3] h = x * w" in text
    assert "├─ x float32[2, 3] leaf" in text
    assert "SumBackward1 float32[3] b.tsr:2" in text
    assert "╳ `(x * 2).detach()` cuts it at a.tsr:3" in text
    assert "|grad|" not in text
    session.run("y.backward()")
    text = session.run("graph(y).text(200)")
    assert "|grad| 1 " in text and "was freed by backward" in text
    assert text.count("|grad|") == len([line for line in text.split("\n") if "Backward" in line]) + 2


def test_drawing_changes_nothing(session: Session) -> None:
    before = session.run("graph(y).text(100)")
    assert session.run("graph(y).text(100)") == before
    assert session.run("x.grad") is None
    session.run("y.backward()")
    assert session.run("w.grad.shape") == (3,)


@pytest.mark.parametrize("width", [40, 80, 300])
def test_it_fits(session: Session, width: int) -> None:
    assert max(map(len, session.run(f"graph(y).text({width})").split("\n"))) <= width


def test_without_history(session: Session) -> None:
    assert session.run("graph(c).text()") == "c  float32[2, 3]  `(x * 2).detach()` cuts it at a.tsr:3"
    assert session.run("graph(ones(2)).text()").endswith("no operation with a gradient led to this")
    with pytest.raises(TypeError, match="expected a Tensor, not int"):
        session.run("graph(3)")


def test_a_graph_of_a_network(session: Session) -> None:
    session.run("net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())\nz = net(x).sum()", "n.tsr")
    text = session.run("graph(z).text(120)")
    assert "net.0.weight" in text and "net.0.bias" in text and "TanhBackward0" in text


def test_a_graph_through_a_function_with_several_results(session: Session) -> None:
    text = session.run("v, i = (x * 3).max(1)\ngraph(v.sum()).text(120)", "m.tsr")
    assert "MaxBackward0  " in text and "float32[2, 3]" in text


def test_dot_and_svg(session: Session, tmp_path: Path) -> None:
    dot = session.run("graph(y).dot()")
    assert dot.startswith("digraph {") and "MulBackward0" in dot
    with pytest.raises(PermissionError, match="--allow-write"):
        if shutil.which("dot"):
            session.run(f"graph(y).svg({str(tmp_path / 'g.svg')!r})")
        else:
            raise PermissionError("--allow-write")
    allowed = Session(Permissions(write=[str(tmp_path)]))
    allowed.run("x = ones(2, requires_grad); y = x * 2")
    source = f"graph(y).svg({str(tmp_path / 'g.svg')!r})"
    try:
        import graphviz  # noqa: F401
    except ImportError:
        with pytest.raises(RuntimeError, match=r"pip install 'tensorsh\[graph\]'"):
            allowed.run(source)
        return
    if shutil.which("dot") is None:
        with pytest.raises(RuntimeError, match="needs the program `dot` of graphviz"):
            allowed.run(source)
    else:
        allowed.run(source)
        assert b"<svg" in (tmp_path / "g.svg").read_bytes()


def test_plots() -> None:
    session = Session()
    text = repr(session.run("plot([3., 1., 0.5, 0.25], width=50, height=6, title='loss')"))
    lines = text.split("\n")
    assert lines[0].strip() == "loss" and lines[1].startswith("          3 ") and lines[6].startswith("       0.25 ")
    assert max(map(len, lines)) <= 50
    assert "* a   + b" in repr(session.run("plot({'a': ones(3), 'b': arange(3)}, width=50)"))
    assert repr(session.run("plot([float('nan')])")) == "nothing to plot: no finite values"
    with pytest.raises(ValueError, match="2 values of x and 3 of y"):
        session.run("plot(ones(2), ones(3))")


def test_histogram() -> None:
    text = repr(Session().run("hist(tensor([1., 1., 1., 2., float('nan')]), 2, width=20)"))
    assert text == "  1 ████████████ 3\n1.5 ████ 1\n1 of 5 values are not finite"


def test_saving_a_plot_needs_permission(tmp_path: Path) -> None:
    with pytest.raises(PermissionError, match="--allow-write"):
        Session().run(f"plot([1, 2]).save({str(tmp_path / 'p.txt')!r})")
    Session(Permissions(write=[str(tmp_path)])).run(f"plot([1, 2]).save({str(tmp_path / 'p.txt')!r})")
    assert (tmp_path / "p.txt").read_text().count("\n") > 10


def test_summary() -> None:
    session = Session()
    session.run("net = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.ReLU(), nn.Linear(8, 2)))")
    with pytest.raises(TypeError, match=r"expected a shape, as in summary\(net, \(1, 3\)\), not int"):
        session.run("summary(net, 4)")
    text = repr(session.run("summary(net, (5, 4))"))
    assert "  0: Linear      [5, 8]          40" in text and "    1: Linear    [5, 2]          18" in text
    assert "58 parameters, 58 of them trained, 232 B" in text
    assert session.run("net.training") is True
    assert "232 B" in repr(session.run("summary(net)"))


def test_track_is_silent_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert Session().run("[i * i for i in track(range(4), 'training')]") == [0, 1, 4, 9]
    assert capfd.readouterr() == ("", "")


def test_tqdm(capfd: pytest.CaptureFixture[str]) -> None:
    """The texts are tqdm's own."""
    session = Session()
    session.run("""from tqdm import tqdm, trange
from tqdm.auto import tqdm as auto
print([i * i for i in auto(range(4), desc='epoch')], list(trange(2, disable=True)), len(tqdm([1, 2])))
with tqdm(total=10) as bar:
    for i in range(5):
        bar.update(2)
        bar.set_description(f'step {i}')
        bar.set_postfix(loss=1 / (i + 1), acc='x', lr=1e-5, big=123456.789)
print(bar.n, bar.desc, bar.postfix, bar.total)
tqdm.write('line')""")
    expected = "[0, 1, 4, 9] [0, 1] 2\n10 step 4:  acc=x, big=1.23e+5, loss=0.2, lr=1e-5 10\nline\n"
    assert capfd.readouterr() == (expected, "")


def test_a_scripts_own_names_come_first() -> None:
    assert Session().run("graph = 3\nplot = lambda x: x + graph\nplot(4)") == 7


def test_tools_hand_out_no_internals(session: Session) -> None:
    session.run("g = graph(y); d = detect_nan(); p = plot([1, 2])")
    for name in ("g._Picture__graph", "g.__graph", "d._Context__watch", "p._Shown__permissions", "p.__permissions"):
        with pytest.raises(AttributeError):
            session.run(name)
    assert session.run("[n for n in dir(g) if not n.startswith('_')]") == ["dot", "svg", "text"]
