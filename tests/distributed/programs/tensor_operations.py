"""A hundred and forty operations of tensors in parts: where their results lie, and what is in them."""

import torch
import torch.distributed as dist
import torch.distributed.tensor as dt
import torch.nn.functional as F
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, init_device_mesh

dist.init_process_group("gloo")
torch.set_num_threads(1)
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
torch.manual_seed(0)
X, Y, W, B = torch.randn(8, 12), torch.randn(8, 12), torch.randn(12, 16), torch.randn(16)
Z = torch.randn(4, 8, 12)
I = torch.randint(0, 8, (8,))
Q = torch.randn(2, 4, 8, 16)
S0, S1, R, S2 = Shard(0), Shard(1), Replicate(), Shard(2)
d = lambda t, p: distribute_tensor(t.clone(), mesh, [p])


def show(v):
    if isinstance(v, DTensor):
        f = v.full_tensor()
        return (
            f"{tuple(v.placements)} {tuple(v.shape)} {tuple(v.to_local().shape)} {f.float().sum().item():.3f} {f.float().abs().max().item():.3f}"
            if f.numel()
            else f"{tuple(v.placements)} {tuple(v.shape)}"
        )
    if isinstance(v, (tuple, list)):
        return " | ".join(show(e) for e in v)
    return str(v)


OPS = {
    "add": lambda: d(X, S0) + d(Y, S0),
    "add scalar": lambda: d(X, S1) * 2 + 1,
    "add mixed": lambda: d(X, S0) + d(Y, R),
    "add S0 S1": lambda: d(X, S0) + d(Y, S1),
    "mul bcast": lambda: d(X, S0) * d(Y[0], R),
    "sub_": lambda: d(X, S0).sub_(d(Y, S0)),
    "div": lambda: d(X, S1) / d(Y, S1),
    "pow": lambda: d(X, S0) ** 2,
    "relu": lambda: F.relu(d(X, S0)),
    "gelu": lambda: F.gelu(d(X, S1)),
    "exp log": lambda: d(X, S0).exp().log(),
    "sigmoid": lambda: torch.sigmoid(d(X, S0)),
    "where": lambda: torch.where(d(X, S0) > 0, d(X, S0), d(Y, S0)),
    "clamp": lambda: d(X, S0).clamp(-1, 1),
    "abs": lambda: d(X, S1).abs(),
    "neg": lambda: -d(X, S0),
    "sum": lambda: d(X, S0).sum(),
    "sum 0": lambda: d(X, S0).sum(0),
    "sum 1": lambda: d(X, S0).sum(1),
    "sum keep": lambda: d(X, S1).sum(1, keepdim=True),
    "mean": lambda: d(X, S0).mean(),
    "mean 1": lambda: d(X, S1).mean(1),
    "max": lambda: d(X, S0).max(),
    "max 1": lambda: d(X, S0).max(1),
    "min": lambda: d(X, S0).min(),
    "amax": lambda: d(X, S1).amax(0),
    "argmax": lambda: d(X, S0).argmax(1),
    "var": lambda: d(X, S0).var(1),
    "std": lambda: d(X, S0).std(),
    "vnorm": lambda: torch.linalg.vector_norm(d(X, S0), dim=1),
    "prod": lambda: d(X, S0).prod(1),
    "any": lambda: (d(X, S0) > 0).any(),
    "all": lambda: (d(X, S0) > -9).all(),
    "cumsum": lambda: d(X, S0).cumsum(1),
    "cumsum 0": lambda: d(X, S0).cumsum(0),
    "logsumexp": lambda: d(X, S0).logsumexp(1),
    "mm S0": lambda: d(X, S0) @ d(W, R),
    "mm S1": lambda: d(X, R) @ d(W, S1),
    "mm row": lambda: d(X, S1) @ d(W, S0),
    "mm RR": lambda: d(X, R) @ d(W, R),
    "mm S0S1": lambda: d(X, S0) @ d(W, S1),
    "addmm": lambda: torch.addmm(d(B, S0), d(X, R), d(W, S1)),
    "linear col": lambda: F.linear(d(X, R), d(W.t().contiguous(), S0), d(B, S0)),
    "linear row": lambda: F.linear(d(X, S1), d(W.t().contiguous(), S1), d(B, R)),
    "linear 3d": lambda: F.linear(d(Z, S0), d(W.t().contiguous(), R), d(B, R)),
    "bmm": lambda: torch.bmm(d(Z, S0), d(Z.transpose(1, 2).contiguous(), S0)),
    "matmul 3d": lambda: d(Z, S1) @ d(W, R),
    "einsum": lambda: torch.einsum("bij,jk->bik", d(Z, S0), d(W, R)),
    "dot": lambda: torch.dot(d(B, S0), d(B, S0)),
    "mv": lambda: d(X, S0) @ d(torch.ones(12), R),
    "outer": lambda: torch.outer(d(B, S0), d(B, R)),
    "t": lambda: d(X, S0).t(),
    "transpose": lambda: d(Z, S1).transpose(0, 1),
    "permute": lambda: d(Z, S0).permute(2, 0, 1),
    "view": lambda: d(X, S0).view(8, 3, 4),
    "view flat": lambda: d(Z, S0).view(32, 12),
    "reshape -1": lambda: d(X, S0).reshape(-1),
    "flatten": lambda: d(Z, S0).flatten(1),
    "unflatten": lambda: d(X, S1).unflatten(1, (4, 3)),
    "unsqueeze": lambda: d(X, S0).unsqueeze(0),
    "squeeze": lambda: d(X[:, None], S0).squeeze(1),
    "expand": lambda: d(X[:, None], S0).expand(8, 3, 12),
    "movedim": lambda: d(Z, S0).movedim(0, 2),
    "repeat": lambda: d(X, S0).repeat(1, 2),
    "slice 1": lambda: d(X, S0)[:, 2:5],
    "slice 0": lambda: d(X, S0)[2:5],
    "int 0": lambda: d(X, S0)[3],
    "int 1": lambda: d(X, S0)[:, 3],
    "index": lambda: d(X, R)[d(I, R)],
    "gather": lambda: d(X, S0).gather(1, d(torch.zeros(8, 2, dtype=torch.long), S0)),
    "index_select": lambda: d(X, S0).index_select(1, d(torch.tensor([0, 3]), R)),
    "cat 0": lambda: torch.cat([d(X, S0), d(Y, S0)], 0),
    "cat 1": lambda: torch.cat([d(X, S0), d(Y, S0)], 1),
    "stack": lambda: torch.stack([d(X, S0), d(Y, S0)]),
    "split": lambda: d(X, S0).split(4, 1),
    "chunk": lambda: d(X, S1).chunk(2, 0),
    "chunk S": lambda: d(X, S0).chunk(2, 0),
    "narrow": lambda: d(X, S0).narrow(1, 0, 3),
    "unbind": lambda: d(X[:, :3].contiguous(), S0).unbind(1),
    "tril": lambda: d(X, S0).tril(),
    "flip": lambda: d(X, S0).flip(1),
    "roll": lambda: d(X, S0).roll(1, 1),
    "pad": lambda: F.pad(d(X, S0), (1, 1)),
    "topk": lambda: d(X, S0).topk(2, 1),
    "sort": lambda: d(X, S0).sort(1),
    "masked_fill": lambda: d(X, S0).masked_fill(d(X, S0) > 0, 0.0),
    "softmax 1": lambda: F.softmax(d(X, S0), 1),
    "softmax 0": lambda: F.softmax(d(X, S0), 0),
    "log_softmax": lambda: F.log_softmax(d(X, S0), -1),
    "layer_norm": lambda: F.layer_norm(d(X, S0), (12,), d(torch.ones(12), R), d(torch.zeros(12), R)),
    "rms_norm": lambda: F.rms_norm(d(X, S0), (12,)),
    "dropout0": lambda: F.dropout(d(X, S0), 0.0),
    "embedding": lambda: F.embedding(d(I, R), d(X, R)),
    "embedding S1": lambda: F.embedding(d(I, R), d(X, S1)),
    "embedding ids": lambda: F.embedding(d(I, S0), d(X, R)),
    "cross_entropy": lambda: F.cross_entropy(d(X, S0), d(I, S0)),
    "nll": lambda: F.nll_loss(F.log_softmax(d(X, S0), 1), d(I, S0)),
    "mse": lambda: F.mse_loss(d(X, S0), d(Y, S0)),
    "conv2d": lambda: F.conv2d(d(torch.ones(4, 2, 5, 5), S0), d(torch.ones(3, 2, 3, 3), R)),
    "bce": lambda: F.binary_cross_entropy_with_logits(d(X, S0), d((Y > 0).float(), S0)),
    "one_hot": lambda: F.one_hot(d(I, S0), 8),
    "silu mul": lambda: F.silu(d(X, S1)) * d(Y, S1),
    "zeros": lambda: dt.zeros(8, 4, device_mesh=mesh, placements=[S0]),
    "ones": lambda: dt.ones(8, 4, device_mesh=mesh, placements=[S1]),
    "full": lambda: dt.full((8, 4), 2.5, device_mesh=mesh, placements=[S0]),
    "zeros_like": lambda: torch.zeros_like(d(X, S0)),
    "full_like": lambda: torch.full_like(d(X, S1), 3.0),
    "clone": lambda: d(X, S0).clone(),
    "to": lambda: d(X, S0).to(torch.float64),
    "bool": lambda: d(X, S0) > 0,
    "eq": lambda: torch.equal(d(X, S0), d(X, S0)),
    "item": lambda: f"{d(X, S0).sum().item():.4f}",
    "detach": lambda: d(X, S0).detach(),
    "redist S0S1": lambda: d(X, S0).redistribute(mesh, [S1]),
    "redist RS": lambda: d(X, R).redistribute(mesh, [S1]),
    "partial": lambda: DTensor.from_local(X, mesh, [Partial()]).redistribute(mesh, [S0]),
    "partial R": lambda: DTensor.from_local(X, mesh, [Partial("avg")]).redistribute(mesh, [R]),
    "partial max": lambda: DTensor.from_local(X + dist.get_rank(), mesh, [Partial("max")]).full_tensor().sum().item(),
    "partial add": lambda: DTensor.from_local(X, mesh, [Partial()]) + DTensor.from_local(Y, mesh, [Partial()]),
    "partial mul": lambda: DTensor.from_local(X, mesh, [Partial()]) * 2,
    "partial relu": lambda: F.relu(DTensor.from_local(X, mesh, [Partial()])),
    "partial sum": lambda: DTensor.from_local(X, mesh, [Partial()]).sum(0),
    "uneven": lambda: d(torch.arange(30.0).reshape(5, 6), S0) * 2,
    "uneven sum": lambda: d(torch.arange(30.0).reshape(5, 6), S0).sum(1),
    "uneven S0S1": lambda: d(torch.arange(35.0).reshape(5, 7), S0).redistribute(mesh, [S1]),
    "neg dim": lambda: d(X, Shard(-1)),
    "repr": lambda: repr(d(X[:2, :2], R)),
    "lerp": lambda: torch.lerp(d(X, S0), d(Y, S0), 0.5),
    "addcmul": lambda: torch.addcmul(d(X, S0), d(X, S0), d(Y, S0), value=0.5),
    "maximum": lambda: torch.maximum(d(X, S0), d(Y, S0)),
    "rsqrt": lambda: d(X, S0).abs().rsqrt(),
    "fill_": lambda: d(X, S0).fill_(1.5),
    "copy_": lambda: d(X, S0).copy_(d(Y, S0)),
    "mix plain": lambda: d(X, S0) + X,
    "bad mm": lambda: d(X, S0) @ d(X, S0),
    "bad shard": lambda: d(X, Shard(3)),
    "redist bad": lambda: d(X, S0).redistribute(mesh, [Partial()]),
    "out": lambda: torch.add(d(X, S0), 3, out=d(Y, S0)),
    "out elsewhere": lambda: torch.mul(d(X, S0), d(Y, S0), out=d(Y, R)),
    "same size": lambda: (d(X, S0).is_same_size(d(Y, R)), X.is_same_size(d(X, S0)), d(X, S0).is_same_size(Z)),
    "fill_ terms": lambda: DTensor.from_local(X.clone(), mesh, [Partial()]).fill_(2.0),
    "zero_ terms": lambda: DTensor.from_local(X.clone(), mesh, [Partial()]).zero_(),
    "new_full": lambda: [
        d(X, S0).new_full((8, 12), 2.0),
        d(X, S0).new_full((4, 8), 2.0),
        d(X, R).new_full((8, 12), 2.0),
    ],
    "new_zeros": lambda: [d(X, S1).new_zeros((8, 12)), d(X, S0).new_ones(4), d(X, S0).new_zeros(2, 3)],
    "new_empty_strided": lambda: [
        d(X, S0).new_empty_strided((8, 12), (12, 1)).zero_(),
        d(X, S0).new_empty_strided((6, 12), (12, 1)).zero_(),
    ],
    "embedding norm": lambda: F.embedding(d(I, R), d(X, S1), max_norm=1.0),
    "gather whole": lambda: torch.gather(d(X, R), 1, d(I[:, None].expand(8, 4).clone(), R)),
    "gather rows": lambda: torch.gather(d(X, R), 0, d(I[:, None].expand(8, 4).clone(), S0)),
    "two placements": lambda: distribute_tensor(X, mesh, [S0, S1]),
}


def grad(name, f, *ps):
    ts = [d(t, p).requires_grad_() for t, p in ps]
    out = f(*ts)
    loss = out.sum() if out.dim() else out
    if isinstance(loss, DTensor):
        loss = loss.full_tensor()
    loss.backward()
    print("grad", name, show(out.detach()), "->", show([t.grad for t in ts]))


for n, f in OPS.items():
    try:
        print(n, show(f()), flush=True)
    except Exception as e:
        print(n, type(e).__name__, (str(e).splitlines() or [""])[0][:110], flush=True)
for n, f, ps in [
    ("mm row", lambda a, b: a @ b, [(X, S1), (W, S0)]),
    ("softmax", lambda a: F.softmax(a, 1) ** 2, [(X, S0)]),
    ("emb", lambda w: F.embedding(d(I, R), w) ** 2, [(X, S1)]),
    ("ce", lambda a: F.cross_entropy(a, d(I, S0)), [(X, S0)]),
    ("redist", lambda a: a.redistribute(mesh, [R]) ** 2, [(X, S0)]),
]:
    try:
        grad(n, f, *ps)
    except Exception as e:
        print("grad", n, type(e).__name__, (str(e).splitlines() or [""])[0][:110], flush=True)
dist.destroy_process_group()
