"""Refusals of sparse and quantized operands that PyTorch's functions have no kernel for."""

from __future__ import annotations

import re
from typing import Any

from tensorsh.engine.sparse.missing import FILE

from .origin import write_text

KINDS = {"SparseCPU": "coo", "SparseCsrCPU": "csr"}
GENERAL = re.compile(
    "unsupported tensor layout|reshape is not implemented|expand is unsupported|unsupported memory format|do not have strides|"
    "do not have is_contiguous|Cannot access storage|Cannot access data"
)
"""Texts that do not depend on shapes and settings."""
DENSE = "_nnz _indices _values sparse_mask"
MORE = {
    "equal": lambda x: x.equal(x), "is_set_to": lambda x: x.is_set_to(x), "__getitem__": lambda x: x[:],
    "_index": lambda x: x[x.to_dense().long()[0]], "normal_": lambda x: x.normal_(), "uniform_": lambda x: x.uniform_(),
    "storage": lambda x: x.untyped_storage(), "untyped_storage": lambda x: x.untyped_storage(), "data_ptr": lambda x: x.data_ptr(),
    "tolist": lambda x: x.tolist(), "fill_": lambda x: x.fill_(1), "_nnz": lambda x: x._nnz(), "_indices": lambda x: x._indices(),
    "_values": lambda x: x._values(), "sparse_mask": lambda x: x.sparse_mask(x.to_dense()), "softmax": lambda x: x.softmax(0),
    "share_memory_": lambda x: x.share_memory_(), "squeeze": lambda x: x.squeeze(), "stride": lambda x: x.stride(),
    "is_contiguous": lambda x: x.is_contiguous(), "contiguous": lambda x: x.contiguous(), "narrow": lambda x: x.narrow(0, 0, 1),
}  # fmt: skip


def sparse(x: Any, layout: str) -> Any:
    import torch

    if isinstance(x, torch.Tensor) and x.ndim and x.layout is torch.strided and x.dtype.itemsize > 1:
        if layout == "coo":
            return x.detach().to_sparse()
        return x.detach().to_sparse_csr() if x.ndim == 2 else None
    return None


def samples(op: Any, layout: str) -> Any:
    import torch

    for sample in list(op.sample_inputs("cpu", torch.float32, requires_grad=False))[:12]:
        given = sample.input
        if isinstance(given, (list, tuple)):
            made = [sparse(x, layout) for x in given]
            if made and all(x is not None for x in made):
                yield made, sample.args, sample.kwargs
        elif (made := sparse(given, layout)) is not None:
            yield made, sample.args, sample.kwargs


def told(run: Any) -> str | None:
    """What a call misses; None where it is done, or fails for another reason."""
    try:
        run()
    except Exception as error:
        text = str(error).split("\n")[0]
        found = re.match(r"Could not run 'aten::([\w.]+)' with", text)
        if found:
            return found[1]
        if GENERAL.search(text):
            layout = "{layout}"
            return f"!{type(error).__name__} " + text.replace("SparseCsrTensor", "SparseCsr~").replace(
                "SparseCsr", layout
            ).replace("{layout}~", "SparseCsrTensor")
    return None


def methods(backend: str, make: Any) -> dict[str, str]:
    """What the methods of tensors miss, which are called with a few arguments."""
    import torch

    missing: dict[str, str] = {}
    for name in dir(torch.Tensor):
        if name[0] != "_" and name not in ("backward", "apply_", "map_", "cuda", "retain_grad"):
            for given in ((), ("x",), (0,), (1, 0)):
                x = make()
                first = told(lambda n=name, g=given, x=x: getattr(x, n)(*[x if each == "x" else each for each in g]))
                if first:
                    missing.setdefault(f"{backend} {name}", first)
    return missing


def quantized() -> dict[str, str]:
    """The kernels that quantized tensors miss, where these have other names than the methods."""
    import torch

    found = methods("QuantizedCPU", lambda: torch.quantize_per_tensor(torch.eye(2), 0.5, 0, torch.quint8))
    return {key: kernel for key, kernel in found.items() if kernel[0] != "!" and kernel != key.partition(" ")[2]}


def record() -> None:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    missing: dict[str, str] = {}
    for backend, layout in KINDS.items():
        for op in op_db:
            if layout == "csr" and op.name.startswith("linalg.pinv"):
                continue
            try:
                found = [told(lambda g=g, a=a, k=k, f=op.op: f(g, *a, **k)) for g, a, k in samples(op, layout)]
            except Exception:
                continue
            first = next((f for f in found if f), None)
            if first:
                for name in (op.name, *(a.name for a in op.aliases)):
                    if not name.startswith("torch."):
                        missing.setdefault(f"{backend} {name}", first)
        missing = methods(backend, lambda layout=layout: sparse(torch.eye(2), layout)) | missing
        for name, run in MORE.items():
            dense = torch.eye(2)
            first = told(lambda r=run, x=sparse(dense, layout): r(x))
            if first:
                missing[f"{backend} {name}"] = first
    for name in DENSE.split():
        first = told(lambda r=MORE[name]: r(torch.eye(2)))
        if first:
            missing[f"CPU {name}"] = first
    for name in ("softmax", "log_softmax", "sampled_addmm", "sum"):
        args = {"sampled_addmm": (torch.eye(2), torch.eye(2))}.get(name, (0,))
        for backend, x in (
            ("CPU", torch.eye(2)),
            ("SparseCPU", torch.eye(2).to_sparse()),
            ("SparseCsrCPU", torch.eye(2).to_sparse_csr()),
        ):
            first = told(lambda n=name, a=args, x=x: getattr(torch.sparse, n)(x, *a))
            if first:
                missing[f"{backend} sparse.{name}"] = first
    missing |= quantized()
    names = [f"{name}: {kernel}" for name, kernel in sorted(missing.items())]
    title = "Key and function: the kernel that is missing, or the error."
    write_text("sparse_refusals", FILE, title, names)
