"""A module's dicts of parameters, buffers and submodules, and its attributes, stay in step."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tensorsh import Session, torch

nn = torch.nn


def test_writing_to_the_dicts() -> None:
    module = nn.Linear(2, 2)
    first = module._parameters["weight"]
    assert module.weight is first
    module._parameters["weight"] = nn.Parameter(torch.zeros(2, 2))
    assert module.weight is not first and module(torch.ones(1, 2)).tolist() == module.bias[None].tolist()
    del module._parameters["bias"]
    assert not hasattr(module, "bias")
    module._modules.update(a=nn.Identity())
    assert module.a is module._modules["a"] and module._modules.pop("a") is not None and not hasattr(module, "a")


def test_kinds_replace_each_other() -> None:
    module = nn.Module()
    module.x = 3
    module.x = nn.Parameter(torch.ones(1))
    assert list(module._parameters) == ["x"]
    del module.x
    module.x = nn.Identity()
    assert list(module._modules) == ["x"] and not module._parameters
    module.register_buffer("y", torch.ones(1), persistent=False)
    module.y = None
    assert module.y is None and module._buffers == {"y": None} and module.state_dict() == {}


def test_copies_are_apart() -> None:
    module = nn.Sequential(nn.Linear(1, 1))
    twin = copy.deepcopy(module)
    twin[0].weight = nn.Parameter(torch.zeros(1, 1))
    assert twin[0]._parameters["weight"] is twin[0].weight is not module[0].weight


def test_special_names_do_not_become_attributes() -> None:
    hostile = {"data": (0, False), "shape": (1,), "typestr": "<i8", "version": 3}
    module = nn.Module()
    module._modules["__array_interface__"] = hostile
    assert not hasattr(module, "__array_interface__") and np.asarray(module).dtype == object
    with pytest.raises(KeyError):
        nn.ParameterDict({"__array_interface__": hostile})
    schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1)], lr=1), 1)
    with pytest.raises(KeyError):
        schedule.load_state_dict({"__array_interface__": hostile})


def test_library_modules_cannot_be_changed_by_programs() -> None:
    session = Session()
    for source in ("nn.Linear.forward = 1", "nn.Module.x = 1", "nn.Linear.__call__ = 1", "del nn.Linear.forward"):
        with pytest.raises((AttributeError, TypeError)):
            session.run("from torch import nn\n" + source)
    assert session.run("nn.Linear(2, 1)(torch.ones(1, 2)).shape") == (1, 1)


def test_subclasses_choose_no_function_of_the_library() -> None:
    session = Session()
    source = "class Own(nn.AdaptiveAvgPool2d):\n    {} = '__setattr__'\nOwn(lambda *args: 42)('relu')"
    for name in ("_function", "dims"):
        with pytest.raises((AttributeError, TypeError)):
            session.run("from torch import nn\n" + source.format(name))
    assert session.run("nn.ReLU()(torch.tensor([-1.0]))").tolist() == [0.0]
