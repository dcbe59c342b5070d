"""Sparse tensors on the device: the recorded statements, and what concerns devices themselves."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator

import pytest

from tensorsh import torch

from . import sparse, standin

LAYOUTS = ["to_sparse", "to_sparse_csr", "to_sparse_csc"]


@pytest.fixture
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


@pytest.mark.parametrize("name", sparse.NAMES)
def test_statements(cuda: None, name: str) -> None:
    assert not (wrong := sparse.failures(name)), json.dumps(wrong, indent=1)


def matrix(rows: int, columns: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    torch.manual_seed(rows)
    return (torch.randn(rows, columns) * (torch.rand(rows, columns) > 0.6)).to(dtype)


def test_sums_on_a_gpu_are_joined(cuda: None) -> None:
    x, y = matrix(3, 4), matrix(3, 4) * 2
    both = x.cuda().to_sparse() + y.cuda().to_sparse()
    assert both._nnz() == x.to_sparse()._nnz() * 2 and not both.is_coalesced()
    assert torch.equal(both.to_dense().cpu(), x + y) and torch.equal(both.coalesce().to_dense().cpu(), x + y)
    small = torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,), device="cuda")
    assert (small + small)._nnz() == 1  # more elements than there are places


@pytest.mark.parametrize("layout", LAYOUTS)
def test_moves(cuda: None, layout: str) -> None:
    dense = matrix(3, 4)
    x = getattr(dense, layout)()
    for there in (x.cuda(), x.to("cuda"), x.to("cuda:1"), x.to(dense.cuda()), x.clone().to("cuda:0")):
        assert there.is_cuda and there.layout == x.layout and torch.equal(there.to_dense().cpu(), dense)
        assert there.values().is_cuda and there.device == there.values().device
        back = there.cpu()
        assert back.is_cpu and back.values().is_cpu and torch.equal(back.to_dense(), dense)
    assert str(x.to("cuda:1").device) == "cuda:1" and x.cuda().half().dtype is torch.float16
    assert x.cuda().get_device() == 0 and x.cuda().cuda(1).get_device() == 1
    parts = x.cuda().values() if layout == "to_sparse_csr" else x.cuda()
    assert "device='cuda:0'" in repr(parts)


def test_text(cuda: None) -> None:
    x = torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,), device="cuda", requires_grad=True)
    assert repr(x) == (
        "tensor(indices=tensor([[0, 1]]),\n       values=tensor([1., 2.]),\n"
        "       device='cuda:0', size=(3,), nnz=2, layout=torch.sparse_coo,\n       requires_grad=True)"
    )
    assert repr(x.detach().to("cuda:1").double()) == (
        "tensor(indices=tensor([[0, 1]]),\n       values=tensor([1., 2.]),\n"
        "       device='cuda:1', size=(3,), nnz=2, dtype=torch.float64,\n       layout=torch.sparse_coo)"
    )
    assert x.type() == "torch.cuda.sparse.FloatTensor"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64, torch.int64])
def test_products(cuda: None, layout: str, dtype: torch.dtype) -> None:
    x, y = matrix(6, 5).to(dtype) * 2, matrix(5, 7).to(dtype)
    there = getattr(x.cuda(), layout)()
    expected = (x.double() if dtype is torch.bfloat16 else x) @ (y.double() if dtype is torch.bfloat16 else y)
    found = there @ y.cuda()
    assert found.is_cuda and found.dtype is dtype
    torch.testing.assert_close(found.cpu(), expected.to(dtype))
    torch.testing.assert_close(torch.sparse.mm(there, y.cuda()).cpu(), expected.to(dtype))
    torch.testing.assert_close((there @ y[:, 0].cuda()).cpu(), expected[:, 0].to(dtype))


def test_gradients_return_to_the_cpu(cuda: None) -> None:
    x = matrix(3, 4).to_sparse().requires_grad_()
    (x.cuda() * 2).to_dense().sum().backward()
    assert (
        x.grad.is_cpu
        and x.grad.layout == torch.sparse_coo
        and torch.equal(x.grad.values(), torch.full_like(x.grad.values(), 2))
    )
    w = torch.ones(4, 2, requires_grad=True)
    torch.sparse.mm(matrix(3, 4).float().cuda().to_sparse(), w.cuda()).sum().backward()
    assert w.grad.is_cpu


def test_files(cuda: None) -> None:
    for layout in LAYOUTS:
        x = getattr(matrix(3, 4), layout)()
        file = io.BytesIO()
        torch.save(x.to("cuda:1"), file)
        found = torch.load(io.BytesIO(file.getvalue()))
        assert str(found.device) == "cuda:1" and torch.equal(found.to_dense().cpu(), x.to_dense())
        assert torch.load(io.BytesIO(file.getvalue()), map_location="cpu").is_cpu


@pytest.mark.parametrize(
    "code, message",
    [
        ("s @ x", "Expected all tensors to be on the same device"),
        ("s.cuda() @ c", "Expected all tensors to be on the same device"),
        ("s + s.cuda()", "Expected all tensors to be on the same device"),
        ("torch.sparse.mm(s, x)", "Expected all tensors to be on the same device"),
        ("torch.sparse_coo_tensor(torch.tensor([[0]]), x[0, :1])", r"backend of indices \(CPU\) must match backend of values \(CUDA\)"),
        ("torch.sparse_coo_tensor(torch.tensor([[0]]).cuda(), x[0, :1].cuda(1))", r"device of indices \(0\) must match device of values \(1\)"),
        ("torch.sparse_csr_tensor(torch.tensor([0, 1]), torch.tensor([0]), x[0, :1])", "need to be on the same device"),
        ("s.cuda().exp()", "Could not run 'aten::exp' with arguments from the 'SparseCUDA' backend"),
        ("s.to_sparse_csr().cuda().reshape(4)", "Sparse CSR tensors do not have is_contiguous"),
        ("s.to('meta')", "tensorsh has sparse tensors on the CPU and on CUDA devices"),
        ("x.to('meta').to_sparse()", "tensorsh has sparse tensors on the CPU and on CUDA devices"),
    ],
)  # fmt: skip
def test_refusals(cuda: None, code: str, message: str) -> None:
    names = {
        "torch": torch,
        "x": torch.ones(2, 2, device="cuda"),
        "c": torch.ones(2, 2),
        "s": torch.ones(2, 2).to_sparse(),
    }
    with pytest.raises((RuntimeError, NotImplementedError), match=message):
        eval(code, names)


def test_numbers_on_the_cpu_go_with_a_gpu(cuda: None) -> None:
    x = matrix(2, 3).cuda().to_sparse()
    for found in x * torch.tensor(2.0), torch.tensor(2.0) * x, x / torch.tensor(0.5):
        assert found.is_cuda and torch.equal(found.to_dense().cpu(), matrix(2, 3) * 2)


def test_coordinates_beyond_the_matrix_read_nothing(cuda: None) -> None:
    x = torch.sparse_csr_tensor([0, 1, 2], [0, 7], [1.0, 1.0], (2, 3), device="cuda", check_invariants=False)
    with pytest.raises(RuntimeError, match="device-side assert triggered"):
        (x @ torch.ones(3, 1, device="cuda")).tolist()


@pytest.mark.parametrize("starts", [[0, 1000000, 1], [-5, 1, 2], [2, 0, 9]])
def test_lines_that_start_elsewhere_read_nothing(cuda: None, starts: list) -> None:
    x = torch.sparse_csr_tensor(starts, [0, 1], [1.0, 1.0], (2, 3), device="cuda", check_invariants=False)
    found = x @ torch.ones(3, 2, device="cuda")
    assert found.shape == (2, 2) and found.abs().max().item() <= 2
    assert x.to_dense().shape == (2, 3)
    with contextlib.suppress(RuntimeError):  # where a line is no row
        (x.t() @ torch.ones(2, 1, device="cuda")).tolist()


def test_a_product_waits_for_nothing(cuda: None) -> None:
    x, y = matrix(5, 4).cuda().to_sparse_csr(), torch.ones(4, 3, dtype=torch.float64, device="cuda")
    before = standin.reads[0]
    x @ y
    assert standin.reads[0] == before


@pytest.mark.parametrize("name", ["SparseAdam", "SGD", "Adagrad"])
def test_optimizers_take_sparse_gradients(cuda: None, name: str) -> None:
    def weights(device: str) -> list:
        table = torch.nn.Embedding(5, 2, sparse=True, _weight=torch.arange(10.0).reshape(5, 2)).to(device)
        optimizer = getattr(torch.optim, name)(table.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (table(torch.tensor([1, 3, 1], device=device)) ** 2).sum().backward()
            assert table.weight.grad.is_sparse and table.weight.grad.device.type == device
            optimizer.step()
        return table.weight.detach().cpu().reshape(-1).tolist()

    assert weights("cuda") == pytest.approx(weights("cpu"), rel=1e-6)
