# ruff: noqa
"""Attention and transformers."""

import torch

nn = torch.nn


def show(name, r):
    for q in r if isinstance(r, tuple) else (r,):
        if q is None:
            print(name, None)
        else:
            print(
                name, q.shape, q.grad_fn.name() if q.grad_fn else None, [f"{v:.4f}" for v in q.flatten()[:5].tolist()]
            )


torch.manual_seed(0)
for kw in (
    {},
    {"batch_first": True},
    {"bias": False},
    {"add_bias_kv": True},
    {"add_zero_attn": True},
    {"kdim": 5, "vdim": 7},
    {"dropout": 0.3},
):
    m = nn.MultiheadAttention(8, 2, **kw)
    print(m, list(m.state_dict()))
    x = torch.randn(4, 3, 8)
    k = x if "kdim" not in kw else torch.randn(4, 3, 5)
    v = x if "kdim" not in kw else torch.randn(4, 3, 7)
    L, N = (3, 4) if "batch_first" in kw else (4, 3)
    show("a", m(x, k, v))
    show("b", m(x, k, v, need_weights=False))
    show("c", m(x, k, v, average_attn_weights=False))
    show("m", m(x, k, v, attn_mask=torch.ones(L, L).tril() == 0))
    show(
        "m", m(x, k, v, attn_mask=nn.Transformer.generate_square_subsequent_mask(L), is_causal=True, need_weights=False)
    )
    pad = torch.zeros(N, L).bool()
    pad[0, -1] = True
    show("p", m(x, k, v, key_padding_mask=pad))
    show("p", m(x, k, v, key_padding_mask=pad, need_weights=False))
    show("u", m(x[:, 0], k[:, 0], v[:, 0]))
    y = torch.randn(2, 3, 8) if N == 3 else torch.randn(4, 2, 8)
    if "kdim" not in kw:
        show("cross", m(y, x, x))
        show("cross3", m(y, x, x + 1))
    m.zero_grad()
    m(x, k, v)[0].pow(2).sum().backward()
    print([f"{p.grad.sum():.3f}" for p in m.parameters()])
torch.manual_seed(0)
e = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
print(e)
E = nn.TransformerEncoder(e, 2)
print(E)
x = torch.randn(3, 4, 8)
show("enc", E(x))
show("enc", E(x, mask=nn.Transformer.generate_square_subsequent_mask(4)))
pad = torch.zeros(3, 4).bool()
pad[0, -1] = True
E.eval()
show("ev", E(x, src_key_padding_mask=pad))
with torch.no_grad():
    print(E(x, src_key_padding_mask=pad)[0])
    print(E(x)[0, 0])
for kw in ({}, {"norm_first": True, "activation": "gelu"}, {"batch_first": True}, {"dropout": 0.0}):
    torch.manual_seed(0)
    t = nn.Transformer(8, 2, 1, 1, 16, **kw)
    s = torch.randn(4, 3, 8)
    g = torch.randn(4, 3, 8)
    L = 3 if "batch_first" in kw else 4
    show("T", t(s, g))
    show("T", t(s, g, tgt_mask=t.generate_square_subsequent_mask(L)))
    t.eval()
    show("T", t(s, g, tgt_mask=t.generate_square_subsequent_mask(L)))
print(t)
print(len(list(t.parameters())))
for f in (
    lambda: nn.MultiheadAttention(8, 3),
    lambda: nn.MultiheadAttention(0, 3),
    lambda: m(torch.ones(2), k, v),
    lambda: nn.MultiheadAttention(8, 2)(torch.ones(2, 3, 8), torch.ones(2, 3, 8), torch.ones(2, 8)),
    lambda: nn.MultiheadAttention(8, 2)(
        torch.ones(2, 3, 8), torch.ones(2, 3, 8), torch.ones(2, 3, 8), attn_mask=torch.ones(3, 3)
    ),
    lambda: nn.TransformerEncoderLayer(8, 2, activation="x"),
    lambda: t(torch.ones(2, 3, 7), torch.ones(2, 3, 7)),
):
    try:
        f()
        print("no")
    except Exception as ex:
        print(type(ex).__name__, ex)
