"""`torch.compile` of programs as people write them: they run from one program of steps, with the bits of the program as it stands."""

from __future__ import annotations

import pytest

from tests.modules.test_compile import bits, replays, session

pytestmark = pytest.mark.usefixtures("closed_door")

STEP = """
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
def f(x, y):
    optimizer.zero_grad()
    loss = {}
    loss.backward()
    optimizer.step()
    return loss.item()
"""
ERROR = STEP.format("F.mse_loss(model(x), y)")
CLASSES = STEP.format("F.cross_entropy(model(x), y)")
PROGRAMS = {
    "a classifier of sequences by an LSTM": """
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 5)
        self.recurrent = nn.LSTM(5, 6, 2, batch_first=True, dropout=0.3, bidirectional=True)
        self.out = nn.Linear(12, 3)
    def forward(self, x):
        found, (h, c) = self.recurrent(self.embed(x))
        return self.out(found[:, -1] + torch.cat([h[0], h[1]], -1))
model = Tagger()
x, y = torch.randint(0, 9, (4, 7)), torch.randint(0, 3, (4,))"""
    + CLASSES,
    "a GRU with a first state": """
model = nn.GRU(4, 6, num_layers=2)
h0 = torch.randn(2, 3, 6)
x, y = torch.randn(5, 3, 4), torch.randn(5, 3, 6)"""
    + STEP.format("F.mse_loss(model(x, h0)[0] * 2 + 1, y)"),
    "an RNN, then a linear layer": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.RNN(4, 6, nonlinearity="relu", batch_first=True)
        self.o = nn.Linear(6, 2)
    def forward(self, x):
        return self.o(self.r(x)[1][-1])
model = Net()
x, y = torch.randn(3, 5, 4), torch.randn(3, 2)"""
    + ERROR,
    "cells over a sequence": """
model = nn.ModuleList([nn.LSTMCell(4, 6), nn.GRUCell(6, 5), nn.RNNCell(5, 2)])
x, y = torch.randn(5, 3, 4), torch.randn(3, 2)
def over(x):
    h, c = torch.zeros(3, 6), torch.zeros(3, 6)
    g, r = torch.zeros(3, 5), None
    for each in x:
        h, c = model[0](each, (h, c))
        g = model[1](h, g)
        r = model[2](g, r)
    return r"""
    + STEP.format("F.mse_loss(over(x), y)"),
    "attention of several heads with its weights": """
model = nn.MultiheadAttention(8, 2, dropout=0.2, batch_first=True)
x, y = torch.randn(2, 5, 8), torch.randn(2, 5, 8)
def error(x, y):
    found, weights = model(x, x, x)
    return F.mse_loss(found, y) + weights.square().mean()"""
    + STEP.format("error(x, y)"),
    "attention to another sequence, behind a mask": """
model = nn.MultiheadAttention(8, 2)
keys = torch.randn(6, 2, 8)
mask = torch.triu(torch.ones(5, 6), 2) > 0
x, y = torch.randn(5, 2, 8), torch.randn(5, 2, 8)"""
    + STEP.format("F.mse_loss(model(x, keys, keys, attn_mask=mask, need_weights=False)[0], y)"),
    "an encoder with dropout": """
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.25, activation="gelu", batch_first=True), 2)
x, y = torch.randn(2, 5, 8), torch.randn(2, 5, 8)"""
    + ERROR,
    "an encoder that evaluates, without gradients": """
model = nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, batch_first=True).eval()
x, y = torch.randn(2, 5, 8), torch.randn(2, 5, 8)
def f(x, y):
    with torch.no_grad():
        return model(x) * 2 + y""",
    "a decoder with both masks": """
model = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.1)
memory = torch.randn(4, 2, 8)
mask = nn.Transformer.generate_square_subsequent_mask(5)
x, y = torch.randn(5, 2, 8), torch.randn(5, 2, 8)"""
    + STEP.format("F.mse_loss(model(x, memory, tgt_mask=mask, tgt_is_causal=True), y)"),
    "a language model of characters": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.norm, self.out = nn.LayerNorm(8), nn.Linear(8, 11, bias=False)
        self.out.weight = self.tokens.weight
    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.size(1), device=x.device))
        q = h.view(*x.shape, 2, 4).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, q, q, is_causal=True, dropout_p=0.1)
        return self.out(self.norm(h + a.transpose(1, 2).flatten(2)))
model = Model()
x, y = torch.randint(0, 11, (3, 6)), torch.randint(0, 11, (3, 6))"""
    + STEP.format("F.cross_entropy(model(x).flatten(0, 1), y.flatten(), label_smoothing=0.1)"),
    "clipped gradients and the accuracy": """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
def f(x, y):
    found = model(x)
    loss = F.cross_entropy(found, y)
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return loss.item(), (found.argmax(1) == y).float().mean(), norm""",
    "a network and its target": """
model, target = nn.Linear(4, 3), nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(5, 4), torch.randint(0, 3, (5, 1))
def f(x, y):
    with torch.no_grad():
        best = 1 + 0.9 * target(x).max(1).values
    loss = F.smooth_l1_loss(model(x).gather(1, y).squeeze(1), best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()""",
    "a cache of keys and values": """
model = nn.Linear(4, 12)
keys, values = torch.zeros(2, 6, 4), torch.zeros(2, 6, 4)
x, y = torch.randn(2, 2, 4), torch.randn(2, 2, 4)
def f(x, y):
    with torch.no_grad():
        q, k, v = model(x).chunk(3, -1)
        keys[:, 2:4] = k
        values[:, 2:4] = v
        return F.scaled_dot_product_attention(q, keys[:, :4], values[:, :4]) * y""",
    "rows written by numbers, slices, tensors and masks": """
w = torch.randn(4, 4, requires_grad=True)
i = torch.tensor([0, 2])
x, y = torch.randn(4, 4), torch.randn(4, 4)
def f(x, y):
    h = x @ w
    h[0] = 1
    h[1:3, 1] = y[:2, 0]
    h[:, 2] += 3
    h[i] = h[i] * 2
    h[y > 1] = 0.5
    return h * y""",
    "views of one tensor written over": """
w = torch.randn(4, 4, requires_grad=True)
x, y = torch.randn(4, 4), torch.randn(4, 4)
def f(x, y):
    h = (x @ w) * 2
    top, rows = h[:2], h.view(2, 8)
    top.mul_(2).add_(y[:2])
    h[3].zero_()
    rows[1, :3] = y[0, :3]
    h.t()[0].neg_()
    return (top.sum() + (rows * rows).sum()) * h""",
}


def run(source: str, compiles: bool) -> tuple:
    made = session(
        f"from torch import nn\nF = nn.functional\ntorch.manual_seed(3)\n{source}\nc = torch.compile(f) if {compiles} else f\n"
        "told = []\ndef grown(y):\n    if y.requires_grad:\n        y.sum().backward()\n        told.append(w.grad.clone())\n"
        "    told.append(y)\n"
    )
    made.run(
        "for k in range(4):\n    made = c(x if x.dtype is torch.int64 else x * (k + 1) / 2, y)\n    told.append(made)"
    )
    if compiles:
        assert replays(made, "told.append(c(x, y))")
    else:
        made.run("told.append(c(x, y))")
    made.run("for each in told[:5]:\n    if isinstance(each, torch.Tensor): grown(each)")
    numbers = made.run("[each for each in told if not isinstance(each, torch.Tensor)]")
    tensors = made.run("[each.detach() for each in told if isinstance(each, torch.Tensor)]")
    kept = made.run(
        "[p.detach() for p in (model.parameters() if 'model' in globals() else [])] + [p.grad for p in "
        "(model.parameters() if 'model' in globals() else []) if p.grad is not None]"
        + (" + [keys, values]" if "keys[" in source else "")
    )
    plain = [
        [bits(v) if hasattr(v, "numpy") else v for v in each] if isinstance(each, tuple) else each for each in numbers
    ]
    return plain, bits(list(tensors)), bits(list(kept)), bits(made.run("torch.rand(3)"))


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_runs_from_its_steps_with_the_same_bits(kind):
    assert run(PROGRAMS[kind], True) == run(PROGRAMS[kind], False)


STAYS_TRUE = {
    "a function that a module holds, and what it reads": (
        "k = 2.0\nmodel = nn.Linear(3, 3)\nmodel.act = lambda x: x * k\nx = torch.ones(2, 3)\nf = lambda x: model.act(model(x)) * 2 + x",
        ["c(x)", "k = 5.0", "c(x)"],
    ),
    "which operands are one": (
        "model = nn.MultiheadAttention(8, 2)\na, b = torch.randn(5, 2, 8), torch.randn(5, 2, 8)\nf = lambda q, k, v: model(q, k, v)[0] * 2",
        ["c(a, b, a)", "c(a, b, a)", "c(a, a, a)", "c(a, b, b)", "c(a, a, a)", "c(a.clone(), a, a.clone())"],
    ),
    "an error that is caught": (
        "x, i, j = torch.randn(4, 3), torch.tensor([9]), torch.tensor([1])\ndef f(x, i):\n    try:\n        return x.index_select(0, i) * 2 + x\n    except:\n        return x * 3 + 1",
        ["c(x, i)", "c(x, i)", "c(x, j)"],
    ),
    "a seed": ("def f(x):\n    torch.manual_seed(4)\n    return torch.rand(3) * x + x * 2\nx = torch.ones(3)", ["c(x)", "torch.rand(3)", "c(x)", "torch.rand(3)"]),
    "a write, then a view with a gradient": (
        "x = torch.randn(3, 3, requires_grad=True)\ndef f(x):\n    h = x * 1\n    with torch.no_grad():\n        h[0] = 5\n    return h * x",
        ["c(x)", "c(x).sum().backward()", "c(x).sum().backward()", "x.grad.clone()"],
    ),
    "a result that is what it was given": (
        "x = torch.randn(3, 3, requires_grad=True)\ndef f(x):\n    y = x * 2\n    with torch.no_grad():\n        z = y.contiguous()\n        w = z.exp()\n    return (z * w + y).tanh()",
        ["c(x)", "c(x).sum().backward()", "c(x).sum().backward()", "x.grad.clone()"],
    ),
    "an index that is a number": (
        "x, i, j = torch.randn(4, 3), torch.tensor(1), torch.tensor(2)\ndef f(x, i):\n    h = x * 2\n    h[i] = 3\n    return h[i] + h * h",
        ["c(x, i)", "c(x, i)", "c(x, j)", "c(x, j)"],
    ),
    "a view of what is written": (
        "x, y = torch.zeros(4, 3), torch.ones(3)\ndef f(x, y):\n    row = x[1]\n    x[:2] = y\n    row += 1\n    return row * 2 + x.sum() - y",
        ["c(x, y)", "c(x, y)", "x.clone()", "c(x[1:], y)", "x.clone()", "c(x, x[3])", "x.clone()"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", STAYS_TRUE)
def test_what_decides_a_program_counts(kind):
    source, calls = STAYS_TRUE[kind]
    found = []
    for compiles in (True, False):
        made = session(
            f"from torch import nn\ntorch.manual_seed(3)\n{source}\nc = torch.compile(f) if {compiles} else f"
        )
        values = [made.run(call) for call in [calls[0], *calls]]
        found.append([bits(each.detach()) for each in values if hasattr(each, "detach")])
    assert found[0] == found[1]
