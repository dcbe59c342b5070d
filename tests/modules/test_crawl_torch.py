"""Nothing that a program reaches from torch by permitted attributes leads out of it, or into the engine."""

from __future__ import annotations

import types
import warnings
from typing import Any

import pytest

from tensorsh import Session, torch
from tensorsh.engine.arrays.state import Modes, State
from tensorsh.engine.loading.table import FUNCTIONS, METHODS, OPERATORS
from tensorsh.engine.operators.declare import Composite, Operator
from tensorsh.sandbox import classes, gate

from . import crawl as walker

SAMPLES = """
x = randn(2, 3, requires_grad=True); y = (x * 2).exp(); z = y.sum(); v = x.detach().view(3, 2); size = x.shape
z.backward(retain_graph=True)
leaf = x.exp().grad_fn.next_functions[0][0]; node = y.grad_fn; slot = x.chunk(2)[0].grad_fn; found = x.max(0)
copied = x.clone(); copied.view(-1)[0] = 1; slices = copied.grad_fn
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.note = 1
        contexts.append(ctx)
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]
contexts = []
own_node = Square.apply(x).grad_fn; context = contexts[0]
handle = x.register_hook(lambda g: g); handle2 = node.register_hook(lambda a, b: None)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.BatchNorm1d(4), nn.Dropout(), nn.LSTM(4, 2))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(ones(2)); self.register_buffer("b", ones(2)); self.l = nn.Linear(2, 2)
    def forward(self, x): return self.l(x) * self.w
net = Net(); parent = super(Net, net); keys = net.load_state_dict(net.state_dict()); hook = net.register_forward_hook(print)
adam = torch.optim.Adam(net.parameters()); net(ones(1, 2)).sum().backward(); adam.step(); state = adam.state_dict()
sgd = torch.optim.SGD(net.parameters(), lr=0.1); schedule = torch.optim.lr_scheduler.StepLR(sgd, 1)
data = torch.utils.data.TensorDataset(ones(4, 2), ones(4)); loader = torch.utils.data.DataLoader(data, batch_size=2)
iterator = iter(loader); batch = next(iterator); sampler = loader.sampler
generator = torch.Generator(); finfo = torch.finfo(torch.float32); iinfo = torch.iinfo(torch.int8)
device = torch.device("cpu"); mode = torch.no_grad(); anomaly = torch.autograd.set_detect_anomaly(False)
storage = x.untyped_storage(); typed = x.storage(); array = v.numpy(); parameter = net.w
normal = torch.distributions.Normal(0.0, 1.0); categorical = torch.distributions.Categorical(ones(3))
def fail(f):
    try:
        f()
    except BaseException as error:
        return error
def double():
    a = ones(2, requires_grad=True); b = a.exp().sum(); b.backward(); b.backward()
def modified():
    a = ones(2, requires_grad=True); b = a.exp(); c = b * b; b.add_(1); c.sum().backward()
errors = [fail(f) for f in (double, modified, lambda: x.zzz, lambda: ones(2) @ ones(3), lambda: torch.zzz, lambda: x.add_(1),
    lambda: torch.linalg.inv(zeros(2, 2)), lambda: nn.Linear(2), lambda: net.zzz, lambda: torch.tensor("a"))]
"""

TABLES = {id(FUNCTIONS), id(METHODS), id(OPERATORS)}
VETTED: dict[str, str] = {}
"""What is reached and may be, with the reason."""


_why_not = walker.why_not


def why_not(value: Any) -> str | None:
    if isinstance(value, Operator | Composite | State | Modes):
        return f"the engine's {type(value).__name__}"
    if id(value) in TABLES:
        return "a table of the engine"
    if type(value) is types.FunctionType and value.__module__ in ("os", "sys", "builtins", "importlib"):
        return f"{value.__module__}.{value.__name__}"
    reason = _why_not(value)
    return None if reason in VETTED else reason


@pytest.fixture
def reached() -> dict[str, Any]:
    session = Session()
    session.run(SAMPLES)
    return {"torch": torch, **{name: session[name] for name in session}}


@pytest.mark.parametrize("depth", [4])
def test_nothing_leads_out(reached: dict[str, Any], depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walker, "why_not", why_not)
    monkeypatch.setattr(walker, "left_in_a_fake", lambda cls: [])  # calls every constructor: too many here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bad, seen, _ = walker.crawl(reached, depth)
    assert bad == []
    assert seen > 4000


@pytest.mark.filterwarnings("ignore")
def test_the_classes_that_are_reached_cannot_be_changed(reached: dict[str, Any]) -> None:
    seen, level, open_classes, known = set(), list(reached.values()), set(), {}
    for distance in range(3):
        following = []
        for value in level:
            if walker.key_of(value) in seen or why_not(value) is not None:
                continue
            seen.add(walker.key_of(value))
            kind = gate.get_attribute(value, "__class__")
            kinds = {kind if isinstance(kind, type) else type(value), value if isinstance(value, type) else object}
            open_classes |= {
                each for each in kinds
                if type(each) is type and each.__module__.startswith(("tensorsh", "torch")) and is_heap(each)
                and not classes.is_script_class(each)
            }  # fmt: skip
            following += [found for _, found in walker.children(value, known)] if distance < 2 else []
        level = following
    # The namespaces' own classes are not handed out: `type(torch)` is a stand-in.
    metaclasses = {each for each in open_classes if issubclass(each, type)}
    assert {each.__name__ for each in open_classes - metaclasses} <= {"module"}


def is_heap(kind: type) -> bool:
    return bool(kind.__flags__ & 1 << 9) and not kind.__flags__ & 1 << 8


def test_engine_internals_are_no_attributes(reached: dict[str, Any]) -> None:
    for name in "array node base cell views origin inference is_parameter _array _node _cell _views".split():
        with pytest.raises(AttributeError):
            Session().run(f"x = ones(2)\nx.{name}")
    for name in "saved edges metas sequence outputs place _saved _edges _metas".split():
        with pytest.raises(AttributeError):
            Session().run(f"x = ones(2, requires_grad=True).exp().grad_fn\nx.{name}")


def test_errors_hand_out_nothing(reached: dict[str, Any]) -> None:
    for error in reached["errors"]:
        for name, value in vars(error).items():
            if name[:1] != "_":
                assert isinstance(value, str | int | type(None) | tuple), (error, name)
