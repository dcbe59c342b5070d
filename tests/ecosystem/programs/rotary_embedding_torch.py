"""Positions as rotations of queries and keys."""

import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

torch.manual_seed(0)
q, k = torch.randn(1, 2, 6, 16), torch.randn(1, 2, 6, 16)
print(RotaryEmbedding(dim=8).rotate_queries_or_keys(q)[0, 0])
print(*[x[0, 0, 1] for x in RotaryEmbedding(dim=8, use_xpos=True).rotate_queries_and_keys(q, k)])
angles = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=16).get_axial_freqs(4, 4)
print(apply_rotary_emb(angles, torch.randn(1, 4, 4, 16))[0, 1, 1])
