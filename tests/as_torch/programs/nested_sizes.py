"""Nested tensors: parts of any sizes, holes, offsets that are shared, what files and decorated functions keep."""

import copy
import io
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


def said(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).partition("This could be because")[0].partition("Call it on")[0].strip())


a, b = torch.arange(6.0).view(2, 3), torch.arange(8.0).view(2, 4)
x = torch.nested.nested_tensor([a, b])
print(x, x.is_nested, x.layout, x.dim(), x.size(0), x.size(1), x.numel(), x.is_contiguous())
for call in (
    lambda: x.size(2),
    lambda: x.size(),
    lambda: x.shape,
    lambda: x.stride(),
    lambda: x + torch.ones(3),
    lambda: torch.ones(3) * x,
    lambda: x == x,
    lambda: x @ x,
    lambda: x.sum(-1),
    lambda: x.sum(1, keepdim=True),
    lambda: x.transpose(0, 1),
    lambda: x.squeeze(),
    lambda: x.unsqueeze(0),
    lambda: x.view(2, -1, 3),
    lambda: x.reshape(-1, 2, 3),
    lambda: x[:],
    lambda: x[2],
    lambda: x.chunk(2, -1),
    lambda: x.narrow(1, 0, 1),
    lambda: F.softmax(x, 0),
    lambda: F.linear(x, torch.ones(2, 3)),
    lambda: x.transpose(1, 2).to_padded_tensor(0),
    lambda: x.transpose(1, 2).relu(),
    lambda: x.to_padded_tensor(0, (2, 1, 5)),
    lambda: x.clone().copy_(torch.nested.nested_tensor([a])),
    lambda: torch.cat([x, a]),
    lambda: torch.nested.nested_tensor([torch.tensor(1.0), a]),
    lambda: torch.nested.nested_tensor(a),
):
    said(call)
for call in (
    lambda: x.to_padded_tensor(-1),
    lambda: torch.nested.to_padded_tensor(x, 0, (2, 3, 5)),
    lambda: x + x,
    lambda: 2 * x - 1,
    lambda: x / x.clone().fill_(2),
    lambda: x.transpose(1, 2) + x.transpose(1, 2),
    lambda: x.mT.unbind()[1],
    lambda: x.sum(-1, keepdim=True),
    lambda: F.softmax(x, -1),
    lambda: x.bmm(x.transpose(1, 2)),
    lambda: torch.matmul(x.transpose(1, 2), x)[0],
    lambda: x.unsqueeze(2).squeeze(2)._nested_tensor_strides(),
    lambda: x.select(1, 1),
    lambda: x[1, 0, 2:],
    lambda: x[-1],
    lambda: x.narrow(0, 1, 1),
    lambda: x.masked_fill(x > 3, 0),
    lambda: torch.cat([x, x]).size(0),
    lambda: x.to(torch.int64),
    lambda: torch.zeros_like(x),
    lambda: torch.nested.nested_tensor([]),
    lambda: torch.nested.nested_tensor([[1, 2], [3]]),
    lambda: F.scaled_dot_product_attention(*[torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)])] * 3),
    lambda: torch.nested.as_nested_tensor(torch.ones(2, 3))._nested_tensor_size(),
):
    said(call)
rows = torch.nested.nested_tensor([torch.arange(4.0).view(1, 4), torch.arange(8.0).view(2, 4)])
print(rows.chunk(2, -1)[1], rows.split_with_sizes([1, 3], -1)[0].contiguous(), rows.view(2, -1, 2, 2)[1].shape)
print(F.linear(rows, torch.ones(2, 4)), F.layer_norm(rows, (4,), torch.ones(4), torch.zeros(4))[0])
print(torch.cat([rows, rows * 2], -1))
w = torch.nested.nested_tensor([a, b], requires_grad=True)
(w * w).transpose(1, 2).to_padded_tensor(0) if False else (w * w).to_padded_tensor(0).sum().backward()
print(w.grad)
w = torch.nested.nested_tensor([a, b], requires_grad=True)
y = w.transpose(1, 2)
y.backward(torch.nested.nested_tensor([torch.arange(6.0).view(3, 2), torch.ones(4, 2)]))
print(w.grad)
p, q = torch.ones(2, 3, requires_grad=True), torch.ones(1, 2, requires_grad=True)
torch.nested.as_nested_tensor([p, q]).unbind()[1].sum().backward()
print(p.grad, q.grad)
part = x.clone()
part[0].zero_()
print(part.values())
file = io.BytesIO()
torch.save(x, file)
file.seek(0)
print(torch.load(file))

rows, offsets = torch.arange(12.0).view(6, 2), torch.tensor([0, 2, 6])
n = torch.nested.nested_tensor_from_jagged(rows, offsets, lengths=torch.tensor([1, 2]))
m = torch.nested.nested_tensor_from_jagged(rows * 2, offsets)
other = torch.nested.nested_tensor_from_jagged(rows + 1, offsets)
print([t.tolist() for t in n.unbind()], n.lengths(), n.is_contiguous(), n.numel(), n.contiguous().values())
print((m + other).values()[0], m.shape == other.shape, m.shape[1] == n.shape[1], isinstance(m.shape[1], torch.SymInt))
print(
    m.shape[1] > 1,
    m._get_max_seqlen(),
    n._get_max_seqlen(),
    (n * 2).sum(2).lengths(),
    m.stride()[1:],
    m.select(2, 1).values(),
)
for call in (
    lambda: n.to_padded_tensor(0),
    lambda: n.sum(1),
    lambda: n.softmax(1),
    lambda: n + m,
    lambda: m.shape[1] > 3,
    lambda: m.transpose(0, 1),
    lambda: m.permute(0, 1),
    lambda: m[:, :, 0],
    lambda: m.split(1, 1),
    lambda: torch.nested.as_nested_tensor(torch.ones(3)),
    lambda: torch.nested.as_nested_tensor(m),
    lambda: torch.nested.nested_tensor([torch.ones(3, 2), torch.ones(2, 4)], layout=torch.jagged),
    lambda: torch.nested.nested_tensor([torch.ones(3, 2), torch.ones(2, 2).int()], layout=torch.jagged),
    lambda: torch.nested.narrow(rows, 2, 1, 1, layout=torch.jagged),
):
    said(call)
across = torch.nested.nested_tensor([torch.ones(3, 2), torch.ones(3, 4)], layout=torch.jagged)
print(across.shape[:2], across._ragged_idx, across.values().shape, [t.shape for t in across.unbind()])
whole = torch.nested.as_nested_tensor(torch.arange(24.0).view(3, 4, 2), layout=torch.jagged)
print(whole.offsets(), whole.values().shape, whole._maybe_max_seqlen)
for start, length in (
    (1, 2),
    (torch.tensor([0, 1, 2]), torch.tensor([1, 2, 2])),
    (torch.tensor([1, 0, 0]), torch.tensor([3, 4, 2])),
):
    some = torch.nested.narrow(torch.arange(24.0).view(3, 4, 2), 1, start, length, layout=torch.jagged)
    print(some.offsets(), some.lengths(), some.is_contiguous(), [t[:, 0].tolist() for t in some.unbind()])
print(torch.nested.narrow(torch.arange(6.0).view(3, 2), 0, 1, 2, layout=torch.strided))
print(
    [
        t.tolist()
        for t in torch.nested.masked_select(torch.arange(6).view(2, 3), torch.tensor([True, False, True])).unbind()
    ]
)
kept = copy.deepcopy(m)
file = io.BytesIO()
torch.save(n, file)
file.seek(0)
print(kept.values().sum(), [t.shape for t in torch.load(file, weights_only=False).unbind()])


def decorated(value):
    return value


decorated.note = "kept"
print(torch.no_grad()(decorated).note, torch.inference_mode()(decorated).note, torch.functional.F is F)


for layout in (torch.strided, torch.jagged):
    made = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout)

    def skipped(made=made):
        with torch.serialization.skip_data():
            torch.save(made, io.BytesIO())

    said(skipped)
said(
    lambda: torch.vmap(lambda u, v: u.sin() @ v)(
        torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)]), torch.ones(2, 3, 1)
    )
)
said(
    lambda: torch.vmap(lambda u, v: u * v, in_dims=(0, None))(
        torch.nested.nested_tensor([torch.ones(2), torch.ones(1)]), torch.tensor(3.0)
    )
)
said(lambda: torch.vmap(lambda u: u, out_dims=1)(x))
