"""Nested tensors: reductions over parts and rows, the order of dimensions, entries of rows, what they keep."""

import torch


def said(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.nested.nested_tensor([torch.arange(6.0).reshape(2, 3), torch.ones(1, 3)], layout=torch.jagged)
y = torch.nested.nested_tensor([torch.arange(12.0).reshape(2, 3, 2), torch.ones(1, 3, 2)], layout=torch.jagged)
for reduce in (torch.sum, torch.amax):
    for dim in (0, (0,), (0, 1), (1, 2), (0, 1, 2), (0, 2), 1, (1,)):
        said(lambda reduce=reduce, dim=dim: reduce(x, dim=dim))
        said(lambda reduce=reduce, dim=dim: reduce(x, dim=dim, keepdim=True))
    said(lambda reduce=reduce: reduce(y, dim=(0, 1, 2)))
said(lambda: torch.mean(x, dim=(0, 1)))
said(lambda: x.softmax(0))
turned = x.permute(0, 2, 1)
print(turned, turned.shape[1], turned.unbind()[0].tolist())
print(
    y.permute(0, 1, 3, 2).unbind()[1].shape, [tuple(part.shape) for part in x.split_with_sizes([1, 2], 2)[1].unbind()]
)
rows = torch.arange(24.0).reshape(2, 4, 3)
some = torch.nested.narrow(rows, 1, torch.tensor([0, 1]), torch.tensor([2, 3]), layout=torch.jagged)
print([part.tolist() for part in some.unbind()])
said(lambda: torch.nested.nested_tensor([], layout=torch.jagged))
print(
    x._values.shape, x._offsets, x._lengths, x._ragged_idx, turned._ragged_idx, x._get_max_seqlen(), x._get_min_seqlen()
)
values = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged, requires_grad=True)
(values.permute(0, 2, 1).transpose(1, 2) * 2).values().sum().backward()
print([part.tolist() for part in values.grad.unbind()])
