# The maximum of a bag whose rows hold NaN: one that a bag begins with stays, others are larger than nothing.
import torch
import torch.nn.functional as F

nan = float("nan")
rows = torch.tensor([[1.0, nan], [2.0, 3.0], [nan, 0.0], [5.0, nan]])
for offsets in ([0], [0, 2], [0, 1, 2, 3], [0, 0]):
    for indices in ([0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 1, 0]):
        weight = rows.clone().requires_grad_()
        found = F.embedding_bag(torch.tensor(indices), weight, torch.tensor(offsets), mode="max")
        found.nan_to_num(7).sum().backward()
        print(offsets, indices, found.tolist(), weight.grad.tolist())
for dtype in (torch.float64, torch.float16):
    print(F.embedding_bag(torch.tensor([0, 1, 2]), rows.to(dtype), torch.tensor([0]), mode="max"))
print(F.embedding_bag(torch.tensor([[0, 1], [2, 3]]), rows, mode="max", padding_idx=0))
