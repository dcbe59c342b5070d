"""`torch.compile` of modules and of steps of training: the numbers are those of the same program as it stands, bit for bit."""

from __future__ import annotations

import pytest

from tensorsh import Session
from tensorsh.engine.kernels import kernel
from tests.modules.test_compile import bits, replays

pytestmark = pytest.mark.usefixtures("closed_door")

SETUP = """
import torch
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self, k=2):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self._last = nn.Linear(8, 3)
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])
        self.k = k
    def middle(self, x):
        for layer in self.layers:
            x = F.gelu(layer(x)) + x
        return x
    def forward(self, x):
        return self._last(self.middle(torch.tanh(self.first(x)))) * self.k
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.n1 = nn.LayerNorm(width); self.qkv = nn.Linear(width, 3 * width); self.proj = nn.Linear(width, width)
        self.n2 = nn.LayerNorm(width); self.up = nn.Linear(width, 2 * width); self.down = nn.Linear(2 * width, width); self.heads = heads
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        q, k, v = [z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in (q, k, v)]
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.n2(x))))
"""
KINDS = {
    "a network": ("Net()", "torch.randn(5, 4)", "F.cross_entropy(model(x), y)", "torch.randint(0, 3, (5,))"),
    "a sequence": ("nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))", "torch.randn(6, 4)", "((model(x) - y) ** 2).mean()", "torch.randn(6, 1)"),
    "a block": ("Block(16, 4)", "torch.randn(2, 5, 16)", "F.mse_loss(model(x), y)", "torch.randn(2, 5, 16)"),
    "an embedding": ("nn.Sequential(nn.Embedding(10, 8), nn.LayerNorm(8), nn.Linear(8, 10))", "torch.randint(0, 10, (3, 4))", "F.cross_entropy(model(x).view(-1, 10), y)", "torch.randint(0, 10, (12,))"),
    "convolutions": ("nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3))", "torch.randn(2, 1, 8, 8)", "F.cross_entropy(model(x), y)", "torch.randint(0, 3, (2,))"),
}  # fmt: skip
OPTIMIZERS = ["optim.Adam(model.parameters(), lr=0.01)", "optim.SGD(model.parameters(), lr=0.1, momentum=0.9)"]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_training_leaves_the_same_parameters(kind, optimizer):
    model, x, loss, y = KINDS[kind]
    found = []
    for compiled in (True, False):
        made = Session()
        made.run(f"""{SETUP}
torch.manual_seed(3)
model = {model}
optimizer = torch.{optimizer}
x, y = {x}, {y}
def f(x, y):
    optimizer.zero_grad()
    loss = {loss}
    loss.backward()
    optimizer.step()
    return loss.item()
c = torch.compile(f) if {compiled} else f
losses = [c(x, y) for _ in range(3)]
""")
        if compiled:
            assert replays(made, "losses.append(c(x, y))")
        else:
            made.run("losses.append(c(x, y))")
        made.run("x, y = x.clone(), y.clone()\nlosses.append(c(x, y))")
        grads = made.run("[p.grad for p in model.parameters()]")
        values = made.run("[p.detach() for p in model.parameters()]")
        found.append((made["losses"], bits(list(grads)), bits(list(values))))
    assert found[0] == found[1]


RNN = """
import torch
torch.manual_seed(0)
U, W = torch.randn(16, 16, requires_grad=True), torch.randn(8, 16, requires_grad=True)
X, h0 = torch.randn(20, 4, 8), torch.zeros(4, 16)
def f(X, h):
    for x in X:
        h = torch.tanh(x @ W + h @ U)
    return h
c = torch.compile(f)
"""


def test_a_loop_over_steps_has_the_gradients_of_the_loop():
    made = Session()
    made.run(RNN + "c(X, h0)")
    assert replays(made, "c(X, h0)")
    ways = {
        "alone": "g(X, h0).sum().backward()",
        "beside others": "(g(X, h0).sum() + (U * 3).sum() + (W.exp() * 0.3).sum()).backward()",
        "after others": "a = (U * 3).sum() * 0.1; (a + g(X, h0).sum()).backward()",
        "twice": "(g(X, h0) * g(X * 2, h0)).sum().backward()",
        "kept": "y = g(X, h0).sum(); y.backward(retain_graph=True); y.backward()",
        "differentiated": "a, = torch.autograd.grad(g(X, h0).sum(), U, create_graph=True); (a * a).sum().backward()",
    }
    for name, way in ways.items():
        found = []
        for g in "cf":
            made.run(f"U.grad = W.grad = None\ng = {g}\n{way}")
            found.append([bits(made["U"].grad), bits(made["W"].grad)])
        assert found[0] == found[1], name


CHANGES = {
    "a number of a module": "model.k = 3",
    "a module": "model.first = nn.Linear(4, 8)",
    "a parameter": "model.first.weight = nn.Parameter(torch.ones(8, 4))",
    "the data of a parameter": "model.first.weight.data = torch.full((8, 4), 0.5)",
    "a parameter that wants no gradient": "model.first.bias.requires_grad_(False)",
    "a hook of a module": "h = model.first.register_forward_hook(lambda m, a, r: r * 2)",
    "a hook of a parameter": "h = model.first.weight.register_hook(lambda g: g * 2)",
    "a hook after accumulation": "h = model.first.weight.register_post_accumulate_grad_hook(lambda p: seen.append(1))",
    "a method of the class": "Net.middle = lambda self, x: x * 2",
    "forward of the class": "Net.forward = lambda self, x: self._last(torch.relu(self.first(x)))",
    "forward of the module": "model.forward = lambda x: model._last(model.first(x))",
    "one layer more": "model.layers.append(nn.Linear(8, 8))",
    "one layer less": "del model.layers[0]",
    "another dtype": "model.double(); x = x.double()",
    "other sizes": "x, y = torch.randn(7, 4), torch.randint(0, 3, (7,))",
    "another learning rate": "optimizer.param_groups[0]['lr'] = 0.5",
    "written parameters": "with torch.no_grad(): model.first.weight.mul_(2)",
    "a loaded state": "model.load_state_dict({k: v * 2 for k, v in model.state_dict().items()})",
    "a group of parameters": "optimizer.add_param_group({'params': [nn.Parameter(torch.ones(2))]})",
    "a hook of the optimizer": "optimizer.register_step_pre_hook(lambda o, a, k: seen.append(2))",
    "evaluation": "model.eval()",
    "storage set": "model.first.bias.data.set_(torch.ones(8))",
    "a smaller storage": "x = torch.randn(6, 4)[1:]",
    "anomaly detection": "torch.autograd.set_detect_anomaly(True)",
    "no gradients": "torch.set_grad_enabled(False)",
    "one memory twice": "model.layers[1].weight.data = model.layers[0].weight.data",
    "one parameter twice": "model.layers[1].weight = model.layers[0].weight",
    "wrong classes": "y = torch.full((5,), 9)",
    "wrong sizes": "x = torch.randn(5, 3)",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_between_calls_counts(change):
    found = []
    for compiled in (True, False):
        made = Session()
        made.run(f"""{SETUP}
torch.manual_seed(3)
seen = []
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
x, y = torch.randn(5, 4), torch.randint(0, 3, (5,))
def f(x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
c = torch.compile(f) if {compiled} else f
c(x, y), c(x, y)
""")
        made.run(CHANGES[change])
        told = []
        for _ in range(3):
            try:
                told.append(made.run("c(x, y).item()"))
            except Exception as error:
                told.append((type(error).__name__, str(error).split("\n")[0]))
        values = made.run("[p.detach() for p in model.parameters()]")
        grads = made.run("[p.grad for p in model.parameters() if p.grad is not None]")
        found.append((told, made["seen"], bits(list(values)), bits(list(grads))))
        made.run("torch.autograd.set_detect_anomaly(False); torch.set_grad_enabled(True)")
    assert found[0] == found[1]


def test_what_is_printed_and_told_is_that_of_each_call():
    made = Session()
    made.run("""
import torch
def f(x):
    y = (x @ x) * 2
    print("sum", y.sum())
    return y.mean().item(), y
c = torch.compile(f)
""")
    for value in (1.0, 2.0, 3.0):
        assert made.run(f"c(torch.full((2, 2), {value}))[0]") == 4 * value * value


def test_modules_are_compiled_as_pytorch_shows_them():
    made = Session()
    made.run(
        "import torch\nfrom torch import nn\nm = nn.Sequential(nn.Linear(2, 3), nn.ReLU())\nc = torch.compile(m)\nx = torch.ones(2, 2)\nc(x), c(x)"
    )
    assert made.run("str(c)").splitlines()[:2] == ["OptimizedModule(", "  (_orig_mod): Sequential("]
    assert made.run("list(c.state_dict())") == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert made.run("c._orig_mod is m, len(c), isinstance(c, nn.Module), isinstance(c, nn.Sequential)") == (
        True,
        2,
        True,
        False,
    )
    made.run("c.eval(); c.note = 3")
    assert made.run("(m.training, c.training, m.note)") == (False, False, 3)
    assert made.run("(c(x) == m(x)).all().item()")
    if kernel("Program") is not None:
        assert made.run("type(c(x).grad_fn).__name__") == "CompiledFunctionBackward"


REFUSED = {
    "torch.compile(lambda x: x, backend='nope')": ("InvalidBackend", "Invalid backend: 'nope', see `torch._dynamo.list_backends()` for available backends."),
    "torch.compile(lambda x: x, mode='nope')": ("RuntimeError", "Unrecognized mode=nope, should be one of: default, lite, reduce-overhead, max-autotune-no-cudagraphs, max-autotune"),
    "torch.compile(lambda x: x, mode='default', options={'a': 1})": ("RuntimeError", "Either mode or options can be specified, but both can't be specified at the same time."),
    "torch.compile(3)": ("AssertionError", "A callable function is expected, but <class 'int'> is provided."),
    "torch.compile(f, fullgraph=True)(torch.ones(2))": ("Unsupported", "Data-dependent branching"),
    "torch.compile(g, fullgraph=True)(torch.ones(2))": ("Unsupported", "Failed to trace builtin operator"),
}  # fmt: skip


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused_is_refused_in_pytorchs_words(source):
    made = Session()
    made.run(
        "import torch\ndef f(x):\n    if x.sum() > 0: return x\n    return -x\ndef g(x):\n    print('hi'); return x + 1"
    )
    with pytest.raises(Exception) as caught:
        made.run(source)
    assert (type(caught.value).__name__, str(caught.value).split("\n")[0]) == REFUSED[source]


def test_programs_are_forgotten():
    made = Session()
    made.run("import torch\nf = lambda x: (x @ x).tanh() * 2\nc = torch.compile(f)\nx = torch.ones(2, 2)\nc(x)")
    assert replays(made, "c(x)")
    made.run("torch._dynamo.reset()")
    assert kernel("Program") is None or not replays(made, "c(x)")
