"""Layers call what a program puts in the place of functions; mapped calls take the steps that it puts in PyTorch's place."""

from unittest import mock

import torch
import torch._functorch.vmap as steps
import torch.nn.functional as F
import torch.overrides as overrides
from torch._prims_common import make_contiguous_strides_for
from torch.distributed._composable_state import _get_module_state, _insert_module_state, _State
from torch.distributed.fsdp._common_utils import clean_tensor_name
from torch.nn.modules import conv, pooling
from torch.nn.modules.rnn import apply_permutation
from torch.torch_version import TorchVersion

nn, seen, own = torch.nn, [], {}


def told(name):
    own[name] = getattr(F, name)

    def function(*args, **kwargs):
        seen.append(name)
        return own[name](*args, **kwargs)

    return function


for name in (
    "relu conv2d linear batch_norm max_pool2d dropout cross_entropy layer_norm gelu embedding softmax interpolate"
    " adaptive_avg_pool2d mse_loss group_norm silu leaky_relu"
).split():
    setattr(F, name, told(name))
net = [nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
net += [nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d(1), nn.GroupNorm(1, 2), nn.Flatten(), nn.Linear(2, 3)]
net += [nn.LayerNorm(3), nn.GELU(), nn.SiLU(), nn.LeakyReLU(), nn.Dropout(0.5), nn.Softmax(1)]
x = nn.Sequential(*net)(torch.randn(2, 1, 6, 6))
nn.CrossEntropyLoss()(x, torch.tensor([0, 1]))
nn.MSELoss()(x, x * 2)
nn.Embedding(2, 2)(torch.tensor([1]))
print(seen)
for name, function in own.items():
    setattr(F, name, function)
seen.clear()
nn.Sequential(*net)(torch.randn(2, 1, 6, 6))
print(seen)
with mock.patch("torch.nn.functional.softplus", return_value=3):
    print(nn.Softplus()(x), F.softplus(x))
with mock.patch("torch.sigmoid", lambda x: x + 1):
    print(nn.Sigmoid()(torch.zeros(1)))
print(nn.Softplus()(torch.zeros(1)), nn.Sigmoid()(torch.zeros(1)))


class Pair:
    """Two tensors that no tree knows."""

    def __init__(self, one, two):
        self.one, self.two = one, two


def processed(in_dims, args, func):
    return args[0].one.shape[0], [in_dims], [args[0]], None


def created(dims, leaves, vmap_level, args_spec):
    return [Pair(*(steps._add_batch_dim(x, dims[0], vmap_level) for x in (leaves[0].one, leaves[0].two)))]


def unwrapped(found, out_dims, vmap_level, batch_size, func):
    parts = (found.one, found.two)
    return Pair(
        *(steps._maybe_remove_batch_dim(steps._get_name(func), x, vmap_level, batch_size, out_dims) for x in parts)
    )


def function(pair):
    print(pair.one.shape, pair.two.shape)
    return Pair(pair.one @ pair.two, torch.ones(2))


given = Pair(torch.arange(6.0).reshape(3, 2), torch.ones(3, 2))
parts = "_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched"
before = {name: getattr(steps, name, None) for name in parts}
steps._process_batched_inputs, steps._create_batched_inputs, steps._unwrap_batched = processed, created, unwrapped
found = torch.vmap(function)(given)
print(found.one, found.two)
for name, value in before.items():
    setattr(steps, name, value) if value else delattr(steps, name)
print(torch.vmap(torch.dot)(given.one, given.two))


ignored, tested = overrides.get_ignored_functions(), overrides.get_testing_overrides()
names = "tensor zeros rand arange is_grad_enabled no_grad save load typename vmap as_strided normal".split()
print([getattr(torch, name) in ignored for name in names], [getattr(torch, name) in tested for name in names])
print([getattr(torch, name) in ignored for name in ("relu", "sin", "matmul", "conv2d", "zeros_like")])
print([f in ignored for f in (torch.Tensor.new_ones, torch.Tensor.stride, torch.Tensor.add, nn.init.calculate_gain)])


pools = [nn.AvgPool1d(2), nn.AvgPool2d(2), nn.MaxPool2d(2), nn.LPPool2d(2, 2), nn.AdaptiveAvgPool2d(1)]
pools += [nn.AdaptiveMaxPool3d(1), nn.MaxUnpool1d(2)]
for name in "_AvgPoolNd _MaxPoolNd _LPPoolNd _AdaptiveAvgPoolNd _AdaptiveMaxPoolNd _MaxUnpoolNd".split():
    print(name, [isinstance(pool, getattr(pooling, name)) for pool in pools])
print(issubclass(conv._ConvTransposeMixin, conv._ConvTransposeNd), isinstance(pools[0], conv._ConvTransposeMixin))
state, layer = _State(), nn.Linear(1, 1)
print(_get_module_state(layer))
_insert_module_state(layer, state)
print(_get_module_state(layer) is state)
try:
    _insert_module_state(layer, state)
except AssertionError as error:
    print(error)


print([make_contiguous_strides_for(s, r) for s in ((), (3,), (2, 0, 4), (2, 3, 4)) for r in (True, False)])
print(clean_tensor_name("_fsdp_wrapped_module.a._checkpoint_wrapped_module.b"), TorchVersion("2.13.0") > "2.9")
print(apply_permutation(torch.arange(6).reshape(2, 3), torch.tensor([2, 0, 1])))
