"""The suite of the stand-in on a real GPU: ``pytest -m cuda`` where cupy is installed and finds one."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch

from ..support.near import near
from . import (
    compile_kernels,
    draws,
    gradients,
    sparse,
    standin,
    sweep,
    test_attention,
    test_composites,
    test_decompositions,
    test_kernels,
    test_random,
    test_segments,
    test_sparse,
    test_windows,
)
from .test_standin import OPTIMIZERS, trained

F = torch.nn.functional
OPERATORS = gradients.operators()
pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweeps run on cupy itself instead of the stand-in."""
    from tensorsh.engine.arrays import backend

    if backend.cupy() is None:
        pytest.fail("there is no GPU that cupy can use")
    monkeypatch.setattr(sweep, "installed", standin.as_it_is)
    monkeypatch.setattr(gradients, "installed", standin.as_it_is)


@pytest.mark.parametrize("name", sweep.names())
def test_example(name: str) -> None:
    assert sweep.failure(name, nearly=True) is None


@pytest.mark.parametrize("name", OPERATORS)
def test_gradient(name: str) -> None:
    assert not gradients.failure(OPERATORS[name])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training(name: str) -> None:
    assert near(trained("cuda", name, "classes"), trained("cpu", name, "classes"), rel=1e-4, abs=1e-5)


def test_kernels_compile() -> None:
    import cupy

    compile_kernels.declare()
    assert compile_kernels.failures(cupy.cuda.Device().compute_capability) == []


def test_numbers_are_pytorchs() -> None:
    test_random.test_what_pytorch_prints()
    found = {(name, n): rest for name, n, *rest in draws.drawn(torch)}
    assert {key: found[key] for key in test_random.RECORDED} == test_random.RECORDED  # to the bit


def test_products_are_cublas_own() -> None:
    """Every layout of a product's factors, by cuBLAS, against numpy in double precision."""
    import cupy

    from tensorsh.engine.cuda import products
    from tensorsh.engine.cuda.products import KINDS

    from . import test_products

    assert products.library(cupy) is not None
    for dtype in KINDS:
        exact = np.complex128 if dtype.kind == "c" else np.float64
        for left, right in test_products.SHAPES:
            a, b = test_products.drawn(left, dtype), test_products.drawn(right, dtype, 1)
            found = products.product(cupy.asarray(a), cupy.asarray(b)).get()
            assert np.array_equal(found.astype(exact), a.astype(exact) @ b.astype(exact)), (dtype, left, right)
    for first in test_products.VIEWS.values():
        for second in test_products.VIEWS.values():
            a, b = test_products.drawn((2, 3, 4, 3), np.float32), test_products.drawn((2, 3, 3, 5), np.float32, 1)
            found = products.product(first(cupy.asarray(a)), second(cupy.asarray(b)))
            assert np.array_equal(found.get(), first(a) @ second(b))


def test_graphs() -> None:
    x, w = torch.ones(3, device="cuda"), torch.eye(3, device="cuda")
    for _ in range(2):
        (x * 2 @ w).relu() + torch.rand(3, device="cuda")
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        assert torch.cuda.is_current_stream_capturing()
        y, r = (x * 2 @ w).relu(), torch.rand(3, device="cuda")
    x.fill_(4)
    torch.manual_seed(0)
    g.replay()
    drawn = r.tolist()
    g.replay()
    assert y.tolist() == [8, 8, 8]
    again = r.tolist()
    torch.manual_seed(0)
    assert [drawn, again] == [torch.rand(3, device="cuda").tolist() for _ in range(2)]


def test_graphed_training() -> None:
    def losses(graphed: bool) -> list:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 1)).cuda()
        data, target = torch.randn(4, 5, device="cuda"), torch.randn(4, 1, device="cuda")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        if graphed:
            model = torch.cuda.make_graphed_callables(model, (data.clone(),))
        found = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = (model(data) - target).pow(2).mean()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    assert losses(True) == pytest.approx(losses(False), rel=1e-5)


def test_no_memory_left() -> None:
    kept = torch.arange(3, device="cuda")
    with pytest.raises(
        torch.OutOfMemoryError, match=r"CUDA out of memory. Tried to allocate 37252.90 GiB. GPU 0 has a total"
    ):
        torch.empty(10**13, device="cuda")
    assert (kept + 1).tolist() == [1, 2, 3]


@pytest.mark.parametrize("case", test_windows.CASES)
@pytest.mark.parametrize(("kind", "error"), [("float64", 1e-9), ("float32", 1e-4)])
def test_windows_as_on_the_cpu(case: str, kind: str, error: float) -> None:
    as_on_the_cpu(case, kind, error)


@pytest.mark.parametrize("case", [name for name in test_windows.CASES if name.startswith("conv")])
@pytest.mark.parametrize(("kind", "error"), [("float16", 5e-2), ("bfloat16", 0.3)])
def test_convolutions_of_half_types(case: str, kind: str, error: float) -> None:
    as_on_the_cpu(case, kind, error)


def as_on_the_cpu(case: str, kind: str, error: float) -> None:
    expected = test_windows.outcome(case, "cpu", torch.float64)
    with torch.backends.cudnn.flags(allow_tf32=False):
        found = test_windows.outcome(case, "cuda", getattr(torch, kind))
    for a, e in zip(found, expected, strict=True):
        assert torch.allclose(a, e, rtol=error, atol=error)


def test_compiled_functions_are_graphs() -> None:
    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            x = torch.tanh(x @ w) + 1
        return x.sum(1)

    compiled = torch.compile(function)
    w = torch.rand(8, 8, device="cuda")
    results = [(compiled(x, w), function(x, w)) for x in torch.rand(5, 4, 8, device="cuda")]
    assert all(torch.equal(a, b) for a, b in results)
    wanting = torch.rand(4, 8, device="cuda", requires_grad=True)
    assert torch.equal(compiled(wanting, w), function(wanting, w))
    compiled(wanting, w).sum().backward()
    assert wanting.grad is not None


@pytest.mark.parametrize("name", sparse.NAMES)
def test_sparse_statements(name: str) -> None:
    assert not sparse.failures(name, nearly=True)


@pytest.mark.parametrize("layout", test_sparse.LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64", "int64"])
def test_sparse_products(layout: str, dtype: str) -> None:
    test_sparse.test_products(None, layout, getattr(torch, dtype))


@pytest.mark.parametrize("name", ["SparseAdam", "SGD", "Adagrad"])
def test_sparse_gradients(name: str) -> None:
    test_sparse.test_optimizers_take_sparse_gradients(None, name)


@pytest.mark.parametrize("case", test_attention.SHAPES)
@pytest.mark.parametrize(("kind", "error"), [("float32", 2e-6), ("float16", 2e-3), ("bfloat16", 1e-2)])
def test_attention_as_on_the_cpu(case: str, kind: str, error: float) -> None:
    shape, options = test_attention.SHAPES[case]
    expected = F.scaled_dot_product_attention(*test_attention.made(shape, "cpu", torch.float64), **options)
    found = F.scaled_dot_product_attention(*test_attention.made(shape, "cuda", getattr(torch, kind)), **options)
    assert torch.allclose(found.double().cpu(), expected, rtol=error, atol=error)


@pytest.mark.parametrize("shape", [(2, 3, 200, 200, 64), (1, 2, 70, 333, 128), (1, 1, 129, 64, 24)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("kind", "error"), [("float32", 2e-5), ("float16", 5e-3), ("bfloat16", 3e-2)])
def test_attention_and_gradients(shape: tuple, causal: bool, kind: str, error: float) -> None:
    def outcome(device: str, dtype: torch.dtype) -> list:
        made = [x.requires_grad_() for x in test_attention.made(shape, device, dtype)]
        y = F.scaled_dot_product_attention(*made, is_causal=causal)
        return [y, *torch.autograd.grad((y * y.detach()).sum(), made)]

    for a, e in zip(outcome("cuda", getattr(torch, kind)), outcome("cpu", torch.float64), strict=True):
        assert torch.allclose(a.double().cpu(), e, rtol=error, atol=error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", test_composites.CASES)
def test_composites_as_on_the_cpu(name: str) -> None:
    test_composites.test_as_on_the_cpu(name)


@pytest.mark.parametrize("reduce", ["sum", "mean", "prod", "max", "min"])
def test_segments_as_on_the_cpu(reduce: str) -> None:
    test_segments.test_segment_reduce((2, 6, 3), [[2, 4, 0], [3, 3, 0]], reduce, 0.5)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_as_on_the_cpu(mode: str) -> None:
    test_segments.test_embedding_bag(mode, 2, False)
    test_segments.test_embedding_bag_weighs_samples(None)


def test_distinct_rows() -> None:
    for dtype in ("float32", "int64", "bool", "bfloat16"):
        test_segments.test_distinct_rows(dtype, 0)


@pytest.mark.parametrize("case", test_segments.SEQUENCES)
def test_alignment_as_on_the_cpu(case: tuple) -> None:
    test_segments.test_ctc_loss(*case, zero_infinity=True, reduction="mean")


@pytest.mark.parametrize("dtype", test_decompositions.KINDS)
@pytest.mark.parametrize("shape", test_decompositions.SQUARES)
def test_factors_as_on_the_cpu(shape: tuple, dtype: torch.dtype) -> None:
    test_decompositions.test_lu_unpack(shape, dtype)
    test_decompositions.test_factors_solve(shape, dtype, False)
    test_decompositions.test_lu_solve(shape, dtype, True, False)
    test_decompositions.test_matrix_exp(shape, dtype, 1.0)


@pytest.mark.parametrize(("name", "options"), test_kernels.OPTIONS)
def test_steps_as_on_the_cpu(name: str, options: dict) -> None:
    expected = test_kernels.stepped("cpu", name, options)
    assert near(test_kernels.stepped("cuda", name, options), expected, rel=1e-7, abs=1e-10)


def test_draws_with_replacement() -> None:
    torch.manual_seed(7)
    uniform = torch.rand(300, device="cuda")
    torch.manual_seed(7)
    found = torch.multinomial(torch.tensor([1.0, 0.0, 2.0, 1.0], device="cuda"), 300, replacement=True)
    assert torch.equal(found, torch.where(uniform <= 0.25, 0, torch.where(uniform <= 0.75, 2, 3)))
