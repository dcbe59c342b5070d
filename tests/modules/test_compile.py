"""`torch.compile`: a program gives what the function gives, to the bit, and where it could not, the function runs as it stands."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.engine.kernels import kernel

pytestmark = pytest.mark.usefixtures("closed_door")

CHAINS = {
    "arithmetic": "f = lambda x, y: (x * y + 1) / (y - 3) * 2 - x",
    "functions": "f = lambda x, y: torch.exp(-torch.tanh(x) * y).sqrt() + torch.sigmoid(x).log()",
    "a number first": "f = lambda x, y: 1 - 2 / (3 + 0.5 * x) - y",
    "squares": "f = lambda x, y: (x ** 2 + y.pow(2) + torch.square(y)) ** 0.5 - (1.5 - x) ** 2.0",
    "a number of dimension 0": "f = lambda x, y: (x[0] - y * x[1]) * x[2] + x[0] * 2 / x[1]",
    "then a sum": "f = lambda x, y: (torch.sin(x) * y + torch.cos(y)).sum()",
    "rows": "f = lambda x, y: torch.softmax((x * 2 + y - 1).reshape(-1, 2), 1) * 2 + 1",
    "several results": "f = lambda x, y: (x * y + 1, [y - x, x * 2 + y], {'z': (x + y) * 3})",
    "an argument is a result": "f = lambda x, y: (x, x * y + y - x * x)",
    "a view is a result": "f = lambda x, y: (x[1:], (x * y + y * y).reshape(2, -1), x.reshape(-1, 2).T)",
    "a loop": "def f(x, y):\n    for i in range(x.shape[0]):\n        x = x * y + i\n    return x",
    "lists of its own": "def f(x, y):\n    found = []\n    for k in range(4):\n        found.append(x * k + y)\n    return torch.stack(found)",
    "a function within": "def f(x, y):\n    g = lambda z: z * y + 1\n    return g(g(x)) + torch.stack([g(x + k) for k in range(3)])[1]",
    "a function that it calls": "def g(x, by=2.0):\n    return x * by + 1\ndef f(x, y):\n    return g(g(x), by=3) - g(y)",
    "branches on shapes": "def f(x, y):\n    if x.ndim == 1 and x.size(0) > 3:\n        return x * y + 1 - x\n    return x * y - 1 + x",
    "operators of modules": "import torch.nn.functional as F\nf = lambda x, y: F.gelu(x) * F.silu(y) + F.softplus(x - y)",
    "names without prefix": "f = lambda x, y: tanh(x * y) + exp(x) * relu(y)",
    "math": "import math\nf = lambda x, y: x / math.sqrt(x.shape[-1]) * math.pi + y",
    "parts": "def f(x, y):\n    a, b = x.chunk(2)\n    c, d = y.split(x.shape[0] // 2)\n    return torch.cat([a * c + d, b * d - c])",
    "an unused tensor": "f = lambda x, y: (x + 1) * 2 - x",
}


def session(source: str) -> Session:
    made = Session()
    made.run("import torch\n" + source)
    return made


def replays(made: Session, call: str) -> bool:
    """Whether a call runs none of the function's own Python."""
    if kernel("Chain") is None:  # few operators are not worth a program then
        made.run(call)
        return True
    code = made["f"].__code__
    ran = []

    def seen(frame, event, _):
        ran.extend([True] if event == "call" and frame.f_code is code else ())

    sys.setprofile(seen)
    try:
        made.run(call)
    finally:
        sys.setprofile(None)
    return not ran


def bits(value):
    if isinstance(value, tuple | list):
        return type(value), [bits(each) for each in value]
    if isinstance(value, dict):
        return {name: bits(each) for name, each in value.items()}
    array = value.numpy()
    return array.dtype, array.shape, array.strides, np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize(("n", "dtype"), [(4, "float32"), (5000, "float64"), (600_000, "float32")])
@pytest.mark.parametrize("kind", CHAINS)
def test_a_program_gives_the_bits_of_its_function(kind, n, dtype):
    if n > 5000 and kind in ("a loop", "then a sum"):
        n = 70_000 if kind == "then a sum" else 40
    made = session(CHAINS[kind] + "\nc = torch.compile(f)")
    made.run(
        f"torch.manual_seed(0)\nx, y = torch.rand({n}, dtype=torch.{dtype}), torch.randn({n}, dtype=torch.{dtype})\nc(x, y)"
    )
    assert replays(made, "a = c(x, y)") or kind == "a view is a result"
    made.run("x, y = y.abs(), x - 0.5")
    assert replays(made, "b = c(x, y)") or kind == "a view is a result"
    made.run("e = f(x, y)")
    assert bits(made["b"]) == bits(made["e"])


IMPURE = {
    "prints": ("def f(x):\n    print('called')\n    return x * 2 + 1 - x", ["c(torch.ones(2))"] * 3),
    "counts": ("n = 0\ndef f(x):\n    global n\n    n += 1\n    return x * n + 1 - x", ["c(torch.ones(2))"] * 3),
    "keeps": ("seen = []\ndef f(x):\n    seen.append(1)\n    return x * len(seen) + 1", ["c(torch.ones(2))"] * 3),
    "nonlocal": (
        "def make():\n    n = 0\n    def f(x):\n        nonlocal n\n        n += 1\n        return x * n + 1 - x\n    return f\nf = make()",
        ["c(torch.ones(2))"] * 3,
    ),
    "a cell that changes": (
        "def make():\n    n = [1]\n    k = 1.0\n    def f(x):\n        return x * k + n[0] - x\n    def g():\n        nonlocal k\n        k += 1\n        n[0] += 1\n    return f, g\nf, g = make()",
        ["c(torch.ones(2))", "c(torch.ones(2))", "g()", "c(torch.ones(2))", "g()", "c(torch.ones(2))"],
    ),
    "a global that changes": (
        "k = 1.0\ndef f(x):\n    return x * k + k - x",
        ["c(torch.ones(2))", "c(torch.ones(2))", "k = -0.0", "c(torch.ones(2))", "k = 0.0", "c(torch.ones(2)) - 1", "k = True", "c(torch.ones(2))"],
    ),
    "a global tensor that changes": (
        "w = torch.ones(2)\ndef f(x):\n    return x * w + w - x",
        ["c(torch.ones(2))", "w.add_(1)", "c(torch.ones(2))", "w = torch.zeros(2, 2)", "c(torch.ones(2))", "w = 3", "c(torch.ones(2))"],
    ),
    "a global list that changes": (
        "w = [1, 2]\ndef f(x):\n    for k in w:\n        x = x * k + 1\n    return x, w == [1, 2]",
        ["c(torch.ones(2))", "c(torch.ones(2))", "w.append(3)", "c(torch.ones(2))", "w[0] = 5", "c(torch.ones(2))"],
    ),
    "a function that changes": (
        "def g(x):\n    return x + 1\ndef f(x):\n    return g(x) * g(x) - x",
        ["c(torch.ones(2))", "c(torch.ones(2))", "g = lambda x: x * 5", "c(torch.ones(2))", "g = torch.neg", "c(torch.ones(2))"],
    ),
    "a name that becomes the program's own": (
        "def f(x):\n    return tanh(x) * 2 + tanh(x) - 1",
        ["c(torch.ones(2))", "c(torch.ones(2))", "tanh = lambda x: x", "c(torch.ones(2))"],
    ),
    "elements decide": (
        "def f(x):\n    if x.sum() > 0:\n        return x * 2 + 1 - x\n    return x * 3 + 1 - x",
        ["c(torch.ones(2))", "c(-torch.ones(2))", "c(torch.ones(2))"],
    ),
    "item": ("def f(x):\n    return x * x[0].item() + 1 - x", ["c(torch.ones(2))", "c(torch.ones(2) * 3)"]),
    "in place": ("def f(x):\n    x += 1\n    return x * 2 + 1 - x", ["x = torch.ones(2)", "c(x), x", "c(x), x", "c(x), x"]),
    "in place by a method": ("def f(x):\n    x.mul_(2)\n    return x * 2 + 1 - x", ["x = torch.ones(2)", "c(x), x", "c(x), x"]),
    "into an element": ("def f(x):\n    x[0] = 5\n    return x * 2 + 1 - x", ["x = torch.ones(2)", "c(x), x", "x = torch.ones(2)", "c(x), x"]),
    "out": ("z = torch.zeros(2)\ndef f(x):\n    torch.add(x, 1, out=z)\n    return x * 2 + 1 - x", ["c(torch.ones(2)), z", "c(torch.ones(2) * 2), z"]),
    "inplace": (
        "def f(x):\n    nn.functional.relu(x, True)\n    return x * 2 + 1 - x",
        ["x = -torch.ones(2)", "c(x), x", "x = -torch.ones(2)", "c(x), x"],
    ),
    "random": ("def f(x):\n    return torch.rand(2) * x + 1 - x", ["torch.manual_seed(0)", "c(torch.ones(2))", "c(torch.ones(2))", "torch.rand(1)"]),
    "dropout": ("def f(x):\n    return nn.functional.dropout(x) * 2 + 1 - x", ["torch.manual_seed(0)", "c(torch.ones(9))", "c(torch.ones(9))"]),
    "a mask": ("def f(x):\n    y = x[x > 0]\n    return y * 2 + len(y)", ["c(torch.tensor([1., 2]))", "c(torch.tensor([1., -2]))"]),
    "a size from elements": (
        "def f(x, n):\n    y = x.reshape(n, -1)\n    return y * 2 + y.shape[0]",
        ["c(torch.ones(4), torch.tensor(2))", "c(torch.ones(4), torch.tensor(4))"],
    ),
    "a default": ("def f(x, k=[1.0]):\n    k[0] += 1\n    return x * k[0] + 1 - x", ["c(torch.ones(2))"] * 3),
    "a list that it gives": ("w = [1.0]\ndef f(x):\n    return x * 2 + 1 - x, w", ["c(torch.ones(2))[1] is w", "c(torch.ones(2))[1] is w"]),
    "one tensor twice": (
        "def f(x, y):\n    return x * y + 1 - x, (x,) == (y,)",
        ["x = torch.ones(2)", "c(x, x)", "c(x, x)"],
    ),
    "catches": (
        "def f(x):\n    try:\n        return x * 2 + 1 - int(x.sum())\n    except TypeError:\n        return x",
        ["c(torch.ones(2))", "c(torch.ones(2) * 2)"],
    ),
    "objects": (
        "class A:\n    k = 1\na = A()\ndef f(x):\n    return x * a.k + 1 - x",
        ["c(torch.ones(2))", "a.k = 2", "c(torch.ones(2))"],
    ),
    "a type that decides": ("def f(x):\n    return x * 2 + (1 if isinstance(x, nn.Parameter) else 2) - x", ["c(torch.ones(2))", "c(nn.Parameter(torch.ones(2)))"]),
    "one or none": ("def f(x, y=None):\n    if y is None:\n        y = x\n    return x * y + 1 - y", ["c(torch.ones(2))", "c(torch.ones(2), torch.zeros(2))", "c(torch.ones(2))"]),
    "a key": ("def f(x, y):\n    d = {x: 1}\n    return x * 2 + 1 - x, y in d", ["x = torch.ones(2)", "c(x, x)", "c(x, torch.ones(2))"]),
    "grad mode": ("def f(x):\n    return torch.exp(x * 2 + 1) - x", ["x = torch.ones(2, requires_grad=True)", "with torch.no_grad(): y = c(x)", "y", "c(x)", "c(x).sum().backward()", "x.grad", "with torch.no_grad(): y = c(x)", "y"]),
    "the default dtype": ("def f(x):\n    return (x + 1.5) * 2 - x", ["c(torch.ones(2, dtype=torch.int64))", "torch.set_default_dtype(torch.float64)", "c(torch.ones(2, dtype=torch.int64))"]),
    "autocast": ("def f(x):\n    return (x @ x) * 2 + 1", ["c(torch.ones(2, 2))", "with torch.autocast('cpu'): y = c(torch.ones(2, 2))", "y", "c(torch.ones(2, 2))"]),
    "inference": ("def f(x):\n    return x * 2 + 1 - x", ["c(torch.ones(2))", "with torch.inference_mode(): y = c(torch.ones(2))", "y.is_inference()"]),
    "layouts": ("def f(x):\n    return x * 2 + 1 - x", ["c(torch.ones(2, 3))", "c(torch.ones(3, 2).T)", "c(torch.ones(3, 2).T).stride()", "c(torch.ones(4, 6)[::2, ::2])"]),
    "no elements": ("def f(x):\n    return x * 2 + 1 - x", ["c(torch.ones(0))", "c(torch.ones(0))", "c(torch.ones(1))"]),
    "numbers": ("def f(x, k):\n    return x * k + 1 - x", ["c(torch.ones(2), 1)", "c(torch.ones(2), 1.0)", "c(torch.ones(2, dtype=torch.int64), 1)", "c(torch.ones(2, dtype=torch.int64), True)", "c(torch.ones(2, dtype=torch.int64), 1.0)", "c(torch.ones(2), 2**40)"]),
    "keywords": ("def f(x, *, k=1):\n    return x * k + 1 - x", ["c(torch.ones(2))", "c(torch.ones(2), k=2)", "c(x=torch.ones(2), k=2)", "c(k=2, x=torch.ones(2))"]),
    "functions compared": ("g = torch.tanh\ndef f(x):\n    return x * 2 + 1 if g == torch.tanh else x * 3 + 1", ["c(torch.ones(2))", "c(torch.ones(2))"]),
    "NaN decides": ("def f(x):\n    return x * 2 + 1 - torch.maximum(x, x * 0)", ["c(torch.tensor([float('nan'), -0., float('inf')]))"] * 2),
    "recursion": ("def f(x, n=3):\n    return x * 2 + 1 if n == 0 else f(x * 2 - 1, n - 1)", ["c(torch.ones(2))"] * 2),
    "a view that is written": ("def f(x):\n    return x.view(2, 2), x * 2 + 1 - x", ["x = torch.ones(4)", "y, _ = c(x)", "y, _ = c(x)", "y.mul_(3)", "x", "c(x)"]),
    "a wrong call": ("def f(x, y):\n    return (x * 2 + 1) @ y", ["c(torch.ones(2, 2), torch.ones(2, 2))", "c(torch.ones(2, 2), torch.ones(3, 2))", "c(torch.ones(2, 2), torch.ones(3, 2))"]),
    "too few": ("def f(x, y):\n    return x * 2 + 1 - y", ["c(torch.ones(2), torch.ones(2))", "c(torch.ones(2))", "c()"]),
    "a list within itself": (
        "w = []\nw.append(w)\ndef f(x):\n    return x * 2 + len(w) - x",
        ["c(torch.ones(2))"] * 2,
    ),
    "a long list": ("w = [1] * 5000\ndef f(x):\n    return x * 2 + len(w) - x", ["c(torch.ones(2))"] * 2),
    "a generator": ("def f(x):\n    return sum(x * k + 1 for k in range(3))", ["c(torch.ones(2))", "c(torch.ones(2))"]),
}  # fmt: skip


def told(source: str, calls: list[str], made_of: str) -> list:
    """What each call gives, or says, and what is printed."""
    made = session(source + f"\nc = {made_of}")
    found: list = []
    for call in calls:
        try:
            found.append(repr(made.run(call)))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("kind", IMPURE)
def test_whatever_steers_a_function_steers_it_compiled(kind, capsys):
    source, calls = IMPURE[kind]
    plain = told(source, calls, "f"), capsys.readouterr().out
    assert (told(source, calls, "torch.compile(f)"), capsys.readouterr().out) == plain
    assert not any(each.startswith("NameError") for each in plain[0]), plain


GRADIENTS = {
    "products": "f = lambda x, y: x * y * x + y * 2 - x * x",
    "quotients": "f = lambda x, y: (x / y + 3 / x - y / 4) / (1 - x)",
    "functions": "f = lambda x, y: torch.exp(-x) * torch.sqrt(y) + torch.log(y) / torch.tanh(x + y) * torch.sigmoid(x)",
    "squares": "f = lambda x, y: (x - y) ** 2 + x.pow(2) * (2 - y)",
    "then a sum": "f = lambda x, y: (torch.exp(x * y) * x + y).sum()",
    "between others": "f = lambda x, y: ((x.flip(0) * y + x) * y).cumsum(0) * x + y * y",
    "one of them": "f = lambda x, y: x * y.detach() + x * x - 1",
    "several results": "f = lambda x, y: (x * y, torch.exp(x * y) * x, y + 1 - x)",
    "many uses": "def f(x, y):\n    z = x\n    for _ in range(40):\n        z = z * x * 0.5 + y\n    return z",
    "a result that is used": "def f(x, y):\n    z = torch.exp(x)\n    return z, z * y + z",
    "a product of matrices between": "f = lambda x, y: torch.tanh((x * y + 1) @ (x - y) * 2) * x",
    "a number of dimension 0": "f = lambda x, y: x * y[0] * 2 + y",
}


@pytest.mark.parametrize(("n", "dtype"), [(4, "float32"), (5000, "float64"), (70_000, "float32"), (0, "float32")])
@pytest.mark.parametrize("kind", GRADIENTS)
def test_a_program_gives_the_gradients_of_its_function(kind, n, dtype):
    made = session(GRADIENTS[kind] + "\nc = torch.compile(f)")
    shape = (
        "()"
        if n == 0 and kind not in ("between others", "a product of matrices between", "a number of dimension 0")
        else f"({n or 1},)"
    )
    made.run(
        f"""
def pair():
    torch.manual_seed(1)
    x, y = [(torch.rand({shape}, dtype=torch.{dtype}) + 0.5).requires_grad_() for _ in range(2)]
    return x, y
def total(r):
    r = r if isinstance(r, tuple) else (r,)
    return sum([(t * (k + 1.5)).sum() for k, t in enumerate(r)])
def before_and_after(g):
    x, y = pair()
    a = (x * 3).sum()
    r = g(x, y)
    (total(r) + a + (x * y * 0.3).sum()).backward()
    return r, x.grad, y.grad
def through(g):
    x, y = pair()
    u, v = x * 1.25, y / 3 + 1
    w = u * 2
    r = g(u, v)
    (total(r) + (u * w).sum()).backward()
    return r, x.grad, y.grad
def second(g):
    x, y = pair()
    a, b = torch.autograd.grad(total(g(x, y)), [x, y], create_graph=True, allow_unused=True)
    ((a * a).sum() + (0 if b is None else (b * 3).sum())).backward()
    return a, x.grad
def part(g):
    x, y = pair()
    r = g(x, y)
    r = r[-1] if isinstance(r, tuple) else r
    r.backward(torch.ones_like(r).expand(r.shape), retain_graph=True)
    r.sum().backward()
    return r, x.grad, y.grad
"""
    )
    made.run("x, y = pair()\nc(x, y)")
    assert replays(made, "c(x, y)")
    for way in ("before_and_after", "through", "second", "part"):
        found = made.run(
            f"[t.detach() if isinstance(t, torch.Tensor) else tuple([e.detach() for e in t]) for t in {way}(c) if t is not None]"
        )
        assert bits(found) == bits(
            made.run(
                f"[t.detach() if isinstance(t, torch.Tensor) else tuple([e.detach() for e in t]) for t in {way}(f) if t is not None]"
            )
        ), way


TAPE = {
    "a second walk": ["y = c(x)", "y.sum().backward()", "x.grad", "y.sum().backward()"],
    "an operand that was written": ["y = c(x)", "with torch.no_grad(): x.add_(1)", "y.sum().backward()", "x.grad"],
    "hooks": ["h = x.register_hook(lambda g: g * 2)", "y = c(x)", "y.register_hook(lambda g: g + 1)[0:0] if False else None", "y.sum().backward()", "x.grad"],
    "a kept gradient": ["y = c(x)", "y.retain_grad()", "y.sum().backward()", "y.grad, x.grad"],
    "no gradient wanted": ["with torch.no_grad(): y = c(x)", "y.requires_grad", "y = c(x.detach())", "y.requires_grad", "y = c(x)", "y.requires_grad"],
    "accumulation": ["for _ in range(3): c(x).sum().backward()", "x.grad"],
    "anomaly": ["with torch.autograd.detect_anomaly(): c(x).sum().backward()", "x.grad"],
    "grad of a part": ["torch.autograd.grad(c(x * 2)[0], x)", "torch.autograd.grad(c(x)[1], x, retain_graph=True)"],
    "in place afterwards": ["y = c(x)", "y.mul_(2)", "y.sum().backward()", "x.grad"],
}  # fmt: skip


@pytest.mark.parametrize("source", ["x * x + x * 3 - x", "torch.exp(x * 2) + 1", "torch.exp(x + 1)", "x + 1 - x * 2"])
@pytest.mark.parametrize("kind", TAPE)
def test_the_tape_of_a_program_is_that_of_its_function(kind, source):
    before = f"x = torch.tensor([1., 2.], requires_grad=True)\nf = lambda x: {source}\n"

    def of(made_of):
        found = told(before + f"c = {made_of}\nc(x), c(x)", TAPE[kind], "c")
        return [line.split("is at version")[0].split(", which is")[0].split("[torch.")[0] for line in found]

    assert of("torch.compile(f)") == of("f")


WAYS_OUT = """
c.__closure__
c.__wrapped__.__globals__
c.programs
c.known
torch.replay
torch.compile.__globals__
torch.compile(lambda x: x.__class__ * 2 + 1)(torch.ones(2))
torch.compile(lambda x: x._tensor * 2 + 1)(torch.ones(2))
torch.compile(lambda x: x._recording.call * 2 + 1)(torch.ones(2))
torch.compile(lambda x: "{0._tensor}".format(x) * 2)(torch.ones(2))
torch.compile(lambda x: getattr(x, "_reco" + "rding"))(torch.ones(2))
torch.compile(lambda x: torch.sum(x, **{"dim=0) or seen.append(1": 0}) + 1)(torch.ones(2))
torch.compile(lambda x: torch.os.system("true"))(torch.ones(2))
""".strip().split("\n")


@pytest.mark.parametrize("way", WAYS_OUT)
def test_a_compiled_function_leads_nowhere(way):
    made = session("seen = []\nc = torch.compile(lambda x: x * 2 + 1 - x)\nc(torch.ones(2))")
    with pytest.raises((AttributeError, TypeError, SyntaxError, NameError)):
        made.run(way)
    assert made["seen"] == []


def test_no_stand_in_leaves_the_recording():
    """What a function makes of its arguments while it is recorded stays in it, also where the recording fails."""
    made = session(
        "kept = []\nclass K:\n    def __init__(self, x): kept.append(x)\n    def __rmul__(self, x): kept.append(x); return x\n"
        "k = K(0)\ndef g(x): return kept.append(x)\n"
        "for f in (lambda x: (x * k, x + 1), lambda x: (K(x), x * 2 + 1), lambda x: (g(x), x * 2 + 1), "
        "lambda x: [x * 2 + 1, kept.extend([x])]):\n    c = torch.compile(f)\n    for _ in range(3): c(torch.ones(2))"
    )
    assert {type(each).__name__ for each in made["kept"]} <= {"Tensor", "int"}


def test_a_compiled_function_keeps_its_names():
    made = session(
        "@torch.compile\ndef f(x):\n    'doc'\n    return x + 1\n@torch.compile(fullgraph=True)\ndef g(x): return x"
    )
    assert (made["f"].__name__, made["f"].__doc__, made["g"].__name__) == ("f", "doc", "g")


def test_numbers_that_change_at_each_call_do_not_fill_the_memory():
    made = session("f = lambda x, k: x * k + k - x\nc = torch.compile(f)\nx = torch.ones(2)")
    made.run("for k in range(100): y = c(x, k)")
    assert made.run("y.tolist()") == [197.0, 197.0]
    assert replays(made, "c(x, 1)")


def test_a_session_hands_no_graph_to_a_backend() -> None:
    """A graph's text is Python that nobody has read: programs of a session have no `torch.fx`."""
    session = Session()
    session.run("got = []\ndef backend(gm, inputs):\n    got.append(gm)\n    return gm\n")
    session.run(
        "f = torch.compile(lambda x: x + 1, backend=backend)\nm = torch.compile(nn.Linear(2, 2), backend=backend)"
    )
    assert session.run("str(f(ones(2))), tuple(m(ones(2)).shape), got") == ("tensor([2., 2.])", (2,), [])
    session.run("torch.compiler.set_default_backend(backend)")
    assert session.run("str(torch.compile(lambda x: x * 2)(ones(2))), got") == ("tensor([2., 2.])", [])
