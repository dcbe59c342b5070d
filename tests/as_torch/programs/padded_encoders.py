"""Encoders without gradients: padding at the ends becomes zero, padding elsewhere does not."""

import torch
import torch.nn as nn

layer = nn.TransformerEncoderLayer(4, 2, 16, 0.0, batch_first=True)
for nested in (True, False):
    model = nn.TransformerEncoder(layer, 1, enable_nested_tensor=nested).eval()
    x = torch.arange(48.0).reshape(3, 4, 4).sin()
    for hidden in (
        [(0, 3), (1, 2), (1, 3)],
        [(0, 3), (1, 3), (2, 3)],
        [(0, 1)],
        [(0, 0), (1, 3)],
        [(0, 1), (0, 3)],
        [],
    ):
        mask = torch.zeros(3, 4, dtype=torch.bool)
        for place in hidden:
            mask[place] = True
        with torch.no_grad():
            print(nested, hidden, (model(x, src_key_padding_mask=mask) == 0).all(-1).tolist())
        print((model(x, src_key_padding_mask=mask) == 0).any().item())
