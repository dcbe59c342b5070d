# ruff: noqa
"""Copies that stay views of one memory, classes that files may name, storages, the default generator, results written into others."""

import collections
import copy
import io
import pickle

import numpy as np
import warnings
import torch


def told(f):
    try:
        print(f())
    except Exception as error:
        text = str(error)
        at = text.find("Unsupported global")
        print(type(error).__name__, text[max(at, 0) :].splitlines()[0][:120])


a = torch.arange(6.0).view(2, 3)
b = a.view(6)
c, d, storage = copy.deepcopy([a, b, a.untyped_storage()])
c.add_(1)
print(d, storage.tolist()[:8], a[0, 0])
a.note = [1, 2]
print(copy.deepcopy(a).note)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Slotted(torch.Tensor):
    __slots__ = ("extra",)


Pair = collections.namedtuple("Pair", "one two")


def again(value, safe=(), **options):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    with torch.serialization.safe_globals(list(safe)):
        return torch.load(file, **options)


told(lambda: vars(again(Point(1, torch.ones(2)), [Point])))
told(lambda: again(Point(1, 2)))
told(lambda: again(Pair(1, 2), [Pair]))
told(lambda: again(collections.Counter("aab")))
told(lambda: again(a).note)
parameter = torch.nn.Parameter(torch.ones(1))
parameter.note = 3
told(lambda: again(parameter).note)
s = torch.ones(2).as_subclass(Slotted)
s.extra = 5
told(lambda: (type(again(s, [Slotted])).__name__, again(s, [Slotted]).extra))
told(lambda: again(s))
told(lambda: again(torch.empty(10**7, 10**5, device="meta")).shape)
try:
    again(Point(1, 2))
except pickle.UnpicklingError:
    print("caught")


class Stream:
    def read(self, n=-1):
        return b""


told(lambda: torch.load(Stream(), weights_only=False))

torch.manual_seed(3)
one = torch.randn(2, 2)
print(torch.equal(one, torch.randn(2, 2, generator=torch.manual_seed(3))))
for f in (torch.rand, torch.randn):
    for dtype in (torch.float64, torch.complex64):
        torch.manual_seed(0)
        print(f(2, out=torch.empty(2, dtype=dtype)))
print(torch.zeros(2, out=torch.ones(2, dtype=torch.int64)), torch.ones(2, out=torch.empty(2, dtype=torch.bool)))
torch.manual_seed(0)
print(torch.bernoulli(torch.full((8,), 0.5), out=torch.empty(8, dtype=torch.int64)))
print(torch.ones(7, 3).fill_diagonal_(5, wrap=True), torch.ones(3, 7).t().fill_diagonal_(5, wrap=True).sum())
print(torch.linalg.vector_norm(torch.ones(3, dtype=torch.bfloat16), dtype=torch.float32))
told(lambda: torch.cholesky_inverse(torch.tensor([[1.0, 0], [1, 0]])))
torch.use_deterministic_algorithms(True)
told(lambda: torch.zeros(3).put_(torch.tensor([0]), torch.ones(1)))
told(lambda: torch.nn.MaxUnpool1d(2)(torch.ones(1, 1, 2), torch.tensor([[[0, 2]]])))
torch.use_deterministic_algorithms(False)
told(lambda: torch.ones(2, 2).index_fill_(0, torch.tensor([0]), 1j))

s = torch.UntypedStorage([0, 1, 2, 3])
s.byteswap(torch.float16)
print(s.tolist(), torch.ShortStorage.from_buffer(bytearray([1, 2, 3, 4]), "big").tolist(), torch.ones(2).storage_type())
meta = torch.TypedStorage([1, 2], dtype=torch.float32, device="meta")
print(meta.size(), meta.device, meta.resize_(10))
print(meta.size())
told(meta.tolist)
t, u = torch.ones(2), torch.zeros(3)
t.note = "t"
torch.utils.swap_tensors(t, u)
print(t, u, u.note)


@torch.no_grad()
def steps():
    while True:
        try:
            yield torch.is_grad_enabled()
        except KeyError:
            yield ("thrown", torch.is_grad_enabled())


walk = steps()
print(next(walk), walk.throw(KeyError), next(walk), torch.is_grad_enabled())

# complex numbers of half precision have four bytes in a file
import zipfile

halves = torch.tensor([1 + 2j, 0.25 + 0.5j, 3, 4], dtype=torch.complex32)
file = io.BytesIO()
torch.save([halves, halves[1:], halves[2], torch.nn.Parameter(halves)], file)
print(zipfile.ZipFile(file).read("archive/data/0").hex())
for weights_only in (True, False):
    file.seek(0)
    print(torch.load(file, weights_only=weights_only))

# Quantized tensors in files: they share their codes, and PyTorch reads them.
warnings.simplefilter("ignore")
codes = torch.quantize_per_tensor(torch.tensor([1.0, 2.0, 3.0]), 0.5, 2, torch.quint8)
channels = torch.quantize_per_channel(
    torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0.5, 0.25]), torch.tensor([0, 1]), 0, torch.qint8
)
for older in (False, True):
    for weights_only in (True, False):
        file = io.BytesIO()
        torch.save([codes, channels, codes], file, _use_new_zipfile_serialization=not older)
        file.seek(0)
        loaded = torch.load(file, weights_only=weights_only)
        print(loaded, loaded[0] is loaded[2], loaded[1].int_repr())
print(
    pickle.loads(pickle.dumps(codes[1:])), copy.deepcopy(channels), copy.deepcopy(codes).data_ptr() == codes.data_ptr()
)
print(codes.__reduce_ex__(2)[1][4], channels.__reduce_ex__(2)[1][4], codes.__reduce_ex__(2)[1][0].dtype)
