"""Convolutions by cuDNN without a GPU: what the library is given, on the stand-in and one of cuDNN's functions in numpy."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tensorsh import torch
from tensorsh.engine.cuda import cudnn, cudnn_library

from . import standin
from .cudnn_library import Library
from .test_windows import CASES, outcome

F = torch.nn.functional
CONVOLUTIONS = [name for name in CASES if name.startswith("conv")]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    found = Library()
    for module in cudnn, cudnn_library:
        monkeypatch.setattr(module, "library", lambda: found)
    monkeypatch.setattr(cudnn_library, "_handles", type(cudnn_library._handles)())
    monkeypatch.setattr(standin.Stream, "is_capturing", lambda self: False, raising=False)
    with standin.installed():
        yield found


@pytest.mark.parametrize("case", CONVOLUTIONS)
@pytest.mark.parametrize(
    ("dtype", "error"), [("float64", 1e-12), ("float32", 1e-4), ("float16", 5e-2), ("bfloat16", 0.3)]
)
def test_as_on_the_cpu(case: str, dtype: str, error: float, library: Library) -> None:
    expected = outcome(case, "cpu", torch.float64)
    standin.launched.clear()
    for a, e in zip(outcome(case, "cuda", getattr(torch, dtype)), expected, strict=True):
        assert torch.allclose(a, e, rtol=error, atol=error)
    assert len(library.ran) == 3
    assert {str(key[1]) for own in cudnn_library._handles.made.values() for key in own.plans} == {dtype}
    assert not {"tensorsh_columns", "tensorsh_from_columns"} & set(standin.launched)


def test_channels_last_stay_last(library: Library) -> None:
    def results(device: str, last: bool) -> list:
        torch.manual_seed(0)
        x, w = torch.randn(2, 3, 5, 4).to(device), torch.randn(4, 3, 3, 3).to(device)
        if last:
            x = x.to(memory_format=torch.channels_last)
        x.requires_grad_(), w.requires_grad_()
        y = F.conv2d(x, w, padding=1)
        y.square().sum().backward()
        if last:
            assert all(t.is_contiguous(memory_format=torch.channels_last) for t in (y, x.grad))
        return [t.detach().cpu() for t in (y, x.grad, w.grad)]

    for a, e in zip(results("cuda", True), results("cpu", False), strict=True):
        assert torch.allclose(a, e, rtol=1e-4, atol=1e-4)


def plans() -> list:
    """The plans made so far, in order."""
    return [call.plan for own in cudnn_library._handles.made.values() for call in own.plans.values()]


def test_a_plan_serves_the_same_sizes_again(library: Library) -> None:
    x, w = torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(2, 1, 3, 3, device="cuda")
    kept = [F.conv2d(x, w)]
    library.called.clear()
    y = x * 2
    kept.append(F.conv2d(y, w))
    assert set(library.called) == {"CreateDescriptor", "SetAttribute", "Finalize", "Execute"} and len(plans()) == 1
    assert [t.flatten().tolist() for t in kept] == [[9.0] * 8, [18.0] * 8]
    F.conv2d(x, w, padding=1)
    assert len(plans()) == 2


def test_the_same_addresses_are_told_once(library: Library) -> None:
    plan = None
    x, w = torch.ones(1, 1, 4, 4, device="cuda")._array, torch.ones(1, 1, 3, 3, device="cuda")._array
    cudnn.convolve(cudnn.FORWARD, x, w, (1, 1, 2, 2), (1, 1), (0, 0), (1, 1), 1)
    (plan,) = plans()
    out = standin.module.empty((1, 1, 2, 2), "f4")
    engine = (plan.engine[0], 0, {})  # without a workspace, whose place may change
    library.failing = ()
    for _ in range(2):
        library.called.clear()
        plan.run(standin.module, engine, (x, w, out))
    assert library.called == ["Execute"]


def test_plans_give_their_descriptors_back(library: Library) -> None:
    F.conv2d(torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(2, 1, 3, 3, device="cuda"))
    assert len(library.made) > 10
    for own in cudnn_library._handles.made.values():
        own.plans.clear()
    gc.collect()
    assert [told["what"] for told in library.made.values()] == ["handle"]


def test_settings(library: Library) -> None:
    x, w = torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(1, 1, 3, 3, device="cuda")

    def engine(**flags: bool) -> int:
        with torch.backends.cudnn.flags(**{"enabled": True} | flags):
            assert F.conv2d(x, w).sum().item() == 36
        return library.ran[-1]

    assert engine() == 1
    assert engine(allow_tf32=False) == 0  # it has no tensor cores, nor Winograd's transformation
    assert engine(deterministic=True) == 0
    assert len(plans()) == 3
    library.ran.clear()
    engine(benchmark=True)
    assert set(library.ran) == {0, 1, 4} and len(library.ran) > 4
    library.called.clear()
    with torch.backends.cudnn.flags(enabled=False):
        assert F.conv2d(x, w).sum().item() == 36
    assert not library.called


@pytest.mark.parametrize(
    "broken",
    [
        Library(refused=("Create",)), Library(refused=("SetAttribute",)), Library(refused=("GetAttribute",)),
        Library(refused=(15,)), Library(refused=(5,)), Library(refused=(16,)), Library(failing=(0, 1, 4)), Library(failing=(1,)),
    ],
)  # fmt: skip
def test_what_cudnn_does_not_compute_is_computed_all_the_same(
    broken: Library, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cudnn_library, "library", lambda: broken)
    x, w = torch.ones(2, 1, 4, 4, device="cuda"), torch.ones(2, 1, 3, 3, device="cuda")
    for _ in range(2):
        assert F.conv2d(x, w, torch.ones(2, device="cuda")).flatten().tolist() == [10.0] * 16


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_biases(dtype: str, library: Library) -> None:
    kind = getattr(torch, dtype)
    x, w = torch.ones(2, 1, 5, 3, dtype=kind), torch.ones(3, 1, 2, 2, dtype=kind)
    b = torch.tensor([1.0, 2.0, 3.0], dtype=kind)
    expected = F.conv2d(x, w, b)
    assert F.conv2d(x.cuda(), w.cuda(), b.cuda()).tolist() == expected.tolist()
    last = w.repeat(1, 2, 1, 1).to(memory_format=torch.channels_last)
    expected = F.conv2d(x.repeat(1, 2, 1, 1), last, b)
    assert F.conv2d(x.repeat(1, 2, 1, 1).cuda(), last.cuda(), b.cuda()).tolist() == expected.tolist()


def test_output_padding_beyond_the_steps_is_left(library: Library) -> None:
    x, w = torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)
    expected = F.conv_transpose2d(x, w, stride=1, dilation=3, output_padding=2)
    assert F.conv_transpose2d(x.cuda(), w.cuda(), stride=1, dilation=3, output_padding=2).tolist() == expected.tolist()
    assert not library.ran


def test_sizes_are_looked_at() -> None:
    shapes = ((2, 4, 7, 6), (6, 2, 3, 3), (2, 6, 4, 3))
    spatial = ((1, 1), (2, 2), (1, 1))
    assert cudnn.fits(cudnn.FORWARD, shapes, spatial, 2)
    assert cudnn.fits(cudnn.DATA, (shapes[1], shapes[2], shapes[0]), spatial, 2)
    assert cudnn.fits(cudnn.FILTER, (shapes[0], shapes[2], shapes[1]), spatial, 2)
    assert not cudnn.fits(cudnn.FORWARD, shapes, spatial, 1)
    assert not cudnn.fits(cudnn.FORWARD, (*shapes[:2], (2, 6, 4, 4)), spatial, 2)
    assert not cudnn.fits(cudnn.FORWARD, ((0, 4, 7, 6), shapes[1], (0, 6, 4, 3)), spatial, 2)
    assert not cudnn.fits(cudnn.FORWARD, shapes, ((1, 1), (0, 2), (1, 1)), 2)


def test_availability(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    there = torch.ones(2, device="cuda")
    assert (torch.backends.cudnn.is_available(), torch.backends.cudnn.version()) == (True, 92000)
    assert torch.backends.cudnn.is_acceptable(there)
    assert not torch.backends.cudnn.is_acceptable(there.int()) and not torch.backends.cudnn.is_acceptable(torch.ones(2))
    monkeypatch.setattr(cudnn_library, "library", lambda: None)
    assert (torch.backends.cudnn.is_available(), torch.backends.cudnn.version()) == (False, None)
    assert not torch.backends.cudnn.is_acceptable(there)


def test_another_library_is_not_taken(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "libcudnn.so.9"
    other.write_bytes(b"no library")
    monkeypatch.setattr(cudnn_library, "places", lambda: iter([str(other), "libc.so.6"]))
    with standin.installed():
        assert cudnn_library.library.__wrapped__() is None
