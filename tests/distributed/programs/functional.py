"""Collectives that give new tensors, and the methods of groups."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc

dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
W = dist.group.WORLD


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


t = torch.arange(4.0) + r
a = fc.all_reduce(t, "sum", W)


print(a + 1, type(a + 1).__name__)
print(fc.wait_tensor(a), a.tolist(), a.sum().item(), a.shape, a.dtype)
for op in ("sum", "avg", "max", "min", "product", "band"):
    attempt(lambda op=op: fc.all_reduce(t, op, W) * 1)
attempt(lambda: fc.all_gather_tensor(t.reshape(2, 2), 0, W) * 1)
attempt(lambda: fc.all_gather_tensor(t.reshape(2, 2), 1, W) * 1)
attempt(lambda: fc.reduce_scatter_tensor(torch.arange(8.0).reshape(4, 2), "sum", 0, W) * 1)
attempt(lambda: fc.reduce_scatter_tensor(torch.arange(8.0).reshape(2, 4), "sum", 1, W) * 1)
attempt(lambda: fc.reduce_scatter_tensor(torch.arange(3.0), "sum", 0, W) * 1)
attempt(lambda: fc.broadcast(t, 1, W) * 1)
attempt(lambda: fc.all_to_all_single(torch.arange(4.0) + 10 * r, None, None, W) * 1)
attempt(
    lambda: (
        fc.all_to_all_single(
            torch.arange(4.0) + 10 * r, [1] * w if w == 4 else [2, 2], [1] * w if w == 4 else [2, 2], W
        )
        * 1
    )
)
attempt(lambda: [x * 1 for x in fc.all_reduce_coalesced([t, t + 1], "sum", W)])
attempt(lambda: [x * 1 for x in fc.all_gather_into_tensor_coalesced([t, t + 1], W)])
attempt(
    lambda: [
        x * 1 for x in fc.reduce_scatter_tensor_coalesced([torch.arange(4.0), torch.arange(8.0)], "sum", [0, 0], W)
    ]
)
attempt(lambda: fc.permute_tensor(t, [(i + 1) % w for i in range(w)], W) * 1)
attempt(lambda: fc.all_reduce(t, "sum", list(range(w))) * 1)
attempt(lambda: fc.all_reduce(t, "sum", "0") * 1)
x = torch.ones(2, 2, requires_grad=True)
attempt(lambda: fc.all_gather_tensor_autograd(x, 0, W).pow(2).sum())
fc.all_gather_tensor_autograd(x * (r + 1), 0, W).pow(2).sum().backward()
print(x.grad)
x.grad = None
fc.reduce_scatter_tensor_autograd((x * (r + 1)).repeat(w, 1), "sum", 0, W).pow(2).sum().backward()
print(x.grad)
x.grad = None
fc.all_to_all_single_autograd((x * (r + 1)).repeat(w, 1), [2] * w, [2] * w, W).pow(2).sum().backward()
print(x.grad)
x.grad = None
fc.all_reduce(x * (r + 1), "sum", W).pow(2).sum().backward()
print(x.grad)
half = dist.new_group([0, 1])
if r < 2:
    attempt(lambda: fc.all_reduce(t, "sum", half) * 1)
    attempt(lambda: fc.all_reduce(t, "sum", [0, 1]) * 1)
attempt(lambda: fc.all_reduce(t, "sum", "none such") * 1)
# The methods of a group.
a = torch.arange(3.0) + r
work = W.allreduce(a)
print(type(work).__name__, work.wait(), a)
W.allreduce([a], dist.ReduceOp.MAX).wait()
print(a)
b = torch.full((2,), float(r))
W.broadcast(b, 1).wait()
print(b)
parts = [torch.zeros(2) for _ in range(w)]
W.allgather([parts], [torch.full((2,), float(r))]).wait()
print(parts)
c = torch.full((2,), float(r + 1))
W.reduce(c, 0, dist.ReduceOp.SUM).wait()
print(c if r == 0 else "")
d = [torch.zeros(2) for _ in range(w)]
W.gather(d if r == 1 else [], torch.full((2,), float(r)), 1).wait()
print(d)
e = torch.zeros(2)
W.scatter(e, [torch.full((2,), 10.0 + i) for i in range(w)] if r == 0 else [], 0).wait()
print(e)
f = torch.zeros(2)
W.reduce_scatter(f, [torch.full((2,), float(i + r)) for i in range(w)]).wait()
print(f)
g = torch.zeros(w)
W.alltoall_base(g, torch.arange(float(w)) + 10 * r, [], []).wait()
print(g)
print(W.barrier().wait())
h = torch.zeros(2)
if r == 0:
    W.send([torch.ones(2) * 5], 1, 3).wait()
elif r == 1:
    W.recv([h], 0, 3).wait()
print(h)
dist.destroy_process_group()
