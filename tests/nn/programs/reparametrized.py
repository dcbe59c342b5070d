# ruff: noqa
"""Pruned, orthogonal and fused parameters; hooks of all modules; the names that programs take from nn.modules."""

import torch
import torch.nn.utils.prune as prune
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.nn.modules.utils import _pair, _triple
from torch.nn.utils import parametrizations

torch.manual_seed(0)


def names(module):
    return [n for n, _ in module.named_parameters()], [n for n, _ in module.named_buffers()]


conv = nn.Conv2d(2, 4, 3)
prune.random_unstructured(conv, name="weight", amount=0.3)
prune.l1_unstructured(conv, name="bias", amount=3)
print(names(conv), conv.weight, conv.bias)
prune.ln_structured(conv, name="weight", amount=0.5, n=2, dim=0)
print(conv.weight.abs().sum((1, 2, 3)), [type(h).__name__ for h in list(conv._forward_pre_hooks.values())[-1]])
conv(torch.ones(1, 2, 4, 4)).sum().backward()
print(conv.weight_orig.grad.sum((1, 2, 3)), prune.is_pruned(conv))
prune.remove(conv, "weight")
print(names(conv), list(conv.state_dict()))
try:
    prune.remove(conv, "weight")
except ValueError as error:
    print(str(error).partition(" of ")[0])
net = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 4))
pairs = ((net[0], "weight"), (net[2], "weight"))
prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.2)
print([int((m.weight == 0).sum()) for m, _ in pairs])


class EveryOther(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


EveryOther.apply(net[2], "bias")
print(net[2].bias_mask, net(torch.ones(1, 6)))
print(prune.random_structured(nn.Linear(5, 3), "weight", amount=2, dim=1).weight_mask)
print(prune.custom_from_mask(nn.Linear(5, 3), "bias", torch.tensor([0, 1, 0])).bias_mask)
for amount in (-1, 1.5, "a"):
    try:
        prune.L1Unstructured(amount)
    except (TypeError, ValueError) as error:
        print(error)

for how in ("matrix_exp", "cayley", "householder"):
    torch.manual_seed(1)
    layer = parametrizations.orthogonal(nn.Linear(3, 5, bias=False), orthogonal_map=how)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (layer(torch.arange(6.0).view(2, 3)) - 1).pow(2).mean().backward()
        optimizer.step()
    print(layer, layer.weight, list(layer.state_dict()))
wide = parametrizations.orthogonal(nn.Linear(4, 3), use_trivialization=False)
print(torch.allclose(wide.weight @ wide.weight.T, torch.eye(3), atol=1e-5), list(wide.state_dict()))

conv, norm = nn.Conv2d(2, 3, 3).eval(), nn.BatchNorm2d(3).eval()
norm.running_mean += 1
fused = nn.utils.fuse_conv_bn_eval(conv, norm)
print(fused, torch.allclose(fused(torch.ones(1, 2, 4, 4)), norm(conv(torch.ones(1, 2, 4, 4))), atol=1e-5))
linear, norm = nn.Linear(2, 3).eval(), nn.BatchNorm1d(3).eval()
print(
    torch.allclose(
        nn.utils.fuse_linear_bn_eval(linear, norm)(torch.ones(1, 2)), norm(linear(torch.ones(1, 2))), atol=1e-5
    )
)
print(nn.utils.skip_init(nn.Linear, 3, 4), torch.rand(1))

calls = []
first = register_module_forward_hook(lambda m, i, o: calls.append(type(m).__name__))
second = register_module_forward_pre_hook(lambda m, i: calls.append("pre " + type(m).__name__))
third = nn.modules.module.register_module_full_backward_hook(lambda m, gi, go: calls.append(f"back {type(m).__name__}"))
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
net[0].register_forward_hook(lambda m, i, o: calls.append("own"))
net(torch.ones(1, 2, requires_grad=True)).sum().backward()
for handle in (first, second, third):
    handle.remove()
net(torch.ones(1, 2))
print(calls)

print(
    isinstance(nn.BatchNorm2d(2), _BatchNorm),
    isinstance(nn.Conv1d(1, 1, 1), nn.modules.conv._ConvNd),
    _pair(3),
    _triple((1, 2, 3)),
)
print(nn.InstanceNorm2d, nn.PixelShuffle, nn.Fold, torch.optim.AdamW, torch.no_grad, torch.autograd.Function)
state = nn.Sequential(nn.Sequential(nn.Linear(1, 1))).state_dict()
nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "0.")
print(list(state), state._metadata)

torch.manual_seed(3)
loss = nn.LinearCrossEntropyLoss(5, 10, out_features=(4, 3), bias=True, label_smoothing=0.1)
x = torch.randn(2, 5, requires_grad=True)
value = loss(x, torch.randint(0, 10, (2, 4, 3)))
value.backward()
print(loss, value, x.grad, nn.LinearCrossEntropyOptions())
