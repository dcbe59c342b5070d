"""Tensors in Python's own pickle where tensorsh is a library: for caches, joblib, processes of others."""

from __future__ import annotations

import copy
import pickle

import pytest

from tensorsh import Session, torch


@pytest.mark.parametrize(
    "made",
    [
        "ones(2)", "ones(2, requires_grad=True) * 2", "nn.Parameter(ones(2))", "arange(6).view(2, 3).t()", "tensor([True])",
        "zeros(0, 3)", "tensor(2.5)", "tensor([1.5, 2], dtype=bfloat16)", "ones(3).to(float8_e4m3fn)", "tensor([1 + 2j])",
    ],
)  # fmt: skip
def test_what_is_pickled_comes_back(made: str) -> None:
    t = Session().run(made)
    back = pickle.loads(pickle.dumps(t))
    assert repr(back.detach()) == repr(t.detach()) and type(back) is type(t) and back.dtype is t.dtype
    assert back.is_leaf and back.requires_grad == t.requires_grad and back.stride() == t.stride()


def test_the_state_of_a_module() -> None:
    layer, other = torch.nn.Linear(2, 3), torch.nn.Linear(2, 3)
    other.load_state_dict(pickle.loads(pickle.dumps(layer.state_dict())))
    assert torch.equal(layer.weight, other.weight)


def test_what_numpy_holds_no_values_of_is_refused() -> None:
    class Mine(torch.Tensor):
        pass

    for t in (torch.eye(2).to_sparse(), torch.tensor([1j], dtype=torch.complex32), torch.ones(2).as_subclass(Mine)):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(t)


def test_copies_are_as_before() -> None:
    t = torch.ones(2, requires_grad=True)
    assert copy.copy(t).requires_grad and copy.deepcopy(t).is_leaf
    assert type(copy.deepcopy(torch.nn.Parameter(torch.ones(1)))) is torch.nn.Parameter


def test_programs_have_no_way_there() -> None:
    for name in ("_unpickled", "__reduce_ex__", "__reduce__"):
        with pytest.raises(AttributeError, match="not available in tensorsh"):
            Session().run(f"ones(2).{name}")
