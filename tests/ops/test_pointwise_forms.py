"""Forms of calling pointwise operators: Python's operators on foreign values, ``out=``, in place, broadcasting, subclasses."""

import math

import numpy as np
import pytest

from tensorsh import torch

x = torch.tensor([1.0, 2.0])
i = torch.tensor([1, 2])
b = torch.tensor([True, False])

ERRORS = [
    ('x + "a"', TypeError, "unsupported operand type(s) for +: 'Tensor' and 'str'"),
    ("x + None", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'NoneType'"),
    ("None - x", TypeError, "unsupported operand type(s) for -: 'NoneType' and 'Tensor'"),
    ("x * [1, 2]", TypeError, "only integer tensors of a single element can be converted to an index"),
    ('x ** "a"', TypeError, "unsupported operand type(s) for ** or pow(): 'Tensor' and 'str'"),
    ('x // "a"', TypeError, "unsupported operand type(s) for //: 'Tensor' and 'str'"),
    ('x % "a"', TypeError, "unsupported operand type(s) for %: 'Tensor' and 'str'"),
    ('x < "a"', TypeError, "'<' not supported between instances of 'Tensor' and 'str'"),
    ("i & None", TypeError, "unsupported operand type(s) for &: 'Tensor' and 'NoneType'"),
    ("x & x", NotImplementedError, "\"bitwise_and_cpu\" not implemented for 'Float'"),
    ("i << 1.5", NotImplementedError, "\"lshift_cpu\" not implemented for 'Float'"),
    ("~x", TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors"),
    ("x + torch.ones(3)", RuntimeError,
     "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
    ("x.clone().add_(torch.ones(2, 2))", RuntimeError,
     "output with shape [2] doesn't match the broadcast shape [2, 2]"),
    ("i.clone().add_(1.5)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("i.clone().div_(2)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("torch.maximum(x, 1)", TypeError, "maximum(): argument 'other' (position 2) must be Tensor, not int"),
    ("torch.exp(1.0)", TypeError, "exp(): argument 'input' (position 1) must be Tensor, not float"),
    ("torch.exp(x, x)", TypeError, "exp() takes 1 positional argument but 2 were given"),
    ("torch.add(x, 1, bar=2)", TypeError, "add() got an unexpected keyword argument 'bar'"),
    ('torch.add(x, "a")', TypeError, "add(): argument 'other' (position 2) must be Tensor, not str"),
    ("torch.clamp(x)", RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"),
    ("torch.where(x, x, x)", RuntimeError,
     "where expected condition to be a boolean tensor, but got a tensor with dtype Float"),
    ("torch.lerp(x, x.double(), 0.5)", RuntimeError, "expected dtype float for `end` but got dtype double"),
    ("torch.add(i, i, alpha=1.5)", RuntimeError,
     "For integral input tensors, argument alpha must not be a floating point number."),
    ("torch.isclose(x, i)", RuntimeError, "Float did not match Long"),
    ("i // 0", RuntimeError, "ZeroDivisionError"),
    ("i ** -1", RuntimeError, "Integers to negative integer powers are not allowed."),
    ("1 - b", RuntimeError,
     "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
     "or `logical_not()` operator instead."),
    ("+b", RuntimeError, "The `+` operator, on a bool tensor is not supported."),
]  # fmt: skip


@pytest.mark.parametrize("expression, kind, message", ERRORS, ids=[e[0] for e in ERRORS])
def test_errors(expression, kind, message):
    with pytest.raises(kind) as caught:
        eval(expression)
    assert str(caught.value).split("\n")[0] == message


def test_equality_with_anything():
    assert (x == "a") is False and (x != "a") is True
    assert (x == None) is False and (x == [1, 2]) is False  # noqa: E711 - the operator itself is meant
    assert (x == np.array([1.0, 3.0])).tolist() == [True, False]


def test_numpy_operands():
    n = np.array([1.0, 2.0])
    assert (x + n).dtype is torch.float64 and (x * np.float64(2)).dtype is torch.float32
    assert (np.float64(2) * x).tolist() == [2, 4]


def test_number_first():
    assert [(3 - x).tolist(), (2 / x).tolist(), (2**i).tolist(), (7 % i).tolist(), (7 // i).tolist(), (1 & i).tolist()] == [
        [2, 1], [2, 1], [2, 4], [0, 1], [7, 3], [1, 0]]  # fmt: skip
    assert torch.add(1, x).tolist() == [2, 3] and torch.mul(2, 3).item() == 6


def test_signed_zero_of_a_number():
    negative = torch.tensor([-0.0, -0.0])
    assert np.signbit((negative + 0.0)._array).tolist() == [False, False]
    assert np.signbit((negative + -0.0)._array).tolist() == [True, True]
    assert np.signbit((x * -0.0)._array).all() and not np.signbit((x * 0.0)._array).any()


def test_bounds_of_clamp():
    nan = math.nan
    x = torch.tensor([1.0, nan, 3.0, -2.0])
    assert str(x.clamp(2, 1).tolist()) == "[1.0, nan, 1.0, 1.0]"
    assert str(x.clamp(nan, 1).tolist()) == "[nan, nan, nan, nan]"
    assert str(torch.tensor([-1.0, -0.0]).clamp(-0.0, 1).tolist()) == "[-0.0, -0.0]"
    assert str(torch.tensor([-1.0, -2.0]).clamp(0, 1).tolist()) == "[0.0, 0.0]"
    whole = torch.tensor([-3, 0, 7, 250])
    assert whole.clamp(1, 5).tolist() == [1, 1, 5, 5] and whole.clamp(6, 2).tolist() == [2, 2, 2, 2]
    byte = whole.to(torch.uint8).clamp(10, 200)
    assert byte.tolist() == [200, 10, 10, 200] and byte.dtype is torch.uint8
    assert whole.clamp(0.5, 2.5).tolist() == [0.5, 0.5, 2.5, 2.5]


def test_out():
    out = torch.zeros(2)
    assert torch.add(x, x, out=out) is out and out.tolist() == [2, 4] and out._version == 1
    torch.pow(x, 2, out=out)
    assert out.tolist() == [1, 4]
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.exp(x, out=torch.zeros(2, dtype=torch.int64))


def test_in_place_keeps_memory_and_counts():
    y = x.clone()
    array = y._array
    y += 1
    y *= x
    y.sub_(torch.tensor(1.0)).div_(2)
    assert y._array is array and y.tolist() == [0.5, 2.5] and y._version == 4
    view = y[:1]
    view += 1
    assert y.tolist() == [1.5, 2.5] and y._version == 5


def test_in_place_on_leaves_and_history():
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf += 1
    with torch.no_grad():
        leaf -= 0.5
    assert leaf.tolist() == [0.5, 0.5] and leaf.is_leaf
    y = leaf * 2
    y *= leaf
    assert type(y.grad_fn).__name__ == "MulBackward0"
    y.sum().backward()
    assert leaf.grad.tolist() == [2, 2]


def test_operand_overwritten_in_place_is_noticed():
    leaf = torch.ones(2, requires_grad=True)
    y = leaf * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_expanded_memory_is_not_written():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(1).expand(3).add_(1)


def test_integers_wrap():
    u = torch.tensor([200, 100], dtype=torch.uint8)
    assert (u + 100).tolist() == [44, 200] and (u + 300).tolist() == [244, 144] and (u - 201).tolist() == [255, 155]
    assert (torch.tensor([1], dtype=torch.int32) + 2**40).dtype is torch.int32


def test_relu_in_place_argument():
    y = torch.tensor([-1.0, 2.0])
    assert torch.nn.functional.relu(y, inplace=True) is y and y.tolist() == [0, 2]
    assert torch.nn.functional.leaky_relu(torch.tensor([-1.0]), 0.5, True).tolist() == [-0.5]


def test_parts_of_complex_numbers_are_views():
    z = torch.tensor([1 + 2j, 3 - 1j])
    z.real[0] = 5
    z.imag.mul_(2)
    assert z.tolist() == [5 + 4j, 3 - 2j]
    assert torch.view_as_complex(torch.view_as_real(z)).tolist() == z.tolist()
