"""What compressed matrices say that are asked for strides, or multiply what is no matrix."""

import torch


def tried(name, f, *args):
    try:
        print(name, f(*args))
    except (RuntimeError, IndexError) as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


d = torch.eye(4)
layouts = {
    "csr": d.to_sparse_csr(), "csc": d.to_sparse_csc(), "bsr": d.to_sparse_bsr((2, 2)), "bsc": d.to_sparse_bsc((2, 2)),
}  # fmt: skip
others = {
    "vector": torch.ones(4),
    "number": torch.tensor(2.0),
    "matrix": torch.ones(3, 2),
    "batch": torch.ones(2, 4, 4),
}
for name, c in layouts.items():
    for f, args in ((c.stride, ()), (c.stride, (0,)), (c.is_contiguous, ())):
        tried(name, f, *args)
    for kind, y in others.items():
        tried(f"{name} mm {kind}", torch.mm, c, y)
        tried(f"{name} addmm {kind}", torch.addmm, torch.ones(4, 4), c, y)
        tried(f"{kind} mm {name}", torch.mm, y, c)
        tried(f"{kind} addmm {name}", torch.addmm, torch.ones(4, 4), y, c)
tried("coo mm batch", torch.mm, d.to_sparse(), others["batch"])
