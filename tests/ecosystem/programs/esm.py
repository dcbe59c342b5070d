"""A small language model of proteins: words, representations, contacts, and a few steps of learning."""

import esm
import torch
from esm.model.esm2 import ESM2

torch.manual_seed(0)
alphabet = esm.data.Alphabet.from_architecture("ESM-1b")
model = ESM2(num_layers=2, embed_dim=32, attention_heads=4, alphabet=alphabet, token_dropout=True).eval()
_, _, words = alphabet.get_batch_converter()([("one", "MKTVRQERLK"), ("two", "KALTARQ<mask>")])
print(words)
found = model(words, repr_layers=[0, 2], return_contacts=True)
print(found["logits"].shape, found["logits"][0, 1, :5])
print(found["representations"][2][1, 0, :5], found["contacts"][0, 0])
model.train()
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(3):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(words)["logits"].transpose(1, 2), words)
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
