"""Vectors replaced by the nearest of a code book, in several ways."""

import torch
from vector_quantize_pytorch import FSQ, ResidualVQ, VectorQuantize

torch.manual_seed(0)
x = torch.randn(1, 32, 8, requires_grad=True)
q, places, loss = VectorQuantize(dim=8, codebook_size=16, decay=0.8, commitment_weight=1.0)(x)
(q.sum() + loss.sum()).backward()
print(q[0, 0], places, loss, x.grad[0, 0])
q, places, loss = ResidualVQ(dim=8, num_quantizers=3, codebook_size=16, kmeans_init=True, kmeans_iters=3)(
    torch.randn(1, 64, 8)
)
print(q[0, 0], places[0, :4], loss)
print(*FSQ([8, 5, 5])(torch.randn(1, 6, 3)))
