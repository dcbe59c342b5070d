# ruff: noqa
"""Least squares of batches that broadcast, products that do not fit, sums of products of nothing, norms along empty dimensions."""

import torch


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


shapes = "3 3:3 2|2 3 3:3 2|2 3 3:2 3|3 3 3:3 2|2 4 3:1 4|1 3 3:2 3|2 2 3 3:2 3|2 2 3 3:1 3 2|1 3 3:3 3|1 1 1:3 1|2 3:3"
for pair in shapes.split("|"):
    a, b = (tuple(map(int, each.split())) for each in pair.split(":"))
    told(lambda: [x.shape for x in torch.linalg.lstsq(torch.ones(a), torch.ones(b))])
for driver in ("gels", "gelsy", "gelsd", "gelss"):
    for rows, columns in ((3, 2), (2, 3), (3, 3), (1, 1), (2, 1)):
        for batch in ((), (2,)):
            a = torch.ones(*batch, rows, columns).tril() + torch.eye(rows, columns)
            found = torch.linalg.lstsq(a, torch.ones(*batch, rows, 2), driver=driver).solution
            print(driver, found.shape, found.stride())

for n in (1, 3):
    for k in (0, 1, 2):
        told(lambda: torch.mm(torch.ones(n, k + 1), torch.ones(k, 4)))
        told(lambda: torch.addmm(torch.ones(n, 4), torch.ones(n, k + 1), torch.ones(k, 4)))
        told(lambda: torch.addmm(torch.ones(4), torch.ones(n, k), torch.ones(k, 4)).shape)
told(lambda: torch.einsum("", []))
told(lambda: torch.einsum(""))
told(lambda: torch.einsum("a,a"))

for shape in ((10, 0), (0, 10), (0,)):
    for order in (2, -1, float("inf")):
        for dim in (-1, 0, None, (0,)):
            told(lambda: torch.linalg.vector_norm(torch.ones(shape, dtype=torch.float64), order, dim))

diagonals = (
    torch.eye(1) * 2,
    torch.diag(torch.tensor([3.0, 2.0, 1e-9])),
    torch.diag(torch.tensor([3.0, 3.0])),
    torch.ones(2, 1),
)
for driver in ("gelsd", "gelss", "gelsy"):
    for rcond in (None, 0, 1e-6, -1, 0.5, 0.99, 1.0, 2.5):
        for a in diagonals:
            found = torch.linalg.lstsq(a, torch.ones(len(a), 1), rcond=rcond, driver=driver)
            print(driver, rcond, [(x * 1000).round().tolist() for x in (found.solution, found.rank)])

torch.manual_seed(0)
a = torch.randn(6, 4, dtype=torch.float64)
held = (a * (a > 0)).to_sparse()
for found in (torch.svd_lowrank(held, 3), torch.pca_lowrank(held, 3), torch.pca_lowrank(held, 3, center=False)):
    print([tuple(x.shape) for x in found])
print(torch.pca_lowrank(held, 4)[1].sub(torch.pca_lowrank(held.to_dense(), 4)[1]).abs().max().item() < 1e-10)
for k in (1, 2):
    values, vectors = torch.lobpcg((held.t() @ held.to_dense()).to_sparse(), k=1)
    print(
        values.shape,
        vectors.shape,
        values.sub(torch.linalg.eigvalsh(held.to_dense().t() @ held.to_dense())[-1]).abs().max() < 1e-6,
    )
