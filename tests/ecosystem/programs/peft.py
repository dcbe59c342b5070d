"""LoRA on a small network and on a GPT-2 of two layers."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(
    GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=39)
)
tuned = get_peft_model(
    model, LoraConfig(r=2, lora_alpha=4, target_modules=["c_attn"], fan_in_fan_out=True, task_type="CAUSAL_LM")
)
tuned.print_trainable_parameters()
words = torch.randint(0, 40, (2, 8))
optimizer = torch.optim.AdamW([p for p in tuned.parameters() if p.requires_grad], lr=1e-2)
tuned.eval()
for _ in range(3):
    loss = tuned(input_ids=words, labels=words).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss)
print(tuned.merge_and_unload()(words).logits[0, 0, :4])
