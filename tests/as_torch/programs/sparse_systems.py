"""Triangular systems of compressed rows, and sums of sparse products in which a weight is zero."""

import torch


def told(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].partition(" This could")[0])


upper = torch.tensor([[2.0, 1, 0], [0, 4, 3], [0, 0, 5]])
right = torch.tensor([[1.0, 2], [3, 4], [5, 6]])
rows = upper.to_sparse_csr()
told(lambda: torch.triangular_solve(right, rows))
told(lambda: torch.triangular_solve(right, rows, transpose=True))
told(lambda: torch.triangular_solve(right, rows, unitriangular=True))
told(lambda: torch.triangular_solve(right, upper.t().to_sparse_csr(), upper=False))
told(lambda: torch.triangular_solve(right, (upper * 0).to_sparse_csr()))
blocks = torch.block_diag(torch.tensor([[2.0, 1], [0, 3]]), torch.tensor([[1.0, 1], [0, 4]])).to_sparse_bsr((2, 2))
told(lambda: torch.triangular_solve(torch.ones(4, 1), blocks))
given = torch.empty(2, 3).t(), torch.empty(0)
torch.triangular_solve(right, rows, out=given)
print(given, given[0].stride())
for wrong in (
    lambda: torch.triangular_solve(right, upper.to_sparse_csc()),
    lambda: torch.triangular_solve(right, upper.to_sparse()),
    lambda: torch.triangular_solve(right[:2], rows),
    lambda: torch.triangular_solve(right[:, 0], rows),
    lambda: torch.triangular_solve(right.double(), rows),
    lambda: torch._convert_indices_from_coo_to_csr(torch.ones(2, 2).long(), size=2),
):
    told(wrong)

nothing, one = torch.full((2, 2), float("nan")), torch.eye(2)
for form in (torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc):
    told(lambda form=form: torch.addmm(form(nothing), form(one), form(one), beta=0))
    told(lambda form=form: torch.addmm(form(nothing), form(one), form(one * 0), beta=0).to_dense())
told(lambda: torch.addmm(nothing, one.to_sparse_csr(), one.to_sparse_csr(), beta=0))
