"""Attention in tiles on the stand-in: what the kernels of ``engine/cuda/flash.py`` give, against the CPU in double precision."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.cuda import kernels

from . import standin

F = torch.nn.functional
SHAPES = {
    "one row": ((1, 2, 1, 70, 8), {}),
    "rests of tiles": ((1, 1, 65, 70, 40), {}),
    "more rows than keys": ((2, 1, 66, 5, 64), {"is_causal": True}),
    "causal": ((1, 1, 65, 129, 16), {"is_causal": True}),
    "wide rows": ((1, 1, 33, 40, 100), {"is_causal": True, "scale": 0.2}),
    "as wide as tiles": ((1, 2, 17, 50, 128), {"is_causal": True}),
    "too wide for tiles": ((1, 1, 3, 4, 132), {"is_causal": True}),
}


def made(shape: tuple, device: str, kind: torch.dtype) -> list:
    """The query, the key and the value, as heads of one tensor of each."""
    batch, heads, rows, columns, width = shape
    torch.manual_seed(1)
    found = [torch.randn(batch, n, heads, width).to(torch.bfloat16) for n in (rows, columns, columns)]
    return [x.to(device, kind).transpose(1, 2) for x in found]


ERRORS = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 1e-2}
HALVES = [
    pytest.param(kind, case, marks=[pytest.mark.nightly] * (kind == "bfloat16" and case != "one row"))
    for kind in ("float16", "bfloat16")
    for case in ("one row", "rests of tiles", "too wide for tiles")
]
"""Both types of two bytes are run by one text, in which only the rounding of numbers is another."""


@pytest.mark.parametrize(("kind", "case"), [*[("float32", case) for case in SHAPES], *HALVES])
def test_as_on_the_cpu(kind: str, case: str) -> None:
    shape, options = SHAPES[case]
    error = ERRORS[kind]
    expected = F.scaled_dot_product_attention(*made(shape, "cpu", torch.float64), **options)
    with standin.installed():
        given = made(shape, "cuda", getattr(torch, kind))
        standin.launched.clear()
        found = F.scaled_dot_product_attention(*given, **options)
        if shape[4] <= 128:
            assert len(standin.launched) == 1, standin.launched
            assert found.transpose(1, 2).is_contiguous()  # as PyTorch's kernels leave it
        assert torch.allclose(found.double().cpu(), expected, rtol=error, atol=error)


@pytest.mark.parametrize("kind", ["bool", "float"])
def test_masks(kind: str) -> None:
    shape = (2, 2, 5, 67, 8)
    torch.manual_seed(2)
    mask = torch.randn(2, 1, 5, 67).double()
    mask[0, 0, 2] = -math.inf
    mask = mask > 0 if kind == "bool" else mask
    expected = F.scaled_dot_product_attention(*made(shape, "cpu", torch.float64), mask)
    with standin.installed():
        there = mask.cuda() if kind == "bool" else mask.float().cuda()
        found = F.scaled_dot_product_attention(*made(shape, "cuda", torch.float32), there)
        assert torch.allclose(found.double().cpu(), expected, rtol=1e-5, atol=1e-5)
        assert not found[0, :, 2].any().item()


def of_tensor_cores(kernel: Any, *args: Any) -> None:
    """What a kernel of tensor cores, whose instructions are not run here, would compute of its arguments, which are held against
    its parameters."""
    declared = re.search(rf"\b{kernel.name}\(([^)]*)\)", kernel.code).group(1).split(",")
    assert len(declared) == len(args)
    kinds = {"T": kernel.dtypes[0], "float": "float32", "long long": "int64", "int": "int32"}
    for text, value in zip(declared, args, strict=True):
        kind = " ".join(text.split()[:-1]).removeprefix("const ").rstrip("*")
        assert value.dtype == kinds[kind] and isinstance(value, standin.ndarray) == ("*" in text), (text, value)
    named = {text.split()[-1].rstrip("_"): value for text, value in zip(declared, args, strict=True)}
    rows, columns, heads, width = (int(named[n]) for n in ("rows", "columns", "heads", "width"))

    def read(array: str, count: int, letter: str) -> np.ndarray:
        """An array's heads, by the steps that the kernel is told."""
        held = named[array]._held
        step = [int(named.get(letter + n, named.get("row_step" if letter + n == "or" else "", 0))) for n in "bhr"]
        assert held.__array_interface__["data"][0] % 16 == 0 and not any(s % 8 for s in step)
        batch = named["sums"].shape[0]
        strides = [s * held.itemsize for s in (*step, 1)]
        return np.lib.stride_tricks.as_strided(held, (batch, heads, count, width), strides)

    given = [read(n, count, n).astype(float) for n, count in (("q", rows), ("k", columns), ("v", columns))]
    q, k, v = given
    scores = q @ k.swapaxes(2, 3) * float(named["scale"])
    if named["causal"]:
        scores[..., ~np.tri(rows, columns, dtype=bool)] = -np.inf
    lost = np.log(np.exp(scores).sum(-1))
    weights = np.exp(scores - lost[..., None])
    if "out" in named:
        read("out", rows, "o")[...] = weights @ v
        named["sums"]._held[...] = lost
        return
    assert np.allclose(named["sums"]._held, lost, atol=1e-5)
    g = read("g", rows, "g").astype(float)
    shares = (weights @ v * g).sum(-1)
    ds = weights * (g @ v.swapaxes(2, 3) - shares[..., None]) * float(named["scale"])
    if "dq" in named:
        assert np.allclose((read("result", rows, "o") * g).sum(-1), shares, atol=0.1)
        read("dq", rows, "d")[...] = ds @ k
        named["shares"]._held[...] = shares
    else:
        assert np.allclose(named["shares"]._held, shares, atol=1e-3)
        read("dk", columns, "d")[...] = ds.swapaxes(2, 3) @ q
        read("dv", columns, "d")[...] = weights.swapaxes(2, 3) @ g


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(2, 3, 5, 7, 8), (1, 2, 70, 9, 64), (1, 1, 4, 4, 128)])
@pytest.mark.parametrize("causal", [False, True])
def test_tensor_cores_are_told_what_they_need(
    kind: str, shape: tuple, causal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, before = [], kernels.Raw.__call__

    def call(kernel: Any, dtype: Any, blocks: int, threads: int, *args: Any, **sizes: int) -> None:
        ran.append(kernel.name)
        if "f16" not in kernel.name:
            return before(kernel, dtype, blocks, threads, *args, **sizes)
        count = shape[3] if "keys" in kernel.name else shape[2]
        assert blocks == -(-count // (threads // 2)) * shape[0] * shape[1] and dtype.name in kernel.dtypes
        assert f"__launch_bounds__({threads}" in kernel.code
        return of_tensor_cores(kernel, *args)

    def outcome(device: str, dtype: torch.dtype) -> list:
        given = [x.requires_grad_() for x in made(shape, device, dtype)]
        y = F.scaled_dot_product_attention(*given, is_causal=causal)
        return [y, *torch.autograd.grad((y * y.detach()).sum(), given)]

    expected = outcome("cpu", torch.float64)
    monkeypatch.setattr(kernels.Raw, "__call__", call)
    monkeypatch.setattr(standin.Device, "compute_capability", "90", raising=False)
    with standin.installed():
        for a, e in zip(outcome("cuda", getattr(torch, kind)), expected, strict=True):
            assert torch.allclose(a.double().cpu(), e, rtol=3e-2, atol=3e-2)
    names = ["", "query_", "keys_"] if shape[4] <= 64 else [""]
    short = kind.replace("float", "f")
    assert [n for n in ran if "f16" in n] == [
        f"tensorsh_attention_{n}{short}_{64 if shape[4] <= 64 else 128}" for n in names
    ]
