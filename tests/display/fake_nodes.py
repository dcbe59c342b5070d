"""Stand-ins for the engine's tensors and nodes: what display may use of them, and nothing more."""

from __future__ import annotations

from typing import Any


class Gradient:
    def __init__(self, norm: float) -> None:
        self._norm = norm

    def norm(self) -> float:
        return self._norm


class Variable:
    def __init__(self, shape: tuple = (), dtype: str = "torch.float32", **fields: Any) -> None:
        self.shape, self.dtype, self.grad = shape, dtype, None
        self.__dict__.update(fields)


class Node:
    def __init__(self, name: str, *operands: Any, **fields: Any) -> None:
        self._name = name
        self.next_functions = tuple((operand, 0) for operand in operands)
        self.__dict__.update(fields)

    def name(self) -> str:
        return self._name


def leaf(shape: tuple = (), **fields: Any) -> Node:
    return Node("AccumulateGrad", variable=Variable(shape, **fields))


def names_of(**nodes: Node) -> dict[int, str]:
    """Names for leaves by their variable, for others by the node."""
    return {id(getattr(node, "variable", node)): name for name, node in nodes.items()}


def deep_chain(length: int, end: Any) -> Node:
    node = end
    for _ in range(length):
        node = Node("SinBackward0", node)
    return node


def take_apart(node: Any) -> None:
    """Free a long chain without CPython's recursion."""
    while node is not None and node.next_functions:
        following = node.next_functions[0][0]
        node.next_functions = ()
        node = following
