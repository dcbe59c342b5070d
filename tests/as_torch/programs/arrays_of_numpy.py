# ruff: noqa
"""numpy's arrays as operands and sizes, writes to expanded tensors, indices of nothing, whole numbers that wrap around."""

import warnings

import numpy as np
import torch


def told(f):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            print(f())
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
    for each in heard:
        print("   ", each.category.__name__, str(each.message).split(" (Triggered")[0])


x = torch.ones(2)
for a in (
    np.array(3.0),
    np.array(3),
    np.array([3, 4]),
    np.array([1.0, 2.0], np.float32),
    np.float64(3),
    np.array(True),
):
    print(
        [(x * a).dtype, (x + a).dtype, (x - a).dtype, (x / a).dtype, (x**a).dtype, (torch.tensor([1, 2]) + a).dtype],
        x * a,
    )
told(lambda: x.clone().requires_grad_() * np.array(3.0))
print(
    torch.ones([np.array(3), 2]).shape,
    torch.ones(2, np.array(3)).shape,
    torch.ones(4).reshape(np.int32(2), np.array(2)).shape,
)
print(
    torch.ones(4).view((np.array(2), 2)).shape,
    torch.ones(4).expand(np.array(2), 4).shape,
    x.repeat(np.array(2), 1).shape,
)
told(lambda: torch.ones((2, np.array([3]))))
told(lambda: torch.ones((2, np.array(3.0))))
told(lambda: x.to(np.array([3, 2])))
told(lambda: x.type(np.array([3, 2])))

wide = torch.zeros(1).expand(3)
mask, at = torch.tensor([True, False, True]), torch.tensor([0])
told(lambda: wide.masked_fill_(mask, 1.0))
told(lambda: wide.masked_fill_(mask, torch.tensor(2.0)))
told(lambda: wide.index_fill_(0, at, 3.0))
told(lambda: wide.index_put_((at,), torch.tensor([4.0])))
told(lambda: wide.__setitem__(at, 5.0))
told(lambda: wide.__setitem__(0, 6.0))
told(lambda: wide.index_add_(0, at, torch.ones(1)))

told(lambda: torch.zeros(0, 2).take(torch.tensor([0])))
told(lambda: torch.zeros(0, 3).index_select(0, at))
told(lambda: torch.zeros(0, 3).index_select(1, torch.tensor([0, 5])))
told(lambda: torch.ones(1).as_subclass(int))
told(lambda: torch.ones(1).as_subclass(3))
told(lambda: torch.zeros(3, 2, dtype=torch.uint8).index_add(0, at, torch.ones(1, 2, dtype=torch.uint8), alpha=-1))
told(lambda: torch.zeros(3, 2, dtype=torch.int8).index_add(0, at, torch.ones(1, 2, dtype=torch.int8), alpha=-2))

once, twice = torch.ones(3).expand(2, 3), torch.ones(2, 1, 3).expand(2, 4, 3)
for f in (
    torch.clone,
    torch.zeros_like,
    torch.ones_like,
    torch.empty_like,
    torch.rand_like,
    torch.Tensor.double,
    torch.Tensor.half,
):
    print(f(once).stride(), f(twice).stride(), f(twice.transpose(0, 2)).stride(), f(once.t()).stride())

for number in (
    np.float16(1),
    np.float32(1),
    np.float64(1),
    np.int8(1),
    np.uint64(1),
    np.bool_(True),
    np.complex64(1),
    np.complex128(1),
    np.str_("1"),
):
    for place in (0, ..., torch.tensor([0, 2]), (slice(0, 2),)):
        told(lambda: torch.zeros(3, dtype=torch.int32).__setitem__(place, number))
    if not isinstance(number, np.complex64):
        told(lambda: number in torch.ones(2))
