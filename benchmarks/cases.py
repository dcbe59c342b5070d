"""What is measured: tables of small programs, one source for tensorsh and PyTorch, others beside it where they differ.

A case is (name, setup, statement) in PyTorch's language; `numpy`, `autograd` and `mygrad` give the same work in these
libraries. Setups run once, statements many times.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    name: str
    setup: str
    statement: str
    others: dict[str, tuple[str, str]] = field(default_factory=dict)
    more: str = ""
    """Setup of this case alone; `setup` runs once for the cases that follow one another with it."""
    group: str = ""


SMALL = "torch.manual_seed(0); p = torch.ones(4, 4); q = torch.ones(4, 4); r = torch.ones(4, 4, requires_grad=True)"
NUMPY = "p = np.ones((4, 4), 'f4'); q = np.ones((4, 4), 'f4')"
LAYERS = (
    "torch.manual_seed(0); m = torch.randn(32, 8); w = torch.randn(8, 16, requires_grad=True); b = torch.zeros(16, "
    "requires_grad=True); v = torch.randn(16, 1, requires_grad=True); c = torch.zeros(1, requires_grad=True); y = "
    "torch.randn(32, 1); labels = torch.randint(0, 10, (32,)); logits = torch.randn(32, 10, requires_grad=True)"
)


def small(name: str, statement: str, numpy: str | None = None) -> Case:
    return Case(name, SMALL, statement, {} if numpy is None else {"numpy": (NUMPY, numpy)})


small_operators = [
    small("p + q", "p + q", "p + q"),
    small("p * q", "p * q", "p * q"),
    small("p + 1.0", "p + 1.0", "p + np.float32(1)"),
    small("r + q (grad)", "r + q"),
    small("r * q (grad)", "r * q"),
    small("-p", "-p", "-p"),
    small("p.exp()", "p.exp()", "np.exp(p)"),
    small("r.exp() (grad)", "r.exp()"),
    small("p ** 2", "p ** 2", "p * p"),
    small("torch.relu(p)", "torch.relu(p)", "np.maximum(p, 0)"),
    small("p.sum()", "p.sum()", "np.add.reduce(p, None)"),
    small("p.mean()", "p.mean()", "p.mean()"),
    small("p.sum(0)", "p.sum(0)", "np.add.reduce(p, 0)"),
    small("p.max()", "p.max()", "p.max()"),
    small("p.argmax(1)", "p.argmax(1)", "p.argmax(1)"),
    small("p @ q", "p @ q", "p @ q"),
    small("p > 0", "p > 0", "p > 0"),
    small("p[0]", "p[0]", "p[0]"),
    small("p[:, 1]", "p[:, 1]", "p[:, 1]"),
    small("p.view(16)", "p.view(16)", "p.reshape(16)"),
    small("p.t()", "p.t()", "p.T"),
    small("torch.cat([p, q])", "torch.cat([p, q])", "np.concatenate([p, q])"),
    small("softmax(p, 1)", "torch.softmax(p, 1)"),
    small("p.add_(1)", "p.add_(1)", "np.add(p, 1, out=p)"),
    small("p.clone()", "p.clone()", "p.copy()"),
    small("torch.zeros(4, 4)", "torch.zeros(4, 4)", "np.zeros((4, 4), 'f4')"),
    small("torch.tensor([...])", "torch.tensor([1.0, 2.0, 3.0])", "np.array([1.0, 2.0, 3.0], 'f4')"),
    small("p.clamp(0, 1)", "p.clamp(0, 1)", "np.clip(p, 0, 1)"),
    small("torch.where(...)", "torch.where(p > 0, p, q)", "np.where(p > 0, p, q)"),
    Case("cross_entropy", LAYERS, "torch.nn.functional.cross_entropy(logits, labels)"),
    Case("linear", LAYERS, "torch.nn.functional.linear(m, w.t(), b)"),
]

_MLP_NUMPY = "import numpy as np; rng = np.random.default_rng(0); m = rng.normal(size=(32, 8)); w = rng.normal(size=(8, 16)); b = np.zeros(16); v = rng.normal(size=(16, 1)); c = np.zeros(1); y = rng.normal(size=(32, 1))"

graphs = [
    Case(
        "three nodes, forward and backward",
        SMALL,
        "(r * q + 1).sum().backward()",
        {
            "autograd": (
                "import autograd.numpy as np; from autograd import grad; p = np.ones((4, 4)); f = grad(lambda x: np.sum(x * p + 1))",
                "f(p)",
            ),
            "mygrad": ("import mygrad as mg; p = mg.tensor([[1.0] * 4] * 4)", "(p * p + 1).sum().backward()"),
        },
    ),
    Case(
        "MLP 32x8-16-1",
        LAYERS,
        "((torch.relu(m @ w + b) @ v + c - y) ** 2).mean().backward()",
        {
            "autograd": (
                _MLP_NUMPY.replace(
                    "import numpy as np", "import numpy; import autograd.numpy as np; from autograd import grad"
                ).replace("np.random", "numpy.random")
                + "; f = grad(lambda P: np.mean((np.maximum(np.dot(m, P[0]) + P[1], 0) @ P[2] + P[3] - y) ** 2))",
                "f([w, b, v, c])",
            ),
            "mygrad": (
                _MLP_NUMPY + "; import mygrad as mg; w, b, v, c = map(mg.tensor, (w, b, v, c))",
                "((mg.maximum(m @ w + b, 0) @ v + c - y) ** 2).mean().backward()",
            ),
            "numpy": (
                _MLP_NUMPY,
                "z = m @ w + b; h = np.maximum(z, 0); e = h @ v + c - y; g = 2 / 32 * e; gv = h.T @ g; gc = g.sum(0); "
                "gh = (g @ v.T) * (z > 0); gw = m.T @ gh; gb = gh.sum(0)",
            ),
        },
    ),
    Case(
        "RNN of 50 steps",
        "torch.manual_seed(0); U = torch.randn(16, 16, requires_grad=True); W = torch.randn(8, 16, requires_grad=True); "
        "X = torch.randn(50, 4, 8); h0 = torch.zeros(4, 16)\n"
        "def run():\n    h = h0\n    for x in X:\n        h = torch.tanh(x @ W + h @ U)\n    h.sum().backward()",
        "run()",
    ),
    Case(
        "chain of 1,000 scalars",
        "s = torch.tensor(1.0, requires_grad=True)\ndef run():\n    t = s\n    for _ in range(1000):\n        t = t * 1.0001\n    t.backward()",
        "run()",
        {
            "autograd": (
                "from autograd import grad\ndef chain(t):\n    for _ in range(1000):\n        t = t * 1.0001\n    return t\nf = grad(chain)",
                "f(1.0)",
            ),
        },
    ),
]

_BIG = "torch.manual_seed(0); x = torch.rand(10_000_000); y = torch.rand(10_000_000); M = torch.rand(3000, 3000)"
_BIG_NUMPY = "rng = np.random.default_rng(0); x = rng.random(10_000_000, 'f4'); y = rng.random(10_000_000, 'f4'); M = rng.random((3000, 3000), 'f4')"


def big(name: str, statement: str, numpy: str | None = None) -> Case:
    return Case(name, _BIG, statement, {} if numpy is None else {"numpy": (_BIG_NUMPY, numpy)})


large_operators = [
    big("add 1e7", "x + y", "x + y"),
    big("exp 1e7", "x.exp()", "np.exp(x)"),
    big("tanh 1e7", "x.tanh()", "np.tanh(x)"),
    big("sum 1e7", "x.sum()", "x.sum()"),
    big("sum rows 3000x3000", "M.sum(1)", "M.sum(1)"),
    big("sum columns 3000x3000", "M.sum(0)", "M.sum(0)"),
    big("softmax 3000x3000", "torch.softmax(M, 1)"),
    big("cumsum 1e7", "x.cumsum(0)", "x.cumsum()"),
    Case("sort 1e6", "torch.manual_seed(0); x = torch.rand(1_000_000)", "x.sort()"),
    Case("matmul 1000", "torch.manual_seed(0); A = torch.rand(1000, 1000)", "A @ A"),
    Case("transpose copy 3000x3000", _BIG, "M.t().contiguous()", {"numpy": (_BIG_NUMPY, "np.ascontiguousarray(M.T)")}),
    Case(
        "conv 64 to 64, 56x56, batch 4",
        "torch.manual_seed(0); a = torch.rand(4, 64, 56, 56); k = torch.rand(64, 64, 3, 3)",
        "torch.nn.functional.conv2d(a, k, padding=1)",
    ),
    Case(
        "max_pool2d 16x64x56x56",
        "torch.manual_seed(0); a = torch.rand(16, 64, 56, 56)",
        "torch.nn.functional.max_pool2d(a, 2)",
    ),
    Case(
        "layer_norm 4096x1024",
        "torch.manual_seed(0); a = torch.rand(4096, 1024)",
        "torch.nn.functional.layer_norm(a, (1024,))",
    ),
    Case("gelu 1e6", "torch.manual_seed(0); a = torch.rand(1_000_000)", "torch.nn.functional.gelu(a)"),
    Case(
        "embedding, forward and backward",
        "torch.manual_seed(0); E = torch.rand(10_000, 128, requires_grad=True); i = torch.randint(0, 10_000, (64, 128))",
        "torch.nn.functional.embedding(i, E).sum().backward()",
    ),
    Case(
        "attention 8x8x128x64",
        "torch.manual_seed(0); Q = torch.rand(8, 8, 128, 64)",
        "torch.nn.functional.scaled_dot_product_attention(Q, Q, Q)",
    ),
    Case("randn 1e6", "torch.manual_seed(0)", "torch.randn(1_000_000)"),
]


def step(
    model: str,
    data: str,
    loss: str,
    optimizer: str = "torch.optim.SGD(model.parameters(), lr=0.01)",
    classes: str = "",
) -> tuple[str, str]:
    setup = f"torch.manual_seed(0); nn = torch.nn; F = nn.functional\n{classes}\nmodel = {model}\n{data}\noptimizer = {optimizer}\n"
    setup += f"def run():\n    optimizer.zero_grad()\n    loss = {loss}\n    loss.backward()\n    optimizer.step()"
    return setup, "run()"


training_steps = [
    Case(
        "MLP 784-256-10, batch 128, SGD",
        *step(
            "nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))",
            "x = torch.randn(128, 784); y = torch.randint(0, 10, (128,))",
            "F.cross_entropy(model(x), y)",
        ),
    ),
    Case(
        "MLP 784-256-10, batch 128, Adam",
        *step(
            "nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))",
            "x = torch.randn(128, 784); y = torch.randint(0, 10, (128,))",
            "F.cross_entropy(model(x), y)",
            "torch.optim.Adam(model.parameters())",
        ),
    ),
    Case(
        "LeNet, batch 64",
        *step(
            "nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Sigmoid(), "
            "nn.AvgPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.Sigmoid(), nn.Linear(120, 84), nn.Sigmoid(), nn.Linear(84, 10))",
            "x = torch.randn(64, 1, 28, 28); y = torch.randint(0, 10, (64,))",
            "F.cross_entropy(model(x), y)",
        ),
    ),
    Case(
        "LSTM 64, 32 steps, batch 16",
        *step(
            "nn.LSTM(32, 64, batch_first=True)",
            "x = torch.randn(16, 32, 32)",
            "model(x)[0].pow(2).mean()",
        ),
    ),
    Case(
        "transformer block 128, batch 8x64",
        *step(
            "nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)",
            "x = torch.randn(8, 64, 128)",
            "model(x).pow(2).mean()",
            "torch.optim.AdamW(model.parameters())",
        ),
    ),
]

_CHAIN = "def chain(n):\n    t = s\n    for _ in range(n):\n        t = t * 1.0\n    t.backward()\ns = torch.tensor(1.0, requires_grad=True)"
scaling = [Case(f"chain of {n:,} nodes", _CHAIN, f"chain({n})") for n in (1_000, 10_000, 100_000, 1_000_000)]

language = {
    "sum of a loop": "total = 0\nfor i in range(200_000):\n    total += i * i % 7\n",
    "function calls": "def f(a, b=2):\n    return a + b\nfor i in range(100_000):\n    f(i)\n",
    "f-strings": "for i in range(100_000):\n    f'{i:5d} {i / 3:.2f}'\n",
    "comprehensions": "for _ in range(20):\n    sum([i * 2 for i in range(10_000) if i % 3])\n",
    "a try that catches": "def f(d):\n    for i in range(100_000):\n        try:\n            d[i]\n        except KeyError as e:\n            pass\nf({})\n",
    "attributes of a class": "class A:\n    def __init__(self):\n        self.n = 0\n    def step(self):\n        self.n += 1\na = A()\nfor _ in range(100_000):\n    a.step()\n",
}

WIDE = "torch.manual_seed(0); x = torch.rand(1_000_000); y = torch.rand(1_000_000)"
FLOORS = "rng = np.random.default_rng(0); x = rng.random(1_000_000, 'f4'); y = rng.random(1_000_000, 'f4')"
LOOP = """
@numba.njit(fastmath=False)
def f(x, y):
    out = np.empty_like(x)
    for i in range(x.size):
        a, b = x[i], y[i]
        out[i] = {}
    return out
"""
SUM = """
@numba.njit(fastmath=False)
def f(x, y):
    total = np.float32(0)
    for i in range(x.size):
        a, b = x[i], y[i]
        total += {}
    return total
"""


def fused(name: str, statement: str, numpy: str, numexpr: str, numba: str, loop: str = LOOP) -> Case:
    """A formula of several steps, beside what makes one pass over memory of it."""
    anchors = {"numpy": (FLOORS, numpy), "numexpr": (FLOORS, f"numexpr.evaluate({numexpr!r})")}
    return Case(name, WIDE, statement, anchors | {"numba": (FLOORS + loop.format(numba), "f(x, y)")})


ONE = "np.float32(1)"
formulas = [
    fused("x * y + x, 1e6", "x * y + x", "x * y + x", "x * y + x", "a * b + a"),
    fused(
        "x * y / (x + y + 1), 1e6", "x * y / (x + y + 1)", "x * y / (x + y + 1)", "x * y / (x + y + 1)", f"a * b / (a + b + {ONE})"
    ),
    fused("tanh(x * y), 1e6", "torch.tanh(x * y)", "np.tanh(x * y)", "tanh(x * y)", "np.tanh(a * b)"),
    fused("exp(-x * x), 1e6", "torch.exp(-x * x)", "np.exp(-x * x)", "exp(-x * x)", "np.exp(-a * a)"),
    fused(
        "((x - y) ** 2).sum(), 1e6", "((x - y) ** 2).sum()", "((x - y) ** 2).sum()", "sum((x - y) ** 2)", "(a - b) * (a - b)", SUM
    ),
]  # fmt: skip


def transform(call: str, *shape: int, real: bool = False) -> Case:
    x = f"x = torch.rand({', '.join(map(str, shape))})"
    return Case(f"fft.{call} of {shape}", x if real else x + "; x = torch.complex(x, x.flip(0))", f"torch.fft.{call}")


transforms = [
    transform("fft(x)", 4096),
    transform("fft(x)", 156, 256),
    transform("fft(x)", 19, 2048),
    transform("fft(x, dim=0)", 64, 625),
    transform("fft(x, dim=0)", 256, 156),
    transform("rfft(x)", 3333, 12, real=True),
    transform("rfft(x)", 2666, 15, real=True),
    transform("fft2(x)", 256, 256),
    transform("rfft2(x)", 256, 256, real=True),
    transform("irfft2(x)", 256, 129),
    transform("rfftn(x)", 32, 32, 32, real=True),
    transform("irfft(x, dim=0)", 1000, 1000, real=True),
]


SUITES: dict[str, list[Case]] = {
    "Small operators": small_operators,
    "Graphs": graphs,
    "Training steps": training_steps,
    "Large operators": large_operators,
    "Scaling": scaling,
    "Formulas": formulas,
    "Transforms": transforms,
}


def product(kind: str, name: str, tf32: bool = False) -> Case:
    setup = f"torch.backends.cuda.matmul.allow_tf32 = {tf32}; A = torch.rand(4096, 4096, dtype=torch.{kind})"
    return Case(f"matmul 4096, {name}", setup, "A @ A")


_GPT = """
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (a.reshape(b, t, self.heads, d // self.heads).transpose(1, 2) for a in self.qkv(self.before(x)).split(d, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.out(a)
        return x + self.mlp(self.between(x))
class GPT(nn.Module):
    def __init__(self, tokens=512, width=256, blocks=4):
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(256, width)
        self.blocks = nn.Sequential(*[Block(width, 4) for _ in range(blocks)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens)
    def forward(self, i):
        return self.head(self.norm(self.blocks(self.token(i) + self.place(torch.arange(i.shape[1])))))
"""


def wide(name: str, setup: str, statement: str) -> Case:
    return Case(name, f"torch.manual_seed(0); F = torch.nn.functional; {setup}", statement)


ON_A_GPU = {
    "Matrix products": [
        product("float32", "float32"),
        product("float32", "tf32", True),
        product("bfloat16", "bfloat16"),
    ],
    "Wide operators": [
        wide("softmax 8192x4096", "a = torch.rand(8192, 4096)", "F.softmax(a, 1)"),
        wide("softmax 8192x4096, bfloat16", "a = torch.rand(8192, 4096, dtype=torch.bfloat16)", "F.softmax(a, 1)"),
        wide("layer_norm 8192x4096", "a = torch.rand(8192, 4096)", "F.layer_norm(a, (4096,))"),
        wide(
            "layer_norm 8192x4096, bfloat16",
            "a = torch.rand(8192, 4096, dtype=torch.bfloat16)",
            "F.layer_norm(a, (4096,))",
        ),
        wide(
            "conv 128 to 128, 56x56, batch 32",
            "a = torch.rand(32, 128, 56, 56); k = torch.rand(128, 128, 3, 3)",
            "F.conv2d(a, k, padding=1)",
        ),
        wide(
            "attention 8x16x1024x64",
            "Q = torch.rand(8, 16, 1024, 64)",
            "F.scaled_dot_product_attention(Q, Q, Q, is_causal=True)",
        ),
        wide(
            "attention 8x16x1024x64, bfloat16",
            "Q = torch.rand(8, 16, 1024, 64, dtype=torch.bfloat16)",
            "F.scaled_dot_product_attention(Q, Q, Q, is_causal=True)",
        ),
        wide("sum 1e8", "a = torch.rand(100_000_000)", "a.sum()"),
        wide("sort 1e7", "a = torch.rand(10_000_000)", "a.sort()"),
        wide("gather 1e7", "a = torch.rand(10_000_000); i = torch.randint(0, 10_000_000, (10_000_000,))", "a[i]"),
    ],
    "Training steps of a GPT": [
        Case(
            "GPT 256, 4 blocks, batch 16x256, AdamW",
            *step(
                "GPT()",
                "i = torch.randint(0, 512, (16, 256)); y = torch.randint(0, 512, (16, 256))",
                "F.cross_entropy(model(i).reshape(-1, 512), y.reshape(-1))",
                "torch.optim.AdamW(model.parameters())",
                _GPT,
            ),
        )
    ],
}
"""Suites that say something of a GPU only."""
