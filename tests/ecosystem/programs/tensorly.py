"""Decompositions of a tensor, computed on torch."""

import tensorly as tl
import torch
from tensorly.decomposition import parafac, tensor_train, tucker

tl.set_backend("pytorch")
torch.manual_seed(0)
x = torch.randn(4, 5, 3, dtype=torch.float64)
weights, factors = parafac(x, rank=2, n_iter_max=20, init="svd")
print(weights, factors[0], tl.norm(x - tl.cp_to_tensor((weights, factors))))
core, parts = tucker(x, rank=[2, 2, 2])
print(core.shape, tl.norm(tl.tucker_to_tensor((core, parts))))
print([f.shape for f in tensor_train(x, [1, 2, 2, 1])], tl.unfold(x, 1)[0, :4])
