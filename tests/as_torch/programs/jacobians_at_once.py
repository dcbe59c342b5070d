# ruff: noqa
"""Jacobians by rows and by columns, Hessians and mapped gradients of many functions: all rows at once where that can be."""

import torch, torch.nn as nn, torch.nn.functional as F
from torch.func import *

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
W = torch.randn(6, 6)
x = torch.randn(6)
fs = {
    "lin": lambda x: W @ x,
    "tanh": lambda x: torch.tanh(W @ x) * x,
    "exp": lambda x: x.exp().sum() * x,
    "soft": lambda x: F.softmax(x, 0),
    "lsm": lambda x: F.log_softmax(x.view(2, 3), 1),
    "ln": lambda x: F.layer_norm(x.view(2, 3), (3,)),
    "gelu": lambda x: F.gelu(x),
    "relu": lambda x: F.relu(x - 0.1),
    "conv": lambda x: F.conv1d(x.view(1, 1, 6), W[:1, :3].view(1, 1, 3)),
    "sort": lambda x: x.sort()[0],
    "max": lambda x: x.view(2, 3).max(1)[0],
    "cumsum": lambda x: x.cumsum(0) * x.cumprod(0),
    "idx": lambda x: x[[0, 2, 2]] * x[1:4],
    "cat": lambda x: torch.cat([x.sin(), x.cos()]),
    "mm": lambda x: x.view(2, 3) @ W[:3],
    "bmm": lambda x: torch.bmm(x.view(1, 2, 3), W[:3].view(1, 3, 6)),
    "inv": lambda x: torch.linalg.inv(W + torch.diag(x)),
    "det": lambda x: torch.linalg.det(W + torch.diag(x)),
    "chol": lambda x: torch.linalg.cholesky(torch.diag(x**2 + 1) + W @ W.T),
    "solve": lambda x: torch.linalg.solve(W + torch.diag(x), x),
    "logsumexp": lambda x: torch.logsumexp(x.view(2, 3), 0),
    "norm": lambda x: x.norm() * x,
    "var": lambda x: x.view(2, 3).var(1),
    "prod": lambda x: x.prod() + x,
    "where": lambda x: torch.where(x > 0, x**2, x**3),
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "pow": lambda x: (x.abs() + 1) ** x,
    "div": lambda x: x / (x.sum() + 5),
    "einsum": lambda x: torch.einsum("i,j->ij", x, x),
    "expand": lambda x: x.expand(2, 6).sum(0) * x.unsqueeze(0),
    "pad": lambda x: F.pad(x, (1, 2)),
    "unfold": lambda x: x.unfold(0, 2, 1).sum(1),
    "flip": lambda x: x.flip(0) * x,
    "roll": lambda x: x.roll(1),
    "gather": lambda x: x.gather(0, torch.tensor([1, 1, 0])),
    "scatter": lambda x: torch.zeros(6).scatter_add(0, torch.tensor([0, 0, 1, 2, 2, 5]), x),
    "mse": lambda x: F.mse_loss(x, W[0]),
    "ce": lambda x: F.cross_entropy(x.view(2, 3), torch.tensor([0, 2])),
    "sdpa": lambda x: F.scaled_dot_product_attention(x.view(1, 2, 3), x.view(1, 2, 3), x.view(1, 2, 3)),
    "bn": lambda x: F.batch_norm(x.view(2, 3), None, None, training=True),
    "inplace": lambda x: x.clone().mul_(x).add_(1),
    "setitem": lambda x: (lambda y: (y.__setitem__(0, x[1] * 2), y)[1])(x.clone()),
    "erf": lambda x: torch.erf(x) + torch.lgamma(x.abs() + 1),
    "atan2": lambda x: torch.atan2(x, W[0]),
    "trace": lambda x: torch.trace(torch.outer(x, x)),
    "kron": lambda x: torch.kron(x, x),
    "fft": lambda x: torch.fft.rfft(x).abs(),
    "svd": lambda x: torch.linalg.svdvals(x.view(2, 3)),
    "eigh": lambda x: torch.linalg.eigvalsh(torch.outer(x, x) + torch.diag(x)),
    "maxpool": lambda x: F.max_pool1d(x.view(1, 1, 6), 2),
    "interp": lambda x: F.interpolate(x.view(1, 1, 6), scale_factor=2, mode="linear"),
    "glu": lambda x: F.glu(x),
    "silu": lambda x: F.silu(x),
    "elu": lambda x: F.elu(x) + F.celu(x) + F.selu(x),
    "leaky": lambda x: F.leaky_relu(x),
    "mish": lambda x: F.mish(x),
    "softplus": lambda x: F.softplus(x),
    "const": lambda x: torch.ones(3),
    "tuple": lambda x: (x**2, {"a": x.sum()}),
    "detach": lambda x: x * x.detach(),
    "rsqrt": lambda x: (x**2 + 1).rsqrt(),
    "logdet": lambda x: torch.logdet(W @ W.T + torch.diag(x**2)),
    "mexp": lambda x: torch.matrix_exp(torch.outer(x, x) / 9),
    "lstm": lambda x: torch.sigmoid(x[:3]) * torch.tanh(x[3:]),
    "split": lambda x: x.split(2)[1] * x.chunk(3)[0],
    "amax": lambda x: x.amax() * x,
    "median": lambda x: x.median() + x.kthvalue(2)[0],
    "topk": lambda x: x.topk(2)[0],
    "cumm": lambda x: x.cummax(0)[0],
    "repeat": lambda x: x.repeat(2),
    "ri": lambda x: x.repeat_interleave(2),
    "tri": lambda x: torch.outer(x, x).tril(),
    "diag": lambda x: torch.diag(x) + torch.diag_embed(x),
    "logit": lambda x: torch.logit(torch.sigmoid(x)),
    "xlogy": lambda x: torch.xlogy(x.abs(), x.abs() + 1),
    "hub": lambda x: F.huber_loss(x, W[0], reduction="none"),
    "triplet": lambda x: F.triplet_margin_loss(x[:2], x[2:4], x[4:]),
    "cos": lambda x: F.cosine_similarity(x[:3], x[3:], dim=0),
    "rms": lambda x: F.rms_norm(x, (6,)),
    "gn": lambda x: F.group_norm(x.view(1, 6), 2),
    "index_put": lambda x: torch.zeros(6).index_put((torch.tensor([1, 1]),), x[:2], accumulate=True),
    "complex": lambda x: torch.view_as_real(torch.polar(x.abs(), x)),
    "lin": lambda x: F.linear(x.view(2, 3), W[:4, :3], W[0, :4]),
    "bil": lambda x: F.bilinear(x[:3], x[3:], W.view(4, 3, 3)),
    "emb": lambda x: F.embedding(torch.tensor([0, 1, 1]), x.view(2, 3)),
    "conv2d": lambda x: F.conv2d(x.view(1, 1, 2, 3), W[:2, :4].view(2, 1, 2, 2), padding=1),
    "convT": lambda x: F.conv_transpose1d(x.view(1, 2, 3), W[:2, :3].view(2, 1, 3)),
    "avg": lambda x: F.avg_pool1d(x.view(1, 1, 6), 3, 1),
    "prelu": lambda x: F.prelu(x, W[0, :1]),
    "nrm": lambda x: F.normalize(x, dim=0),
    "chain": lambda x: torch.linalg.multi_dot([W, torch.diag(x), W]),
}


def show(v):
    if isinstance(v, torch.Tensor):  # its shape, and sums that tell its elements and their places
        places = torch.cos(torch.arange(v.numel(), dtype=v.dtype))
        sums = v.detach().sum(), (v.detach().flatten() * places).sum()
        return (tuple(v.shape), *[round(t.item(), 6) + 0.0 for t in sums])
    if isinstance(v, dict):
        return {k: show(t) for k, t in v.items()}
    return [show(t) for t in v]


for n, f in fs.items():
    for nm, J in (("rev", jacrev), ("fwd", jacfwd)):
        try:
            print(n, nm, show(J(f)(x)))
        except Exception as e:
            print(n, nm, type(e).__name__, str(e)[:100])
    try:
        print(n, "hes", show(hessian(lambda x: (f(x) ** 2).sum())(x)))
    except Exception as e:
        print(n, "hes", type(e).__name__, str(e)[:100])
    try:
        y = x.clone().requires_grad_()
        o = f(y)
        print(
            n,
            "vm",
            show(
                vmap(lambda v: torch.autograd.grad(o, y, v, retain_graph=True)[0])(
                    torch.randn(4, *o.shape, generator=torch.Generator().manual_seed(0))
                )
            ),
            show(
                torch.autograd.grad(
                    o, y, torch.randn(4, *o.shape, generator=torch.Generator().manual_seed(0)), is_grads_batched=True
                )[0]
            ),
        )
    except Exception as e:
        print(n, "vm", type(e).__name__, str(e)[:60])
A = torch.autograd.functional
for n, f in fs.items():
    if n in ("tuple", "gn"):
        continue
    try:
        print(
            n,
            "af",
            show(A.jacobian(f, x)),
            show(A.jacobian(f, x, vectorize=True)),
            show(A.hessian(lambda x: (f(x) ** 2).sum(), x, vectorize=True)),
        )
    except Exception as e:
        print(n, type(e).__name__, str(e)[:100])


class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print("backward", g.shape)
        return 2 * x * g


print(show(A.jacobian(Sq.apply, x, vectorize=True)))
a = torch.randn(3, 4, requires_grad=True)
print(show(jacrev(lambda x: x @ a)(torch.randn(2, 3))), jacrev(lambda x: x @ a)(torch.randn(2, 3)).requires_grad)
J = jacrev(lambda x: (x @ a).tanh())(torch.ones(2, 3))
J.pow(2).sum().backward()
print(show(a.grad))
print(
    show(jacrev(jacrev(lambda x: x.sin() * x.sum()))(x)),
    show(jacfwd(jacfwd(lambda x: x.sin() * x.sum()))(x)),
    show(vmap(jacrev(lambda x: x.sin() * x.sum()))(W)),
    show(vmap(hessian(lambda x: (x.sin() * x.sum()).sum()))(W[:2])),
    show(jacrev(lambda x, y: x * y.sum(), argnums=(0, 1))(x, x + 1)),
    show(jacrev(lambda d: d["a"] * d["b"])({"a": x, "b": x + 1})),
)
net = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2))
P = dict(net.named_parameters())
print(
    show(jacrev(lambda p: functional_call(net, p, (x,)))(P)),
    show(jacfwd(lambda p: functional_call(net, p, (x,)).sum())(P)),
)
net = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 3))
for f in (net, lambda x: x.softmax(0), lambda x: torch.outer(x, x)[:2], lambda x: x.cumsum(0)):
    for J in (jacrev, jacfwd, lambda f: hessian(lambda x: f(x).pow(2).sum())):
        print(show(vmap(J(f))(W[:3])))
    print(show(vmap(vmap(jacrev(f)))(W.view(2, 3, 6))), show(vmap(jacrev(jacrev(f)))(W[:2])))
print(
    show(
        vmap(jacrev(lambda p, x: functional_call(net, p, (x,))), in_dims=(None, 0))(dict(net.named_parameters()), W[:3])
    )
)
