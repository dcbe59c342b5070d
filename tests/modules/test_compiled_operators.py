"""`torch.compile` of functions of operators beyond arithmetic: a program gives the function's bits and gradients."""

from __future__ import annotations

import pytest

from .test_compile import bits, replays, session

pytestmark = pytest.mark.usefixtures("closed_door")

OPERATORS = {
    "attention": "F.scaled_dot_product_attention(x[None], x[None] + 1, x[None] * 2) * 2 + x",
    "group norm": "F.group_norm(x, 2) * 2 + x",
    "rms norm": "F.rms_norm(x, (6,)) * 2 + x",
    "zeros and ones": "torch.zeros(6, 6) + x * 2 - torch.ones_like(x) * x + torch.full_like(x, 3.0) + torch.zeros_like(x)",
    "a range": "x * torch.arange(6) + 1 - x * torch.eye(6) + torch.linspace(0, 1, 6)",
    "einsum": "torch.einsum('ij,jk->ik', x, x) * 2 + x",
    "a mask": "x.masked_fill(x > 0.5, 0.0) * 2 + x.nan_to_num()",
    "gather": "x.gather(1, i) * 2 + 1 - x + x.index_select(0, i[0]) + x.diagonal()",
    "extremes": "x / x.max() + x.min() * 2",
    "a norm": "x / x.norm(dim=1, keepdim=True) + F.normalize(x) * 2",
    "losses": "F.binary_cross_entropy_with_logits(x, w) * F.huber_loss(x, w)",
    "cosine": "F.cosine_similarity(x, x + 1) * 2 + 1",
    "windows": "F.max_pool1d(F.avg_pool1d(F.pad(x, (1, 1)), 2), 2) * 2 + 1",
    "activations": "F.glu(x) * 2 + F.prelu(x - 0.5, w[0, :1])[:, :3]",
    "an adaptive pool": "F.adaptive_avg_pool2d(x[None], 3) * 2 + 1",
}


@pytest.mark.parametrize("kind", OPERATORS)
def test_a_program_gives_the_bits_and_gradients_of_its_function(kind):
    made = session(
        "F = torch.nn.functional\ntorch.manual_seed(0)\ni, w = torch.randint(0, 6, (6, 6)), torch.rand(6, 6)\n"
        f"f = lambda x: {OPERATORS[kind]}\nc = torch.compile(f)\n"
        "def used(g, k):\n    x = (torch.arange(36.0).reshape(6, 6) * k / 36).requires_grad_()\n    y = g(x)\n"
        "    (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()\n    return y.detach(), x.grad\n"
        "x = torch.rand(6, 6, requires_grad=True)\nc(x)"
    )
    assert replays(made, "c(x)")
    for k in (1.0, 0.75):
        assert bits(made.run(f"used(c, {k})")) == bits(made.run(f"used(f, {k})"))
    made.run("with torch.no_grad(): a, b = [c(x), c(x)][1], f(x)")
    assert bits(made["a"]) == bits(made["b"])
