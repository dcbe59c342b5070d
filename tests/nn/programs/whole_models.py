# ruff: noqa
"""Whole modules and objects of the program in files, which live in memory here."""

import torch, torch.nn as nn, torch.nn.functional as F, io, os
from dataclasses import dataclass, field
from enum import Enum
from collections import namedtuple
from typing import NamedTuple

torch.manual_seed(0)


class Act(Enum):
    A = "relu"
    B = "tanh"


@dataclass
class Config:
    d: int = 4
    act: Act = Act.B
    sizes: list = field(default_factory=lambda: [1, 2])


class P(NamedTuple):
    x: int
    y: torch.Tensor


class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.l = nn.Linear(cfg.d, 3)
        self.bn = nn.BatchNorm1d(3)
        self.act = F.relu
        self.register_buffer("mask", torch.ones(3))
        self.register_buffer("tmp", torch.zeros(1), persistent=False)
        self.blocks = nn.ModuleList(
            [
                nn.Conv1d(1, 1, 3, padding=1),
                nn.LSTM(3, 2, batch_first=True),
                nn.TransformerEncoderLayer(2, 1, 4, batch_first=True),
                nn.Sequential(nn.Dropout(0.1), nn.GELU(), nn.Embedding(3, 2)),
            ]
        )
        self.tied = self.l.weight
        self.best = P(1, torch.tensor(2.0))
        self.hist = {"loss": [1.0, 0.5]}
        self.cls = Config

    def forward(self, x):
        h = self.act(self.bn(self.l(x)) * self.mask)
        h = self.blocks[0](h.unsqueeze(1))
        h, _ = self.blocks[1](h)
        return self.blocks[2](h).sum(-1)


net = Net(Config())
x = torch.randn(5, 4)
net(x)
net.eval()
a = net(x)
f = io.BytesIO()
torch.save(net, f)
f.seek(0)
m = torch.load(f, weights_only=False)
f.seek(0)
print(
    type(m),
    m.training,
    torch.equal(m(x), a),
    m.cfg,
    m.best,
    m.hist,
    m.cls is Config,
    m.tied is m.l.weight,
    len(list(m.parameters())),
)
m.train()
m.l.weight.data.zero_()
print(m.l(x)[0], list(m.state_dict())[:4], m.act is F.relu)
opt = torch.optim.Adam(m.parameters())
m(x).sum().backward()
opt.step()
ck = {"model": m, "opt": opt.state_dict(), "cfg": Config(act=Act.A), "p": [P(1, torch.ones(2))]}
b = io.BytesIO()
torch.save(ck, b)
b.seek(0)
c = torch.load(b, weights_only=False)
print(c["cfg"], c["p"], c["model"].l.weight[0, :2], sorted(c["opt"]))
try:
    torch.load(f)
except Exception as e:
    print(type(e).__name__)
f = io.BytesIO()
torch.save(Config(d=7), f)
f.seek(0)
with torch.serialization.safe_globals([Config, Act]):
    print(torch.load(f))
    f.seek(0)
torch.serialization.add_safe_globals([Config, Act])
print(torch.load(f, weights_only=True))
seq = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
f = io.BytesIO()
torch.save(seq, f)
f.seek(0)
print(torch.load(f, weights_only=False))
mods = [
    nn.Conv2d(1, 2, 3, bias=False),
    nn.GRU(2, 3, 2, bidirectional=True),
    nn.MultiheadAttention(4, 2),
    nn.EmbeddingBag(4, 2),
    nn.PReLU(),
    nn.GroupNorm(2, 4),
    nn.ConvTranspose2d(2, 1, 2),
    nn.Bilinear(2, 2, 1),
    nn.CrossEntropyLoss(weight=torch.ones(2)),
    nn.ParameterDict({"a": nn.Parameter(torch.ones(1))}),
    nn.ParameterList([nn.Parameter(torch.ones(1))]),
    nn.ModuleDict({"q": nn.Tanh()}),
    nn.MaxPool2d(2),
    nn.Upsample(scale_factor=2),
    nn.Flatten(),
    nn.Softmax(dim=1),
    nn.LSTMCell(2, 3),
    nn.Transformer(4, 1, 1, 1, 8),
]
for mod in mods:
    b = io.BytesIO()
    torch.save(mod, b)
    b.seek(0)
    r = torch.load(b, weights_only=False)
    print(
        repr(r) == repr(mod), type(r).__name__, all(torch.equal(p, q) for p, q in zip(mod.parameters(), r.parameters()))
    )
try:
    torch.save(lambda x: x, io.BytesIO())
except Exception as e:
    print("refused")


def act(x):
    return x * 2


net.act = act
f = io.BytesIO()
torch.save(net, f)
f.seek(0)
print(torch.load(f, weights_only=False).act is act)
