# ruff: noqa
"""How results lie in memory that were written into tensors without elements (``out=``): as the operands do."""

import torch

x = torch.randn(2, 3, 4).permute(2, 0, 1)
for n, f in dict(
    add=lambda o: torch.add(x, x, out=o),
    eq=lambda o: torch.eq(x, x, out=o),
    exp=lambda o: torch.exp(x, out=o),
    mul=lambda o: torch.mul(x, 2.0, out=o),
    clamp=lambda o: torch.clamp(x, 0, out=o),
    cum=lambda o: torch.cumsum(x, 0, out=o),
    sm=lambda o: torch.softmax(x, 0, out=o),
    where=lambda o: torch.where(x > 0, x, x, out=o),
    lerp=lambda o: torch.lerp(x, x, 0.5, out=o),
    addc=lambda o: torch.addcmul(x, x, x, out=o),
    pw=lambda o: torch.pow(x, 2, out=o),
    sum=lambda o: torch.sum(x, 0, out=o),
    mean=lambda o: torch.mean(x, (1,), out=o),
    amax=lambda o: torch.amax(x, 1, out=o),
    sig=lambda o: torch.sigmoid(x, out=o),
    cat=lambda o: torch.cat([x, x], out=o),
    bits=lambda o: torch.isnan(x),
    sgn=lambda o: torch.sign(x, out=o),
    flip=lambda o: torch.logical_not(x, out=o),
    sq=lambda o: torch.sqrt(x, out=o),
    atan2=lambda o: torch.atan2(x, x, out=o),
    maxi=lambda o: torch.maximum(x, x, out=o),
    rnd=lambda o: torch.round(x, out=o),
    nan=lambda o: torch.nan_to_num(x, out=o),
    mish=lambda o: torch.erf(x, out=o),
    neg=lambda o: torch.neg(x, out=o),
    tril=lambda o: torch.tril(x, out=o),
    sinh=lambda o: torch.sinh(x, out=o),
    relu=lambda o: torch.nn.functional.leaky_relu(x),
    triu=lambda o: torch.index_select(x, 0, torch.tensor([0, 1]), out=o),
).items():
    try:
        print(n, f(torch.empty(0, dtype=torch.bool if n in ("eq", "flip") else torch.float32)).stride())
    except Exception as e:
        print(n, type(e).__name__, str(e)[:80])
o = torch.empty(0)
torch.add(x, x, out=o)
print(torch.equal(o, x + x), o.stride(), o.shape, o.untyped_storage().nbytes())
o = torch.empty(24).view(2, 12)[:0]
torch.exp(x, out=o)
print(torch.equal(o, x.exp()), o.stride())
y = torch.randn(3, 1).expand(3, 4)
o = torch.empty(0)
print(torch.exp(y, out=o).stride(), torch.add(y.t(), y.t(), out=torch.empty(0)).stride())
v, i = torch.empty(0), torch.empty(0, dtype=torch.long)
torch.max(x, 0, out=(v, i))
print(v.stride(), i.stride(), torch.equal(v, x.max(0)[0]))
