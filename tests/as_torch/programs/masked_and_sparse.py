# ruff: noqa
"""MaskedTensors of sparse layouts: made, converted, computed with, differentiated; what is refused."""

import torch
from torch.masked import masked_tensor


def tried(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


data = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]])
mask = data > 0
strided = masked_tensor(data, mask)
for layout, convert in (("coo", torch.Tensor.to_sparse), ("csr", torch.Tensor.to_sparse_csr)):
    sparse = convert(strided)
    print(layout, sparse.layout, sparse)
    print(sparse.get_data())
    print(sparse.get_mask())
    print(sparse.to_dense())
    made = masked_tensor(convert(data * mask), convert(mask))
    print(made, made.to_dense())
    full = masked_tensor(convert(data), convert(mask))
    print(full.get_data())
    for name in ("neg", "abs", "sin", "exp", "sqrt"):
        print(name, getattr(torch, name)(made))
    tried("contiguous", made.contiguous)
    tried("is_contiguous", made.is_contiguous)
    leaf = masked_tensor(data, mask, requires_grad=True)
    convert(leaf).to_dense().sum().backward()
    print(leaf.grad)
    leaf = masked_tensor(convert(data * mask), convert(mask), requires_grad=True)
    leaf.to_dense().sum().backward()
    print(leaf.grad.to_dense())
tried("layouts", lambda: masked_tensor(data.to_sparse(), mask))
tried(
    "blocks",
    lambda: masked_tensor(
        torch.ones(2, 2).to_sparse_bsr((1, 1)), torch.ones(2, 2, dtype=torch.bool).to_sparse_bsr((1, 1))
    ),
)
places = torch.tensor([[0, 1], [0, 1]]), torch.tensor([[0, 1], [1, 2]])
tried(
    "places",
    lambda: masked_tensor(
        torch.sparse_coo_tensor(places[0], torch.ones(2), (2, 3)),
        torch.sparse_coo_tensor(places[1], torch.tensor([True, True]), (2, 3)),
    ),
)
tried(
    "columns",
    lambda: masked_tensor(
        torch.sparse_csr_tensor([0, 1, 2], [0, 1], torch.ones(2), (2, 3)),
        torch.sparse_csr_tensor([0, 1, 2], [1, 2], torch.tensor([True, True]), (2, 3)),
    ),
)
tried(
    "three dimensions",
    lambda: masked_tensor(torch.ones(2, 2, 2), torch.ones(2, 2, 2, dtype=torch.bool)).to_sparse_csr(),
)
tried("whole numbers learn nothing", lambda: masked_tensor(mask, mask, requires_grad=True))
