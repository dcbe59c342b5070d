# ruff: noqa
"""assert_close of sparse tensors, random numbers of empty tensors, DLPack's objects as data, and small public names."""

import torch
import torch.utils._device


def t(f):
    try:
        print(f())
    except BaseException as e:
        print(type(e).__name__, str(e)[:400])


a = torch.tensor([[0, 1], [1, 0.0]])
b = a.clone()
b[0, 1] = 3
c = torch.tensor([[1, 0], [1, 0.0]])
for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
    more = {"blocksize": (1, 1)} if layout in (torch.sparse_bsr, torch.sparse_bsc) else {}
    s, u, v, e = (x.to_sparse(layout=layout, **more) for x in (a, b, c, torch.eye(2) * torch.tensor([1.0, 0])))
    for other in (s.clone(), u, v, e, a):
        t(lambda: torch.testing.assert_close(s, other))
    for other in (a, b):
        t(lambda: torch.testing.assert_close(s, other, check_layout=False))

whole = dict(dtype=torch.int64)
for f in (
    lambda: torch.randn(0, **whole),
    lambda: torch.randn(2, **whole),
    lambda: torch.randn(0, 2, dtype=torch.bool),
    lambda: torch.rand(0, **whole),
    lambda: torch.empty(0, **whole).normal_(),
    lambda: torch.empty(0, **whole).normal_(0, -1),
    lambda: torch.empty(0, **whole).exponential_(),
    lambda: torch.empty(0, **whole).exponential_(-1),
    lambda: torch.empty(0, **whole).log_normal_(),
    lambda: torch.empty(0, **whole).cauchy_(),
    lambda: torch.empty(2, **whole).log_normal_(1, -1),
    lambda: torch.empty(2, **whole).normal_(0, -1),
    lambda: torch.empty(0).exponential_(-1),
):
    t(f)


class Lent:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


for make in (torch.asarray, torch.tensor, torch.as_tensor, torch.from_dlpack):
    t(lambda: make(Lent(torch.arange(3))))
t(lambda: torch.ones(2).__dlpack__(stream=3))
t(lambda: type(torch.ones(2).__dlpack__(stream=-1)).__name__)
for name in ("cpu", "cuda", "meta", "xla", "no such device"):
    t(lambda: torch.amp.is_autocast_available(name))


@torch.utils._device.set_device("meta")
def places():
    yield torch.ones(2).device
    yield torch.ones(2).device


print(list(places()))
