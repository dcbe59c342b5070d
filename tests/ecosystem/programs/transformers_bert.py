"""A BERT of two layers that sorts sentences."""

import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
model = BertForSequenceClassification(
    BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, num_labels=3
    )
).eval()
words = torch.randint(0, 60, (3, 9))
mask = torch.ones_like(words)
mask[0, 6:] = 0
out = model(input_ids=words, attention_mask=mask, labels=torch.tensor([0, 1, 2]))
out.loss.backward()
print(out.loss, out.logits, model.classifier.weight.grad.norm())
