"""What the index calls elementwise is: elements in another order give the same results in that order."""

from itertools import product

from tensorsh import torch
from tensorsh.engine.loading import table
from tensorsh.engine.loading.elementwise import drawing, elementwise
from tensorsh.torch.mapping.rules import DRAWN

ORDER = torch.tensor([7, 2, 9, 0, 11, 5, 3, 1, 10, 8, 4, 6])
FLOATS = torch.tensor([0.1, 0.9, 0.3, 0.7, 0.5, 0.2, 0.8, 0.6, 0.4, 0.15, 0.35, 0.95])
INTS = torch.tensor([1, 2, 3, 0, 2, 5, 1, 1, 3, 4, 2, 6])
KINDS = [FLOATS, INTS, INTS > 1, 3, torch.complex(FLOATS, INTS + 0.5)]


def functions(name):
    """The functions and methods of a name."""
    plain = name.removeprefix("special_")
    found = [table.find_function(prefix + plain) for prefix in ("", "special.", "nn.functional.")]
    of_tensors = getattr(torch.Tensor, name, None)
    return [f for f in (*found, getattr(of_tensors, "fget", of_tensors)) if f is not None]


def placed(value):
    return value[ORDER] if isinstance(value, torch.Tensor) else value


def is_elementwise(function):
    """Whether elements change places with their operands; None for a function that takes none of these."""
    for count in (1, 2, 3):
        for args in product(KINDS, repeat=count):
            if not any(isinstance(x, torch.Tensor) for x in args) or function is torch.where and count == 1:
                continue
            try:
                found = function(*[x.clone() if isinstance(x, torch.Tensor) else x for x in args])
            except (TypeError, RuntimeError, ValueError):
                continue
            other = function(*map(placed, args))
            if found is NotImplemented or not isinstance(found, (torch.Tensor, tuple)):
                continue
            pairs = zip(found, other, strict=True) if isinstance(found, tuple) else [(found, other)]
            return all(torch.equal(torch.nan_to_num(x[ORDER]), torch.nan_to_num(y)) for x, y in pairs)
    return None


def test_each_is():
    wrong, unknown = [], []
    for name in sorted(elementwise()):
        answers = [is_elementwise(f) for f in functions(name)]
        if False in answers:
            wrong.append(name)
        if True not in answers:
            unknown.append(name)
    assert wrong == []
    assert unknown == []


def test_new_names_are_known():
    """Names that three lists held apart from each other, and each of them not whole."""
    assert {"arctan2", "ldexp", "isclose", "special_zeta", "celu", "__ilshift__", "masked_fill", "to"} <= elementwise()
    assert not {"softmax", "glu", "allclose", "view_as_real", "rrelu", "prelu", "_softplus", "add_"} & elementwise()


SEEDED = """
alpha_dropout alpha_dropout_ bernoulli bernoulli_ binomial cauchy_ dropout dropout_ exponential_ feature_alpha_dropout
feature_alpha_dropout_ feature_dropout feature_dropout_ geometric_ log_normal_ multinomial normal normal_ poisson rand rand_like
randint randint_like randn randn_like random_ randperm rrelu rrelu_ scaled_dot_product_attention uniform_
"""
"""The public functions and methods that PyTorch tags with `nondeterministic_seeded`, but recurrent networks."""
IN_PYTHON = "dropout1d dropout2d dropout3d gumbel_softmax"
"""Those that PyTorch makes of them."""
OF_DISTRIBUTIONS = "_standard_gamma _sample_dirichlet _dirichlet"
"""Those with an underscore that distributions call; PyTorch tags the first two."""


def test_functions_that_draw_are_those_of_pytorch() -> None:
    assert drawing() == {*SEEDED.split(), *IN_PYTHON.split(), *OF_DISTRIBUTIONS.split()} and DRAWN <= drawing()
