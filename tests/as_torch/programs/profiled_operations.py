"""The operations of numbers that the profiler counts (`with_flops`)."""

import torch
from torch.profiler import profile

a, x = torch.ones(4, 5), torch.ones(2, 3, 8, 9)
conv = torch.nn.Conv2d(3, 4, 3)
weight = torch.randn(8, 1, 3, 3)
b = a.t()

with profile(with_flops=True) as p:
    conv(x)
    torch.nn.functional.conv2d(x[:, :2], weight, stride=2, padding=1, groups=2)
    torch.mm(a, b)
    torch.addmm(b[0, :4], a, b)
    torch.bmm(a[None], b[None])
    torch.baddbmm(b[0, :4], a[None], b[None])
    a + 1
    torch.add(a, a)
    a * a
    a - a
    a.relu()

averages = p.key_averages()
known = "aten::conv2d aten::mm aten::bmm aten::baddbmm aten::add aten::mul aten::sub aten::relu".split()
print({e.key: e.flops for e in averages if e.key in known})
print(p.events().total_average().flops)
lines = averages.table(sort_by="flops").splitlines()
print(lines[1].split("  ")[-2].strip(), [line.split()[-1] for line in lines[3:5]])
print(sorted({line.split()[-1] for line in lines if line.strip().startswith(("aten::sub", "aten::relu"))}))

with profile(with_flops=True) as p:
    torch.nn.functional.linear(a, a, b[0, :4])
    torch.matmul(a, b)
print(p.events().total_average().flops)

with torch.autograd.profiler.profile(with_flops=True) as p:
    torch.mm(torch.randn(300, 400), torch.randn(400, 500))
print([e.flops for e in p.function_events if e.name == "aten::mm"])
print(p.key_averages().table().splitlines()[1].split("  ")[-2].strip())

with profile() as p:
    torch.mm(a, b)
print("FLOPs" in p.key_averages().table(), sum(e.flops for e in p.events()))
