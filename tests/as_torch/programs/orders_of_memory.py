"""Functions of images, and of parts of them, that lie in memory in another order than that of rows, and of types that are not float32."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
images = torch.randint(-40, 40, (2, 16, 6, 10)).float()
last = images.contiguous(memory_format=torch.channels_last)
laid = {
    "rows": images,
    "last": last,
    "turned": images.transpose(2, 3),
    "second": images[..., ::2],
    "part": images[:, :, 1:5, 2:9],
    "expanded": images[:, :1].expand(2, 16, 6, 10),
}
functions = {
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "avg_pool2d padded": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False) * 9,
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, 2),
    "nearest": lambda x: F.interpolate(x, scale_factor=2.0),
    "nearest by size": lambda x: F.interpolate(x, (4, 17)),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1), value=3.0),
    "cut": lambda x: F.pad(x, (1, -2, 0, -1)),
    "reflect": lambda x: F.pad(x, (2, 1, 1, 2), "reflect"),
    "replicate": lambda x: F.pad(x, (2, 1, 1, 2), "replicate"),
    "circular": lambda x: F.pad(x, (2, 1, 1, 2), "circular"),
    "cat 1": lambda x: torch.cat([x, 2 * x], 1),
    "cat 0": lambda x: torch.cat([x, x[:1]]),
    "cat -1": lambda x: torch.cat(x.chunk(2, -1), -1),
    "contiguous": lambda x: x.contiguous(),
    "channels last": lambda x: x.contiguous(memory_format=torch.channels_last),
    "sum": lambda x: x.sum((1,)),
    "sum -1": lambda x: x.sum(-1),
    "+": lambda x: x + 1,
    "-": lambda x: x - x[:, :1],
    "<": lambda x: (x < 0).float(),
    "square": lambda x: x.square(),
    "halves": lambda x: x.bfloat16().float(),
}


def shown(x):
    weights = torch.arange(x.numel()).reshape(x.shape) % 97
    return f"{tuple(x.shape)} {tuple(x.stride())} {(x.contiguous().double() * weights).sum().item():.3f}"


for name, function in functions.items():
    for how, x in laid.items():
        print(name, how, shown(function(x)))

x = torch.zeros(3, 4)
x[:, 1:].copy_(x[:, :-1] + 1)
x[:, 1:].copy_(x[:, :3].clone().t().contiguous().t())
print(x)
line = torch.arange(8.0)
try:
    line[1:].copy_(line[:-1])
except RuntimeError as error:
    print(error)
line[4:].copy_(line[:4])
line[::2].copy_(line[1::2])
print(line)

for kind in (torch.float16, torch.bfloat16, torch.int32, torch.uint8):
    x = torch.randint(0, 9, (3, 5, 40)).to(kind)
    k = torch.tensor([4, 0, 3, 1, 2])
    print(kind, x.index_add(1, k, x).sum((0, 2), dtype=torch.int64 if kind is torch.int32 else torch.float64).tolist())
    print(x.index_add(0, torch.tensor([0, 0, 2]), x).long().sum((1, 2)).tolist())
    if kind in (torch.int32, torch.float16):
        i = torch.randint(0, 40, (3, 5, 40))
        for how in ("amax", "amin", "sum"):
            print(how, x.scatter_reduce(2, i, x, how).long().sum((0, 2)).tolist())

x = torch.randint(-9, 9, (6, 20)).double().requires_grad_()
y = torch.randint(-9, 9, (4, 20)).double().requires_grad_()
for p in (0.0, 1.0, float("inf")):
    for distances in (torch.pdist(x, p), torch.cdist(x, y, p)):
        weights = torch.arange(distances.numel()).reshape(distances.shape).double()
        print(
            p,
            distances.sum().item(),
            *[
                g if g is None else g.sum(1).tolist()
                for g in torch.autograd.grad((distances * weights).sum(), (x, y), allow_unused=True)
            ],
        )
bad = torch.tensor([[1.0, 2.0], [float("nan"), 3.0], [4.0, 0.0]] * 9).reshape(3, 18).requires_grad_()
bad.data[0, 3] = float("nan")
torch.pdist(bad, float("inf")).sum().backward()
print(bad.grad.isnan().all(1))

words = torch.tensor([[1, 2, 4], [3, 3, 0]])
table = torch.tensor([[0.0, 1], [5, -1], [5, 2], [-3, 9], [2, 2]], requires_grad=True)
best = F.embedding_bag(words, table, mode="max")
best.sum().backward()
print(best, table.grad)
print(F.embedding_bag(words[0], table, torch.tensor([0, 0, 2]), mode="max"))
print(F.embedding_bag(words, table, mode="sum"), F.embedding_bag(words, table))

places = torch.randint(0, 5, (2, 3, 4))
scores = torch.randint(-9, 9, (2, 5, 3, 4)).float()
print(
    F.nll_loss(scores, places), F.nll_loss(scores, places, ignore_index=2), F.nll_loss(scores, places, reduction="sum")
)

torch.manual_seed(3)
print(torch.multinomial(torch.rand(5, 7), 6, True), torch.rand(1))
