"""Nested tensors of the jagged layout beside dense ones: the same for each row, a slice for each part, a row for each row."""

import torch

nt = torch.nested.nested_tensor([torch.arange(6.0).view(2, 3), torch.arange(9.0).view(3, 3)], layout=torch.jagged)


def t(n, f):
    try:
        r = f()
        print(
            n,
            r.shape if hasattr(r, "shape") else r,
            getattr(r, "is_nested", None),
            [x.tolist() for x in r.unbind()] if getattr(r, "is_nested", False) else r,
        )
    except Exception as e:
        print(n, type(e).__name__, str(e)[:300])


d = torch.tensor([1.0, 2.0, 3.0])
t("row", lambda: nt + d)
t("row2", lambda: d + nt)
t("scalar0", lambda: nt * torch.tensor(2.0))
t("1x1x3", lambda: nt * d.view(1, 1, 3))
t("Bx1x3", lambda: nt * torch.stack([d, d * 10]).view(2, 1, 3))
t("Bx1x1", lambda: nt * torch.tensor([2.0, 3.0]).view(2, 1, 1))
t("B x j? dense", lambda: nt + torch.ones(2, 3, 3))
t("padded 2d 1x3", lambda: nt + d.view(1, 3))
t("2d 2x3", lambda: nt + torch.ones(2, 3))
t("1,1,1", lambda: nt + torch.ones(1, 1, 1))
t("4d", lambda: nt + torch.ones(1, 1, 1, 1))
t("bad", lambda: nt + torch.ones(4))
t("where", lambda: torch.where(nt > 2, nt, torch.tensor(0.0)))
t("where2", lambda: torch.where(nt > 2, nt, torch.zeros(3)))
t("gt", lambda: nt > d)
t("div", lambda: d / nt)
t("pow", lambda: nt**d)
t("max", lambda: torch.maximum(nt, d))
t("sub", lambda: torch.sub(nt, d, alpha=2))
t("inplace", lambda: nt.clone().add_(d))
t("jagged mean", lambda: nt - nt.mean(1, keepdim=True))
w = torch.ones(3, requires_grad=True)
(nt * w).values().sum().backward()
print(w.grad)
w = torch.ones(2, 1, 3, requires_grad=True)
try:
    (nt * w).values().sum().backward()
    print(w.grad)
except Exception as e:
    print(type(e).__name__, str(e)[:200])
w = torch.tensor(2.0, requires_grad=True)
(nt * w).values().sum().backward()
print(w.grad)
nt4 = torch.nested.nested_tensor([torch.ones(2, 3, 4), torch.ones(3, 3, 4)], layout=torch.jagged)
t("4d jag", lambda: nt4 * torch.arange(4.0))
t("4d jag b", lambda: nt4 * torch.arange(12.0).view(3, 4))
t("4d jag c", lambda: nt4 * torch.arange(2.0).view(2, 1, 1, 1))
t("4d jag d", lambda: nt4 * torch.arange(6.0).view(2, 1, 3, 1))
t("4d jag e", lambda: nt4 * torch.arange(3.0).view(1, 3, 1))
tr = nt4.transpose(1, 2)
t("tr", lambda: tr * torch.arange(4.0))
t("tr2", lambda: tr * torch.arange(3.0).view(3, 1, 1))
t("tr3", lambda: tr * torch.arange(2.0).view(2, 1, 1, 1))
t("long", lambda: nt + torch.ones(2, 4, 3))
t("short", lambda: nt + torch.ones(2, 2, 3))
t("rows", lambda: torch.arange(18.0).view(2, 3, 3) * nt)
t("sw", lambda: torch.ones(2, 3) * nt)
t("batch", lambda: nt * torch.ones(3, 3, 3))
t("tr4", lambda: tr * torch.arange(72.0).view(2, 3, 3, 4))
t("tr5", lambda: tr * torch.arange(24.0).view(2, 3, 1, 4))
v = torch.arange(15.0).view(5, 3).requires_grad_()
n = torch.nested.nested_tensor_from_jagged(v, torch.tensor([0, 2, 5]), min_seqlen=2, max_seqlen=3)
w = torch.rand(2, 3, 3, generator=torch.Generator().manual_seed(1))
(n - w).values().pow(2).sum().backward()
print(v.grad)
