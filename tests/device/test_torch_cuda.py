"""``torch.cuda`` without a GPU, as PyTorch's CPU build answers, and on the stand-in; how programs place what they have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tensorsh import torch

from . import standin

NO_CUDA = "Torch not compiled with CUDA enabled"
WITHOUT = {
    "is_available()": False, "device_count()": 0, "is_initialized()": False, "memory_allocated()": 0,
    "max_memory_allocated()": 0, "memory_reserved()": 0, "max_memory_reserved()": 0, "max_memory_cached()": 0,
    "empty_cache()": None, "memory_stats()": {}, "is_bf16_supported()": False, "is_tf32_supported()": False,
    "set_stream(None)": None, "set_device(-1)": None, "manual_seed(1)": None, "manual_seed_all(1)": None, "seed()": None,
    "seed_all()": None, "get_rng_state_all()": [], "set_rng_state_all([])": None, "get_arch_list()": [],
    "get_gencode_flags()": "", "has_half": True, "default_generators": (),
}  # fmt: skip
"""What PyTorch 2.13 without CUDA answers."""
REFUSED = [
    "init()", "current_device()", "set_device(0)", "get_device_name()", "get_device_capability()",
    "get_device_properties()", "synchronize()", "mem_get_info()", "current_stream()", "default_stream()",
    "initial_seed()", "get_rng_state()", "ipc_collect()", "can_device_access_peer(0, 1)",
    "set_per_process_memory_fraction(0.5)",
]  # fmt: skip


@pytest.mark.parametrize("call", WITHOUT)
def test_without_a_device(call: str) -> None:
    assert eval("torch.cuda." + call, {"torch": torch}) == WITHOUT[call]


@pytest.mark.parametrize("call", REFUSED)
def test_refused_without_a_device(call: str) -> None:
    with pytest.raises(AssertionError, match=NO_CUDA):
        eval("torch.cuda." + call, {"torch": torch})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Stream()", "torch.cuda.Stream requires CUDA support"),
        ("Event()", "Tried to instantiate dummy base class Event"),
        ("nvtx.mark('a')", "NVTX functions not installed. Are you sure you have a CUDA build?"),
    ],
)
def test_classes_without_a_device(call: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        eval("torch.cuda." + call, {"torch": torch})
    with torch.cuda.device(0), torch.cuda.device_of(torch.ones(1)), torch.cuda.stream(None):
        pass


ACCELERATOR = [
    "current_device_index()", "set_device_index(0)", "current_stream()", "synchronize()", "empty_cache()", "empty_host_cache()",
    "memory_allocated()", "max_memory_allocated()", "memory_reserved()", "memory_stats()", "reset_peak_memory_stats()",
    "get_memory_info()", "get_device_capability()", "device_index(0).__enter__()",
]  # fmt: skip


@pytest.mark.parametrize("call", ACCELERATOR)
def test_accelerators_where_there_is_none(call: str) -> None:
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available."):
        eval("torch.accelerator." + call, {"torch": torch})


def test_accelerators_on_the_stand_in(cuda: None) -> None:
    there = torch.accelerator
    assert there.current_accelerator() == torch.device("cuda") and there.current_device_index() == 0
    x = torch.ones(256, device=there.current_accelerator())
    assert there.memory_allocated() == torch.cuda.memory_allocated() and x.is_cuda
    assert (
        there.get_memory_info() == torch.cuda.mem_get_info()
        and torch.float32 in there.get_device_capability()["supported_dtypes"]
    )
    there.synchronize(0), there.empty_cache(), there.set_device_index(None)


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_types_of_old() -> None:
    """PyTorch's answers without a GPU, but for the last: it says at length that its library of CUDA is missing."""
    assert repr(torch.cuda.FloatTensor) == "<class 'torch.cuda.FloatTensor'>"
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor) and isinstance(torch.ones(1), torch.FloatTensor)
    for refused in ("torch.cuda.HalfTensor([1])", "torch.set_default_tensor_type('torch.cuda.FloatTensor')"):
        with pytest.raises(
            TypeError, match="type torch.cuda.*Tensor not available. Torch not compiled with CUDA enabled."
        ):
            eval(refused, {"torch": torch})
    for name in ("'torch.cuda.FloatTensor'", "torch.cuda.FloatTensor"):
        with pytest.raises(AssertionError, match=NO_CUDA):
            eval(f"torch.ones(1).type({name})", {"torch": torch})


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_types_of_old_on_the_stand_in(cuda: None) -> None:
    x = torch.cuda.LongTensor([1, 2])
    assert (
        x.is_cuda
        and x.dtype == torch.int64
        and isinstance(x, torch.cuda.LongTensor)
        and not isinstance(x, torch.LongTensor)
    )
    assert x.type() == "torch.cuda.LongTensor" and x.type("torch.cuda.FloatTensor").type() == "torch.cuda.FloatTensor"
    assert x.type(torch.FloatTensor).is_cpu and torch.ones(1).type(torch.cuda.DoubleTensor).is_cuda
    torch.set_default_tensor_type("torch.cuda.DoubleTensor")
    try:
        assert torch.ones(1).type() == "torch.cuda.DoubleTensor"
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.ones(1).type() == "torch.FloatTensor"


@pytest.fixture
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


def test_devices(cuda: None) -> None:
    assert torch.cuda.current_device() == 0
    with torch.cuda.device(1):
        assert torch.cuda.current_device() == 1 and torch.ones(1, device="cuda").get_device() == 1
        with torch.cuda.device(None):
            assert torch.cuda.current_device() == 1
    with torch.cuda.device_of(torch.ones(1, device="cuda:1")):
        assert torch.cuda.current_device() == 1
    assert torch.cuda.current_device() == 0
    found = torch.cuda.get_device_properties("cuda:1")
    assert (found.name, found.major, found.warp_size) == ("stand-in", 9, 32)
    assert torch.cuda.get_device_capability() == (9, 0) and torch.cuda.is_tf32_supported()
    assert torch.cuda.mem_get_info(1) == (1 << 29, 1 << 30) and torch.cuda.can_device_access_peer(0, 1)
    assert "Allocated memory" in torch.cuda.memory_summary() and torch.cuda.max_memory_allocated("cuda:1") == 0
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.synchronize("cuda:1")
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        torch.cuda.synchronize("cpu")


def test_streams(cuda: None) -> None:
    mine = torch.cuda.Stream()
    assert torch.cuda.current_stream() == torch.cuda.default_stream() != mine
    with torch.cuda.stream(mine):
        assert torch.cuda.current_stream() == mine
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        end.record(mine)
        end.wait(torch.cuda.default_stream())
    mine.wait_stream(torch.cuda.current_stream())
    mine.synchronize()
    end.synchronize()
    assert start.elapsed_time(end) == 0.0 and mine.query() and end.query() and str(mine.device) == "cuda:0"


def test_names_for_the_profiler(cuda: None) -> None:
    standin.told.clear()
    with torch.cuda.nvtx.range("step {}", 3):
        torch.cuda.nvtx.mark("here")
    assert standin.told == ["step 3", "here", "pop"]


def test_products_in_tf32(cuda: None) -> None:
    x = torch.ones(2, 2, device="cuda")
    standin.told.clear()
    try:
        x @ x
        assert standin.told == [] and not torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = True
        assert torch.get_float32_matmul_precision() == "high"
        x @ x
        torch.set_float32_matmul_precision("highest")
        x @ x
        assert standin.told == [("float32", "tf32"), ("float32", "default")]
        assert not torch.backends.cuda.matmul.allow_tf32
    finally:
        torch.set_float32_matmul_precision("highest")


def test_programs_place_what_they_have(cuda: None) -> None:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2)).cuda()
    assert all(t.is_cuda for t in (*net.parameters(), *net.buffers()))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    dataset = torch.utils.data.TensorDataset(torch.randn(8, 3), torch.tensor([0, 1] * 4))
    for x, y in torch.utils.data.DataLoader(dataset, batch_size=4, pin_memory=True):
        assert x.is_pinned() and y.is_pinned()
        x, y = x.to("cuda", non_blocking=True), y.cuda(non_blocking=True)
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()
    assert all(v["exp_avg"].is_cuda for v in optimizer.state.values())
    other = torch.optim.AdamW(net.parameters(), lr=0.01)
    other.load_state_dict(optimizer.state_dict())
    assert all(v["exp_avg_sq"].is_cuda for v in other.state.values())
    half = net.to(device="cuda:1", dtype=torch.float16)
    assert half[0].weight.get_device() == 1 and half[0].weight.dtype is torch.float16
    back = net.cpu().float()
    assert all(not t.is_cuda for t in back.state_dict().values())
    x = torch.ones(2, 2, dtype=torch.float64)
    assert x.to("cuda", torch.float32, non_blocking=True, copy=True).dtype is torch.float32
    assert x.to(torch.zeros(1, device="cuda")).dtype is torch.float32 and x.pin_memory().equal(x) and not x.is_pinned()
    assert x.cuda(1).to("cuda:1") is not x and x.cuda().type() == "torch.cuda.DoubleTensor"


def test_losses_of_half_precision(cuda: None) -> None:
    for dtype in torch.float16, torch.bfloat16:
        x = torch.linspace(-2, 2, 12).to("cuda", dtype).view(3, 4).requires_grad_()
        torch.nn.functional.layer_norm(x, (4,)).softmax(1).matmul(x.t()).sum().backward()
        assert x.grad.dtype is dtype and x.grad.is_cuda and x.grad.isfinite().all().item()
