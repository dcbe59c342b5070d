"""Random calls of every operator: its example with several arguments changed, its result differentiated, mapped, replayed, saved."""

from __future__ import annotations

import ast
import io
import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorsh import Session

from .test_fuzz_programs import internal

DTYPES = """float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
float8_e5m2""".split()
LAID = """({}).t().contiguous().t() ({}).flip(-1) ({})[::2] ({})[...,::2] ({})[:1].expand_as({}) ({})[...,:1].expand_as({})
({}).transpose(0,-1) ({}).unsqueeze(0) ({}).unsqueeze(-1) ({}).reshape(-1) ({})[:0] ({})[...,:0] ({}).sum() ({})[0]
({}).unsqueeze(0).expand(64,*({}).shape) ({}).repeat(300,*[1]*(({}).dim()-1)) ({}).unfold(-1,1,1)
({}).as_strided(({}).shape,[0]*({}).dim()) ({}).as_strided((2,2),(1,1)) ({}).as_strided((3,),(1,),1) ({}).to_sparse()
({}).to_sparse_csr() nested({}) ({}).to('meta') shrunk({}) ({}).numpy() ({}).tolist() ({}).to(torch.complex64).conj()
torch.complex(({}).float(),({}).float()).conj().imag ({}).new_zeros((3,0,2)) torch.empty(2**40,0) torch.randn(4,4)
torch.randn(1,2,5,5) torch.randn(2,3,4,4,4) torch.ones(()) bools(({}).shape) torch.quantize_per_tensor({},0.1,0,torch.quint8)
np.arange(6.)[::-1] None 2.5 ({})*float('nan') ({})*float('inf') -({}) ({})*1e30 ({})*0 ({})+2**31 ({})-2**40 ({})+2**62
({})+1 ({})-1 ({})*1000 ({})*0-2**63""".split()
"""Other tensors in the place of one."""
WHOLE = "-1 0 1 2 3 4 5 -2 -3 17 100 64 1000 2**31 -2**31 2**32+1 2**40 2**62 2**63-1 -2**63 True None 2.5 Lying(1) Lying(5)".split()
REAL = "float('nan') float('inf') -float('inf') 0.0 -0.0 -1.0 0.5 2 1e308 1e-320 -1e20 1j 2**62".split()
WORDS = "mean sum none max min reflect replicate circular border nearest bilinear bicubic same valid prod amax ortho complete".split()
MORE = """dim={} keepdim=True out=torch.empty(0) out=torch.ones(1).expand(4) dtype=torch.int32 dtype=torch.bool weight=torch.ones(2)
reduction='none' stride={} padding={} dilation={} groups={} ceil_mode=True correction={} n={} minlength={} accumulate=True
include_self=False ignore_index={} padding_idx={} return_indices=True output_size=({},{}) divisor_override={} offset={}
diagonal={} blank={} bins={}""".split()
CALLED = [
    "r = {call}",
    "r = {call}",
    "with torch.no_grad(): r = {call}",
    "with torch.autocast('cpu'): r = {call}",
    "r = torch.func.vmap(f)({many})",
    "r = torch.func.vmap(f, in_dims=-1)({names})",
    "r = torch.func.jvp(f, ({names},), ({names},))",
    "r = torch.func.vjp(f, {names})[1]({call})",
    "r = torch.autograd.functional.jacobian(f, ({names},))",
    "f = torch.compile(f)\nfor {one} in ({one}, {one}, {other}, {one}):\n    r = f({names})",
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: {unpacked}): r = {call}",
]
UNPACKED = "t[:0] t*2**40 -t-1 t.sum() t.double() t.to(torch.int32) t.as_strided(t.shape,[0]*t.dim()) t+1 shrunk(t) t.t()".split()
USED = [
    "str(r)",
    "[t.tolist() for t in all_of(r)]",
    "g = torch.autograd.grad([t.abs().sum() for t in all_of(r) if t.requires_grad], [{names}], create_graph=True, allow_unused=True)\n"
    "torch.autograd.backward([(t ** 2).abs().sum() for t in all_of(g)])",
    "for v in [{names}]: v.untyped_storage().resize_(1)\n[t.abs().sum().backward() for t in all_of(r) if t.requires_grad]",
    "for v in [{names}]: v.detach().resize_(0)\n[t.abs().sum().backward() for t in all_of(r) if t.requires_grad]",
    "b = io.BytesIO()\ntorch.save(r, b)\nb.seek(0)\nstr(torch.load(b))",
    "for t in all_of(r): t.untyped_storage().resize_(t.untyped_storage().nbytes() // 2)\nstr(r)",
]
BEFORE = """
import io, numpy as np
class Lying(int):
    def __mul__(self, other): return 1
    def __add__(self, other): return 0
    def __lt__(self, other): return True
    def __eq__(self, other): return True
    def __hash__(self): return 0
def all_of(r): return [r] if isinstance(r, torch.Tensor) else sum([all_of(each) for each in r], []) if isinstance(r, (tuple, list)) else []
def shrunk(t):
    t = t.clone()
    t.untyped_storage().resize_(4)
    return t
def bools(shape): return torch.full(shape, 2, dtype=torch.uint8).view(torch.bool)
def nested(t): return torch.nested.nested_tensor([t, t])
"""


@cache
def examples() -> tuple[list[tuple[str, list[str]]], Session]:
    """The operators' examples, and a session that tells what their arguments are."""
    from tensorsh.engine.examples import examples
    from tensorsh.engine.loading import table

    table.load_all()
    return [(title, found.code) for title, found in sorted(examples().items())], Session(stdout=io.StringIO())


def kind_of(session: Session, text: str) -> str:
    try:
        return session.run(f"type({text}).__name__")
    except Exception:
        return ""


def changed(drawn: random.Random, session: Session, text: str) -> str:
    """Another argument in the place of one."""
    kind = kind_of(session, text)
    if kind == "Tensor":
        return (
            f"({text}).to(torch.{drawn.choice(DTYPES)})"
            if drawn.random() < 0.3
            else drawn.choice(LAID).replace("{}", text)
        )
    if kind in ("list", "tuple"):
        parts = [ast.unparse(each) for each in getattr(ast.parse(text, mode="eval").body, "elts", ())]
        at = drawn.randint(0, len(parts))
        parts[at : at + drawn.randint(0, 1)] = [
            changed(drawn, session, parts[at]) if at < len(parts) else drawn.choice(WHOLE)
        ]
        return f"[{', '.join(parts)}]"
    return drawn.choice({"int": WHOLE, "float": REAL, "str": [repr(word) for word in WORDS]}.get(kind, [text]))


def program(seed: int) -> str:
    drawn = random.Random(seed)
    known, session = examples()
    title, code = drawn.choice(known)
    tree = ast.parse(code[-1], mode="eval")
    last = title.split(".")[-1]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func).split(".")[-1] == last]
    if not calls:
        return "\n".join(code)
    call, lines, names = calls[0], [BEFORE, *code[:-1]], []
    told = [ast.unparse(each) for each in call.args]
    for k in drawn.sample(range(len(told)), min(len(told), drawn.choice([0, 1, 1, 2, 3]))):
        told[k] = changed(drawn, session, told[k])
    for k, text in enumerate(told):
        if kind_of(session, ast.unparse(call.args[k])) == "Tensor":
            names.append(f"v{k}")
            lines.append(f"v{k} = {text}")
            if drawn.random() < 0.5:
                lines.append(
                    f"if isinstance(v{k}, torch.Tensor) and v{k}.is_floating_point(): v{k} = v{k}.detach().requires_grad_()"
                )
            told[k] = f"v{k}"
    named = [ast.unparse(each) for each in call.keywords]
    if drawn.random() < 0.25:
        named.append(drawn.choice(MORE).replace("{}", drawn.choice(WHOLE)))
    text = f"{ast.unparse(call.func)}({', '.join(told + named)})"
    of = ", ".join(names)
    one = drawn.choice(names) if names else "v"
    other, unpacked = (drawn.choice(choices).replace("{}", one) for choices in (LAID, UNPACKED))
    many = ", ".join(f"{name}.unsqueeze(0).expand(3, *{name}.shape)" for name in names)
    how = drawn.choice(CALLED if names else CALLED[:4])
    lines += [
        f"f = lambda {of}: {text}",
        how.format(call=text, names=of, many=many, one=one, other=other, unpacked=unpacked),
    ]
    return "\n".join([*lines, drawn.choice(USED).format(names=of)])


@pytest.mark.filterwarnings("ignore")
@given(st.integers(0, 1 << 60))
def test_calls_with_whatever_arguments_end_in_their_own_errors(seed: int) -> None:
    text = program(seed)
    try:
        Session(stdout=io.StringIO(), max_memory=1 << 29).run(text)
    except Exception as error:
        assert not internal(error), text
