"""Public forms of operators: how they look, what they take, and that nothing of them can be changed."""

from __future__ import annotations

import copy
import inspect
import math
import pydoc
import types

import pytest

from tensorsh import Session, torch
from tensorsh.engine.loading import table
from tensorsh.engine.operators.public_form import PublicForm


def test_forms_look_as_pytorchs() -> None:
    assert repr(torch.add).startswith("<built-in method add of type object at 0x")
    assert repr(torch.Tensor.add) == "<method 'add' of 'torch._C.TensorBase' objects>"
    assert repr(torch.Tensor.__add__) == "<method '__add__' of 'torch._C.TensorBase' objects>"
    assert repr(torch.linalg.norm) == "<built-in function linalg_norm>"
    assert repr(torch.einsum).startswith("<function einsum at 0x")
    assert str(inspect.signature(torch.hypot)).startswith("(input, other")
    assert inspect.isroutine(torch.add)


def test_builtin_functions_are_no_methods() -> None:
    """As in PyTorch: a function in C is no method of a class that holds it, one in Python is."""

    class Holder:
        activation = torch.sigmoid
        joined = torch.einsum

    assert Holder().activation(torch.zeros(1)).item() == 0.5
    with pytest.raises(TypeError):
        Holder().joined("i->", torch.zeros(1))


def test_copies_are_the_function_itself() -> None:
    assert copy.copy(torch.add) is copy.deepcopy(torch.add) is torch.add
    assert isinstance(torch.add.__reduce__(), str)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("arguments", [(), (1,), (None, None), ("a",), (torch.ones(2), "a"), (torch.ones(2),) * 9])
def test_every_form_takes_any_arguments(arguments: tuple) -> None:
    table.load_all()
    forms = [f for f in [*table.FUNCTIONS.values(), *table.METHODS.values()] if isinstance(f, PublicForm)]
    assert len(forms) > 500
    refused = 0
    for form in forms:
        try:
            form(*arguments)
        except Exception:
            refused += 1
    assert refused > len(forms) // 2


def test_what_fitted_once_is_looked_at_again() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    for _ in range(3):
        assert x.sum(1, keepdim=True).tolist() == [[3.0], [12.0]]
        assert x.sum(keepdim=True, dim=0).tolist() == [[3.0, 5.0, 7.0]]
        with pytest.raises(
            IndexError, match=r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 5\)"
        ):
            x.sum(5, keepdim=True)
        with pytest.raises(TypeError, match="sum"):
            x.sum(1, keepdims="no", other=2)
        assert x.int().sum(1, keepdim=True).dtype == torch.int64


def test_programs_change_nothing() -> None:
    session = Session()
    for source in (
        "torch.add.note = 1",
        "torch.Tensor.add.title = 'x'",
        "torch.add.__init__('torch.mul', None)",
        "type(torch.add)('torch.mul', None)",
        "torch.add.__class__.__call__ = None",
        "torch.add.executor",
        "torch.add.own",
        "torch.nn.functional.linear.typed",
        "torch.Tensor.__add__.arrays",
        "torch.add._title",
        "torch.Tensor.__add__.__get__",
    ):
        with pytest.raises((AttributeError, TypeError)):
            session.run(source)
    assert session.run("torch.add(ones(1), 1).item()") == 2.0


def test_lists_that_fitted_once_are_looked_at_again() -> None:
    x = torch.ones(2, 2)
    for _ in range(3):
        assert torch.cat([x, x]).shape == (4, 2)
        assert torch.cat((x, x, x), dim=1).shape == (2, 6)
        assert torch.stack([x, x], 1).shape == (2, 2, 2)
        assert x.permute((1, 0)).shape == x.sum((0, 1), keepdim=True).shape[:0] + (2, 2)
        with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got int"):
            torch.cat([x, 3])
        with pytest.raises(ValueError, match="expected a non-empty list of Tensors"):
            torch.cat([])
        with pytest.raises(RuntimeError, match="number of dimensions in the tensor input does not match"):
            x.permute((1, 0, 2))
        with pytest.raises(TypeError, match="permute"):
            x.permute((1, 0.5))
        with pytest.raises(IndexError, match="Dimension out of range"):
            x.sum((0, 7), keepdim=True)


def test_choices_leave_what_is_unusual_to_the_function() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    for _ in range(3):
        assert x.var(0).tolist() == [2.0, 4.5]
        assert x.max(dim=1).indices.tolist() == [1, 1]
        assert x.int().max(1).values.dtype == torch.int32
        with pytest.raises(RuntimeError, match="std and var only support floating point and complex dtypes"):
            x.int().var(0)
        with pytest.raises(IndexError, match="Dimension out of range"):
            x.max(5)


def test_errors_name_the_kind_of_function() -> None:
    """What PyTorch says where a function stands in the place of a value; no class of this package has a name there."""
    x = torch.ones(2)
    told = {
        "'builtin_function_or_method' object is not subscriptable": lambda: torch.rand[2],
        "unsupported operand type(s) for +: 'builtin_function_or_method' and 'int'": lambda: torch.add + 1,
        "unsupported operand type(s) for -: 'Tensor' and 'builtin_function_or_method'": lambda: x - torch.add,
        "'builtin_function_or_method' object is not iterable": lambda: torch.optim.SGD(torch.add, 0.1),
        "must be real number, not builtin_function_or_method": lambda: math.sin(torch.nn.functional.linear),
        "'function' object is not subscriptable": lambda: torch.einsum[1],
        "'method_descriptor' object is not subscriptable": lambda: torch.Tensor.add[1],
        "cannot create 'builtin_function_or_method' instances": lambda: types.new_class("A", (torch.add,)),
        "'torch.finfo' object is not subscriptable": lambda: torch.finfo(torch.float32)[0],
        "'module' object is not callable": lambda: torch.nn(),
    }
    for words, wrong in told.items():
        with pytest.raises(TypeError) as caught:
            wrong()
        assert str(caught.value) == words
    assert "PublicForm" not in pydoc.render_doc(torch.linalg.norm)


@pytest.mark.parametrize(
    "value, shown",
    [
        ("torch.add", "builtin_function_or_method"),
        ("torch.einsum", "function"),
        ("torch.Tensor.add", "method_descriptor"),
        ("torch.finfo(torch.float32)", "torch.finfo"),
        ("torch.ones(1, requires_grad).exp().grad_fn", "ExpBackward0"),
        ("torch.ones(1, requires_grad).exp().grad_fn.next_functions[0][0]", "AccumulateGrad"),
    ],
)
def test_a_program_sees_the_kind_that_pytorch_has(value: str, shown: str) -> None:
    assert repr(Session().run(f"type({value})")) == f"<class '{shown}'>"
