"""Tensor programs and small texts that together use every construct of the language."""

PROGRAMS = {
    "literals": r"""
a = 0, 0x1F, 0b101, 0o17, 1_000, 1e-3, .5, 5., 1.5e+10, 3j, 1.5J, 0xFFFF_FFFF, 00, 1_0.0_1
b = 'x', "y", """  # noqa
    + "'''t\"\"\"'''"
    + r''', r'\d', b'\x00a', Rb'\d', u'u', 'a' "b" 'c', '\n\t\\\'\"\a\x41\u00e9\U0001F600\N{BULLET}\101\
joined', """
multi
line"""
c = None, True, False, ..., (), (1,), (1, 2), [], [1, ], {}, {1: 2, **d}, {1, 2, *e}, [*a, *b], (*a,)
d = -1, +1, ~1, not 1, - - 1, 2 ** -1, -2 ** 2, (-2) ** 2, 2 ** 3 ** 2
''',
    "operators": """
x = a + b - c * d / e // f % g @ h ** i
y = a << b >> c & d ^ e | f
z = a < b <= c > d >= e == f != g is h is not i in j not in k
w = a and b or not c and (d or e)
v = a if b else c if d else e
u = (lambda: 0), (lambda x, *y, z=1, **k: x), lambda a, /, b=2, *, c: a
t = (n := 10) + f(m := 3)
s = (a + b) * (c), (a)(b), (a)[b], (a).b, ((a))
a += 1; a -= 1; a *= 1; a /= 1; a //= 1; a %= 1; a @= 1; a **= 1; a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1
""",
    "subscripts": """
x[0], x[-1], x[1:], x[:2], x[::2], x[1:2:3], x[:], x[::], x[...], x[None], x[:, None], x[..., 0]
x[1, 2], x[1:2, ::3], x[x > 0], x[[0, 1], [1, 0]], x[:, [0, 2]], x[a:b, c], x[(1, 2)], x[0,], x[i := 0]
x[1:2] = 3; x[0, ..., None] += 1; x[m] *= 2
del x[0], x[1:2], y, z.a, (p, q), [r]
x[*a], x[*a, 1], x[lambda: 0]
""",
    "assignments": """
a = b = c = 1
a, b = b, a
a, *b = c
(a, b), [c, *d] = e
a.b, c[0] = 1, 2
a, = b
x: int = 3
x.y: float
z: "str"
(w): int = 1
x[0]: list[int] = [1]
def f():
    x = yield
    y = yield x, 1
    y += yield from g()
    a: int = yield
    return (yield)
""",
    "calls": """
f(), f(1), f(1,), f(a=1), f(*a), f(**k), f(1, *a, b, c=2, *d, **k, e=3), f(x for x in y), f((x for x in y), 1)
f(x)(y)[z].w, f (x), a . b, f(a)(b)(c), f(lambda x: x, key=lambda: 0), f(not a, -b), f(a if b else c)
print(*a, sep='', **b)
nn.Sequential(
    nn.Linear(10, 20),  # comment
    nn.ReLU(),

    nn.Linear(20, 1),
)
""",
    "comprehensions": """
[x for x in y]
[x for x in y if x if not y]
[(x, y) for x in a for y in b if x for z in c]
{x: y for x, y in z}
{x for x in y}
(x for x in y)
[x for x, in y], [a for a, *b in c], [[y for y in x] for x in z], [i for i in range(5) if (j := i)]
sum(x * y for x, y in zip(a, b))
{**a, 'b': {c: d for c, d in e.items()}}
""",
    "strings": """
f'{x}', f"{x!r}", f'{x:.2f}', f'{x!s:>10}', f'{x = }', f'{x=!r:^5}', f'{{}}', f'a{x}b{y}c', f'{x:{w}.{p}f}'
f'{x["a"]}' f"{y}" 'z', rf'\\d{x}', f'''
{x}
  {y + 1}'''
f'{ x , y }', f'{(lambda: 1)()}', f'{a if b else c}', f'{[i for i in x]}', f'{ {1: 2}[1] }', f'{x:%Y-%m}', f''
f"{x:>{10}}{y!r:<{n}}", 'a' f'b' 'c{d}', f'{f"{x}"}', f'{yield_}', f'é{x}ü'
print(f"epoch {epoch:3d} loss {loss.item():.4f} {'*' * 3}")
""",
    "statements": """
if a: pass
elif b: x = 1; y = 2
else: z
while a:
    if b: break
    continue
else:
    c
for i, (x, y) in enumerate(z): print(i)
for x in 1, 2, 3:
    pass
else: pass
for x, in y: pass
for a.b in c: pass
for x[0] in y: pass
for *a, b in c: pass
with a: pass
with a as b, c as d: pass
with a as (b, c), d: pass
with (a as b, c as d): pass
with (a, b): pass
with (a, b) as c: pass
with (a): pass
with (a as b): pass
with (a), (b): pass
with (
    torch.no_grad(),
    open(x) as f,
):
    pass
try: a
except: b
try:
    a
except A: b
except (B, C) as e: c
else: d
finally: f
try: a
finally: b
assert a
assert a, b
raise
raise a
raise a from b
import a
import a.b.c, d as e, f.g as h
from a import b
from a.b import c as d, e
from a import (b, c as d,)
from a import *
global q, r
""",
    "definitions": '''
def f(): pass
def f(a, b=1, *c, d, e=2, **g) -> int: return a
def f(a, /, b, *, c): "doc"
def f(a: int, b: str = 'x', *args: int, c: float = 1., **kw: dict) -> "T":
    """doc"""
    def inner():
        nonlocal a
        global G
        a = 1
        return
    yield
    yield a
    yield a, b
    yield from c
    return a, *b
@dec
@dec.a(1)
def f(
    a,
    b,
): pass
class A: pass
class A(): x = 1
class A(B, C, k=1):
    "doc"
    x: int = 1
    def __init__(self, *args): super().__init__(); self.x = args
    @property
    def y(self): return self.x
    @y.setter
    def y(self, v): self.x = v
    class D:
        z = 1
@torch.no_grad()
class B(A): pass
''',
    "layout": """
# a comment first
x = (1 +
  2
     # inside
   + 3)
if x:

  # odd

  y = 1
      # deeper comment
  z = 2
# shallower comment
  w = 3
else:
\ty = 1
\tif z:
\t\tw
a = 1 + \\
    2
if a and \\
   b:
    pass
def f():
    pass

    # end
class C:
    x = [
1,
2]
    y = '''
not indented
'''
    z = 3; w = 4;
x = 1;
for i in a: b;
""",
    "match": """
match x:
    case 1 | -1 | 1.5 | 1+2j | -1-2j: pass
    case 'a' "b" | None | True | False: pass
    case a.b | a.b.c: pass
    case [a, b, *c] | (a, b, *c): pass
    case [] | () | (a,) | [a]: pass
    case {'k': v, 1: w, a.b: c, **rest}: pass
    case {}: pass
    case C() | C(1, a) | C(x=1, y=b) | a.C(1, z=2,): pass
    case (a as b): pass
    case a, b: pass
    case a, *_: pass
    case *a,: pass
    case _ if x > 1: pass
match x, y:
    case _:
        match = 1
        case = 2
match (x):
    case _: pass
match[0] = case(1)
match(x)
match.x: int = 1
print(match, case)
""",
    "unicode": """
é = 'ü'; x = é + "日本"; π = 3.14; print(é, π, f"{é}→{π:.2f}", x[é:π])
ﬁ = 1
# Grüße
变量 = [数据 for 数据 in 列表 if 数据]
""",
    "model": '''
"""A small model."""
from __future__ import annotations
import math, torch
import torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Attention(nn.Module):
    def __init__(self, n_embd: int, n_head: int, *, dropout=0.1):
        super(Attention, self).__init__()
        assert n_embd % n_head == 0, f"{n_embd} % {n_head}"
        self.key, self.query = nn.Linear(n_embd, n_embd), nn.Linear(n_embd, n_embd)
        self.register_buffer("mask", torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))

    def forward(self, x):
        B, T, C = x.size()
        k = self.key(x).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float('-inf'))
        return F.softmax(att, dim=-1)


def train(model, loader, epochs=3, lr=1e-3, **options):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.999))
    for epoch in range(1, epochs + 1):
        total = 0.
        for i, (inputs, target) in enumerate(loader):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(inputs), target)
            loss.backward(); optimizer.step()
            total += loss.item() * inputs.size(0)
            if i % 100 == 0 and not options.get('quiet', False):
                print('%d %5d loss: %.3f' % (epoch, i + 1, total / (i + 1)))
        with torch.no_grad():
            acc = sum((model(a).argmax(-1) == b).sum().item() for a, b in loader)
    return {'loss': total, 'acc': acc}


if __name__ == '__main__':
    torch.manual_seed(0)
    X = torch.randn(64, 8, requires_grad=True)
    w = [p for name, p in train.__defaults__ or ()] if False else None
    train(Attention(8, 2), DataLoader(TensorDataset(X[:, None].repeat(1, 8, 1), (X[:, 0] > 0).long()), 16))
''',
}
