# ruff: noqa
"""Constructors of old with a device, classes that nobody inherits from, functions of elements, switches that want booleans."""

import torch


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


def inherit():
    class Own(torch.FloatTensor):
        pass


x, i = torch.ones(2, 3), torch.tensor([1])
told(inherit)
for device in ("cpu", "meta", None):
    told(lambda: torch.Tensor(x, device=device))
    told(lambda: torch.FloatTensor(x, device=device))
    told(lambda: torch.LongTensor(x, device=device))
    told(lambda: x.new(x, device=device))
told(lambda: x.new(2, 3, device="cpu").shape)
told(lambda: torch.Tensor(2, 3, device="cpu").shape)
told(lambda: torch.Tensor([2.0, 3.0], device="cpu"))
told(lambda: i.new(x))

y = torch.zeros(3)
wanting = torch.zeros(1, 3, requires_grad=True)
told(lambda: x.clone().map_(wanting.expand(2, 3), lambda a, b: a + b))
told(lambda: x.clone().map2_(y, wanting, lambda a, b, c: a + b + c))
told(lambda: x.clone().map2_(wanting, y, lambda a, b, c: a + b + c))
told(lambda: x.clone().map2_(y, y.double(), lambda a, b, c: a + b + c))
told(lambda: x.clone().map2_(y + 1, y + 2, lambda a, b, c: a + b * c))
told(lambda: x.clone().map_(3, lambda a, b: a))
told(lambda: wanting.apply_(lambda a: a))

for value in ("a", 1, None, 0.5):
    told(lambda: torch.use_deterministic_algorithms(True, warn_only=value))
    told(lambda: torch.use_deterministic_algorithms(value))
torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled())
torch.use_deterministic_algorithms(False)
