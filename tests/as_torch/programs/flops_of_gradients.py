"""The operations of gradients of convolutions and attention, and dtypes, as modes below autograd hear them."""

import torch
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode


class Heard(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "backward" in str(func) or "_to_copy" in str(func):
            print(func)
        return func(*args, **(kwargs or {}))


def counted(name, f):
    with FlopCounterMode(display=False) as mode:
        y = f()
        forward = mode.get_total_flops()
        y.sum().backward()
    print(name, forward, {str(k): v for k, v in sorted(mode.get_flop_counts()["Global"].items(), key=str)})


def leaf(*size):
    return torch.rand(size, requires_grad=True)


counted("conv2d", lambda: F.conv2d(leaf(2, 3, 8, 8), leaf(4, 3, 3, 3)))
counted("conv2d of data", lambda: F.conv2d(torch.rand(2, 4, 8, 8), leaf(6, 2, 3, 3), leaf(6), groups=2, padding=1))
counted("conv1d", lambda: F.conv1d(leaf(3, 9), leaf(4, 3, 3), stride=2))
counted("conv_transpose2d", lambda: F.conv_transpose2d(leaf(2, 3, 5, 5), leaf(3, 4, 2, 2), stride=2, output_padding=1))
q, k, v = leaf(2, 2, 3, 4), leaf(2, 2, 3, 4), leaf(2, 2, 3, 4)
counted("attention", lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True))
counted("with dropout", lambda: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5))
counted("of three dimensions", lambda: F.scaled_dot_product_attention(q[0], k[0], v[0]))
counted("encoder", lambda: torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(torch.rand(2, 5, 8)))
with Heard():
    for name in "bool float double half bfloat16 long int short char byte cfloat cdouble".split():
        print(name, getattr(v, name)().dtype)
    F.conv2d(leaf(1, 1, 3, 3), leaf(1, 1, 2, 2)).sum().backward()
    F.scaled_dot_product_attention(q, k, v).sum().backward()

# A gradient that is differentiated in turn, where a mask leaves nothing.
nothing = torch.zeros(3, 3, dtype=torch.bool)
y = F.scaled_dot_product_attention(q, k, v, attn_mask=nothing)
(g,) = torch.autograd.grad(y.sum(), q, create_graph=True)
print(y.abs().sum().item(), g.abs().sum().item())
x, w = torch.arange(18.0).reshape(1, 2, 9), torch.arange(8.0).reshape(2, 2, 2)
found = torch.ops.aten.convolution_backward(
    torch.ones(1, 2, 4), x, w, [2], [2], [0], [1], False, [0], 1, [True, True, False]
)
print(found)

# In half precision a mask and causality together are one operator, too.
lower = torch.tensor([[1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=torch.bool)
for mask in (lower, torch.zeros(3, 3).masked_fill(lower.logical_not(), -2.0)):
    y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True)
    halves = (
        [t.bfloat16() for t in (q, k, v, mask)]
        if mask.is_floating_point()
        else [*(t.bfloat16() for t in (q, k, v)), mask]
    )
    z = F.scaled_dot_product_attention(*halves, is_causal=True)
    print(z.dtype, z.shape, (y - z).abs().max().item() < 0.02)
