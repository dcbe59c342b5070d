# ruff: noqa
"""Settings of backends as libraries change them, what they ask about attention on GPUs, and about tensors that replace others."""

import torch
from torch.backends import cudnn, mkldnn, opt_einsum

for m in (cudnn, mkldnn):
    m.set_flags(True, False)
    print(m.set_flags(False)[:2], m.enabled, m.set_flags(_enabled=True)[0], m.set_flags(None)[0])
    with m.flags():
        print(m.enabled, m.deterministic)
    with m.flags(enabled=True, deterministic=True):
        print(m.enabled, m.deterministic)
    print(m.enabled, m.deterministic)
print(cudnn.set_flags(_benchmark=True)[1], cudnn.benchmark, cudnn.allow_tf32)
print(opt_einsum.set_flags(), opt_einsum.is_available(), opt_einsum.get_opt_einsum())
with opt_einsum.flags():
    print(opt_einsum.enabled, opt_einsum.strategy)

b, q = torch.backends.cuda, torch.ones(1, 2, 3, 4)
p = b.SDPAParams(q, q + 1, q + 2, None, 0.5, False, True)
print(p.query.sum(), p.key.sum(), p.value.sum(), p.attn_mask, p.dropout, p.is_causal, p.enable_gqa)
print(
    [
        f(p, d)
        for f in (b.can_use_flash_attention, b.can_use_efficient_attention, b.can_use_cudnn_attention)
        for d in (False, True)
    ]
)
try:
    b.SDPAParams(q, q, q, None, 0.0, False)
except TypeError:
    print("seven arguments")

a = torch.ones(2)
kinds = [
    a.double(),
    torch.nn.Parameter(a),
    a.to_sparse(),
    a.to("meta"),
    torch.eye(2).to_sparse_csr(),
    torch.nested.nested_tensor([a]),
]
for x in kinds:
    print([torch._has_compatible_shallow_copy_type(x, y) for y in kinds])

import torch.jit._state as state


def same(x):
    return x


print(bool(state._enabled), state._enabled.enabled, state._script_classes, torch.jit.script(same) is same)
state.disable()
print(
    bool(state._enabled),
    torch.jit.script(same) is same,
    torch.jit.trace(same, a) is same,
    torch.jit.script(torch.nn.ReLU()).__class__,
)
state.enable()
print(torch.jit.script(same) is same, torch.jit.trace(same, a) is same)
