"""The recorded statements about sparse tensors with a CUDA device as the default: they print what they do on the CPU."""

from __future__ import annotations

import re
import warnings

from tensorsh import torch

from ..recording.sparse import FILES, outputs
from ..support.outcomes import as_read
from ..support.tables import rows
from .sweep import alike

NAMES = [file.stem for file in FILES]

JOINED = [
    'u+u',
    'u+s',
    's+u',
    'u+u.coalesce()',
    'u-s',
    '(u*s).is_coalesced(), (s*s).is_coalesced(), (u+u).is_coalesced(), (s+s).is_coalesced(), (u*2).is_coalesced(), (s*2).is_coalesced(), (u*d).is_coalesced(), (s*d).is_coalesced()',
    'u.add(u, alpha=2)',
    'u.sub(s, alpha=2)',
    'w.add_(s)',
    'w.div_(2)',
    'w.neg_()',
    's.long() + s',
    'd.to_sparse()+d.to_sparse()',
    'd.to_sparse()-d.to_sparse()',
    'o.step(); w, o.state[w]',
    'h+h',
    'g(lambda x: x+x, S())',
    'g(lambda x: x.pow(2), S())',
    'x = torch.eye(3).to_sparse().requires_grad_(); (x*x).coalesce().values().sum().backward(); x.grad',
]  # fmt: skip
"""On a GPU the elements of a sum are those of both operands, one list after the other, as in PyTorch."""
REDUCED = [
    "torch.sparse.mm(s.to_sparse_csr(), d.t(), 'mean')",
    "torch.sparse.mm(c, d.t(), 'mean'), torch.sparse.mm(c, d.t(), 'amax'), torch.sparse.mm(c, d.t(), 'amin'), torch.sparse.mm(c, d.t(), 'sum')",
    "torch.sparse.mm(c, d.t(), reduce='mean')",
    "g(lambda x,y: torch.sparse.mm(x,y,'mean'), C(), D().t().contiguous())",
    "g(lambda x,y: torch.sparse.mm(x,y,'amax'), C(), D().t().contiguous())",
    "g(lambda x,y: torch.sparse.mm(x,y,'amin'), C(), D().t().contiguous())",
    "g(lambda x,y: torch.sparse.mm(x,y,'sum'), C(), D().t().contiguous())",
    "torch.sparse.mm(c, torch.ones(3,2), 'max')",
]  # fmt: skip
"""Products with another reduction than the sum are on the CPU only, as in PyTorch."""
TOLD = [
    'w.copy_(d)',
    'd.clone().copy_(s)',
    's.is_cpu, s.device, s.requires_grad, s.is_leaf, s.grad_fn',
    "s.to('cpu') is s, s.to(torch.float32) is s, s.float() is s, s.coalesce() is s, u.coalesce() is u",
    's.pin_memory()',
    'c.to_sparse_bsr((1,2))@d.t()',
    'torch.sparse.mm(c, c.t())',
    'c.shape, c.size(), c.dim(), c.numel(), c._nnz(), c.layout, c.dtype, c.device, c.is_sparse, c.is_sparse_csr, c.sparse_dim(), c.dense_dim(), c.requires_grad, c.is_leaf, len(c)',
    'str(d.to_sparse()) == repr(d.to_sparse()), f"{d.to_sparse()}"',
    'h*s',
]  # fmt: skip
"""What tells of the device itself, or what only the CPU refuses."""


def plain(text: str) -> str:
    """A text without devices, line breaks, and the kernels' names of devices."""
    return re.sub(r"\s+", "", re.sub(r",\s*device='cuda:\d'", "", as_read(text))).replace("CUDA", "CPU")


def failures(name: str, nearly: bool = False) -> dict[str, tuple[str, str]]:
    """The statements of a file that print something else on the device, but for those where PyTorch does too: what they print on
    the CPU, and there. `nearly`: but for the last digits."""
    (file,) = (each for each in FILES if each.stem == name)
    torch.set_default_device("cuda")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = outputs(file, torch)
    finally:
        torch.set_default_device(None)
    told = [text for at, _, _, text in rows("sparse") if at == name]
    apart = {*JOINED, *REDUCED, *TOLD}

    def same(seen: str, wanted: str) -> bool:
        return seen == wanted or nearly and alike(seen, wanted)

    return {
        s: (t, got)
        for (s, got), t in zip(found, told, strict=True)
        if s not in apart and not same(plain(got), plain(t))
    }
