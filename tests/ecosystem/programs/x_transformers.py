"""A small language model, one step of learning, and text drawn from it."""

import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

torch.manual_seed(0)
model = TransformerWrapper(
    num_tokens=32, max_seq_len=16, attn_layers=Decoder(dim=16, depth=2, heads=2, rotary_pos_emb=True, ff_glu=True)
)
wrapped = AutoregressiveWrapper(model)
words = torch.randint(0, 32, (2, 12))
optimizer = torch.optim.Adam(wrapped.parameters(), lr=1e-2)
for _ in range(3):
    loss = wrapped(words)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
print(wrapped.generate(words[:, :4], 6, temperature=0.0))
