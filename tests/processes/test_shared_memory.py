"""Memory that several processes write into: no function is led astray by numbers that change while it computes with them."""

from __future__ import annotations

from pathlib import Path

import tensorsh.torch as torch

from .running import left, run

RACE = """\
import time
import numpy as np
import torch
import torch.multiprocessing as mp
N = 4000
i, f = torch.zeros(N, dtype=torch.int64).share_memory_(), torch.arange(float(N)).flip(0).share_memory_()
m = torch.zeros(N, dtype=torch.bool).share_memory_()
def change():
    far, near, some = torch.full((N,), 2**40), torch.zeros(N, dtype=torch.int64), torch.randn(N)
    true = torch.ones(N, dtype=torch.bool)
    while True:
        for _ in range(20): i.copy_(far); i.copy_(near)
        f.copy_(some); f.zero_(); m.copy_(true); m.zero_()
p = mp.Process(target=change)
p.start()
x, z, j = torch.zeros(10, 10), torch.zeros(10), torch.zeros(N, dtype=torch.int64)
wide, one = z.repeat(N // 10), torch.ones(N)
def write(): x[i, j] = 1.
class Lying(tuple):
    def __iter__(self): return iter((i, j))
for call in (
    lambda: x[i, j], write, lambda: x[Lying((j, j))], lambda: x.index_put_((i, j), z[:1]), lambda: x.index_put_((i, j), z[:1], True),
    lambda: z.index_add_(0, i, one), lambda: f.sort(), lambda: f.argsort(), lambda: f.nonzero(), lambda: m.nonzero(), lambda: wide[m],
    lambda: torch.masked_select(wide, m), lambda: torch.bincount(i), lambda: f.topk(5), lambda: torch.repeat_interleave(j, i % 3),
    lambda: torch.nn.functional.embedding_bag(i, x, j[:5]), lambda: np.zeros(10)[i.numpy()], lambda: np.sort(f), lambda: f.median(),
    lambda: torch.sparse_coo_tensor(i[None], one, (10,), check_invariants=False).to_dense(),
):
    until = time.time() + 0.08
    while time.time() < until:
        try: call()
        except (IndexError, RuntimeError, ValueError): pass
p.kill()
try: torch.from_dlpack(i)
except BufferError as e: print(e)
try: f.numpy()[0] = 1
except ValueError as e: print(e)
"""
SAID = """\
a tensor in memory that processes share lends it to nobody: export a copy, x.clone()
assignment destination is read-only
"""


def test_numbers_that_change_lead_nowhere(tmp_path: Path) -> None:
    done = run(tmp_path, RACE)
    assert (done.stdout, done.stderr, done.returncode) == (SAID, "", 0)
    assert not left(tmp_path)


ALONE = """\
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader
for b in DataLoader(torch.arange(6000).reshape(2, 3000), batch_size=2, num_workers=1): pass
a = b.numpy(); a[0, 0] = 77
def fill(): b.fill_(5)
def run():
    p = mp.Process(target=fill); p.start(); p.join(); print(b.is_shared(), b[0, 0].item(), a[0, 0], b[1, 1].item())
run()
b.share_memory_()
run()
"""


def test_a_batch_is_its_receivers_alone_until_it_is_shared(tmp_path: Path) -> None:
    done = run(tmp_path, ALONE)
    assert (done.stdout, done.stderr) == ("True 77 77 3001\nTrue 5 77 5\n", "")


SMALL = """\
import torch
from torch.utils.data import DataLoader
def two(items):
    x = torch.arange(4)
    return x, x[1:], x.view(2, 2), torch.empty(0), torch.nn.Parameter(torch.ones(1))
a, b, c, d, e = next(iter(DataLoader([0], num_workers=1, collate_fn=two)))
a[1] = 9
print(b, c.tolist(), a.is_shared(), b.is_shared(), d, e.requires_grad, a.data_ptr() + 8 == b.data_ptr())
try: a.resize_(9)
except RuntimeError as error: print(error)
"""


def test_small_tensors_of_one_memory_still_share_it(tmp_path: Path) -> None:
    """As with PyTorch, which prints the same."""
    done = run(tmp_path, SMALL)
    assert (done.stdout, done.stderr) == (
        "tensor([9, 2, 3]) [[0, 9], [2, 3]] True True tensor([]) True True\nTrying to resize storage that is not resizable\n", "",
    )  # fmt: skip


GIVEN = """\
import torch
def place(x): return x.untyped_storage().data_ptr() if isinstance(x, torch.Tensor) and x.layout is torch.strided else None
for made in (torch.arange(4).reshape(2, 2), torch.ones(2, 2), torch.ones(2, 2, dtype=torch.bool)):
    for name in dir(torch.Tensor):
        if name[0] == "_" or name in ("backward", "share_memory_", "numpy"): continue
        found = []
        for x in (made.clone(), made.clone().share_memory_()):
            memory = place(x)
            try:
                value = getattr(x, name)
                value = value() if callable(value) else value
                found.append(place(value) == memory)
            except Exception as error: found.append(type(error))
        if found[0] != found[1]: print(made.dtype, name, found)
x = torch.arange(3).share_memory_()
print(*(place(y) == place(x) for y in (*torch.broadcast_tensors(torch.ones(3), x), *torch.meshgrid(x, x, indexing="ij"), torch.empty(0, dtype=int).set_(x))))
"""


def test_what_gives_memory_on_gives_that_of_shared_tensors(tmp_path: Path) -> None:
    """Each method without arguments that is a view of an ordinary tensor is one of a shared tensor, too."""
    done = run(tmp_path, GIVEN)
    assert (done.stdout, done.returncode) == ("False True True True True\n", 0)


def test_a_storage_tells_whether_it_is_shared() -> None:
    x = torch.ones(3)
    assert not x.untyped_storage().is_shared() and not torch.empty(3, device="meta").untyped_storage().is_shared()
    x.share_memory_()
    assert x.untyped_storage().is_shared() and x[1:].untyped_storage().is_shared() and x.is_shared()
