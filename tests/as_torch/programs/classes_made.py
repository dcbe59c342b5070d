"""Abstract classes, classes made by calls, and methods bound by hand."""

import abc
import types
from abc import ABCMeta, abstractmethod
from typing import Generic, TypeVar

import torch
from torch import nn

T = TypeVar("T")


class Shape(metaclass=ABCMeta):
    @abstractmethod
    def area(self):
        """The area."""

    def describe(self):
        return f"{type(self).__name__} of {self.area():.2f}"


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Old(object, metaclass=abc.ABCMeta):  # noqa: UP004
    pass


class Box(Generic[T], metaclass=ABCMeta):
    def __init__(self, value: T):
        self.value = value


class Layer(nn.Module, metaclass=ABCMeta):
    @abstractmethod
    def forward(self, x): ...


class Double(Layer):
    def forward(self, x):
        return x * 2


def attempt(make):
    try:
        print(make())
    except (TypeError, AttributeError) as error:
        print(type(error).__name__, error)


print(type(Shape), type(Old), type(Box), isinstance(Shape, ABCMeta), isinstance(int, ABCMeta), ABCMeta)
print(Square(3.0).describe(), Box(torch.ones(1)).value, Double()(torch.ones(2)))
for abstract in (Shape, Layer):
    try:
        abstract()
    except TypeError:
        print(abstract, "is abstract")

Pair = type("Pair", (tuple,), {"total": lambda self: sum(self), "__repr__": lambda self: f"Pair{tuple(self)}"})
print(Pair, Pair([1, 2]), Pair([1, 2]).total(), Pair.__name__, Pair.__module__, issubclass(Pair, tuple))
Scaled = type("Scaled", (nn.Linear,), {"forward": lambda self, x: nn.Linear.forward(self, x) * self.scale, "scale": 3})
torch.manual_seed(0)
net = Scaled(2, 1)
print(net, net(torch.ones(1, 2)))
layers = [type(f"Add{n}", (nn.Module,), {"n": n, "forward": lambda self, x: x + self.n})() for n in range(3)]
print(nn.Sequential(*layers), nn.Sequential(*layers)(torch.zeros(2)))
attempt(lambda: type(1, (), {}))
attempt(lambda: type("X", [], {}))
attempt(lambda: type("X", (), []))
attempt(lambda: type("X", (3,), {}))
attempt(lambda: type("X", (bool,), {}))
attempt(lambda: type("X", ()))


def loud(self, x):
    print("forward of", type(self).__name__, x.shape)
    return self.weight @ x


linear = nn.Linear(2, 2)
linear.forward = types.MethodType(loud, linear)
print(linear(torch.ones(2)).shape)
print(
    isinstance(loud, types.FunctionType),
    isinstance(linear.forward, types.MethodType),
    isinstance(len, types.BuiltinFunctionType),
)
print(
    isinstance((n for n in []), types.GeneratorType),
    isinstance(None, types.NoneType),
    isinstance(torch, types.ModuleType),
)
