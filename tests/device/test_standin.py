"""The device path without a GPU: operators, gradients and training on a strict stand-in for cupy's arrays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tensorsh import torch

from ..support.near import near
from . import gradients, standin, sweep

OPERATORS = gradients.operators()


@pytest.fixture
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


# test_several.py runs the same on the device that is not the current one, where more can go wrong.
@pytest.mark.nightly
@pytest.mark.parametrize("name", sweep.names())
def test_example(name: str) -> None:
    assert sweep.failure(name) is None


@pytest.mark.nightly
@pytest.mark.parametrize("name", OPERATORS)
def test_gradient(name: str) -> None:
    assert not gradients.failure(OPERATORS[name])


def test_without_a_device() -> None:
    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled") as caught:
        torch.zeros(2, device="cuda")
    assert "tensorsh[cuda13]" in "".join(caught.value.__notes__)


def test_stand_in_is_strict() -> None:
    a = standin.module.ones((2, 2))
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(a)
    for wrong in np.ones((2, 2)), np.array(1.0), [1.0, 2.0]:
        with pytest.raises(TypeError, match="Unsupported type"):
            a + wrong
    with pytest.raises(standin.HostRead):
        bool(a.any())
    with pytest.raises(standin.HostRead):
        float(a[0, 0])
    with pytest.raises(AttributeError):
        standin.module.errstate  # noqa: B018
    with pytest.raises(ValueError, match=r"resides \(1\) is different from the current device \(0\)"):
        a + standin.on_device(np.ones((2, 2)), 1)
    assert type(a.sum()) is standin.ndarray and a.sum().item() == 4.0


def test_devices(cuda: None) -> None:
    x = torch.tensor([1.0, 2.0], device="cuda")
    assert str(x.device) == "cuda:0" and x.is_cuda and not x.is_cpu and x.get_device() == 0
    assert x.cpu().device.type == "cpu" and x.to("cuda:1").get_device() == 1 and x.cuda() is x
    assert x.to("cpu", torch.float64).dtype is torch.float64
    assert torch.cuda.device_count() == 2 and torch.cuda.get_device_name() == "stand-in"
    for made in torch.zeros_like(x), x.new_zeros(2), x.new_tensor([1]), torch.full_like(x, 2), torch.rand_like(x):
        assert made.is_cuda
    y = x.to("cuda:1")
    assert str(torch.zeros_like(y).device) == "cuda:1" and str((y * 2).exp().sum().device) == "cuda:1"
    with torch.device("cuda:1"):
        assert torch.ones(2).get_device() == 1 and torch.zeros_like(x).get_device() == 0
    with pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal"):
        torch.zeros(1, device="cuda:2")


def test_text(cuda: None) -> None:
    x = torch.tensor([[1.0, 2.0]], device="cuda:0", requires_grad=True)
    assert repr(x) == "tensor([[1., 2.]], device='cuda:0', requires_grad=True)"
    assert repr(x.sum()) == "tensor(3., device='cuda:0', grad_fn=<SumBackward0>)"
    assert repr(x.detach().to("cuda:1").int()) == "tensor([[1, 2]], device='cuda:1', dtype=torch.int32)"


@pytest.mark.parametrize("code", ["x + c", "c * x", "x.masked_fill(c > 0, 1)", "torch.where(x > 0, x, c)", "x.add_(c)"])
def test_mixing_is_refused(cuda: None, code: str) -> None:
    names = {"torch": torch, "x": torch.ones(2, 2, device="cuda"), "c": torch.ones(2, 2)}
    with pytest.raises(RuntimeError) as caught:
        eval(code, names)
    assert str(caught.value).startswith(
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    )


def test_index_add_scales_on_the_device() -> None:
    with standin.installed():
        places = torch.tensor([2, 0]).to("cuda")
        for shape in ((3,), (3, 2)):
            x, rows = torch.zeros(shape, device="cuda"), torch.ones(2, *shape[1:], device="cuda")
            assert torch.equal(
                x.index_add(0, places, rows, alpha=-2).cpu(),
                torch.zeros(shape).index_add(0, places.cpu(), rows.cpu(), alpha=-2),
            )


def test_complex_halves_stay_on_the_cpu() -> None:
    with standin.installed():
        for make in (
            lambda: torch.ones(3, device="cuda").chalf(),
            lambda: torch.zeros(3, dtype=torch.complex32, device="cuda"),
            lambda: torch.zeros(3, dtype=torch.complex32).to("cuda"),
        ):
            with pytest.raises(RuntimeError, match="use torch.complex64 on a GPU"):
                make()


LINEAR = "torch.nn.functional.linear"


@pytest.mark.parametrize(
    "code, name, place, others, method",
    [
        ("x @ c", "mat2", "cpu", "cuda:0", "mm"),
        ("c @ x", "mat2", "cuda:0", "cpu", "mm"),
        ("x[None] @ c[None]", "mat2", "cpu", "cuda:0", "bmm"),
        (f"{LINEAR}(c, x, x[0])", "mat1", "cpu", "cuda:0", "addmm"),
        (f"{LINEAR}(x, x, c[0])", "mat1", "cuda:0", "cpu", "addmm"),
        ("torch.nn.functional.embedding(i, x)", "index", "cpu", "cuda:0", "_index_select"),
        ("torch.nn.functional.layer_norm(x, (2,), c[0])", "weight", "cpu", "cuda:0", "_native_layer_norm"),
        ("x.gather(0, i[None])", "index", "cpu", "cuda:0", "gather"),
        ("x.mv(c[0])", "mat", "cuda:0", "cpu", "addmv_"),
        ("torch.addmv(x[0], x, c[0])", "vec", "cpu", "cuda:0", "addmv"),
        ("torch.nn.functional.cross_entropy(x, i)", "target", "cpu", "cuda:0", "nll_loss_forward"),
        ("torch.cat([x, x, c])", "tensors", "cpu", "cuda:0", "cat"),
        ("torch.stack([c, x])", "tensors", "cuda:0", "cpu", "cat"),
        ("x.scatter_add(0, i[None], x)", "index", "cpu", "cuda:0", "scatter_add"),
        ("torch.equal(x, c)", "other", "cpu", "cuda:0", "_equal"),
        ("torch.searchsorted(x[0], c[0])", "self", "cpu", "cuda:0", "Tensor_searchsorted"),
        ("torch.linalg.solve(x, c)", "B", "cpu", "cuda:0", "_linalg_solve_ex"),
        ("torch.ormqr(x, c[0], x)", "input2", "cpu", "cuda:0", "_ormqr"),
        ("x.masked_select(c > 0)", "mask", "cpu", "cuda:0", "_masked_select"),
        ("torch.nn.functional.batch_norm(x, c[0], c[0])", "running_mean", "cpu", "cuda:0", "_native_batch_norm"),
        ("torch.nn.functional.batch_norm(c, x[0], x[0])", "running_mean", "cuda:0", "cpu", "_native_batch_norm"),
        (
            "torch.nn.functional.batch_norm(x[None], x[0], x[0], x[0], c[0])",
            "bias",
            "cpu",
            "cuda:0",
            "_cudnn_batch_norm",
        ),
        (
            "torch.nn.functional.instance_norm(x[None], c[0], c[0])",
            "running_mean",
            "cpu",
            "cuda:0",
            "_native_batch_norm",
        ),
        ("torch.nn.functional.embedding_bag(i, x, i)", "indices", "cpu", "cuda:0", "__embedding_bag_forward_only"),
        ("torch.nn.EmbeddingBag(2, 2).cuda()(i.cuda(), i)", "offsets", "cpu", "cuda:0", "__embedding_bag"),
        ("torch.linalg.lu_solve(x, i.int(), x)", "pivots", "cpu", "cuda:0", "linalg_lu_solve"),
    ],
)
def test_the_argument_on_another_device_is_named(
    cuda: None, code: str, name: str, place: str, others: str, method: str
) -> None:
    names = {"torch": torch, "x": torch.ones(2, 2, device="cuda"), "c": torch.ones(2, 2), "i": torch.tensor([0, 1])}
    with pytest.raises(RuntimeError) as caught:
        eval(code, names)
    assert str(caught.value) == (
        f"Expected all tensors to be on the same device, but got {name} is on {place}, different from other tensors on "
        f"{others} (when checking argument in method wrapper_CUDA_{method})"
    )


@pytest.mark.parametrize(
    "code, message",
    [
        ("F.conv1d(x[None], c[None])", "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same"),
        ("F.conv1d(x[None], x[None], c[0, :1])", "Input type (torch.cuda.FloatTensor) and bias type (torch.FloatTensor) should be the same"),
        (
            "F.conv1d(c[None], x[None])",
            "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should be a "
            "MKLDNN tensor and weight is a dense tensor",
        ),
        ("torch.cholesky_solve(x, c)", "Expected b and A to be on the same device, but found b on cuda:0 and A on cpu instead."),
        (
            "torch.linalg.lstsq(x, c)",
            "torch.linalg.lstsq: Expected other and input tensors to be on the same device, but got other on cpu and input on cuda:0",
        ),
        (
            "torch.stft(x[0], 2, window=c[0], return_complex=True)",
            "stft input and window must be on the same device but got self on cuda:0 and window on cpu",
        ),
        (
            "torch.nn.LSTM(2, 2)(x)",
            "Input and parameter tensors are not at the same device, found input tensor at cuda:0 and parameter tensor at cpu",
        ),
    ],
)  # fmt: skip
def test_layers_tell_what_lies_elsewhere(cuda: None, code: str, message: str) -> None:
    names = {"torch": torch, "F": torch.nn.functional, "x": torch.ones(2, 2, device="cuda"), "c": torch.ones(2, 2)}
    with pytest.raises(RuntimeError) as caught:
        eval(code, names)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", "sum prod amax argmin all cumsum cumprod logsumexp".split())
def test_an_axis_of_a_number_is_folded(cuda: None, name: str) -> None:
    assert getattr(torch, name)(torch.tensor(1.5, device="cuda"), 0).item() == getattr(torch, name)(
        torch.tensor(1.5), 0
    )


def test_bytes_wrap_around(cuda: None) -> None:
    x = torch.tensor([-1.5, 0.5, 300.0], device="cuda")
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert x.to(kind).byte().tolist() == [255, 0, 44]
    assert torch.zeros(3, dtype=torch.uint8, device="cuda").copy_(x).tolist() == [255, 0, 44]


def test_two_gpus_do_not_mix(cuda: None) -> None:
    with pytest.raises(RuntimeError, match="at least two devices, cuda:1 and cuda:0!"):
        torch.ones(2, device="cuda:1") - torch.ones(2, device="cuda:0")


def test_numbers_on_the_cpu_go_with_a_gpu(cuda: None) -> None:
    x = torch.ones(2, device="cuda")
    assert (x + torch.tensor(2.0)).tolist() == [3.0, 3.0] and (torch.tensor(2.0) * x).is_cuda


def test_numpy_is_refused(cuda: None) -> None:
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu"):
        torch.ones(2, device="cuda").numpy()


OPTIMIZERS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop"]


def trained(device: str, name: str, loss: str) -> list[float]:
    """Losses and weights of a small network after four steps."""
    torch.manual_seed(0)
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3)).to(device)
    x, y = x.to(device), y.to(device)
    optimizer = getattr(torch.optim, name)(net.parameters(), lr=0.05)
    told = []
    for _ in range(4):
        optimizer.zero_grad()
        out = net(x)
        value = nn.CrossEntropyLoss()(out, y) if loss == "classes" else ((out - 1) ** 2).mean()
        value.backward()
        optimizer.step()
        told.append(value.item())
    for p in net.parameters():
        assert p.device.type == p.grad.device.type == device.split(":")[0]
        told += p.detach().cpu().reshape(-1).tolist()
    return told


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("loss", ["classes", "squares"])
def test_training(name: str, loss: str) -> None:
    expected = trained("cpu", name, loss)
    with standin.installed():
        assert near(trained("cuda", name, loss), expected, rel=1e-5, abs=1e-6)


def test_memory_is_shared_with_other_libraries(cuda: None) -> None:
    x = torch.zeros(3, device="cuda")
    y = torch.from_dlpack(x)
    y[0] = 4
    assert x.tolist() == [4.0, 0.0, 0.0] and y.is_cuda and torch.from_dlpack(x._array).is_cuda
    assert x.__dlpack_device__() == (2, 0) and x.__cuda_array_interface__["shape"] == (3,)
    with pytest.raises(AttributeError, match="__cuda_array_interface__"):
        torch.zeros(1).__cuda_array_interface__  # noqa: B018
    with pytest.raises(BufferError, match="Can't export tensors that require gradient, use tensor.detach()"):
        torch.from_dlpack(torch.ones(1, requires_grad=True))


def test_files_load_on_the_device_asked_for(cuda: None, tmp_path: Path) -> None:
    path = str(tmp_path / "a.pt")
    torch.save({"w": torch.arange(3.0, device="cuda:1")}, path)
    assert str(torch.load(path)["w"].device) == "cuda:1"
    assert torch.load(path, map_location="cpu")["w"].is_cpu
    assert str(torch.load(path, map_location={"cuda:1": "cuda:0"})["w"].device) == "cuda:0"


def test_second_order(cuda: None) -> None:
    x = torch.tensor([0.5, 2.0], device="cuda", requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [3.0, 12.0] and h.is_cuda


def test_gradient_returns_to_the_device_it_came_from(cuda: None) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    ((x * 2).cuda() ** 2).sum().cpu().backward()
    assert x.grad.tolist() == [8.0, 16.0] and x.grad.is_cpu
    y = torch.ones(2, device="cuda:0", requires_grad=True)
    y.to("cuda:1").sum().backward()
    assert str(y.grad.device) == "cuda:0"
    (g,) = torch.autograd.grad((x.cuda() ** 3).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]


def test_views_share_memory(cuda: None) -> None:
    x = torch.zeros(2, 3, device="cuda")
    x.t()[1] = 5
    x.view(-1)[0] = 1
    x[1, 1:].add_(2)
    assert x.tolist() == [[1.0, 5.0, 0.0], [0.0, 7.0, 2.0]]
    assert x.as_strided((2,), (3,), 1).tolist() == [5.0, 7.0] and x.t().stride() == (1, 3)


def test_no_warnings_on_the_device(cuda: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (torch.ones(2, device="cuda") / 0).tolist() == [float("inf")] * 2
