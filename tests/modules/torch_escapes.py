"""Programs that break out through PyTorch: `result` is then something that no script may hold, or True.

Those of ESCAPES work in PyTorch 2.13 (or tqdm) itself; those of ONCE worked in tensorsh before their way was closed.
"""

ESCAPES = r"""
import torch
class M(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        types.__class__.__base__.__subclasses__()
        return 1
with M(): result = torch.ones(1) == 1
---
import torch
result = torch.overrides.get_testing_overrides()[torch.add].__globals__
---
import torch
result = torch.overrides.resolve_name.__wrapped__.__globals__
---
import torch
@torch.overrides.wrap_torch_function(lambda x: (x,))
def f(x): return x
result = f.__wrapped__.__globals__
---
import torch
@torch.overrides.wrap_torch_function(lambda x: (x,))
def f(x): return x
result = f.__closure__[0].cell_contents
---
import torch
class F:
    def __torch_function__(self, func, types, args=(), kwargs=None): return func
result = torch.overrides.handle_torch_function(len, (F(),), F()).__self__
---
import torch
class P:
    __module__ = "m"
    __name__ = "{0.__class__}"
class F:
    def __torch_function__(self, func, types, args=(), kwargs=None): return NotImplemented
try: torch.overrides.handle_torch_function(P(), (F(),), F())
except Exception as e: result = e.__traceback__.tb_frame
---
import torch
class F:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): raise ValueError
try: torch.add(F(), 1)
except ValueError as e: result = e.__traceback__.tb_next
---
import torch
@torch.library.custom_op("esc::a", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x * 1
result = f._init_fn.__globals__
---
import torch
@torch.library.custom_op("esc::b", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x * 1
result = f._opoverload.op
---
import torch
@torch.library.custom_op("esc::c", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x * 1
result = torch.ops.__class__.__mro__[-1].__subclasses__
---
import torch
result = torch.ops.loaded_libraries.__class__.__mro__[-1].__subclasses__
---
import torch
class N(str):
    def count(self, *a): return 1
    def replace(self, *a): return seen
    def split(self, *a): return ["esc", "e"]
seen = []
@torch.library.custom_op(N("esc::e"), mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x * 1
result = f.__dict__["_init_fn"].__globals__
---
import torch
@torch.library.custom_op("esc::g", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x * 1
def setup(ctx, inputs, output): seen.append(ctx)
seen = []
f.register_autograd(lambda ctx, g: g, setup_context=setup)
f(torch.ones(1, requires_grad=True))
result = seen[0].__class__.__mro__[-1].__subclasses__
---
import torch
@torch.library.custom_op("esc::i", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x
result = torch.library.opcheck(f, (torch.ones(1),), raise_exception=False)["test_schema"].__traceback__.tb_frame
---
import torch
@torch.library.custom_op("esc::j", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x
result = torch.ops.esc.j.default._schema.arguments[0].__class__.__init__.__globals__
---
import torch
@torch.library.custom_op("esc::k", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x
torch.ops.esc.k.default._schema.__class__.name = property(lambda self: None)
result = torch.ops.esc.k.default._schema.__class__
---
import torch
seen = []
class M(type):
    @property
    def __name__(cls):
        seen.append(1)
        raise ValueError
class A(metaclass=M): pass
def f(x: A) -> torch.Tensor: return x
try: torch.library.infer_schema(f, mutates_args=())
except ValueError as e: result = e.__traceback__.tb_next.tb_frame
---
import torch
x = torch.ones(2, dtype=torch.complex64).conj()
result = x._array.memory
---
import torch
x = torch.ones(2, dtype=torch.complex64).conj()
result = x.numpy(force=True).base.__class__.__mro__[-1].__subclasses__
---
import torch
@torch.library.custom_op("esc::h", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor: return x * 1
y = f(torch.ones(1, requires_grad=True)) if f.register_autograd(lambda ctx, g: g) is None else None
result = y.grad_fn._forward_cls
---
import torch
seen = []
def hook(module, args, output): seen.append(module)
torch.nn.modules.module.register_module_forward_hook(hook)
torch.nn.Linear(1, 1)(torch.ones(1))
result = seen[0].__dict__["_parameters"] is seen[0]._parameters and seen[0].forward.__func__.__globals__
---
import torch
handle = torch.nn.Linear(1, 1).register_forward_hook(print)
result = handle.hooks_dict_ref().__class__ is not None and handle.hooks_dict_ref
---
import torch
seen = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
    y = torch.ones(1, requires_grad=True).exp()
result = seen[0].grad_fn.__class__.__mro__[-1].__subclasses__ if seen[0].grad_fn else seen[0].__class__.__mro__[-1].__subclasses__
---
import torch
y = torch.ones(1, requires_grad=True).exp()
y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
result = y.grad_fn._raw_saved_result.__class__.__mro__[-1].__subclasses__
---
import torch
y = torch.ones(1, requires_grad=True).exp()
result = y.grad_fn.metadata.__class__.__mro__[-1].__subclasses__
---
import torch
y = torch.ones(1, requires_grad=True).exp()
y.grad_fn.metadata["__class__"] = 1
result = y.grad_fn.__class__.__call__.__objclass__
---
import torch
class D(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None): seen.append(func); return func(*args, **(kwargs or {}))
seen = []
with D(): torch.ones(1) + 1
result = seen[0]._op
---
import torch
class T(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None): seen.append(func); return torch.zeros(1)
seen = []
t = torch.Tensor._make_subclass(T, torch.ones(1))
t + 1
result = seen[0]._op
---
import torch
import torch.autograd.forward_ad as fwAD
with fwAD.dual_level():
    d = fwAD.make_dual(torch.ones(1), torch.ones(1))
    u = fwAD.unpack_dual(d)
    result = type(u).__new__.__globals__
---
import torch
import torch.autograd.forward_ad as fwAD
result = fwAD.dual_level.__enter__.__globals__
---
import torch
f = torch.func.grad(lambda x: x.sum())
result = f.__wrapped__.__globals__
---
import torch
class D(dict):
    def items(self): return [("weight", torch.ones(1, 1))]
    def keys(self): return ["__class__"]
class L(torch.nn.Linear): pass
m = L(1, 1)
torch.func.functional_call(m, {"weight": torch.ones(1, 1), "bias": torch.ones(1)}, torch.ones(1))
result = m.__class__.__mro__[-1].__subclasses__
---
import torch
m = torch.nn.Linear(1, 1)
out, pull = torch.func.vjp(lambda x: x, torch.ones(1))
result = (pull.func if hasattr(pull, 'func') else pull).__globals__
---
import torch
a = torch.autocast("cpu")
result = a.__enter__.__func__.__globals__
---
import torch
f = torch.autocast("cpu")(lambda: 1)
result = f.__wrapped__.__globals__
---
import torch
f = torch.amp.custom_fwd(lambda ctx: 1, device_type="cpu")
result = f.__wrapped__.__globals__
---
import torch
seen = []
class C:
    def __setattr__(self, name, value): seen.append((name, value))
torch.amp.custom_fwd(lambda ctx: 1, device_type="cpu")(C())
result = seen[0][1].__class__.__mro__[-1].__subclasses__
---
import torch
with torch.profiler.profile() as p: torch.ones(1)
result = p.__enter__.__func__.__globals__
---
import torch
with torch.profiler.profile() as p: torch.ones(1)
result = p.profiler.__class__.__mro__[-1].__subclasses__
---
import torch
class S:
    def __call__(self, step): seen.append(step); return torch.profiler.ProfilerAction.RECORD
seen = []
with torch.profiler.profile(schedule=S(), on_trace_ready=seen.append) as p: p.step()
result = seen[-1].__class__.__mro__[-1].__subclasses__
---
import torch
torch.profiler.ProfilerAction.RECORD.mark = 1
result = torch.profiler.ProfilerAction.RECORD.mark == 1
---
import torch
with torch.profiler.profile() as p: torch.ones(1)
p.export_chrome_trace("tensorsh-escape")
result = True
---
import torch
torch.profiler.tensorboard_trace_handler("tensorsh-escape")
result = torch.profiler.tensorboard_trace_handler.__globals__
---
import tqdm
result = tqdm.tqdm.__init__.__globals__
---
import tqdm
result = tqdm.tqdm.status_printer.__globals__
---
import tqdm
tqdm.tqdm.write = 1
result = tqdm.tqdm.write == 1
---
import tqdm
t = tqdm.tqdm(range(3))
it = iter(t)
next(it)
result = it.gi_frame
---
import tqdm
result = tqdm.tqdm.get_lock()
---
import tqdm
class F:
    def write(self, s): seen.append(s)
    def flush(self): pass
seen = []
tqdm.tqdm.write("x", file=F())
result = tqdm.tqdm.external_write_mode.__func__.__globals__
---
import torch, functools
result = functools.partial(torch.overrides.wrap_torch_function, lambda: ()).func.__globals__
---
import functools, torch
@functools.singledispatch
def f(x): return x
f.register(torch.Tensor, lambda x: 1)
result = f.registry[object].__globals__
---
import functools
class A:
    @functools.singledispatchmethod
    def f(self, x): return x
result = A.__dict__["f"].dispatcher.registry
---
import functools
@functools.lru_cache
def f(x): return x
result = f.__wrapped__.__globals__
---
import functools
result = functools.cmp_to_key(lambda a, b: 0)(1).__class__.__mro__[-1].__subclasses__
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
m = torch.nn.Linear(1, 1)
m._buffers['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
m = torch.nn.Linear(1, 1)
m._parameters['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
m = torch.nn.Linear(1, 1)
m._modules['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class M(torch.nn.Module): pass
m = M()
m._buffers['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
m = torch.nn.ParameterDict()
m['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
m = torch.nn.ParameterDict({'__array_interface__': FORGED})
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class P(torch.nn.Module):
    def forward(self, x): return FORGED
m = torch.nn.Module()
m.register_parameter('__array_interface__', torch.nn.Parameter(torch.ones(1)))
torch.nn.utils.parametrize.register_parametrization(m, '__array_interface__', P(), unsafe=True)
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class C(torch.distributions.constraints.Constraint):
    def check(self, value): seen.append(value); return torch.ones(1, dtype=torch.bool)
class D(torch.distributions.Distribution):
    arg_constraints = {'__dict__': C()}
seen = []
d = D(validate_args=True)
seen[0]['__array_interface__'] = FORGED
result = np.asarray(d).shape == (1,)
---
import torch
class C(torch.distributions.constraints.Constraint):
    def check(self, value): seen.append(value); return torch.ones(1, dtype=torch.bool)
class D(torch.distributions.Distribution):
    arg_constraints = {'__class__': C(), '__init__': C(), '__reduce_ex__': C()}
seen = []
d = D(validate_args=True)
result = seen[2]
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class L(torch.nn.LSTM): pass
m = L(1, 1)
m._all_weights = [['__dict__']]
m.all_weights[0][0]['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch
class L(torch.nn.LSTM): pass
m = L(1, 1)
m._all_weights = [['__class__', '__reduce_ex__']]
result = m.all_weights[0][1]
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class M(torch.nn.Module):
    def __getattr__(self, name): return FORGED if name == '__array_interface__' else super().__getattr__(name)
result = np.asarray(M()).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class A: pass
m = torch.nn.Module()
setattr(m, '__array_interface__', FORGED)
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
m = torch.nn.Module()
m.__setstate__({'__array_interface__': FORGED})
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=.1)
o.__setstate__({'__array_interface__': FORGED})
result = np.asarray(o).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
o = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=.1), 1)
o.load_state_dict({'__array_interface__': FORGED})
result = np.asarray(o).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
o = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=.1), lambda e: 1)
class F:
    def __call__(self, e): return 1
f = F()
o.lr_lambdas = [f]
s = o.state_dict(); s['lr_lambdas'] = [{'__array_interface__': FORGED}]
o.load_state_dict(s)
result = np.asarray(f).shape == (1,)
---
import torch
o = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=.1), 1)
o.load_state_dict({'__class__': int, 'step': 1})
result = o.step == 1
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
s = torch.amp.GradScaler('cpu')
s.__setstate__({'__array_interface__': FORGED})
result = np.asarray(s).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class C:
    def __init__(self, ctx): pass
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.__dict__['__array_interface__'] = FORGED; seen.append(ctx); return x * 1
    @staticmethod
    def backward(ctx, g): return g
seen = []
F.apply(torch.ones(1, requires_grad=True))
result = np.asarray(seen[0]).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): setattr(ctx, '__array_interface__', FORGED); seen.append(ctx); return x * 1
    @staticmethod
    def backward(ctx, g): return g
seen = []
F.apply(torch.ones(1, requires_grad=True))
result = np.asarray(seen[0]).shape == (1,)
---
import torch, numpy as np
class I:
    def __init__(self): self.n = 0
    def __call__(self, x): return x
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
i = I()
torch.func.functional_call
object.__setattr__(i, '__array_interface__', FORGED)
result = np.asarray(i).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
d = torch.distributions.Normal(0., 1.)
d.__dict__['__array_interface__'] = FORGED
result = np.asarray(d).shape == (1,)
---
import torch
class N(torch.nn.Module):
    def __init__(self): pass
n = N()
n._parameters = {'__class__': int}
result = n.__getattr__('__class__') is int
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class N(torch.nn.Module): pass
n = N()
n._buffers = {'__array_interface__': FORGED}
result = np.asarray(n).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
n = torch.nn.Linear(1, 1)
n.register_buffer('x', None)
n._buffers.update({'__array_interface__': FORGED})
result = np.asarray(n).shape == (1,)
---
import torch, numpy as np
import torch.nn.utils.prune as prune
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class P(prune.BasePruningMethod):
    PRUNING_TYPE = 'unstructured'
    def compute_mask(self, t, default_mask): return default_mask
    def apply_mask(self, module): return FORGED
class A: pass
p, a = P(), A()
p._tensor_name = '__array_interface__'
p(a, None)
result = np.asarray(a).shape == (1,)
---
import torch
import torch.nn.utils.prune as prune
class Scores(dict):
    def get(self, key, default=None): seen.append(default); return torch.ones(1)
seen = []
def g(): yield
try: prune.global_unstructured([(g(), 'gi_frame')], pruning_method=prune.L1Unstructured, importance_scores=Scores(), amount=1)
except Exception: pass
result = seen[0]
---
import torch, numpy as np
import torch.nn.utils.prune as prune
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class A:
    def register_parameter(self, name, value): seen.append(value)
seen, a = [], A()
a._forward_pre_hooks, a._parameters = {}, {}
try: prune.Identity.apply(a, '__dict__')
except Exception: pass
seen[0]['__array_interface__'] = FORGED
result = np.asarray(a).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class L(torch.nn.ParameterList):
    def _name(self, i): return '__dict__'
    def _get_abs_string_index(self, i): return '__dict__'
m = L([torch.ones(1)]) if False else L()
m._size = 1
m[0]['__array_interface__'] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class L(torch.nn.ParameterList):
    def _name(self, i): return '__array_interface__'
    def _get_abs_string_index(self, i): return '__array_interface__'
m = L()
m._size = 1
m[0] = FORGED
result = np.asarray(m).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class A: pass
class V:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return FORGED
m = torch.nn.Linear(1, 1)
torch.nn.utils.weight_norm(m)
hook = list(m._forward_pre_hooks.values())[0]
hook.name = '__array_interface__'
a = A()
a.__array_interface___v = a.__array_interface___g = V()
hook(a, None)
result = np.asarray(a).shape == (1,)
---
import torch
class F:
    def __format__(self, spec): seen.append(spec); return spec
seen = []
try:
    with torch.cuda.nvtx.range('{0:{1.__class__.__mro__}}', F(), 1): pass
except (RuntimeError, AssertionError, ImportError, NotImplementedError): pass
result = 'object' in seen[0]
---
import torch
from torch.nn.utils.parametrize import register_parametrization as register
class Same(torch.nn.Module):
    def forward(self, x): return x
class Left(torch.nn.Module): pass
m = torch.nn.Conv3d(1, 1, 1)
m.parametrizations = torch.nn.ModuleDict({"left": Left()})
register(m, "weight", Same())
result = "weight" in dir(torch.nn.Conv3d)
""".strip().split("\n---\n")

ONCE = r"""
import torch.utils._pytree as p
from collections import namedtuple
Key = type(p.tree_flatten_with_path(namedtuple("P", "x")(1))[0][0][0][0])
result = Key("__globals__").get(lambda: 3)
---
import torch
from torch.profiler import profile
seen = []
class Spy:
    def __gt__(self, other): seen.append(other); return True
    def __lt__(self, other): seen.append(other); return False
class A: pass
A.gi_frame = Spy()
def g(): yield
with profile() as p: torch.ones(1) + 1
events = p.events()
events.clear()
events.extend([g(), A()])
try: events.table(sort_by="gi_frame")
except Exception: pass
result = seen[0]
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class T(torch.distributions.Transform):
    settings = ('__dict__',)
    def __init__(self, *a, **k): seen.extend(a)
seen = []
t = T(); t._cache_size = 0
try: t.with_cache(1)
except Exception: pass
seen[0]['__array_interface__'] = FORGED
result = np.asarray(t).shape == (1,)
---
import torch
class D(torch.distributions.Distribution):
    arg_constraints = {}
d = D(validate_args=False)
d.mark = 5
try: d.expand((2,), _instance=torch)
except Exception: pass
result = torch.mark == 5
---
import torch
class D(torch.distributions.Distribution):
    arg_constraints = {}
d = D(validate_args=False)
d.mark = 5
try: d.expand((2,), _instance=torch.nn.functional.relu)
except Exception: pass
result = torch.nn.functional.relu.mark == 5
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
def f(self): return FORGED
f.__name__ = '__array_interface__'
class A: x = type(torch.distributions.Bernoulli.logits)(f)
a = A()
a.x
result = np.asarray(a).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
p = torch.distributions.Bernoulli.logits
p.name = '__array_interface__'
p.wrapped = lambda self: FORGED
class A: x = p
a = A()
a.x
result = np.asarray(a).shape == (1,)
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class A: pass
a = A()
r = torch.nn.Linear(1, 1)._parameters
r.attach(a)
r.attributes()['__array_interface__'] = FORGED
result = np.asarray(a).shape == (1,)
---
import torch
r = torch.nn.Linear(1, 1)._parameters
r.attach(torch)
r['mark'] = 5
result = torch.mark == 5
---
import torch, numpy as np
R = type(torch.nn.Linear(1, 1)._parameters)
r = R(torch)
r['mark'] = 5
result = torch.mark == 5
---
import torch, numpy as np
R = type(torch.nn.Linear(1, 1)._parameters)
r = R(torch.nn.functional)
r['relu'] = 5
result = torch.nn.functional.relu == 5
---
import torch, numpy as np
from dataclasses import dataclass
@dataclass
class M:
    _array: object
t = torch.ones(2)
M.__init__(t, np.zeros(4, 'i8'))
result = t.dtype == torch.int64
---
import torch, numpy as np
from dataclasses import dataclass
@dataclass
class T(torch.Tensor):
    _array: object
result = T(np.zeros(4, 'i8')).dtype == torch.int64
---
import torch
from typing import Any
class T(torch.Tensor):
    _array: Any
result = type(torch.ones(2).as_subclass(T)._array).__name__ == 'ndarray'
---
import torch, numpy as np
class T(torch.Tensor): pass
t = torch.ones(2).as_subclass(T)
object.__setattr__(t, '_array', np.zeros(4, 'i8'))
result = t.dtype == torch.int64
---
import torch.distributed.checkpoint as dcp
from typing import Any
class W(dcp.FileSystemWriter):
    _permissions: Any
w = W('x')
w.set_up_storage_writer(True)
w._permissions.read = True
result = len(open('/etc/hostname').read()) > 0
---
import torch, torch.distributed.checkpoint as dcp
w = dcp.FileSystemWriter('x')
w.set_up_storage_writer(True)
torch.optim.lr_scheduler.LRScheduler.state_dict(w)['_permissions'].read = True
result = len(open('/etc/hostname').read()) > 0
---
import torch, torch.distributed.checkpoint as dcp
class W(dcp.FileSystemWriter):
    def __call__(self, epoch): return 1.0
w = W('x')
w.set_up_storage_writer(True)
sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
s = torch.optim.lr_scheduler.LambdaLR(sgd, w)
s.state_dict()['lr_lambdas'][0]['_permissions'].read = True
result = len(open('/etc/hostname').read()) > 0
---
import torch
sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.1)
s = torch.optim.lr_scheduler.CyclicLR(sgd, 0.1, 0.2, scale_fn=torch.Tensor)
result = s.state_dict()['_scale_fn_custom'] is not None
---
import torch, torch.distributed.checkpoint as dcp
class P:
    def check(self, path, kind): return 'made'
class W(dcp.FileSystemWriter):
    def __call__(self, epoch): return 1.0
class Plan: items, storage_data = [], 'x'
w = W('x')
sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
torch.optim.lr_scheduler.LambdaLR(sgd, w).load_state_dict({'lr_lambdas': [{'_permissions': P()}]})
w.write_data(Plan(), None)
result = True
---
import torch, torch.distributed.checkpoint as dcp
class P:
    def check(self, path, kind): return 'made'
class Plan: items, storage_data = [], 'x'
class Lazy(torch.nn.LazyLinear):
    cls_to_become = dcp.FileSystemWriter
    def initialize_parameters(self, x): self.weight, self.bias = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
m = Lazy(1)
m._permissions, m.path = P(), 'x'
try: m(torch.ones(1))
except AttributeError: pass
m.write_data(Plan(), None)
result = True
---
import torch, torch.distributed.checkpoint as dcp
from functools import cached_property
class P:
    def check(self, path, kind): return 'made'
class Plan: items, storage_data = [], 'x'
class A: _permissions = cached_property(lambda self: P())
class W(dcp.FileSystemWriter): pass
W.other = A.__dict__['_permissions']
w = W('x')
w.other
w.write_data(Plan(), None)
result = True
---
import torch
torch.optim.lr_scheduler.LRScheduler.load_state_dict(torch, {'mark': 5})
result = torch.mark == 5
---
import torch, numpy as np
FORGED = {'shape': (1,), 'typestr': '<i8', 'data': (id(1), False), 'version': 3}
class State:
    def __iter__(self): return iter(())
    def keys(self): return ['__array_interface__']
    def __getitem__(self, key): return FORGED
sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
s = torch.optim.lr_scheduler.StepLR(sgd, 1)
s.load_state_dict(State())
result = np.asarray(s).shape == (1,)
---
import torch.distributed.checkpoint as dcp
class A: pass
a = A()
dcp.FileSystemWriter.set_up_storage_writer(a, True)
a._permissions.read = True
result = len(open('/etc/hostname').read()) > 0
---
import torch, numpy as np
got = []
class F:
    def __call__(self, *a): return self
    def __getattr__(self, name): return self
    def __eq__(self, other):
        got.append(other)
        return False
    __hash__ = None
try: torch.library.custom_op('a::b', F(), mutates_args=())
except Exception: pass
result = got[-2]
---
import torch
try: torch.distributed.checkpoint.DefaultLoadPlanner.set_up_planner(torch.nn.Module, {}, None)
except AttributeError: pass
result = torch.nn.Module.original_state_dict == {}
---
import torch
try: torch.nn.Module.train(torch.Tensor, True)
except AttributeError: pass
result = torch.Tensor.training
---
import torch
class D(torch.nn.ParameterDict): pass
d = D()
d._keys = {'__reduce_ex__': None}
result = callable(d['__reduce_ex__'])
---
import torch
m = torch.nn.Linear(1, 1)
torch.jit.trace_module(m, {'__setattr__': ('__array_interface__', {})})
result = True
---
import torch, numpy as np
got = []
class A(torch.Tensor):
    def __init_subclass__(cls): got.append(cls)
try:
    class T(A):
        _array = property(lambda self: np.zeros(9, 'i8'))
except TypeError: pass
result = torch.ones(2).as_subclass(got[0]).dtype == torch.int64
---
import torch, numpy as np
got = []
class D:
    def __set_name__(self, owner, name): got.append(owner)
try:
    class T(torch.Tensor):
        d = D()
        _array = property(lambda self: np.zeros(9, 'i8'))
except TypeError: pass
result = torch.ones(2).as_subclass(got[0]).dtype == torch.int64
---
import torch
class W(torch._dynamo.OptimizedModule): pass
result = callable(W(torch.nn.MultiheadAttention(4, 2))._is_fast)
---
import torch
class W(torch._dynamo.OptimizedModule): pass
m = torch.nn.MultiheadAttention(4, 2, kdim=3)
W(m)._qkv_same_embed_dim = True
result = m._qkv_same_embed_dim
---
import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper
class W(CheckpointWrapper): pass
result = callable(W(torch.nn.MultiheadAttention(4, 2))._is_fast)
---
import torch
class A(torch.nn.Module): pass
result = callable(A._presented)
---
import logging, numpy as np
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(logging), False), "version": 3}
result = (np.zeros(1, int) + logging.LogRecord({"__array_interface__": FORGED})).shape == (1,)
---
import abc, dataclasses, torch
@dataclasses.dataclass
class D(abc.ABC):
    _array: object
D.register(torch.Tensor)
match torch.ones(1):
    case D(array): result = type(array).__name__ == "ndarray"
---
import torch
class S(type(list[int])(super, int)): pass
result = type(S(torch.Tensor, torch.ones(2))._array).__name__ == "ndarray"
---
import torch, typing
class S(typing.Annotated[super, 1]): pass
result = type(S(torch.Tensor, torch.ones(2))._array).__name__ == "ndarray"
---
import torch
Alias = type(list[int])
class S(Alias(Alias, int)): pass
result = type(S(torch.ones(2), int)._array).__name__ == "ndarray"
---
import dataclasses, torch
got = []
@dataclasses.dataclass
class D:
    _array: object
    def __init_subclass__(cls): got.append(cls)
try:
    class T(D, torch.Tensor): pass
except TypeError: pass
t = torch.ones(2).as_subclass(got[0])
D.__init__(t, torch.zeros(3).numpy())
result = t.shape == (3,)
---
import dataclasses, torch
@dataclasses.dataclass
class D:
    _is_fast: object
class M(D, torch.nn.MultiheadAttention):
    def __init__(self): torch.nn.MultiheadAttention.__init__(self, 4, 2)
result = callable(dataclasses.astuple(M())[0])
---
import dataclasses, torch
class M(torch.nn.MultiheadAttention):
    _is_fast: object
    def __init__(self): super().__init__(4, 2)
M = dataclasses.dataclass(M)
result = callable(dataclasses.astuple(M())[0])
---
import torch
from torch.distributions.utils import lazy_property
got = []
class Near:
    def send(self, message, block):
        got.append(message)
        return True
def near(self): return Near()
near.__name__ = "_near"
class Q(type(torch.multiprocessing.Queue())):
    near = lazy_property(near)
q = Q()
q.near
q.put(1)
result = type(got[0]).__name__ == "Message"
---
import dataclasses, torch
got = []
class D:
    def __init_subclass__(cls): got.append(cls.__repr__)
@dataclasses.dataclass(slots=True)
class E(D):
    _array: object
class T(torch.Tensor): pass
result = "array(" in got[-1](torch.ones(2).as_subclass(T))
---
import torch
type(torch.complex32).__init__(torch.complex32, "own", 3, 4, "Own")
result = repr(torch.complex32) == "torch.own"
---
import torch
super(type(torch.jagged), torch.jagged).__init__("own")
result = repr(torch.jagged) == "torch.own"
---
import torch
result = type(torch.float32)("float64", 2, 4, "Double").itemsize == 4
---
import torch
class Objects(type(torch.float32)):
    numpy, category, name = object, 2, "float32"
torch.set_default_dtype(Objects.__new__(Objects))
result = torch.zeros(2).numpy().dtype == object
---
import torch, numpy as np
got = []
torch.func.vmap(lambda t: (got.append(type(t)), t)[1])(torch.ones(2, 3))
result = got[0].of(None, torch.ones(2), np.array(["abc"])).untyped_storage()[0] == 97
---
import torch
class F: numpy = object
p = torch.nn.UninitializedParameter()
p.materialize((2,), dtype=F)
result = p.data.numpy().dtype == object
---
import torch, numpy as np
class S(str): numpy = np.zeros(1, "U1").dtype
class F: dtype = S("cpu")
torch.ones(3).storage().type(F).tolist()
result = True
---
import torch, numpy as np
class F:
    itemsize, numpy = 4, np.zeros(1, "U1").dtype
class S(torch.FloatStorage): dtype = F
result = S.from_buffer(b"a\0\0\0", "native", 1).tolist() == ["a"]
---
import torch, numpy as np
class A:
    requires_grad = False
    def __init__(self, *given): self.given = given
a = A()
a._array = np.array(["abc"])
result = torch.nn.Parameter.__deepcopy__(a, {}).given[0].untyped_storage()[0] == 97
---
import torch, numpy as np
class A: _array = np.array(["abc"])
kind = type(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8))
result = kind.int_repr(A()).untyped_storage()[0] == 97
---
import torch, numpy as np
from torch.distributed.tensor import DTensor
class A: _array = np.array(["abc"])
class T(torch.Tensor): other = DTensor.data
t = torch.ones(2).as_subclass(T)
t.other = A()
result = t.untyped_storage()[0] == 97
---
import copy, torch, dataclasses
class Same(torch.nn.Module):
    def forward(self, x): return x
kind = type(torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(2, 1), "weight", Same()))
result = isinstance(kind.__deepcopy__(torch.optim.SGD([torch.ones(1)], 0.1), {}), torch.optim.SGD)
---
import torch, typing
result = torch.multiprocessing.Process.name.fget(typing.List[int]) == "List"
---
import torch, numpy as np
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(torch), False), "version": 3}
class B:
    def __init_subclass__(cls, **options): pass
class A:
    settings, _cache_size, inv = ("a", "b", "c"), 0, None
    a, b, c = "N", (B,), {"__array_interface__": FORGED, "__array_struct__": property(lambda self: self.missing)}
result = np.array(torch.distributions.Transform.with_cache(A)()).shape == (1,)
---
import torch, numpy as np
class A: other = torch.Tensor.data
a = A()
a._array, a._node = np.zeros(1), None
a.other = torch.ones(2)
result = type(a._array).__name__ == "ndarray" and a._array.shape == (2,)
---
import torch, numpy as np
class A: other = classmethod(torch.Tensor.requires_grad.setter(lambda self, value: None))
A._node = 1
result = A.other
---
import torch
class A: training = True
a = A()
a.get_submodule = lambda name: a
a.__dict__["_modules"] = {}
torch.nn.Module.set_submodule(a, "a", torch.nn.Linear(1, 1))
result = len(a._modules) == 1
---
import torch
class A: shape, dtype, _array = (), None, None
class B(torch.nn.Module):
    @classmethod
    def taken(cls): return super().train
a = A()
a.children = lambda: []
B.taken()(a)
result = a.training
---
import torch
class A: pass
a = A()
a.children = lambda: []
torch.nn.Module.train(mode=True, self=a)
result = a.training
---
import torch, numpy as np
class A: _array = np.array([1., 2.])
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        got.append(func)
        return func(*args, **(kwargs or {}))
got = []
with Mode(): len(torch.ones(3))
result = got[-1](A()) == 2
---
import torch, numpy as np
class A: _array = np.array(["abc"])
a = A()
a._inference, a._cell, a._root, a._views = False, None, None, None
result = torch.Tensor.storage(a).untyped()[0] == 97
---
import torch
got = []
class D(float):
    def __rmul__(self, other):
        got.append(other)
        return NotImplemented
try: torch.xlogy(D(1.), torch.ones(2, requires_grad=True)).sum().backward()
except TypeError: pass
result = "ndarray" in [type(each).__name__ for each in got]
---
import torch
asked = []
class I(int):
    def __getattr__(self, name):
        asked.append(name)
        return 0
try: I(7) % torch.ones(3)
except Exception: pass
result = "dtype" in asked
---
import torch
got = []
class N:
    _outputs, _sequence, _forbidden, _prehooks, _edges, _watched, _retained = 1, 10**9, None, None, (), (), ()
    def __getattr__(self, name): return lambda *given: got.append(given)
try: torch.autograd.backward(torch.autograd.graph.GradientEdge(N(), 0), torch.ones(2))
except TypeError: pass
result = "ndarray" in [type(each).__name__ for given in got for each in given]
---
import torch, numpy as np
got = []
class N:
    _outputs, _sequence, _forbidden, _prehooks, _edges, _watched, _retained = 1, 10**9, None, None, (), (), ()
    def __getattr__(self, name): return lambda *given: got.append(given)
class A: _node, _array, shape, dtype = N(), np.zeros(2), (2,), torch.float32
try: torch.autograd.backward(torch.autograd.graph.get_gradient_edge(A()), torch.ones(2))
except TypeError: pass
result = "ndarray" in [type(each).__name__ for given in got for each in given]
---
import torch
got = []
class N:
    _outputs, _sequence, _forbidden, _prehooks, _edges, _watched, _retained = 1, 10**9, None, None, (), (), ()
    def __getattr__(self, name): return lambda *given: got.append(given)
class E(torch.autograd.graph.GradientEdge): pass
edge = E(torch.ones(2, requires_grad=True).exp().grad_fn, 0)
edge._node = N()
try: torch.autograd.backward(edge, torch.ones(2))
except TypeError: pass
result = "ndarray" in [type(each).__name__ for given in got for each in given]
---
import torch, numpy as np
from torch.distributed.tensor import DTensor, Replicate
class A:
    _array, _node, _cell, _inference, shape, is_meta = np.array([1.]), None, None, False, torch.Size([1]), False
    device = torch.device("cpu")
    def __getattr__(self, name): return lambda *a, **k: 1
torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
try: made = DTensor.from_local(A(), torch.distributed.init_device_mesh("cpu", (1,)), [Replicate()], shape=torch.Size([1]), stride=(1,))
finally: torch.distributed.destroy_process_group()
result = isinstance(made, torch.Tensor)
---
import torch
class Foreign(torch.nn.Module): steal = torch.optim.SGD.zero_grad
Foreign.steal
p = Foreign()
p.param_groups = []
result = p.steal() is None
---
import torch
class P(torch.nn.Module): pass
class A:
    _parameters, _buffers, _modules, _non_persistent_buffers_set, _load_state_dict_pre_hooks = {}, {}, {}, set(), {}
    set_extra_state = torch.nn.Module.set_extra_state
result = P._load_from_state_dict(A(), {}, "", {}, True, [], [], []) is None
---
import torch
class P(torch.nn.Module): pass
class A:
    _parameters, _buffers, _modules, _non_persistent_buffers_set, _load_state_dict_pre_hooks = {}, {}, {}, set(), {}
    set_extra_state = torch.nn.Module.set_extra_state
result = super(P, P)._load_from_state_dict(A(), {}, "", {}, True, [], [], []) is None
---
import torch
class A: low, high, support = 1, 2, torch.distributions.Uniform.support
result = A().support is not None
---
import torch
class A:
    variance = torch.distributions.LowRankMultivariateNormal.variance
    _unbroadcasted_cov_factor, _unbroadcasted_cov_diag, _batch_shape, _event_shape = torch.ones(2, 1), torch.ones(2), torch.Size(), torch.Size([2])
result = A().variance is not None
---
import torch
class A:
    low, high, support = 1, 2, torch.distributions.Uniform.support
result = torch.distributions.Uniform.support.fget(A()) is not None
---
import torch
class K(str):
    asked = 0
    def __hash__(self): return hash("self") if self.startswith("a") else 1
    def __eq__(self, other):
        if self.startswith("b"): return str.__eq__(other, "self")
        self.asked += other in ("self", "set_to_none")
        return str.__eq__(other, "self" if self.asked == 1 else "set_to_none")
class Fake: param_groups = []
result = torch.optim.SGD.zero_grad(**{K("a"): torch.optim.SGD([torch.ones(1)], 0.1), K("b"): Fake()}) is None
---
import torch
class P(torch.distributions.utils.lazy_property): pass
def check(self): return 5
positive = torch.distributions.constraints.positive
try: P.__get__(P(check), positive)
except TypeError: pass
result = positive.check == 5
---
import torch
class P(torch.nn.Module): pass
class A: _parameters = _modules = _buffers = {}
result = len(P.__dir__(A())) > 0
""".strip().split("\n---\n")
