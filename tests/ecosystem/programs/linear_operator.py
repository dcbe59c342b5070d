"""Matrices by their structure: solved, multiplied, their determinants."""

import torch
from linear_operator import operators, to_linear_operator

torch.manual_seed(0)
a = torch.randn(5, 5)
dense = to_linear_operator(a @ a.mT + 5 * torch.eye(5))
low = operators.LowRankRootLinearOperator(torch.randn(5, 2)) + operators.DiagLinearOperator(torch.ones(5))
kron = operators.KroneckerProductLinearOperator(to_linear_operator(torch.eye(2) * 3), dense)
for op in (dense, low, kron, operators.ToeplitzLinearOperator(torch.tensor([3.0, 1.0, 0.5]))):
    right = torch.ones(op.shape[-1], 1)
    print(
        type(op).__name__,
        op.shape,
        (op @ right).flatten()[:3],
        op.diagonal()[:3],
        torch.linalg.solve(op, right).flatten()[:3],
    )
print(dense.logdet(), torch.logdet(low.to_dense()), dense.inv_quad(torch.ones(5)))
