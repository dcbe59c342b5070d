# ruff: noqa
"""Compressed layouts, one into another, in batches and blocks; their indices keep their dtype; products of two layouts."""

import torch


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:200].split("\n")[0])


b = torch.arange(1.0, 9).reshape(2, 2, 2)
for l1 in ("csr", "csc", "bsr", "bsc"):
    for l2 in ("csr", "csc", "bsr", "bsc", "coo"):

        def f():
            x = getattr(b, "to_sparse_" + l1)(*([(1, 2)] if l1[0] == "b" else []))
            y = getattr(x, "to_sparse_" + l2)(*([(2, 1)] if l2[0] == "b" else []))
            return y.to_dense().equal(b), y.layout, y.values().shape if l2 != "coo" else y._nnz()

        t(l1 + " " + l2, f)
m = torch.arange(1.0, 5).reshape(2, 2)
for l1 in ("csr", "csc", "bsr", "bsc"):
    for l2 in ("csr", "csc", "bsr", "bsc", "coo"):

        def f():
            x = getattr(m, "to_sparse_" + l1)(*([(1, 2)] if l1[0] == "b" else []))
            y = getattr(x, "to_sparse_" + l2)(*([(2, 1)] if l2[0] == "b" else []))
            return y.to_dense().equal(m), y.layout, y.values().shape if l2 != "coo" else y._nnz()

        t("plain " + l1 + " " + l2, f)
i32 = torch.sparse_csr_tensor(
    torch.tensor([0, 1, 2], dtype=torch.int32), torch.tensor([0, 1], dtype=torch.int32), torch.ones(2)
)
for l2 in ("csc", "bsr", "bsc"):
    t(
        "i32 " + l2,
        lambda: (lambda y: (y.ccol_indices() if l2 != "bsr" else y.crow_indices()).dtype)(
            getattr(i32, "to_sparse_" + l2)(*([(2, 1)] if l2[0] == "b" else []))
        ),
    )
t("empty batch", lambda: torch.zeros(0, 2, 2).to_sparse_csr())
t("empty batch", lambda: torch.zeros(2, 0, 2, 2).to_sparse_bsr((1, 1)).shape)
c = m.to_sparse_csr()
t("mul", lambda: torch.mul(c, m.to_sparse_coo()))
t("mul2", lambda: c * m)
t("mul3", lambda: c * m.to_sparse_csc())
t("mul4", lambda: c * torch.ones(2))
t("mul5", lambda: c * torch.ones(1, 2))
t("add2", lambda: torch.add(torch.ones(2, 2), c, alpha=3))

# What is like a tensor, in another layout.
x = torch.eye(2).to_sparse()
for other in (torch.strided, torch.sparse_coo):
    for given in (x, x.to_dense(), x.to_sparse_csr()):
        t(f"{given.layout} {other}", lambda: torch.zeros_like(given, layout=other).to_dense())
print(torch.ones_like(x, layout=torch.strided), torch.zeros_like(x, layout=torch.strided, dtype=torch.int64))
