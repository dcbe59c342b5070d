"""Random numbers and sums that PyTorch gives for the tables in tests/engine/number_cases.py, as hashes."""

from __future__ import annotations

import torch

from ..engine import number_cases as cases
from .origin import one_thread, write


def raw(t: torch.Tensor) -> bytes:
    t = t.contiguous().reshape(-1)
    return (t if t.dtype == torch.bool else t.view(torch.uint8)).numpy().tobytes()


def state(g: torch.Generator) -> bytes:
    return g.get_state().numpy().tobytes()


def dtype(name: str) -> torch.dtype:
    return getattr(torch, name)


def sample(name: str, g: torch.Generator, n: int, kind: str, args: tuple) -> torch.Tensor:
    d = dtype(kind)
    if name == "uniform" and args == (0.0, 1.0):
        return torch.rand(n, dtype=d, generator=g)
    if name == "normal" and args == (0.0, 1.0):
        return torch.randn(n, dtype=d, generator=g)
    if name == "randint":
        return torch.randint(*args, (n,), dtype=d, generator=g)
    if name == "randperm":
        return torch.randperm(n, dtype=d, generator=g)
    if name == "bernoulli":
        return torch.bernoulli((torch.arange(n, dtype=torch.float64) / max(n, 1)).to(d), generator=g)
    method = {"bernoulli_mask": "bernoulli_"}.get(name, name + "_")
    return getattr(torch.empty(n, dtype=d), method)(*args, generator=g)


def variate(name: str, g: torch.Generator, inputs: list, args: tuple) -> torch.Tensor:
    function = {"standard_gamma": torch._standard_gamma, "dirichlet": torch._sample_dirichlet}.get(name)
    return (function or getattr(torch, name))(*inputs, *args, generator=g)


def numbers(n: int, kind: str) -> torch.Tensor:
    g = torch.Generator().manual_seed(n)
    if kind.startswith("complex"):
        return torch.view_as_complex(torch.randn(n, 2, generator=g)).to(dtype(kind))
    return torch.randn(n, generator=g).to(dtype(kind))


def without_nan(t: torch.Tensor) -> torch.Tensor:
    return torch.where(t.isnan(), torch.tensor(7.0, dtype=t.dtype), t)


def record() -> None:
    one_thread()
    out: dict = {title: {} for title in ("samplers", "interleaved", "variates", "lines", "blocks", "running")}
    for name, args, kinds in cases.SAMPLERS:
        for kind in kinds:
            found = ""
            for n in cases.SIZES:
                for seed in cases.seeds(n):
                    g = torch.Generator().manual_seed(seed)
                    found += cases.digest(*[raw(sample(name, g, n, kind, args)) for _ in range(3)], state(g))
            out["samplers"][cases.label(name, args, kind)] = found
    defaults = {name: args for name, args, _ in reversed(cases.SAMPLERS)}
    for line in cases.INTERLEAVED:
        g = torch.Generator().manual_seed(11)
        parts = []
        for call in line.split(", "):
            name, n, kind = call.split()
            parts += [raw(sample(name, g, int(n), kind, defaults[name])), state(g)]
        out["interleaved"][line] = cases.digest(*parts)
    for name, args, inputs in cases.VARIATES:
        found = ""
        for kind in ("float32", "float64"):
            tensors = [torch.tensor(cases.VARIATE_INPUTS[k], dtype=torch.float64).to(dtype(kind)) for k in inputs]
            for seed in (0, 1, 42):
                g = torch.Generator().manual_seed(seed)
                found += cases.digest(*[raw(variate(name, g, tensors, args)) for _ in range(2)], state(g))
        out["variates"][cases.label(name, args, *inputs)] = found

    def total(case: cases.SumCase, kind: str, op: str) -> bytes:
        shape, order, steps, axes = case
        t = numbers(torch.Size(shape).numel(), kind).reshape(shape).permute(order)
        if shape:
            t = t[tuple(slice(None, None, step) for step in steps)]
        return raw(getattr(t, op)() if axes is None else getattr(t, op)(axes))

    for kind in cases.FLOATS + cases.COMPLEX:
        out["lines"][kind] = "".join(
            cases.digest(*[total(case, kind, "sum") for case in cases.line_cases(n)]) for n in cases.lengths(kind)
        )
        out["blocks"][kind] = "".join(
            cases.digest(*[total(case, kind, op) for case in cases.block_cases(shape) for op in ("sum", "mean")])
            for shape in cases.SHAPES
        )
    for op in ("cumsum", "cumprod", "prod", "var"):
        for kind in cases.FLOATS + ("complex64",):
            if (op in ("cumprod", "prod") and kind == "complex64") or (op == "var" and kind == "float64"):
                continue
            out["running"][f"{op} {kind}"] = "".join(
                cases.digest(
                    *[
                        raw(without_nan(getattr(numbers(torch.Size(shape).numel(), kind).reshape(shape), op)(dim)))
                        for dim in range(len(shape))
                    ]
                )
                for shape in cases.RUNNING_SHAPES
            )
    g = torch.Generator().manual_seed(0)
    out["readable"] = {
        "rand": torch.rand(3, generator=g).tolist(),
        "randn": torch.randn(3, generator=g).tolist(),
        "randn16": torch.randn(16, generator=g)[-2:].tolist(),
        "randperm": torch.randperm(8, generator=g).tolist(),
        "randint": torch.randint(0, 100, (5,), generator=g).tolist(),
    }
    write("numbers", "numbers", [[title, case, found] for title, each in out.items() for case, found in each.items()])
