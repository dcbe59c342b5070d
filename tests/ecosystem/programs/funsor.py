"""Sums over names in place of dimensions."""

import funsor
import funsor.ops as ops
import torch

funsor.set_backend("torch")
from funsor.domains import Bint  # noqa: E402
from funsor.tensor import Tensor  # noqa: E402

torch.manual_seed(0)
x = Tensor(torch.randn(3, 4), {"i": Bint[3], "j": Bint[4]})
y = Tensor(torch.randn(4), {"j": Bint[4]})
print(
    (x * y).reduce(ops.add, "j").data,
    x.reduce(ops.logaddexp).data,
    x(i=1).data,
    (x + y).exp().reduce(ops.max, "i").data,
)
from funsor.sum_product import sum_product  # noqa: E402

print(sum_product(ops.logaddexp, ops.add, [x, y], frozenset({"i", "j"}), frozenset()).data)
