"""Systems of equations of which some are singular; many of them at once; LDL decompositions with blocks of one and of two."""

import torch

linalg = torch.linalg
g = torch.Generator().manual_seed(0)
for dtype in (torch.float64, torch.complex128):
    for hermitian in (False, True):
        for count, n in ((200, 1), (200, 2), (300, 5), (50, 17), (4, 70)):
            A = torch.randn(count, n, n, generator=g, dtype=dtype)
            A[::5, :, : n // 2] *= 1e-3
            S, B = A + (A.mH if hermitian else A.mT), torch.randn(count, n, 2, generator=g, dtype=dtype)
            LD, pivots, info = linalg.ldl_factor_ex(S, hermitian=hermitian)
            X = linalg.ldl_solve(LD, pivots, B, hermitian=hermitian)
            error = (S @ X - B).abs().amax((1, 2)) / (S.abs().amax((1, 2)) * X.abs().amax((1, 2)))
            one = linalg.ldl_solve(LD, pivots, B[0], hermitian=hermitian)
            print(n, (pivots < 0).sum().item(), error.amax().item() < 1e-12, f"{X.abs().sum().item():.3e}", one.shape)

S = torch.stack([torch.eye(2), torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.zeros(2, 2)])
found = linalg.ldl_factor_ex(S)
print(found, linalg.ldl_solve(found.LD, found.pivots, torch.ones(3, 2, 1)))
found = linalg.ldl_factor_ex(torch.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]))
print(found, linalg.ldl_solve(found.LD, found.pivots, torch.ones(3, 1)))

A = torch.randn(6, 3, 3, generator=g)
A[1] = 0
A[4] = torch.tensor([[2.0, 1.0, 1.0], [4.0, 2.0, 2.0], [1.0, 1.0, 3.0]])
print(linalg.inv_ex(A))
print(linalg.solve_ex(A, torch.ones(6, 3, 2)))
print(linalg.solve_ex(A, torch.ones(6, 3)))
print(linalg.solve_ex(A[1], torch.ones(6, 3, 1)))
print(linalg.inv_ex(A.to(torch.complex64)).info)
many = torch.randn(20000, 3, 3, generator=g)
many[::7] = 0
found = linalg.inv_ex(many)
print(found.info.sum(), found.inverse.isfinite().all((1, 2)).sum())
for own, other in (
    ((2, 2), (6, 2, 1)), ((1, 2, 2), (6, 2, 1)), ((6, 2, 2), (2, 1)), ((3, 1, 2, 2), (4, 2, 1)), ((2, 2), (2,)),
    ((6, 2, 2), (6, 2)), ((4, 1, 2, 2), (1, 3, 2, 2)),
):  # fmt: skip
    for whole in (1, 0):
        found = linalg.solve_ex(torch.eye(2).expand(own) * whole, torch.ones(other))
        print(own, other, found.info.shape, found.result.shape)
