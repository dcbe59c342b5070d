# ruff: noqa
"""Parts of torch that libraries import and few programs name."""

import torch, warnings

warnings.simplefilter("ignore")
from torch.nn import _reduction as R

print(
    [R.get_enum(x) for x in ("none", "mean", "sum", "elementwise_mean")],
    R.legacy_get_string(None, False),
    R.legacy_get_enum(False, None),
    R.legacy_get_string(True, True),
)
try:
    R.get_enum("x")
except ValueError as e:
    print(e)
from torch.utils._pytree import _namedtuple_flatten, _namedtuple_unflatten
from collections import namedtuple

P = namedtuple("P", "a b")
v, c = _namedtuple_flatten(P(1, 2))
print(v, _namedtuple_unflatten(v, c))
from torch.utils.data.dataloader import _collate_fn_t

print(callable(_collate_fn_t))


@torch.library.triton_op("mylib::twice", mutates_args={})
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


print(twice(torch.ones(2)), type(twice).__name__, torch.ops.mylib.twice(torch.arange(3.0)))


def back(ctx, g):
    return g * 2


twice.register_autograd(back)
x = torch.ones(2, requires_grad=True)
twice(x).sum().backward()
print(x.grad)
from torch.quantization.observer import HistogramObserver
from torch.ao.quantization.qconfig import QConfig
import torch.distributed.autograd, torch.distributed.elastic.multiprocessing.errors

print(isinstance(HistogramObserver, type))
