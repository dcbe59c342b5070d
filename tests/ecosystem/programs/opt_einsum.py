"""Contractions of several tensors in the best order."""

import opt_einsum as oe
import torch

torch.manual_seed(0)
a, b, c = torch.randn(3, 4), torch.randn(4, 5, requires_grad=True), torch.randn(5, 3)
path, info = oe.contract_path("ij,jk,ki->", a, b, c)
print(path)
value = oe.contract("ij,jk,ki->", a, b, c)
value.backward()
print(value, b.grad)
ready = oe.contract_expression("ab,bc,cd->ad", (3, 4), (4, 5), (5, 3))
print(ready(a, b, c, backend="torch"))
