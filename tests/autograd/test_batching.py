"""`vmap` computes all slices at once: the numbers, dtypes and shapes that come slice by slice, in one call of the function."""

from __future__ import annotations

import pytest

from tensorsh import Session

HEAD = """
F = nn.functional
manual_seed(0)
x, y, w = randn(40, 6), randn(40, 6), randn(6, 5)
a2, b2, a3, a4 = randn(9, 4, 6), randn(9, 6, 4), randn(9, 2, 4, 6), randn(9, 2, 3, 8, 8)
n, i, k, q, g = randn(9), torch.randint(4, (9,)), torch.randint(4, (9, 5)), rand(9, 4, 6), torch.arange(9)
d = randn(9, dtype=torch.float64)
m = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.LayerNorm(4))
conv, table = nn.Conv2d(3, 4, 3), nn.Embedding(4, 3)
calls = []
def both(f, *given):
    def counted(*each):
        calls.append(1)
        return f(*each)
    one, other = vmap(counted)(*[x.clone() for x in given]), [f(*each) for each in zip(*given)]
    if isinstance(one, tuple):
        return one, [torch.stack(c) for c in zip(*other)]
    return (one,), (torch.stack(other),)
"""
SAME = "all(allclose(p, q, atol=1e-5, equal_nan=True) and p.shape == q.shape and p.dtype == q.dtype for p, q in zip(one, other))"

CALLS = [
    ("lambda a: relu(a @ w).sum()", "x"),
    ("lambda a, b: (a - b).pow(2).mean().sqrt() / (a.norm() + 1)", "x, y"),
    ("lambda a: softmax(a, 0).log().max()", "x"),
    ("lambda a: a.max(0).values * a.argmax()", "x"),
    ("lambda a: a.view(2, 3).T.reshape(-1).cumsum(0)[1:]", "x"),
    ("lambda a: a[:, None] * a[None, :] + a.sum()", "x"),
    ("lambda a: torch.cat([a.view(2, 3), a.view(3, 2).t()], dim=1).flatten()", "x"),
    ("lambda a, b: dot(a, b) * torch.where(a > 0, b, zeros(()))", "x, y"),
    ("lambda a: m(a)", "x"),
    ("lambda a: w.t() @ a", "x"),
    ("lambda a, b: F.mse_loss(a, b) + F.cross_entropy(a, torch.arange(6)[2] + 0 * b.argmax())", "x, y"),
    ("lambda a: F.conv1d(a.view(1, 1, 6), torch.ones(1, 1, 3)).squeeze()", "x"),
    ("lambda a: a.unsqueeze(0).expand(3, 6).permute(1, 0).transpose(0, 1).sum(-1)", "x"),
    ("lambda a: vmap(lambda b: b * b + 1)(a.repeat(2) if False else a)", "x"),
    ("lambda a: a.sort(descending=True)[0] + a.topk(2)[0].sum() + a.std()", "x"),
    # operands with other dimensions and dtypes
    ("lambda a, b: a * b", "n, a2"),
    ("lambda a, b: b - a", "a2, x[:9]"),
    ("lambda a, b: a + b", "d, a2"),
    ("lambda a, b: a + b", "i, n"),
    ("lambda a, b: torch.where(a > 1, b, 1)", "i, a2"),
    ("lambda a: 2 ** a", "i"),
    ("lambda a: a.clamp(min=n[0]) * d[1]", "a2"),
    ("lambda a: torch.add(a, a, alpha=2).lerp(a * 0, 0.3)", "a2"),
    # reductions
    ("lambda a: a.std(False)", "a2"),
    ("lambda a: a.std(0, False)", "a2"),
    ("lambda a: a.var(dim=(0, 1), correction=0, keepdim=True)", "a2"),
    ("lambda a: a.sum(dim=())", "a2"),
    ("lambda a: (a.amax(()), a.amax(-1), a.aminmax()[0])", "a2"),
    ("lambda a: a.sum(-1, keepdim=True) + a.mean((0, 1))", "a2"),
    ("lambda a: (a.max(), *a.max(1), a.max(a * 0))", "a2"),
    ("lambda a: (a.norm(), a.norm(1), a.norm(2, 0), a.norm(dim=1), torch.linalg.norm(a), torch.linalg.vector_norm(a, 3))", "a2"),
    ("lambda a: (a > 0).any() & (a < 9).all(0).any()", "a2"),
    ("lambda a: (a.prod(), a.prod(1), a.median(), a.argmin(0))", "a2"),
    ("lambda a: a.sum()", "n"),
    ("lambda a: torch.logsumexp(a, (0, 1))", "a2"),
    # along a dimension
    ("lambda a: a.softmax(-1) + F.log_softmax(a, dim=0) + a.cumsum(1)", "a2"),
    ("lambda a: (a.flip(0), a.roll(1, 0), a.roll(1), a.flip([0, 1]), a.diff())", "a2"),
    ("lambda a: a.chunk(2, 1) + a.split([1, 3]) + a.unbind()", "a2"),
    ("lambda a: (*a.topk(2, dim=0), a.argsort(0), *a.sort(), a.narrow(0, 1, 2), a.select(1, -1), a.unsqueeze(-1))", "a2"),
    ("lambda a: F.normalize(a, dim=0)", "a2"),
    # products
    ("lambda a, b: (a @ b, torch.mm(a, b), torch.matmul(a, b[:, 0]), a @ w)", "a2, b2"),
    ("lambda a, b: a @ b", "a3, b2"),
    ("lambda a, b: torch.bmm(a, a.mT) + b.sum()", "a3, b2"),
    ("lambda a: torch.einsum('ij,kj->ik', a, w.T) + torch.einsum('ij,ij', a, a)", "a2"),
    ("lambda a, b: F.linear(a, b.T) + F.linear(a, b.T, b[0])", "a3, b2"),
    ("lambda a: w.T @ a.T", "a2"),
    ("lambda a, b: torch.outer(a, b)", "x, y"),
    # shapes and places
    ("lambda a: a.flatten().unflatten(0, (2, -1)).squeeze(0).movedim(0, 1).mT", "a2"),
    ("lambda a: a.repeat(2, 1) + a.repeat(1, 2, 1)[0, 0, 0]", "a2"),
    ("lambda a: (a[1:, 0], a[..., -1], a[None, :, ::2], a[0, 1])", "a2"),
    ("lambda a: torch.stack([a, a * 2], -1) + torch.stack([a, zeros(4, 6)], 2)", "a2"),
    ("lambda a: (F.pad(a, (1, 2)), F.pad(a, (1, 1, 0, 2), value=3.), a.tril(), a.triu(1))", "a2"),
    ("lambda a, b: torch.gather(a, 1, b[None])", "a2, k"),
    ("lambda a, b: a.gather(0, b[:, None])", "a2, k"),
    ("lambda b: x[b] + x[:4].index_select(0, b)", "k"),
    ("lambda a: a.index_select(1, tensor([0, 2])) + a.index_select(0, tensor([3]))[0, 0]", "a2"),
    ("lambda a, b: zeros(4, 6).scatter(0, b[None], a[:1]) + zeros(4, 6).scatter_add(1, b[:4, None], a)", "a2, k"),
    ("lambda b: F.one_hot(b, 4)", "k"),
    ("lambda a: a.view_as(zeros(6, 4)) + zeros(6, 1).expand_as(a.T)", "a2"),
    # writes in place
    ("lambda a: a.clone().mul_(2).add_(a[0])", "a2"),
    ("lambda a: a.clone().fill_(3.).sub_(a).clamp_(0)", "a2"),
    ("lambda a: (a.split(2)[0].diagonal().add_(1), a)[1]", "a2.clone()"),
    ("lambda a: (a.unfold(1, 2, 2)[:, 0].mul_(3), a.T.view(6, 4)[0].fill_(7), a.hsplit(2)[0].neg_(), a)[-1]", "a2.clone()"),
    ("lambda a: (a.tensor_split(3)[1].zero_(), a.as_strided((2, 2), (6, 1)).add_(1), a[None].squeeze().mul_(2), a)[-1]", "a2.clone()"),
    # layers
    ("lambda a: conv(a) + F.max_pool2d(conv(a), 1)", "a4"),
    ("lambda a: F.conv2d(a, a[:, :, :3, :3])", "a4"),
    ("lambda a: F.conv2d(a[0], a[:, :, :3, :3], a[:, 0, 0, 0], padding=1)", "a4"),
    ("lambda a: F.group_norm(a, 3) + F.avg_pool2d(a, 3, 1, 1)", "a4"),
    ("lambda a: F.batch_norm(a, zeros(3), ones(3)) + F.batch_norm(a, None, None, training=True)", "a4"),
    ("lambda a: F.layer_norm(a, (6,), a[0], a[1]) + F.rms_norm(a, (6,))", "a2"),
    ("lambda b: table(b)", "k"),
    ("lambda a, b: F.embedding(b, a)", "a2, k"),
    ("lambda a: F.scaled_dot_product_attention(a, a, a) + F.scaled_dot_product_attention(a, a, a, is_causal=True)", "a3"),
    ("lambda a, b: F.scaled_dot_product_attention(a, a, a, attn_mask=b)", "a3, a2[:, :, :4]"),
    ("lambda a: F.binary_cross_entropy(a, a) + F.smooth_l1_loss(a, a * 2) + F.l1_loss(a, a * 3, reduction='sum')", "q"),
    ("lambda a, b: F.cross_entropy(a, b[:4], label_smoothing=0.1) + F.cross_entropy(a, b[:4], reduction='sum')", "a2, k"),
    # what was a call for each slice
    ("lambda a: torch.func.grad(lambda b: (b ** 2).sum())(a)", "x"),
    ("lambda a: torch.func.jacrev(torch.sin)(a) + torch.func.hessian(lambda b: (b ** 3).sum())(a)", "x"),
    ("lambda a: torch.func.jvp(torch.sin, (a,), (a * 2,))[1]", "x"),
    ("lambda a: torch.func.vjp(torch.sin, a)[1](a)[0]", "x"),
    ("lambda a: torch.gru_cell(a[None], zeros(1, 2), ones(6, 6), ones(6, 2))", "x"),
    ("lambda a: torch.func.grad(lambda b: torch.func.grad(lambda c: (c ** 3).sum())(b).sum())(a)", "x"),
    ("lambda a: torch.func.jacrev(torch.sin)(a) + torch.func.jacfwd(torch.cos)(a)", "n"),
]  # fmt: skip


@pytest.mark.parametrize("function, given", CALLS)
def test_all_slices_at_once(function: str, given: str) -> None:
    session = Session()
    session.run(HEAD + f"one, other = both({function}, {given})\ntold = {SAME}, len(calls)")
    assert session.run("told") == (True, 1)


def test_a_hundred_thousand_rows_are_one_call_and_differentiable() -> None:
    session = Session()
    session.run(
        HEAD
        + "x = randn(100_000, 6).requires_grad_()\ny = vmap(lambda a: (calls.append(1), (a @ w).tanh().sum())[1])(x)\ny.sum().backward()"
    )
    assert session.run("len(calls), y.shape[0], allclose(x.grad, (1 - (x @ w).tanh() ** 2) @ w.t(), atol=1e-5)") == (
        1,
        100_000,
        True,
    )


@pytest.mark.parametrize(
    "network, size, count",
    [
        ("nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))", "6", 0),
        ("nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.GroupNorm(2, 4), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3))", "1, 8, 8", 0),
        ("nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(144, 3)).eval()", "1, 8, 8", 0),
        ("nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, dropout=0., batch_first=True), nn.Flatten(), nn.Linear(40, 3))", "5, 8", 0),
        ("nn.Sequential(nn.Embedding(20, 8), nn.Flatten(), nn.Linear(40, 3))", "5", 20),
    ],
)  # fmt: skip
def test_gradients_of_each_sample_are_those_of_a_batch_of_one(network: str, size: str, count: int) -> None:
    session = Session()
    data = f"torch.randint({count}, (7, {size}))" if count else f"randn(7, {size})"
    session.run(
        f"""
F = nn.functional
manual_seed(0)
net, x, y = {network}, {data}, torch.randint(3, (7,))
given = {{n: p.detach() for n, p in net.named_parameters()}}
def loss(p, x, y):
    return F.cross_entropy(torch.func.functional_call(net, (p, dict(net.named_buffers())), (x[None],)), y[None])
many = vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(given, x, y)
ok = []
for i in range(7):
    one = torch.autograd.grad(F.cross_entropy(net(x[i:i + 1]), y[i:i + 1]), list(net.parameters()))
    ok += [allclose(a[i], b, atol=1e-5, rtol=1e-3) for a, b in zip(many.values(), one)]
"""
    )
    assert all(session.run("ok"))


@pytest.mark.parametrize(
    "inner, wanted",
    [
        ("a * b", "x[:, None] * x"),
        ("b.add(a).clone().mul_(a)", "(x[:, None] + x) * x[:, None]"),
        (
            "torch.stack([a, b, a])",
            "torch.stack([x[:, None].expand(3, 3), x.expand(3, 3), x[:, None].expand(3, 3)], -1)",
        ),
        ("torch.where(b > a, a, b)", "torch.minimum(x[:, None], x)"),
        ("torch.func.grad(lambda c: a * c ** 2)(b)", "2 * x[:, None] * x"),
    ],
)
def test_slices_of_two_levels_of_one_size_are_kept_apart(inner: str, wanted: str) -> None:
    session = Session()
    session.run("x = tensor([1., 2., 5.])")
    assert session.run(f"vmap(lambda a: vmap(lambda b: {inner})(x))(x).equal({wanted})") is True
    assert session.run("m = x.outer(x + 1)\nvmap(lambda a: vmap(lambda b: a @ b)(m))(m).allclose(m @ m.T)") is True
