"""A GPT-2 of two layers: a step of learning and greedy text."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(
    GPT2Config(vocab_size=50, n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=49)
)
words = torch.randint(0, 50, (2, 10))
model.train()
out = model(words, labels=words)
out.loss.backward()
print(out.loss, out.logits.shape, model.transformer.wte.weight.grad.norm())
model.eval()
print(model(words).logits[0, -1, :6])
print(model.generate(words[:, :3], max_new_tokens=5, do_sample=False, pad_token_id=49))
