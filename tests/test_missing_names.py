"""A name of PyTorch's that is not there: the error says so, and what is near."""

import pytest

from tensorsh import Session, torch
from tensorsh.engine.loading import table
from tensorsh.language.pytorch_names import names


def error_of(owner, name):
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    return caught.value


def test_first_line_is_pytorchs():
    for owner in (torch, torch.nn, torch.linalg, torch.nn.functional):
        error = error_of(owner, "no_such_name")
        assert (
            type(error) is AttributeError and str(error) == f"module '{owner.__name__}' has no attribute 'no_such_name'"
        )
        assert not hasattr(error, "__notes__")


def test_a_name_that_pytorch_has_is_said_to_be_lacking():
    missing = [n for n in sorted(names()["torch"]) if n.islower() and not hasattr(torch, n)]
    assert missing
    for name in missing[:20]:
        error = error_of(torch, name)
        assert error.__notes__[0].startswith(f"hint: PyTorch has `torch.{name}`, tensorsh does not")


def test_the_nearest_is_named(monkeypatch):
    import sys

    root = sys.modules["tensorsh.torch.root"]

    monkeypatch.setattr(root, "lacking", lambda owner, name: f"PyTorch has `{owner}.{name}`, tensorsh does not")
    said = "hint: PyTorch has `torch.linalg.solve_triangle`, tensorsh does not; the nearest it has: `solve_triangular`"
    assert error_of(torch.linalg, "solve_triangle").__notes__[0].startswith(said)


def test_hasattr_and_scripts():
    assert not hasattr(torch, "vitals_are_good")
    with pytest.raises(AttributeError, match="^module 'torch' has no attribute 'no_such_name'$"):
        Session().run("torch.no_such_name")


def test_there_is_no_name_that_pytorch_has_not():
    for owner, expected in names().items():
        own = torch.Tensor if owner == "Tensor" else torch
        for part in owner.split(".")[1:]:
            own = getattr(own, part, None)
        surplus = own and [n for n in dir(own) if not n.startswith("_") and n not in expected | SUBMODULES]
        assert not surplus, owner


SUBMODULES = set(
    "nn prune optimizer rnn onnx profiler np math flex_attention bias checkpoint fsdp optim tensor pipelining rpc".split()
)
"""Files of PyTorch that are there once somebody has imported them."""


IN_PLACE = """
abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_ ceil_ clamp_
clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_
index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ resize_as_
round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_
"""
"""The methods of tensors in PyTorch that write in place and are functions of torch, too; but `resize_as_sparse_`, which is not here."""


def test_what_writes_in_place_is_a_function_where_it_is_one_in_pytorch():
    table.load_all()
    both = {
        name
        for name in table.METHODS
        if name[-1] == "_" and name[-2:] != "__" and name[0] != "_" and hasattr(torch, name)
    }
    assert both == set(IN_PLACE.split())
