import torch
from torch.overrides import has_torch_function, handle_torch_function, TorchFunctionMode
class LoggingTensor(torch.Tensor):
    depth = 0
    @classmethod
    def __torch_function__(cls, func, types, args, kwargs=None):
        print(f"{'  ' * cls.depth}Calling {func.__name__}")
        cls.depth += 1
        r = torch.overrides.redispatch_function(func, types, args, kwargs)
        cls.depth -= 1
        return r
def scaled_mul(x, y):
    if has_torch_function((x, y)):
        return handle_torch_function(scaled_mul, (x, y), x, y)
    return torch.mul(x, y) + 1
x=torch.ones(2).as_subclass(LoggingTensor)
r=torch.add(x,1)
@torch.overrides.wrap_torch_function(lambda a: (a,))
def func(a): return a+0
print(func(torch.ones(1))); func(x)
print(torch.Tensor.as_subclass in torch.overrides.get_ignored_functions(), torch.add in torch.overrides.get_ignored_functions(), torch.overrides.is_tensor_like(3), torch.overrides.is_tensor_method_or_property(torch.Tensor.add), torch.overrides.resolve_name(torch.add))
y=torch.ones(2).as_subclass(LoggingTensor)
r=scaled_mul(x,y); print(type(r))
class LoggingMode(TorchFunctionMode):
    def __init__(self): self.depth = 0
    def __torch_function__(self, func, types, args, kwargs=None):
        print(f"{'  ' * self.depth}Calling {func.__name__}")
        self.depth += 1
        with self: r = torch.overrides.redispatch_function(func, types, args, kwargs)
        self.depth -= 1
        return r
a, b = torch.tensor([3.0]), torch.tensor([4.0])
with LoggingMode(): result = scaled_mul(a, b)
print(result)
