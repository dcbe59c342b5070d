"""First and second derivatives of every differentiable function of the table, against differences.

The inputs are those of its example (`engine/examples`), in float64 and moved a little, so that they sit on no kink and no
two are equal. The weights by which several results are added up are irregular too.
"""

from __future__ import annotations

import ast
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.examples import examples
from tensorsh.engine.loading import table
from tensorsh.engine.tensors.tensor import Tensor
from tensorsh.torch.autograd import gradcheck, gradgradcheck

table.load_all()

NOT_IMPLEMENTED = "geqrf histogram histogramdd igamma igammac linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve floor_divide heaviside".split()
"""PyTorch has no derivative for these either (by an argument that the example gives as a tensor)."""
SKIPPED = {
    **dict.fromkeys("Tensor.bfloat16 Tensor.half Tensor.float Tensor.cfloat".split(), "too few digits for differences"),
    "as_strided_scatter": "PyTorch's own formula gives the part written over, which differences do not",
    **dict.fromkeys(
        ("fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine"), "its gradient is not that of the steps"
    ),
    "segment_reduce": "PyTorch has no second derivative for it either",
    "nn.functional.ctc_loss": "its gradient holds for normalized probabilities only",
    "nn.functional.gumbel_softmax": "the gradient of hard samples is that of the soft ones",
    "nn.functional.kl_div": "the example's target is 0 somewhere",
    "nn.functional.soft_margin_loss": "PyTorch gives the target no gradient",
}  # fmt: skip
TRIANGULAR = ("cholesky_inverse", "cholesky_solve")
SYMMETRIC = "cholesky linalg.cholesky linalg.cholesky_ex linalg.eigh linalg.eigvalsh".split()
"""Functions of one triangle of a matrix: checked as functions of a triangle, of ``(x + x.T) / 2``."""
FURTHER = {
    "expand": lambda x: x.reshape(1, 4).expand(3, 4), "repeat": lambda x: x.repeat(2, 1), "unfold": lambda x: x.unfold(1, 2, 1),
    "index_reduce": lambda x: x.index_reduce(0, torch.tensor([0, 0]), x * 1.5, "mean"),
    "nn.functional.affine_grid": lambda x: torch.nn.functional.affine_grid(torch.cat([x, x[:, :1]], 1)[None], (1, 1, 2, 2), align_corners=False),
    "nn.functional.grid_sample": lambda x: torch.nn.functional.grid_sample(
        (x * x)[None, None], (x / 7)[None, :, None, :], align_corners=False
    ),
    "nn.functional.grid_sample in 3d": lambda x: torch.nn.functional.grid_sample(
        torch.stack([x * x, x])[None, None], torch.cat([x / 7, x[:, :1] / 5], 1)[None, :, None, None, :], align_corners=True
    ),
    "nn.functional.kl_div": lambda x: torch.nn.functional.kl_div(x, x * x),
    "nn.functional.soft_margin_loss": lambda x: torch.nn.functional.soft_margin_loss(x, torch.ones(2, 2)),
    "igamma": lambda x: torch.igamma(torch.tensor(1.5, dtype=torch.float64), x),
    "igammac": lambda x: torch.igammac(torch.tensor(1.5, dtype=torch.float64), x),
}  # fmt: skip
"""What has no example that shows it, as functions of a matrix of 2 by 2."""
SPACE = {n: getattr(torch, n) for n in dir(torch) if not n.startswith("_")} | {"torch": torch, "np": np}
MAKERS = ("tensor", "ones", "zeros", "arange", "eye", "linspace")


def is_tensor(node: ast.expr) -> bool:
    text = ast.unparse(node)
    return isinstance(node, ast.Call) and text.startswith(MAKERS)


def moved(value: Any) -> Any:
    """A leaf of float64 near a tensor of floats; other values as they are."""
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, Tensor) for v in value):
        return type(value)(moved(v) for v in value)
    if not isinstance(value, Tensor) or value._array.dtype.kind not in "fc":
        return value
    array = value._array.astype(np.complex128 if value._array.dtype.kind == "c" else np.float64)
    steps = 0.02 * np.sin(1.0 + 1.7 * np.arange(array.size) + 0.3 * array.size).reshape(array.shape)
    return torch.tensor(array + steps, requires_grad=True)


class Case:
    """A call taken from an example: the function of its floating-point tensors."""

    def __init__(self, name: str) -> None:
        call: Any = ast.parse(examples()[name].code[-1], mode="eval").body
        if isinstance(call, ast.Attribute):  # a field of the result, as in `svd(x).S`
            call = call.value
        self.name = name
        self.leaves: list[Tensor] = []
        self.values: dict[str, Any] = {}
        self.code = compile(ast.fix_missing_locations(ast.Expression(self.renamed(call))), name, "eval")

    def renamed(self, node: Any) -> Any:
        """The call with names in the places of its tensors."""

        class Renamer(ast.NodeTransformer):
            def visit_Call(inner, each: ast.Call) -> ast.expr:  # noqa: N805
                if each is not node and is_tensor(each):
                    value = eval(ast.unparse(each), dict(SPACE))
                    name = f"value_{len(self.values)}"
                    self.values[name] = made = moved(value)
                    if isinstance(made, Tensor) and made.requires_grad:
                        self.leaves.append(made)
                    return ast.Name(name, ast.Load())
                return inner.generic_visit(each)

        return Renamer().visit(node)

    def shaped(self, x: Tensor) -> Tensor:
        return (x + x.mT) / 2 if self.name in SYMMETRIC else x.tril() if self.name in TRIANGULAR else x

    def __call__(self, *leaves: Tensor) -> Any:
        given = iter([self.shaped(x) for x in leaves])
        values = {n: next(given) if isinstance(v, Tensor) and v.requires_grad else v for n, v in self.values.items()}
        torch.manual_seed(0)
        result = eval(self.code, SPACE | values)
        results = result if isinstance(result, (tuple, list)) else (result,)
        return tuple(r for r in results if isinstance(r, Tensor) and r._node is not None)


@cache
def cases() -> list[str]:
    """The examples of functions whose results have a gradient."""
    found = []
    for name in sorted(examples()):
        last = name.rpartition(".")[2]
        if (
            last.endswith("_")
            or name in SKIPPED
            or name in NOT_IMPLEMENTED
            or "sparse" in " ".join(examples()[name].code)  # test_sparse.py has those
            or name not in table.FUNCTIONS
            and not name.startswith("Tensor.")
        ):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                case = Case(name)
                if case.leaves and case(*case.leaves):
                    found.append(name)
        except Exception:  # an example of whole numbers, or of a function that is told no leaf
            continue
    return found


def test_the_whole_table_is_here() -> None:
    differentiable = {op.name for n, op in table.OPERATORS.items() if op.differentiable and "_" != n[0]}
    covered = {table.OPERATORS[n].name for n in cases() if n in table.OPERATORS}
    covered |= {n.rpartition(".")[2] for n in [*NOT_IMPLEMENTED, *SKIPPED, *FURTHER]}
    inner = {"linalg_ldl_factor_ex", "linalg_ldl_solve", "alias", "affine_grid_generator", "grid_sampler_2d", "grid_sampler_2d_backward", "grid_sampler_3d",
             "grid_sampler_3d_backward", "unfold_copy", "geqrf", "sampled_addmm", "sspaddmm"}  # fmt: skip
    assert not {n for n in differentiable if n[0] != "_"} - covered - inner
    assert len(cases()) > 450 and {name[0] for name in cases()} <= set(INITIALS)


ONCE = {f"nn.functional.{n}" for n in ("hardsigmoid", "multi_margin_loss", "multilabel_margin_loss")}
"""Functions whose gradients have no derivative in PyTorch (``tests/data/autograd_corners.jsonl`` has what it says)."""
INITIALS = sorted({name[0] for name in examples()})


@pytest.mark.parametrize("initial", INITIALS)
def test_derivatives(initial: str) -> None:
    wrong = {}
    for name in [name for name in cases() if name[0] == initial]:
        case = Case(name)
        # Of eigenvectors a loss may not see the phase.
        function = (lambda *x, case=case: [o.abs() for o in case(*x)]) if name == "linalg.eig" else case
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for check in (gradcheck, gradgradcheck)[: 1 if name in ONCE else 2]:
                try:
                    assert check(function, tuple(case.leaves), fast_mode=True)
                except Exception as error:
                    wrong[name, check.__name__] = error
    assert not wrong


@pytest.mark.parametrize("name", FURTHER)
def test_further_derivatives(name: str) -> None:
    x = moved(torch.tensor([[1.0, 2.0], [3.0, 4.5]]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gradcheck(FURTHER[name], (x,))
        assert gradgradcheck(FURTHER[name], (x,))


def test_what_has_no_second_derivative_says_so() -> None:
    x = moved(torch.tensor([[1.0, 2.0], [3.0, 4.5]]))
    probabilities = torch.stack([x, x * x, x - 1]).log_softmax(2)
    loss = torch.nn.functional.ctc_loss(probabilities, torch.tensor([[1], [1]]), (3, 3), (1, 1))
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::_ctc_loss_backward is not implemented"):
        torch.autograd.grad(slope.sum(), x)
