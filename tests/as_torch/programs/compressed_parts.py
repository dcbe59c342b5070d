# ruff: noqa
"""Compressed layouts: rows and columns of them, their views, other sizes in place, copies, checks of their parts, and files."""

import pickle

import torch

LAYOUTS = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:300].split("\n")[0].split(" This could be")[0])


def made(x, layout, **options):
    blocks = {"blocksize": (2, 2)} if layout in (torch.sparse_bsr, torch.sparse_bsc) else {}
    return x.to_sparse(layout=layout, **blocks, **options)


def uneven(layout):
    x = torch.zeros(6, 10)
    x[0, 1] = x[2, 1] = x[5, 1] = x[5, 9] = x[3, 4] = 1
    return made(x, layout)


def parts(x):
    rows = x.layout in (torch.sparse_csr, torch.sparse_bsr)
    return (*((x.crow_indices(), x.col_indices()) if rows else (x.ccol_indices(), x.row_indices())), x.values())


# Rows and columns.
ones = torch.ones(2, 3, 6, 10)
hybrid = torch.arange(48.0).reshape(6, 4, 2) + 1
for layout in LAYOUTS:
    x, y, z = made(ones, layout), uneven(layout), made(hybrid, layout, dense_dim=1)
    t("batched row", lambda: x.select(-2, 0))
    t("batched row copied", lambda: torch.select_copy(x, 2, 0))
    t("batch", lambda: (x.select(1, 2).shape, x[0, 0].layout, torch.select_copy(x, 0, 1).layout))
    for dim, index in ((0, 0), (0, 5), (1, 1), (1, -1), (1, 4)):
        t(f"{layout} {dim} {index}", lambda: y.select(dim, index))
        t("copied", lambda: torch.select_copy(y, dim, index))
        t("coalesced", lambda: torch.select_copy(y, dim, index).is_coalesced())
    t("hybrid", lambda: (z.select(2, 1).layout, z.select(2, 1).to_dense().equal(hybrid[..., 1])))
    t("hybrid row", lambda: torch.select_copy(z, 0, 1).to_dense().equal(hybrid[1]))
    t("element", lambda: made(torch.ones(4, 4), layout)[1, 2])
    t("outside", lambda: torch.select_copy(y, 0, 6))

# Views.
for layout in LAYOUTS:
    x = made(ones, layout)
    y = x.transpose(2, 3)
    print(y.layout, y._is_view(), y._base is x, y.values()._is_view(), x.values()._is_view(), y.to_dense().shape)
    print(x.transpose(2, 2)._is_view(), x.transpose(0, 1).to_dense().shape, x.transpose(1, 1).values()._is_view())
    t("batch and row", lambda: x.transpose(0, 2))
    t("row and batch", lambda: x.transpose(-1, 1))
    t("hybrid", lambda: made(hybrid, layout, dense_dim=1).transpose(0, 1))
    x[0, 0].values().mul_(3)
    print(x.to_dense()[0].sum(), x.to_dense()[1].sum())

# Copies.
for layout in LAYOUTS:
    x = uneven(layout)
    t("of all elements", lambda: x.copy_(torch.ones(6, 10)))
    t("into all elements", lambda: torch.ones(6, 10).copy_(x))
    t("of coordinates", lambda: x.copy_(x.to_sparse()))
    t("of fewer", lambda: x.copy_(made(torch.zeros(6, 10), layout)))
    t("of another layout", lambda: x.copy_(x.transpose(0, 1)))
    t("of other size", lambda: made(torch.ones(4, 6), layout).copy_(made(torch.ones(6, 4), layout)))
    other = made(torch.ones(6, 10), layout) * 2
    t("of as many", lambda: made(torch.ones(6, 10), layout).copy_(other).to_dense().sum())
for layout in LAYOUTS[2:]:
    a, b = (torch.ones(4, 4).to_sparse(layout=layout, blocksize=n) for n in ((1, 4), (4, 1)))
    t("of other blocks", lambda: a.copy_(b))

# Other sizes in place.
for layout in LAYOUTS[:2]:
    t("larger", lambda: uneven(layout).resize_(8, 12))
    t("fewer rows", lambda: made(torch.ones(2, 3), layout).resize_(1, 3))
    t("fewer columns", lambda: uneven(layout).resize_(6, 4))
    t("a vector", lambda: uneven(layout).resize_(4))
    t("as another", lambda: uneven(layout).resize_as_(made(torch.zeros(8, 12), layout)))
for layout in LAYOUTS:
    x, more = uneven(layout), made(torch.ones(2, 4, 12), layout)
    t("as", lambda: parts(x.clone().resize_as_sparse_(more))[:2])
    t("shapes", lambda: [part.shape for part in parts(x.clone().resize_as_sparse_(more))])
    t("as dense", lambda: x.resize_as_sparse_(torch.zeros(2, 2)))
    t("dense as", lambda: torch.zeros(2, 2).resize_as_sparse_(x))
    t("as turned", lambda: x.resize_as_sparse_(x.transpose(0, 1)))
    t("empty", lambda: torch.empty(5, layout=layout))
t("empty blocks", lambda: torch.empty(4, 4, layout=torch.sparse_bsr))

# Checks.
i = torch.tensor
for layout in LAYOUTS:
    blocked = layout in LAYOUTS[2:]

    def values(*numbers):
        return torch.tensor([[[n]] for n in numbers] if blocked else numbers)

    def size(n, m):
        return (n, m) if layout in (torch.sparse_csr, torch.sparse_bsr) else (m, n)

    four = values(1, 2, 3, 4)
    for name, starts, others, kept, shape in (
        ("fine", i([0, 2, 4]), i([0, 1, 0, 2]), four, size(2, 3)),
        ("steps in starts", i([0, -1, 2, -1, 4, -1])[::2], i([0, 1, 0, 2]), four, size(2, 3)),
        ("steps in others", i([0, 2, 4]), i([0, -1, 1, -1, 0, -1, 2, -1])[::2], four, size(2, 3)),
        ("number", i(0), i([0, 1, 0, 2]), four, size(2, 3)),
        ("dimensions", i([[0, 2, 4]]), i([0, 1, 0, 2]), four, size(2, 3)),
        ("dimensions of values", i([[0, 2, 4]]), i([[0, 1, 0, 2]]), four, size(2, 3)),
        ("size", i([0, 2, 4]), i([0, 1, 0, 2]), four, (2,)),
        ("batch", i([[0, 2, 4]]), i([[0, 1, 0, 2]]), four[None], (2, 2, 3)),
        ("lines", i([0, 2, 3, 4]), i([0, 1, 0, 2]), four, size(2, 3)),
        ("too many", i([0, 2, 4]), i([0, 1, 0, 1, 2]), four, size(2, 3)),
        ("dtypes", i([0, 2, 4], dtype=torch.int32), i([0, 1, 0, 2]), four, size(2, 3)),
        ("short", i([0, 2, 4], dtype=torch.int16), i([0, 1, 0, 2], dtype=torch.int16), four, size(2, 3)),
        ("first", i([1, 2, 4]), i([0, 1, 0, 2]), four, size(2, 3)),
        ("last", i([0, 2, 5]), i([0, 1, 0, 2]), four, size(2, 3)),
        ("steps", i([0, 0, 4]), i([0, 1, 0, 2]), four, size(2, 3)),
        ("outside", i([0, 2, 4]), i([0, 1, 0, 3]), four, size(2, 3)),
        ("order", i([0, 2, 4]), i([1, 0, 0, 2]), four, size(2, 3)),
    ):
        t(name, lambda: torch._validate_sparse_compressed_tensor_args(starts, others, kept, shape, layout))
        if name in ("number", "dimensions", "dimensions of values"):
            t("without size", lambda: torch.sparse_compressed_tensor(starts, others, kept, layout=layout))
t("blocks", lambda: torch._validate_sparse_bsr_tensor_args(i([0, 1]), i([0]), torch.ones(1, 2, 2), (2, 3)))
t("strided", lambda: torch._validate_sparse_compressed_tensor_args(i([0]), i([0]), i([0]), (1, 1), torch.strided))
t("coordinates", lambda: torch._validate_sparse_coo_tensor_args(i([[0, 3]]), i([1, 2]), (2,)))
t("indices", lambda: torch._validate_compressed_sparse_indices(True, i([0, 1]), i([4]), 1, 3, 1))
x = torch.ops.aten._sparse_compressed_tensor_with_dims(3, 1, (2, 4, 6, 5), (2, 3), torch.int32, layout=torch.sparse_bsc)
print([(part.shape, part.dtype) for part in parts(x)], x.shape)

# From one to another, copies, sums and products.
b = torch.arange(1.0, 33).reshape(2, 4, 4)
for one, other in ((torch.sparse_bsr, torch.sparse_bsc), (torch.sparse_bsc, torch.sparse_bsr)):
    t(
        "blocks of a batch",
        lambda: b.to_sparse(layout=one, blocksize=(2, 1)).to_sparse(layout=other, blocksize=(2, 1)).to_dense().equal(b),
    )
for layout in LAYOUTS:
    x = uneven(layout)
    again = pickle.loads(pickle.dumps(x))
    print(again.layout, again.shape, again.to_dense().equal(x.to_dense()))
x, y = torch.tensor([[1.0, 2], [0, 3]]).to_sparse_csr(), torch.arange(4, dtype=torch.float64).reshape(2, 2)
t("dense first", lambda: torch.add(y.T, x, alpha=3))
t("sparse first", lambda: torch.add(x, y.T, alpha=3))
t("sizes", lambda: torch.add(x, torch.ones(2, 1).to_sparse_csr()))
t("addmv", lambda: torch.addmv(torch.ones(2, dtype=torch.float64), x, torch.ones(2)))
c, m = torch.eye(2).to_sparse_csr(), torch.arange(12.0).reshape(2, 2, 3)
t("sampled", lambda: torch.sparse.sampled_addmm(c, m, m.mT, beta=2, alpha=0.5))
out = torch.eye(2).to_sparse_csr()
t("sampled out", lambda: (torch.sparse.sampled_addmm(c, m[0], m[0].T, out=out) is out, out.to_dense()))
t("sampled vectors", lambda: torch.sparse.sampled_addmm(c, torch.ones(2), torch.ones(2, 2)))
t("sampled batches", lambda: torch.sparse.sampled_addmm(c, m, m[0].T))
t("sampled dtypes", lambda: torch.sparse.sampled_addmm(c, m[0], m[0].T.double()))
t("sampled sizes", lambda: torch.sparse.sampled_addmm(c, m[0][:1], m[0].T))
t("sampled layouts", lambda: torch.sparse.sampled_addmm(c, c, m[0]))
