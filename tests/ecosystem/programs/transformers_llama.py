"""A Llama of two layers, with a cache of keys, and its learning through the Trainer's scheduler."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, get_cosine_schedule_with_warmup

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=40,
    hidden_size=16,
    intermediate_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=64,
)
model = LlamaForCausalLM(config)
words = torch.randint(0, 40, (2, 8))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = get_cosine_schedule_with_warmup(optimizer, 2, 10)
for _ in range(3):
    loss = model(input_ids=words, labels=words).loss
    loss.backward()
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    print(loss, schedule.get_last_lr())
print(model.generate(words[:, :3], max_new_tokens=5, do_sample=False, pad_token_id=0))
