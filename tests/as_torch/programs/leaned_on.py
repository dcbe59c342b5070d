# ruff: noqa
"""Private and old names that optimizers, modules and loaders of other libraries use."""

import warnings

import torch

warnings.simplefilter("ignore")


def told(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:200])


told(lambda: torch.testing.assert_allclose(torch.ones(1), torch.ones(1)))
b = torch.backends.cuda
b.enable_flash_sdp(False)
print(b.flash_sdp_enabled())
b.enable_flash_sdp(True)
with b.sdp_kernel(enable_flash=False, enable_mem_efficient=False):
    print(b.flash_sdp_enabled(), b.math_sdp_enabled(), b.mem_efficient_sdp_enabled())
print(b.flash_sdp_enabled(), b.cudnn_sdp_enabled(), b.is_flash_attention_available())
from torch.optim.optimizer import (
    ParamsT,
    _use_grad_for_differentiable,
    _get_value,
    _default_to_fused_or_foreach,
    _view_as_real,
    _get_scalar_dtype,
    _to_scalar,
    _disable_dynamo_if_unsupported,
)

print(ParamsT, _get_value(torch.tensor(2.0)), _get_value(3), _get_scalar_dtype(), _to_scalar(torch.ones(1)))


class O(torch.optim.Optimizer):
    def __init__(s, p, d):
        super().__init__(p, dict(differentiable=d))

    @_use_grad_for_differentiable
    def step(s):
        "A step."
        return torch.is_grad_enabled()


print(
    O([torch.ones(1, requires_grad=True)], False).step(),
    O([torch.ones(1, requires_grad=True)], True).step(),
    O.step.__doc__,
)
p, q = [torch.ones(1, dtype=torch.complex64)], [torch.ones(1, dtype=torch.complex64)]
_view_as_real(p, q)
print(p, q)
from torch.optim.lr_scheduler import _enable_get_lr_call

s = torch.optim.lr_scheduler.ExponentialLR(torch.optim.SGD([torch.ones(1, requires_grad=True)], 1.0), 0.5)
with _enable_get_lr_call(s):
    print(s.get_lr())
from torch.nn.modules.module import _addindent

print(repr(_addindent("a\nb\nc", 2)))
from torch.nn.init import _no_grad_trunc_normal_, _no_grad_normal_, _no_grad_uniform_, _no_grad_fill_, _no_grad_zero_

torch.manual_seed(0)
w = torch.nn.Parameter(torch.empty(3))
print(
    _no_grad_trunc_normal_(w, 0.0, 1.0, -1.0, 1.0),
    _no_grad_normal_(w, 0.0, 1.0),
    _no_grad_uniform_(w, 0.0, 1.0),
    _no_grad_fill_(w, 2.0),
    _no_grad_zero_(w),
)
u = torch.ones(1).untyped_storage()
S = torch.serialization
print(S.location_tag(u), S.default_restore_location(u, "cpu") is u, S.normalize_storage_type(torch.FloatStorage))
told(lambda: S.default_restore_location(u, "cuda:0"))
told(lambda: S.default_restore_location(u, "zz"))
from torch.overrides import has_torch_function_unary, has_torch_function_variadic, get_default_nowrap_functions


class T:
    @classmethod
    def __torch_function__(*a, **k):
        return 1


import torch._inductor.config as c

c.coordinate_descent_tuning = True
c.triton.cudagraphs = True
torch._inductor.config.fx_graph_cache = False
print(torch._inductor.config.coordinate_descent_tuning)
J = torch.jit
with J.optimized_execution(False), J.fuser("fuser1"), J.strict_fusion():
    print(1)
J.set_fusion_strategy([("STATIC", 2)])
print(
    J.onednn_fusion_enabled(),
    J._unwrap_optional(3),
    issubclass(J.TracingCheckError, Exception),
    issubclass(J.ScriptWarning, Warning),
)
from torch.jit import RecursiveScriptClass, script_method
from torch.multiprocessing import SpawnContext
from torch.overrides import get_default_nowrap_functions

print(
    torch.Tensor.grad.__get__ in get_default_nowrap_functions(),
    has_torch_function_variadic(1, T()),
    has_torch_function_unary(T()),
)
print(
    torch.cuda._is_in_bad_fork(),
    hasattr(torch.ones(1), "__cuda_array_interface__"),
    hasattr(torch.ones(1), "__array_interface__"),
)
from torch.utils._pytree import (
    _broadcast_to_and_flatten,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    tree_structure,
)

print(_list_flatten([1, 2]), _list_flatten_with_keys([1]), _list_unflatten((1,), None))
spec = tree_structure([1, (2, 3)])
print(
    _broadcast_to_and_flatten(0, spec),
    _broadcast_to_and_flatten([0, 1], spec),
    _broadcast_to_and_flatten([0, (1, 2, 3)], spec),
)

# A search along a line, and the parts of jacobian
from torch.autograd.functional import (  # noqa: E402
    _as_tuple,
    _construct_standard_basis_for,
    _grad_postprocess,
    _tuple_postprocess,
)
from torch.optim.lbfgs import _cubic_interpolate, _strong_wolfe  # noqa: E402


def along(x, t, d):
    at = x + t * d
    return (at**4 - at).sum().item(), 4 * at**3 - 1


start, down = torch.tensor([2.0, -1.0]), torch.tensor([-1.0, 1.0])
value, slopes = along(start, 0, down)
print(_strong_wolfe(along, start, 1.0, down, value, slopes, slopes.dot(down)))
print(_strong_wolfe(along, start, 0.1, down, value, slopes, gtd=slopes.dot(down), c2=0.1, max_ls=3))
print(_cubic_interpolate(0.0, 1.0, torch.tensor(-1.0), 1.0, 2.0, torch.tensor(3.0)))
print(_cubic_interpolate(0.0, 1.0, torch.tensor(-1.0), 1.0, 0.5, torch.tensor(-3.0), bounds=(0.1, 0.3)))
solver = torch.optim.LBFGS([torch.nn.Parameter(start.clone())], line_search_fn="strong_wolfe")
(moved,) = solver.param_groups[0]["params"]
moved.grad = slopes.clone()
print(solver._gather_flat_grad())
with torch.no_grad():
    solver._add_grad(0.5, down)
    print(moved.data, solver._directional_evaluate(lambda: moved.sum(), [start], 2.0, down), moved.data)
for block in _construct_standard_basis_for((torch.ones(1), torch.ones(2, dtype=torch.float64)), (1, 2)):
    print(block)
print(_as_tuple(start, "inputs", "f"), _as_tuple((start, down), "inputs", "f"))
history = torch.ones(1, requires_grad=True) * 2
print(_grad_postprocess(((history,), (history,)), create_graph=False), _grad_postprocess((history,), True))
print([_tuple_postprocess(((1, 2), (3, 4)), (i, j)) for i in (True, False) for j in (True, False)])
print(_tuple_postprocess((1, 2), False))

# Python's types for dtypes
print(torch.finfo(float), torch.finfo(complex).dtype, torch.iinfo(int).max, torch.arange(3).view(float).dtype)
print(torch.nn.Linear(1, 1).to(float).weight.dtype, torch.nn.Linear(1, 1).to("cpu", float).bias.dtype)
for wrong in (lambda: torch.iinfo(bool), lambda: torch.finfo(int), lambda: torch.ones(2).view(object)):
    try:
        print(wrong())
    except TypeError as error:
        print(str(error).splitlines()[0])
print(S.pickle.__name__)

import torch.cuda.comm
from torch.distributed.distributed_c10d import _get_global_rank  # noqa: F401
from torch.jit._trace import TracerWarning
from torch.nn import functional as F
from torch.nn.modules.conv import _size_2_t  # noqa: F401
from torch.nn.modules.padding import _ConstantPadNd
from torch.nn.modules.pooling import _AdaptiveAvgPoolNd, _MaxPoolNd
from torch.nn.modules.transformer import _get_activation_fn, _get_clones
from torch.nn.modules.utils import _list_with_default, _reverse_repeat_tuple
from torch.nn.parallel import gather, scatter  # noqa: F401
from torch.utils.data._utils.collate import default_collate_err_msg_format

torch.manual_seed(0)
q, k, w, b = torch.randn(2, 1, 4), torch.randn(3, 1, 4), torch.randn(12, 4), torch.randn(12)
for source in ((q, q, q), (q, k, k), (q, k, k + 1)):
    for part in F._in_projection_packed(*source, w, b):
        print(part.shape, part.sum(), part.grad_fn)
print(*F._in_projection(q, k, k, *w.chunk(3)))
for mask in (None, torch.tensor([True, False]), torch.tensor([0.5, 1.0]), torch.tensor([1, 0])):
    try:
        print(F._canonical_mask(mask, "a", F._none_or_dtype(mask), "b", torch.float64, False))
    except AssertionError as error:
        print(error)
try:
    F._none_or_dtype(3)
except RuntimeError as error:
    print(error)
print([F._get_softmax_dim("softmax", n, 1) for n in range(5)], _reverse_repeat_tuple((1, 2, 3), 2))
print(_list_with_default((None, 5), (2, 3, 4)), _list_with_default(3, (2, 3)), default_collate_err_msg_format)
print(_get_clones(torch.nn.ReLU(), 2), _get_activation_fn("gelu"), issubclass(torch.nn.MaxPool1d, _MaxPoolNd))
print(
    issubclass(torch.nn.AdaptiveAvgPool2d, _AdaptiveAvgPoolNd),
    issubclass(torch.nn.ConstantPad3d, _ConstantPadNd),
    TracerWarning,
)
done = []
torch.cuda._lazy_call(lambda: done.append(1))
try:
    torch.cuda._lazy_init()
except AssertionError as error:
    print(error, done)
packet = torch.ops.aten.add.Tensor._overloadpacket
print(packet is torch.ops.aten.add, packet)

import warnings

from torch.cuda.amp.common import amp_definitely_not_available
from torch.utils.checkpoint import check_backward_validity

told = []
x = torch.ones(1, requires_grad=True)
y = x * 2
y.register_hook(lambda g: told.append(torch.autograd._is_checkpoint_valid()))
y.backward(retain_graph=True)
torch.autograd.grad(y, x)
print(told, torch.autograd._is_checkpoint_valid(), amp_definitely_not_available())
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    check_backward_validity([x, 1])
    check_backward_validity([torch.ones(1), 1])
    print([str(each.message) for each in warned])

# Names that modules copied from PyTorch's read off torch.nn.functional, and files that name functions of the system.
import io
import os

from torch.nn import functional as F
from torch.nn.functional import (
    BroadcastingList2,
    Optional,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)

x = torch.ones(2)
print(
    BroadcastingList2[int],
    Optional[int],
    has_torch_function((x,)),
    has_torch_function_unary(x),
    has_torch_function_variadic(x, x),
)
print(F._list_with_default([None, 3], [4, 5, 6]), F.handle_torch_function.__name__)
kept = io.BytesIO()
torch.save({"a": os.system}, kept)
try:
    torch.load(io.BytesIO(kept.getvalue()))
except Exception as error:
    print(type(error).__name__, error)
