"""The names of results that were written into given tensors."""

import warnings

import torch

warnings.simplefilter("ignore")
a = torch.eye(2)


def empty(*kinds):
    return [torch.empty(0, dtype=kind) for kind in kinds]


f, i = torch.float32, torch.int32
print(torch.svd(a * 2, out=empty(f, f, f)))
print(torch.slogdet(a, out=empty(f, f)))
for made in (
    torch.qr(a, out=empty(f, f)),
    torch.histogram(torch.ones(4), 3, out=empty(f, f)),
    torch.linalg.ldl_factor(a, out=empty(f, i)),
    torch.linalg.lu_factor(a, out=empty(f, i)),
    torch.linalg.svd(a, out=empty(f, f, f)),
    torch.linalg.qr(a, out=empty(f, f)),
    torch.qr(a),
    torch.histogram(torch.ones(4), 3),
):
    print(type(made), type(made) is getattr(torch.return_types, type(made).__name__), len(made))

out = empty(f, f, torch.int64, f)
made = torch.linalg.lstsq(a * 2, torch.ones(2, 1), out=out)
print(type(made).__name__, [x is y for x, y in zip(made, out, strict=True)], out[0].tolist(), out[2].item())
for wrong in (empty(f, f), empty(f, f, f, f), empty(i, f, torch.int64, f)):
    try:
        print(torch.linalg.lstsq(a * 2, torch.ones(2, 1), out=wrong))
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
