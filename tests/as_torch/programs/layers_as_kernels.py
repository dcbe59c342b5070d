# ruff: noqa
"""Where the results of layers lie in memory, what attention makes of rows that are masked, what state dicts say of spectral_norm."""

import copy
import io
import pickle
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

for shape in ((2, 3, 20, 20), (1, 5, 20, 20)):
    for mode in ("bilinear", "bicubic", "nearest"):
        x = torch.randint(0, 255, shape, dtype=torch.uint8).contiguous(memory_format=torch.channels_last)
        for part in (x, x[:, :, 2:-2, 2:-2], x[:, :, ::2, ::2], x[0][None], x.contiguous()):
            print(mode, F.interpolate(part, size=(7, 7), mode=mode).stride())
x = torch.randn(2, 8, 8, 8, 8).contiguous(memory_format=torch.channels_last_3d)
for each in (x, x[0], x.contiguous(), x[0].contiguous()):
    each = each.detach().requires_grad_()
    y, indices = F.max_pool3d(each, 3, return_indices=True)
    y.sum().backward()
    print(y.stride(), indices.stride(), each.grad.stride(), F.avg_pool3d(each, 3).stride())

torch.manual_seed(0)
x = torch.randn(2, 60, 7, 20, 15)
norm = nn.GroupNorm(3, 60)
exact = nn.GroupNorm(3, 60).double()(x.double())
for form in (torch.contiguous_format, torch.channels_last_3d):
    given = x.detach().contiguous(memory_format=form).requires_grad_()
    found = norm(given)
    found.sum().backward()
    print(found.stride(), given.grad.stride(), (found - exact).abs().max() < 1e-5)

for dtype in (torch.bfloat16, torch.float16):
    values, indices = torch.rand(500, 4).to(dtype), torch.randint(0, 3, (500,))
    table = torch.zeros(3, 4, dtype=dtype, requires_grad=True)
    for padding in (None, 1):
        for sparse in (False, True):
            table.grad = None
            F.embedding(indices, table, padding, sparse=sparse).backward(values)
            print(table.grad.to_dense())

layer = nn.TransformerEncoderLayer(4, 2, 16, 0.0, batch_first=True)
attention = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.ones(2, 2, 4)
padding = torch.tensor([[True, True], [False, True]])
causal = nn.Transformer.generate_square_subsequent_mask(2)
for training in (True, False):
    layer.train(training), attention.train(training)
    for recorded in (True, False):
        with torch.set_grad_enabled(recorded):
            print(layer(x, src_key_padding_mask=padding).isnan().any(-1))
            print(layer(x, src_mask=torch.tensor([[True, True], [False, True]])).isnan().any(-1))
            print(layer(x, src_mask=causal).isnan().any(-1))
            for needed in (True, False):
                y, weights = attention(x, x, x, padding, need_weights=needed)
                print(y.isnan().any(-1), weights is None)
            print(attention(x, x.clone(), x, padding, need_weights=False)[0].isnan().any(-1))

Pair = namedtuple("Pair", "first second")


class Paired(nn.Module):
    def forward(self, x):
        return Pair(2 * x, x + 1)


for register in ("register_full_backward_hook", "register_full_backward_pre_hook", "register_forward_hook"):
    module = Paired()
    getattr(module, register)(lambda *given: None)
    print(type(module(torch.ones(2, requires_grad=True))).__name__)

normed = nn.utils.spectral_norm(nn.Linear(3, 5))
x = torch.randn(2, 3)
for _ in range(3):
    normed(x)
state = normed.state_dict()
print(list(state), state._metadata)
expected = normed.eval()(x)
older = copy.deepcopy(state)
del older["weight_v"], older._metadata[""]["spectral_norm"]
older["weight"] = normed.weight.detach().clone()
other = nn.utils.spectral_norm(nn.Linear(3, 5)).eval()
print(other.load_state_dict(older), torch.allclose(other(x), expected), list(older))
del older["weight_u"]
try:
    other.load_state_dict(older)
except RuntimeError as error:
    print(error)
print(other.load_state_dict(older, strict=False))
bare = copy.deepcopy(state)
bare._metadata.clear()
print(other.load_state_dict(bare), torch.allclose(other(x), expected))
normed.weight = normed.weight.detach()
again = pickle.loads(pickle.dumps(normed))
print(again.state_dict()._metadata)
plain = nn.utils.remove_spectral_norm(again)
print(plain.state_dict()._metadata, list(plain.state_dict()))
print(nn.utils.spectral_norm(plain).state_dict()._metadata)
file = io.BytesIO()
torch.save(state, file)
file.seek(0)
print(torch.load(file)._metadata)
