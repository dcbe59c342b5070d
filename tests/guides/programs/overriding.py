import torch, functools
class ScalarTensor(object):
    def __init__(self, N, value):
        self._N = N
        self._value = value
    def __repr__(self):
        return "ScalarTensor(N={}, value={})".format(self._N, self._value)
    def tensor(self):
        return self._value * torch.eye(self._N)
d = ScalarTensor(5, 2); print(d, d.tensor())
try: torch.mean(d)
except TypeError as e: print(e)
HANDLED_FUNCTIONS = {}
class ScalarTensor(object):
    def __init__(self, N, value):
        self._N = N
        self._value = value
    def __repr__(self):
        return "ScalarTensor(N={}, value={})".format(self._N, self._value)
    def tensor(self):
        return self._value * torch.eye(self._N)
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        if func not in HANDLED_FUNCTIONS or not all(
            issubclass(t, (torch.Tensor, ScalarTensor))
            for t in types
        ):
            return NotImplemented
        return HANDLED_FUNCTIONS[func](*args, **kwargs)
def implements(torch_function):
    """Register a torch function override for ScalarTensor"""
    def decorator(func):
        functools.update_wrapper(func, torch_function)
        HANDLED_FUNCTIONS[torch_function] = func
        return func
    return decorator
@implements(torch.mean)
def mean(input):
    return float(input._value) / input._N
d = ScalarTensor(5, 2)
print(torch.mean(d))
def ensure_tensor(data):
    if isinstance(data, ScalarTensor): return data.tensor()
    return torch.as_tensor(data)
@implements(torch.add)
def add(input, other):
   try:
       if input._N == other._N: return ScalarTensor(input._N, input._value + other._value)
       else: raise ValueError("Shape mismatch!")
   except AttributeError:
       return torch.add(ensure_tensor(input), ensure_tensor(other))
s = ScalarTensor(2, 2); print(torch.add(s, s)); t = torch.tensor([[1, 1,], [1, 1]]); print(torch.add(s, t))
try: torch.mul(s, 3)
except TypeError as e: print(e)
class LoggingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is not torch.Tensor.__repr__:
            print(f"func: {func.__name__}, args: {args!r}, kwargs: {kwargs!r}")
        if kwargs is None: kwargs = {}
        return super().__torch_function__(func, types, args, kwargs)
class SubTensor(torch.Tensor): pass
print(type(torch.add(SubTensor([0]), SubTensor([1]))).__name__, type(torch.add(SubTensor([0]), torch.tensor([1]))).__name__)
class SubTensor2(torch.Tensor): pass
class SubSubTensor2(SubTensor2): pass
print(type(torch.add(SubTensor2([0]), SubSubTensor2([1]))).__name__)
try: torch.add(SubTensor([0]), SubTensor2([1]))
except TypeError as e: print(e)
class MetadataTensor(object):
    def __init__(self, data, metadata=None, **kwargs):
        self._t = torch.as_tensor(data, **kwargs)
        self._metadata = metadata
    def __repr__(self):
        return "Metadata:\n{}\n\ndata:\n{}".format(self._metadata, self._t)
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None: kwargs = {}
        metadatas = tuple(a._metadata for a in args if hasattr(a, '_metadata'))
        args = [getattr(a, '_t', a) for a in args]
        assert len(metadatas) > 0
        ret = func(*args, **kwargs)
        return MetadataTensor(ret, metadata=metadatas[0])
metadata = {'owner': 'Ministry of Silly Walks'}
m = MetadataTensor([[1, 2], [3, 4]], metadata=metadata)
t = torch.tensor([[1, 2], [1, 2]])
print(torch.add(t, m)); print(torch.mul(t, m))
from torch.overrides import TorchFunctionMode
class FunctionLog(TorchFunctionMode):
    def __torch_function__(self, func, types, args, kwargs=None):
        print(f"Function Log: {func.__name__}(*{args}, **{kwargs})")
        return func(*args, **(kwargs or {}))
def main():
    a = torch.arange(3.)
    b = a * 2
    b.sum()
with FunctionLog(): main()
print(type(torch.nn.functional.relu(SubTensor([-1.,2.]))), SubTensor([1.])*2 == SubTensor([2.]))
x=SubTensor([1.,2.]); x.requires_grad_(); y=(x**2).sum(); y.backward(); print(x.grad, type(x.grad), y)
class Named(torch.Tensor):
    def __new__(cls, data, name=''):
        t = torch.as_tensor(data).as_subclass(cls); t.tag=name; return t
    def shout(self): return self.tag.upper()
n=Named([1.,2.],'abc'); print(n, n.shout(), (n+1), type(n[0]), type(n.mean().item()), n.max(0))
