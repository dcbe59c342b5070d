# ruff: noqa
"""Which of several faults of a call is told first; values of other kinds to fill with; losses of nothing."""

import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


def told(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


mask, at = torch.tensor([True, False]), torch.tensor([1])
for dtype in (torch.int64, torch.uint8, torch.bool, torch.float16, torch.float32, torch.complex64):
    for value in (
        torch.tensor(1j),
        torch.tensor(1.5),
        torch.tensor(300),
        torch.tensor(-1),
        torch.tensor(1e300, dtype=torch.float64),
    ):
        x = torch.ones(2, dtype=dtype)
        told(x.masked_fill, mask, value)
        told(x.masked_fill_, mask, value)
        told(x.index_fill, 0, at, value)
        told(x.index_fill_, 0, at, value)

double = torch.zeros(2, dtype=torch.float64)
for f in (torch.complex, torch.polar):
    told(f, double, double, out=torch.zeros(2, dtype=torch.complex64))
    told(f, double.float(), double.float(), out=torch.zeros(2, dtype=torch.complex128))

for d, shapes in (
    (1, [(0, 49), (3, 0), (4, 4)]),
    (2, [(0, 1, 49), (1, 0, 4, 4), (4, 4), (1, 2, 3, 4, 5)]),
    (3, [(0, 1, 4, 4), (1, 1, 0, 4, 4), (4, 4)]),
):
    for shape in shapes:
        for given in (
            {"padding": -1},
            {"padding": 4},
            {"stride": 0},
            {"stride": -1},
            {},
            {"stride": (1, 1, 1, 1)},
            {"padding": (1, 1, 1, 1)},
        ):
            told(getattr(F, f"avg_pool{d}d"), torch.zeros(shape), 2, **given)
            told(getattr(F, f"max_pool{d}d"), torch.zeros(shape), 2, **given)
            told(getattr(F, f"max_pool{d}d"), torch.zeros(shape), 2, return_indices=True, **given)

x, nothing = torch.ones(5, 4), torch.zeros(0, 4)
losses = [F.multilabel_margin_loss, F.multi_margin_loss, F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.kl_div,
          F.hinge_embedding_loss, F.soft_margin_loss, F.poisson_nll_loss, F.binary_cross_entropy, F.binary_cross_entropy_with_logits]  # fmt: skip
for f in losses:
    for target in (x, x.long(), torch.ones(5), torch.ones(3), torch.ones(5).long(), torch.full((5, 4), 9)):
        told(f, x, target, reduction="other")
    if f is not F.multilabel_margin_loss:
        for reduction in ("mean", "sum", "none"):
            told(f, nothing, nothing, reduction=reduction)
told(F.smooth_l1_loss, x, torch.ones(3), beta=-1.0)
told(F.huber_loss, x, torch.ones(3), delta=-1.0)
told(F.kl_div, torch.tensor(-1.0), torch.tensor(0.5), reduction="batchmean")

for d in (1, 2, 3):
    for batch in ((), (1,), (2,)):
        for k, groups, step, padding in ((2, 1, 1, 0), (2, 2, 1, 0), (4, 1, 1, 0), (2, 1, 2, 1)):
            x = torch.ones(*batch, 2, *[5] * d)
            weight = torch.ones(2, 2 // groups, *[k] * d, dtype=torch.float64)
            told(getattr(F, f"conv{d}d"), x, weight, stride=step, groups=groups)
            told(getattr(F, f"conv_transpose{d}d"), x, weight, stride=step, groups=groups, output_padding=padding)

drawn = torch.full((4, 2, 3), 0.5)
for shape in ((2, 3, 4, 5), (4, 2, 3, 4, 5), (1, 1, 3, 3, 3), (2, 3, 4), (4, 2, 3, 4)):
    d = 3 if len(shape) == 5 or len(shape) == 4 and shape[0] == 2 else 2
    for given in (
        {"output_size": 1},
        {"output_size": 2},
        {"output_size": (1, 2, 2)[:d]},
        {"output_ratio": 0.5},
        {"output_ratio": (0.5,) * d},
    ):
        x = torch.arange(float(torch.Size(shape).numel())).view(shape)
        told(getattr(F, f"fractional_max_pool{d}d"), x, 2, _random_samples=drawn[..., :d], **given)
for dim in ((2, 0), (2, 1, 0), (-1, 0), (0, 1), 1):
    told(torch.masked.prod, torch.ones(2, 3, 4) * 2, dim, mask=torch.arange(24).view(2, 3, 4) % 3 > 0)
