import warnings

import torch
import torch.fx
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode, resolve_name

warnings.simplefilter("ignore")


class Told(TorchFunctionMode):
    def __torch_function__(self, func, types, args, kwargs=None):
        kwargs = kwargs or {}
        print(resolve_name(func), len(args), {k: v for k, v in kwargs.items() if not isinstance(v, torch.Tensor)})
        return func(*args, **kwargs)


x, image, places = torch.ones(2, 4), torch.ones(1, 2, 6, 6), torch.tensor([0, 1])
with Told():
    (
        F.relu(x),
        F.relu(x, True),
        F.leaky_relu(x, 0.2),
        F.elu(x),
        F.softmax(x, -1),
        F.gumbel_softmax(x),
        F.glu(x),
        F.rrelu(x),
    )
    F.dropout(x), F.dropout(x, 0.3, False), F.alpha_dropout(x), F.threshold(x, 0.1, 2), F.hardtanh(x), F.silu(x)
    F.embedding(places, x), F.max_pool2d(image, 2), F.adaptive_max_pool2d(image, 1), F.lp_pool2d(image, 2, 2)
    (
        F.batch_norm(image, None, None, training=True),
        F.layer_norm(x, (4,)),
        F.group_norm(image, 1),
        F.instance_norm(image),
    )
    F.normalize(x), F.cross_entropy(x, places), F.nll_loss(x, places, None, None, 3), F.mse_loss(x, x), F.l1_loss(x, x)
    (
        F.binary_cross_entropy_with_logits(x, x),
        F.kl_div(x, x),
        F.triplet_margin_loss(x, x, x),
        F.interpolate(image, scale_factor=2),
    )
    (
        F.pad(x, (1, 1)),
        F.unfold(image, 2),
        F.grid_sample(image, torch.zeros(1, 2, 2, 2)),
        F.linear(x, x),
        F.gelu(x),
        F.sigmoid(x),
    )
    (
        F.tanh(x),
        F.softsign(x),
        torch.einsum("ij,kj", x, x),
        torch.norm(x),
        torch.unique(x),
        torch.split(x, 1),
        torch.cdist(x, x),
    )
    (
        torch.tensordot(x, x, 2),
        torch.atleast_2d(x),
        torch.meshgrid(x[0], x[1], indexing="ij"),
        x.norm(),
        x.split(1),
        x.unique(),
    )
    x**2, 2**x, x + 1, x.sum(1)


class Layers(torch.nn.Module):
    def forward(self, x):
        y = F.dropout(F.softmax(F.relu(x), -1), 0.3, self.training)
        z = F.interpolate(F.layer_norm(y, (4,)), scale_factor=2), F.cross_entropy(y, x), F.tanh(x), F.max_pool2d(x, 2)
        parts = torch.norm(x), torch.split(x, 2), torch.einsum("ij,jk", x, x), torch.stft(x, 4)
        return (
            z,
            parts,
            F.linear(x, x),
            F.gelu(x),
            F.softplus(x),
            F.conv2d(x, x),
            F.prelu(x, x),
            F.adaptive_avg_pool2d(x, 1),
            x**2,
        )


print(torch.fx.symbolic_trace(Layers()).code)


class Few(torch.nn.Module):
    def forward(self, x):
        return F.conv2d(F.relu(x), x[:, :, :3, :3]), torch.norm(x), F.softmax(x, 1)


traced = torch.fx.symbolic_trace(Few())
print(traced.graph)
image = torch.arange(36.0).view(1, 1, 6, 6)
print(all(torch.equal(a, b) for a, b in zip(traced(image), Few()(image), strict=True)))
for node in traced.graph.nodes:
    if node.target is F.relu:
        node.kwargs = {**node.kwargs, "inplace": True}
traced.recompile()
print(traced.code)
