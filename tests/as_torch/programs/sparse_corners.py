# ruff: noqa
"""Sparse tensors at their corners: without dimensions, without elements, of small dtypes, half dense."""

import torch


def tried(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0].split(" This could be")[0])


def coo(indices, values, size, **options):
    return torch.sparse_coo_tensor(
        torch.tensor(indices, dtype=torch.int64).reshape(len(size), -1), values, size, **options
    )


nothing = torch.sparse_coo_tensor(torch.zeros(0, 0, dtype=torch.int64), torch.zeros(0), ())
tried("number without elements", nothing.to_dense)
tried("coalesced", lambda: nothing.coalesce())
tried(
    "number",
    lambda: torch.sparse_coo_tensor(torch.zeros(0, 2, dtype=torch.int64), torch.tensor([1.0, 2.0]), ()).to_dense(),
)
tried(
    "number coalesced",
    lambda: torch.sparse_coo_tensor(torch.zeros(0, 2, dtype=torch.int64), torch.tensor([1.0, 2.0]), ()).coalesce(),
)
hollow = torch.sparse_coo_tensor(torch.zeros(2, 3, dtype=torch.int64), torch.zeros(3, 0), (2, 2, 0))
tried("dense part of nothing", lambda: hollow.coalesce())
tried("times itself", lambda: hollow * hollow)
tried("dense", lambda: hollow.to_dense())

# One element, or none, is coalesced.
one = coo([[0], [1]], [1], (2, 2))
print(
    one.is_coalesced(), coo([[], []], [], (2, 2)).is_coalesced(), coo([[0, 0], [1, 1]], [1, 2], (2, 2)).is_coalesced()
)
print(coo([[0], [1]], [1.0], (2, 2), is_coalesced=False).is_coalesced())

# Rows and columns in another order.
x = coo([[0, 0, 1], [0, 2, 1], [1, 0, 1]], [1.0, 2.0, 3.0], (2, 3, 2)).coalesce()
for dims in ((0, 1, 2), (1, 0, 2), (2, 1, 0)):
    y = x.permute(dims)
    print(dims, y.is_coalesced(), y._indices().tolist(), y._values().tolist())
print(x.transpose(1, 2).is_coalesced(), x.transpose(0, 1).is_coalesced(), one.t().is_coalesced())
matrix = coo([[0, 0, 1], [0, 2, 1]], [1.0, 2.0, 3.0], (2, 3)).coalesce()
print(matrix.t().is_coalesced(), matrix.t()._indices().tolist(), matrix.t().coalesce()._indices().tolist())

# Small integers stay what they are.
for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool):
    small = coo([[0, 0, 1], [1, 1, 0]], torch.tensor([1, 2, 3], dtype=dtype), (2, 2))
    print(dtype, small[0, 1], small[0].dtype, small.coalesce()._values(), small.to_dense().tolist())

# Norms.
z = coo([[0, 1], [1, 0]], torch.tensor([3 + 4j, 1j]), (2, 2))
print(z.norm(), matrix.norm(), matrix.norm(1), matrix.norm(float("inf")), torch.norm(matrix, 3))
tried("norm keepdim", lambda: matrix.norm(keepdim=True))
tried("norm dim", lambda: matrix.norm(dim=0))
tried("norm dtype", lambda: matrix.norm(dtype=torch.float64, p="fro"))
tried("norm dtype 0", lambda: matrix.norm(dtype=torch.float64, p=0))

# A product added to what is there.
a, b = torch.arange(6.0).reshape(2, 3), torch.arange(9.0).reshape(3, 3)
given = torch.tensor(2.0, requires_grad=True)
print(torch.sparse.addmm(given, matrix, b, beta=0.5, alpha=2.0))
print(torch.sparse.addmm(a, matrix, b, beta=0.5, alpha=2.0))
print(torch.sparse.addmm(a, matrix, b), torch.sparse.addmm(a[0], matrix, b, alpha=3))
torch.sparse.addmm(given, matrix, b, beta=0.5, alpha=2.0).sum().backward()
print(given.grad)

# Products element by element, with what has no dimensions.
scalar = torch.sparse_coo_tensor(torch.zeros(0, 1, dtype=torch.int64), torch.tensor([2.0]), ())
tried("sparse times sparse number", lambda: matrix * scalar)
tried("sparse number times sparse", lambda: scalar * matrix)
tried("sparse plus number", lambda: matrix + scalar)
tried(
    "zeros of other parts",
    lambda: torch.sparse_coo_tensor(torch.zeros(1, 0, dtype=torch.int64), torch.zeros(0, 3), (2, 3)) + matrix,
)
tried(
    "plus zeros of other parts",
    lambda: matrix + torch.sparse_coo_tensor(torch.zeros(1, 0, dtype=torch.int64), torch.zeros(0, 3), (2, 3)),
)

# What is joined.
tried("cat", lambda: torch.cat([matrix, matrix]))
tried(
    "cat of other parts",
    lambda: torch.cat([matrix, torch.sparse_coo_tensor(torch.tensor([[0]]), torch.ones(1, 3), (2, 3))]),
)
tried("cat of other shapes", lambda: torch.cat([matrix, one.float()]))
tried("cat with dense", lambda: torch.cat([matrix, a]))
tried("cat 1", lambda: torch.cat([matrix, one.float()], 1))

# Written into.
target = matrix.clone()
tried("copy", lambda: target.copy_(coo([[1], [1]], [5.0], (2, 3))))
tried("copy of another shape", lambda: target.copy_(coo([[0], [1]], [5.0], (1, 3))))
tried("copy of dense", lambda: target.copy_(a))
tried("copy into dense", lambda: a.clone().copy_(matrix))

# Refused.
tried("factory", lambda: torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2, 3), (2, 4)))
tried("factory values", lambda: torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2, 3), (2, 0)))
tried("factory dims", lambda: torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2, 3), (2, 3, 4)))
tried("floor", lambda: torch.floor_divide(matrix, matrix))
tried("divide", lambda: matrix / matrix)
tried("mv", lambda: matrix.mv(torch.ones(3, 1)))
tried("mv of 3", lambda: x.mv(torch.ones(3)))
tried("empty_like", lambda: torch.empty_like(matrix, memory_format=torch.contiguous_format))
tried("zeros_like", lambda: torch.zeros_like(matrix, memory_format=torch.contiguous_format))
double = coo([[0, 0], [1, 1]], [0.25, 0.5], (2, 2))
for name in ("asin", "arcsin", "log1p", "sin", "neg", "sqrt", "abs", "floor", "tanh"):
    tried(name, lambda: getattr(double, name)())
    tried(name + "_", lambda: getattr(double.clone(), name + "_")())
    tried(name + "_ of integers", lambda: getattr(coo([[0, 0], [1, 1]], [1, 1], (2, 2)), name + "_")())
tried("dtypes", lambda: torch.sparse.mm(matrix, matrix.t().double()))

# Diagonals.
print(torch.sparse.spdiags(torch.zeros(0, 4), torch.zeros(0, dtype=torch.int64), (3, 3)))
print(torch.sparse.spdiags(torch.arange(4.0), torch.tensor([0]), (4, 4)))

# Numbers as sparse tensors; what is made of zeros.
several = torch.sparse_coo_tensor(torch.zeros(0, 3, dtype=torch.int64), torch.tensor([1.0, 2.0, 4.0]), ())
for left, right in ((several, scalar), (scalar, several), (matrix, several), (several, several), (scalar, matrix)):
    print((left * right)._values().tolist(), (left * right.to_dense())._values().tolist())
print(torch.tensor(0.0).to_sparse(), torch.tensor(1.0).to_sparse())
print(torch.zeros(3, 4, out=target), target.shape)
tried("ones", lambda: torch.ones(3, 4, out=target))
for size in ((4, 3), (2, 3), (2, 4), (1, 3), (2,)):
    tried("resize_as_", lambda: matrix.clone().resize_as_(torch.zeros(size).to_sparse()))
half = torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.arange(6.0).reshape(2, 3), (2, 3))
tried(
    "dense part",
    lambda: (
        half.clone()
        .resize_as_(torch.sparse_coo_tensor(torch.zeros(1, 0, dtype=torch.int64), torch.zeros(0, 4), (2, 4)))
        ._values()
        .flatten()[:6]
    ),
)
tried("sparse part", lambda: half.clone().resize_as_(torch.zeros(2, 4).to_sparse()))
tried("spdiags", lambda: torch.sparse.spdiags(torch.zeros(2, 3), torch.tensor([[0, 1], [2, 3]]), (3, 3)))
tried("spdiags", lambda: torch.sparse.spdiags(torch.zeros(2, 3, 3), torch.tensor([0, 1]), (3, 3)))

# Gradients of what is half dense have the parts of what they are for.
half.requires_grad_()
print(torch.autograd.grad(half.to_dense(masked_grad=False).sum(), half))
print(torch.autograd.grad(half.to_dense(masked_grad=True).sum(), half))

# Made in place of another, or like another, in a layout.
like = torch.sparse_coo_tensor((2, 3), requires_grad=True)
for made in (torch.zeros, torch.ones, torch.empty):
    tried("requires_grad of out", lambda: made((2, 3), out=torch.empty(0), requires_grad=True).requires_grad)
tried("sparse out", lambda: torch.zeros((2, 3), out=like.new(), requires_grad=True))
for made in (
    torch.full((2,), 3.0, out=torch.empty(0), requires_grad=True),
    torch.arange(3.0, out=torch.empty(0), requires_grad=True),
    torch.eye(3, out=torch.empty(0), requires_grad=True),
    torch.rand(3, out=torch.empty(0), requires_grad=True),
):
    print(made.requires_grad)
identity = torch.eye(3).to_sparse()
for function in (torch.empty_like, torch.zeros_like):
    for source in (identity, torch.eye(3), identity.to_sparse_csr()):
        for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.strided):
            tried(f"{function.__name__} {layout}", lambda: function(source, layout=layout).layout)
        if source.layout != torch.sparse_csr:
            tried("format", lambda: function(source, layout=torch.sparse_coo, memory_format=torch.preserve_format))
tried("blocks again", lambda: torch.eye(4).to_sparse_bsr((2, 2)).to_sparse(layout=torch.sparse_bsr))

# Parts and products.
for arguments in ((10, 0, 3), (-1, 0, 3), (0, 4, 3), (0, 2, 3), (0, 1, 2)):
    tried("narrow_copy", lambda: identity.narrow_copy(*arguments))
    if arguments[0] < 2:
        tried("narrow_copy", lambda: torch.narrow_copy(torch.eye(3), *arguments))
tried("no elements", lambda: torch.zeros(3, 2).to_sparse().permute(1, 0).is_coalesced())
tried("dense part", lambda: torch.ones(2, 3, 4).to_sparse(2).select(2, 1).is_coalesced())
tried("mv of matrices", lambda: identity.mv(identity))
tried("mv", lambda: identity.mv(torch.ones(2)))
tried("mv of a dense one", lambda: torch.eye(3).mv(identity))
tried("mv by a sparse one", lambda: torch.eye(3).mv(torch.ones(3).to_sparse()))
tried("saddmm", lambda: torch.saddmm(identity, identity, torch.eye(3), beta=2, alpha=3))
tried("sspaddmm of dense", lambda: torch.sspaddmm(identity, torch.eye(3), torch.eye(3)))
tried("sspaddmm of sparse", lambda: torch.sspaddmm(identity, identity, identity))
tried("hspmm of dense", lambda: torch.hspmm(torch.eye(3), torch.eye(3)))
tried("broadcast", lambda: torch._sparse_broadcast_to(identity[0], (2, 3)))
tried("broadcast", lambda: torch._sparse_broadcast_to(identity, (2, 3, 2)))
tried("changed", lambda: (identity.requires_grad_() * 2).values())

tried("swapped", lambda: torch.zeros(3, 2).to_sparse().t().is_coalesced())
tried("swapped", lambda: torch.zeros(3, 2).to_sparse().transpose(0, 1).is_coalesced())
for source in (identity.detach(), torch.eye(3).to_sparse_csr()):
    for function in (torch.empty_like, torch.zeros_like):
        tried("on a device", lambda: function(source, device="cpu").layout)
        tried("on a device", lambda: function(source, dtype=torch.int64, layout=source.layout, device="cpu").layout)
