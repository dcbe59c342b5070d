# ruff: noqa
"""Methods and refusals that PyTorch's own tests ask for."""

import torch
from torch.nn.utils import rnn


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


for kind in (torch.int64, torch.uint16, torch.bool, torch.float8_e5m2, torch.bfloat16, torch.complex32):
    told(kind.to_complex)
packed = rnn.pack_sequence([torch.ones(2), torch.ones(1)])
print([getattr(packed, name)().data.dtype for name in "byte char short int long half float double".split()])
told(lambda: rnn.pack_padded_sequence(torch.ones(0, 5), []))

import torch.autograd.forward_ad as fw

SAMPLERS = (
    torch.normal,
    lambda x: torch.normal(x, 1.0),
    lambda x: torch.normal(1.0, x),
    torch.bernoulli,
    torch.poisson,
    lambda x: x.clone().normal_(),
    lambda x: x.clone().uniform_(),
    lambda x: x.clone().bernoulli_(x.detach()),
)
with fw.dual_level():
    for f in SAMPLERS:
        x = fw.make_dual(torch.tensor(1.0), torch.tensor(1.0))
        print(fw.unpack_dual(f(x)).tangent)
x = torch.tensor(1.0, requires_grad=True)
for f in SAMPLERS:
    print(f(x).grad_fn.name(), torch.autograd.grad(f(x), x))
both = torch.normal(torch.ones(2, 1, requires_grad=True), torch.ones(3, requires_grad=True))
print(both.grad_fn.name(), both.shape)


def refuses(x):
    raise NotImplementedError("no")


told(lambda: torch.jit.trace(refuses, (torch.ones(2),)))
nan = float("nan")
for r in ("max", "mean", "min", "sum", "prod"):
    d = torch.tensor([1, nan, 3, 4, 0, 5], requires_grad=True)
    o = torch.segment_reduce(d, r, lengths=torch.tensor([1, 2, 3, 0]), initial=2, unsafe=True)
    print(o.tolist(), torch.autograd.grad(o.sum(), d)[0].tolist())

import warnings

import numpy as np

for kind in (np.int8, np.int16, np.int64):
    print(torch.ones(2).diag(kind(1)), torch.ones(2, 2).diag(kind(1)), torch.ones(2).diag_embed(kind(1)).shape)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    torch.tensor([np.array([0]), np.array([1])])
    torch.tensor((np.array([0]),))
print([str(w.message)[:60] for w in said])
told(lambda: torch.jit.script(torch.nn.Sequential(torch.nn.LazyLinear(3))))
told(lambda: type(torch.jit.script(torch.nn.Linear(2, 3))).__bases__[0].__name__ != "")

torch.use_deterministic_algorithms(True)
for dtype in (
    torch.float32,
    torch.int32,
    torch.bool,
    torch.uint8,
    torch.float16,
    torch.complex64,
    torch.uint16,
    torch.bfloat16,
):
    print(torch.zeros(1, dtype=dtype).resize_(3), torch.empty(2, dtype=dtype))
torch.use_deterministic_algorithms(False)
print(torch.zeros(1).resize_(1))

torch.manual_seed(0)
spectral = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(2, 2, dtype=torch.cfloat))
print(spectral.weight, spectral.weight.grad_fn.next_functions[1][0].name())

table = torch.arange(12.0).view(6, 2)
for mode, padding, dtype in (
    ("sum", 5, torch.float32),
    ("mean", 5, torch.float32),
    ("max", None, torch.float32),
    ("sum", None, torch.float64),
):
    for offsets in ([0, 3, 3], [0, 3, 4], [0, 2, 2, 3], [0, 0, 1]):
        w = table.to(dtype).requires_grad_()
        bags = torch.nn.functional.embedding_bag(
            torch.tensor([0, 1, 2, 3]),
            w,
            torch.tensor(offsets),
            mode=mode,
            padding_idx=padding,
            include_last_offset=True,
        )
        print(mode, bags.tolist(), torch.autograd.grad(bags.sum(), w)[0].sum(1).tolist())

import copy
import gc

lstm = torch.nn.Sequential(torch.nn.LSTM(4, 4, bidirectional=True))
gc.collect()
lstm.load_state_dict(copy.deepcopy(lstm).state_dict())
print(gc.collect())

for name in (
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
    "_forward_hooks",
):
    module = torch.nn.Softmax(1)
    print(name, getattr(module, name))
module = torch.nn.Linear(1, 1)
del module._load_state_dict_post_hooks
module.__setstate__(module.__dict__)
module.register_load_state_dict_post_hook(lambda m, keys: print("loaded", keys))
module.load_state_dict(module.state_dict())


def empties(module, state, prefix, about):
    return {}


module.register_state_dict_post_hook(empties)
print(empties._from_public_api)
told(module.state_dict)
told(lambda: module._register_state_dict_hook(empties))

for n in (-1, 0, 2**65, 1.5):
    for function in (torch.set_num_threads, torch.set_num_interop_threads):
        try:
            print(function(n))
        except Exception as error:
            print(type(error).__name__, error)
print(torch.onnx.producer_name, torch.onnx.producer_version)

from typing import Dict, List, Optional, Tuple

from torch._jit_internal import Final, _overload, is_scripting  # noqa: F401

tensor = torch.ones(1)
for value, kind in (
    ([1], List[int]), ([1.0], List[int]), ({"a": tensor}, Dict[str, torch.Tensor]), ((1, "x"), Tuple[int, str]),
    ((1,), Tuple[int, str]), (None, Optional[int]), ("s", Optional[int]), ([[1]], List[List[int]]), ([["a"]], List[List[int]]),
    (1, (int, str)), ([1], list[int]), (3, int | str), ({"a": [1]}, Dict[str, List[int]]),
):  # fmt: skip
    print(torch.jit.isinstance(value, kind), is_scripting())
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")

    class Twice(torch.autograd.Function):
        @staticmethod
        @torch.cuda.amp.custom_fwd(cast_inputs=torch.float16)
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.cuda.amp.custom_bwd
        def backward(ctx, g):
            return g * 2

    x = torch.ones(2, requires_grad=True)
    Twice.apply(x).sum().backward()
    print(x.grad, *[(w.category.__name__, str(w.message)) for w in warned])
