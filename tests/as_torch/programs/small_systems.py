"""LU decompositions and systems of a few rows: products are subtracted before they are rounded, so that matrices that are singular but
for rounding are solved, as PyTorch's are."""

import torch

for dtype in (torch.float32, torch.float64):
    a = torch.arange(1, 10, dtype=dtype).reshape(3, 3)
    print(torch.linalg.lu_factor(a))
    print(torch.linalg.inv(a).isfinite().all(), torch.linalg.matrix_rank(a))
    try:
        torch.linalg.inv(torch.ones(2, 2, dtype=dtype))
    except RuntimeError as error:
        print(error)
    print(torch.linalg.solve_ex(torch.ones(3, 2, 2, dtype=dtype), torch.ones(2, 1, dtype=dtype))[1])
    print(torch.linalg.lu_factor_ex(torch.stack([torch.ones(2, 2, dtype=dtype), torch.eye(2, dtype=dtype)])))

torch.manual_seed(0)
torch.set_printoptions(precision=17, linewidth=200)
for n in (2, 5, 16):
    a, b = torch.randn(2, n, n, dtype=torch.float64), torch.randn(n, 2, dtype=torch.float64)
    print(torch.linalg.lu_factor(a)[0].sum(-1))
    if n != 5:
        print(torch.linalg.solve(a, b), torch.linalg.inv(a).sum(-1))
        print(torch.linalg.solve_triangular(a, b, upper=True).sum(-1))

singular = 0
for n in (2, 3, 4, 8):
    for _ in range(30):
        a = torch.randn(n, n, dtype=torch.float64)
        a = a + a.T
        shifted = a - torch.linalg.eigvalsh(a)[0] * torch.eye(n, dtype=torch.float64)
        singular += int(torch.linalg.solve_ex(shifted, torch.ones(n, 1, dtype=torch.float64))[1])
print(singular)

for n in (2, 3, 5, 16):
    for dtype in (torch.float32, torch.float64):
        a = torch.randn(3, n, n, dtype=dtype)
        print(torch.linalg.det(a), torch.linalg.det(a[0].T))
for text in ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]):
    a = torch.tensor(text, dtype=torch.float64)
    print(torch.linalg.det(a), torch.linalg.slogdet(a), torch.linalg.inv(a)[0])
