# ruff: noqa
"""Products and sums of products of matrices in every layout, their gradients, and checks of gradients of sparse tensors."""

import torch


def t(name, f):
    try:
        print(name, repr(f()).replace("\n", " "))
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0].split(" This could be")[0])


x = torch.tensor([[1.0, 0, 2, 0], [0, 3, 0, 0], [1, 1, 1, 1], [0, 0, 0, 2]])
LAYOUTS = (torch.strided, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


def made(layout, x=x):
    blocks = {"blocksize": (2, 2)} if layout in LAYOUTS[4:] else {}
    return x.clone() if layout is torch.strided else x.to_sparse(layout=layout, **blocks)


def dense(x):
    return x.layout, x.to_dense()


def gradients(f, one, other):
    one, other = made(one).requires_grad_(), made(other).requires_grad_()
    f(one, other).sum().backward()
    return dense(one.grad), dense(other.grad)


for a in LAYOUTS:
    for b in LAYOUTS:
        columns = a == b == torch.sparse_csc  # whose products in CSC PyTorch leaves elements out of
        for name, f in (("mm", torch.mm), ("sparse.mm", torch.sparse.mm))[: 1 if columns else 2]:
            t(f"{name} {a} {b}", lambda: dense(f(made(a), made(b))))
        for c in LAYOUTS:
            if columns and c == a:
                continue
            t(f"addmm {c} {a} {b}", lambda: dense(torch.addmm(made(c), made(a), made(b), beta=2, alpha=3)))
    t(f"mv {a}", lambda: made(a).mv(torch.ones(4)))
    t(f"addmv {a}", lambda: torch.addmv(torch.ones(4), made(a), torch.ones(4)))
    for name, f in (("mm", torch.mm), ("sparse.mm", torch.sparse.mm)):
        t(f"gradients of {name} {a}", lambda: gradients(f, a, torch.strided))
        if (name, a) != ("sparse.mm", torch.sparse_csc):
            t(f"gradients of {name} dense {a}", lambda: gradients(f, torch.strided, a))
    t(f"nothing {a}", lambda: torch.addmm(made(a), made(torch.sparse_csc, x * 0), x, beta=2).layout)

# Checks of gradients.
check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
x = torch.tensor([[1.0, 0, 2, 0], [0, 3, 0, 0]], dtype=torch.float64)
y = torch.ones(4, 2, dtype=torch.float64).requires_grad_()
for layout in LAYOUTS[1:]:
    for masked in (True, False):

        def given():
            return made(layout, x).requires_grad_()

        for f in (torch.Tensor.to_dense, torch.Tensor.sum, lambda v: v, torch.Tensor.to_sparse_coo):
            t(f"{layout} {masked}", lambda: check(f, given(), masked=masked))
        t("values", lambda: check(lambda v: (v.coalesce() if v.is_sparse else v).values(), given(), masked=masked))
        t("sparse.mm", lambda: check(torch.sparse.mm, (given(), y), masked=masked))
        t("mm", lambda: check(torch.mm, (given(), y), masked=masked))

# Blocks.
for size in ((1,), [1], (1, 1, 1)):
    t("to_sparse", lambda: torch.ones(1).to_sparse(blocksize=size))
    t("to_sparse", lambda: torch.ones(2, 2).to_sparse(layout=torch.sparse_bsr, blocksize=size))
    t("to_sparse_bsr", lambda: torch.ones(2, 2).to_sparse_bsr(size))
    t("to_sparse_bsc", lambda: torch.ones(2, 2).to_sparse_bsc(size))
t("negative", lambda: torch.ones(2, 2).to_sparse_bsr((-1, 1)))
t("none", lambda: torch.ones(2, 2).to_sparse_bsr((0, 1)))
t("hybrid", lambda: torch.ones(2, 4, 4).to_sparse().to_sparse_bsr((2, 2)))
t("hybrid", lambda: torch.ones(2, 4, 4).to_sparse().to_sparse(layout=torch.sparse_bsc, blocksize=(2, 2)))

# Values alone, also with dense dimensions.
whole = torch.arange(1.0, 33, dtype=torch.float64).reshape(4, 4, 2)
for layout in LAYOUTS[2:]:
    for given in (whole, whole[..., 0], whole * (whole > 9)):
        blocks = {"blocksize": (2, 2)} if layout in LAYOUTS[4:] else {}
        s = given.to_sparse(layout=layout, dense_dim=given.dim() - 2, **blocks)
        rows = layout in (torch.sparse_csr, torch.sparse_bsr)
        i = (s.crow_indices(), s.col_indices()) if rows else (s.ccol_indices(), s.row_indices())
        for masked in (True, False):

            def to_dense(values):
                made = torch.sparse_compressed_tensor(*i, values, s.shape, layout=layout)
                return made.to_dense(masked_grad=masked)

            values = s.values().clone().requires_grad_()
            t(f"{layout} {masked}", lambda: torch.autograd.gradcheck(to_dense, values, masked=masked))
