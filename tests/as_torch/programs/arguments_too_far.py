# ruff: noqa
"""Numbers of more than 64 bits, dtypes that do not meet, modes and sizes that are none: what is said of them."""

import torch
import torch.nn.functional as F


def t(name, f):
    try:
        answer = f()
        print(name, tuple(answer.shape) if isinstance(answer, torch.Tensor) else answer)
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


far = 2**70
x = torch.ones(3, 4)
for name, f in {
    "softmax": lambda: torch.softmax(x, far),
    "gather": lambda: x.gather(far, torch.zeros(1, 1, dtype=torch.int64)),
    "narrow": lambda: x.narrow(0, 0, far),
    "topk": lambda: x.topk(far),
    "amax": lambda: x.amax(dim=far),
    "amax of two": lambda: x.amax(dim=(0, far)),
    "expand": lambda: x.expand(3, far),
    "zeros": lambda: torch.zeros(far),
    "zeros of two": lambda: torch.zeros(1, far),
    "linspace": lambda: torch.linspace(0, 1, far),
    "tensor_split": lambda: x.tensor_split(far),
    "bincount": lambda: torch.bincount(torch.tensor([1]), minlength=far),
    "avg_pool1d": lambda: F.avg_pool1d(x, far),
    "adaptive": lambda: F.adaptive_avg_pool1d(x, far),
    "conv_transpose1d": lambda: F.conv_transpose1d(x, torch.ones(3, 2, 2), padding=far),
    "fft": lambda: torch.fft.fft(x, n=far),
    "ints plus": lambda: x.long() + far,
    "ints clamped": lambda: x.long().clamp(far),
}.items():
    t(name, f)

kinds = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.int64, torch.bool)
for k in (2, 20):
    for one in kinds:
        for other in kinds:
            a, b = torch.ones(2, k, k, dtype=one), torch.ones(2, k, k, dtype=other)
            t(f"{k} {one} {other}", lambda: a @ b)
            t(f"{k} {one} {other} added", lambda: torch.baddbmm(torch.ones(2, k, k, dtype=one), a, b))

for classes in (torch.uint8, torch.int32, torch.int64):
    target = torch.ones(2, 2, dtype=classes)
    t(f"classes of places {classes}", lambda: F.cross_entropy(torch.ones(2, 3, 2), target))
    t(f"classes {classes}", lambda: F.cross_entropy(torch.ones(2, 3), target[0]))

one = torch.tensor(1.0)
for f in (torch.fft.fft2, torch.fft.rfft2, torch.fft.ifft2):
    t(f.__name__, lambda: f(one))
    t(f.__name__, lambda: f(one, dim=(0, 1)))
t("avg_pool2d", lambda: F.avg_pool2d(one, 2))
t("unflatten", lambda: one.unflatten(0, (1, 1)))
t("index_select", lambda: torch.index_select(torch.zeros(0), 0, torch.tensor([0])))
t("matrix_rank", lambda: torch.linalg.matrix_rank(torch.ones(3, 2, 2), tol=torch.ones(2)))
t("pinv", lambda: torch.linalg.pinv(torch.ones(3, 2, 2), rtol=torch.ones(2)))
t("split", lambda: x.split(torch.tensor([1, 2])))
t("split by one", lambda: len(x.split(torch.tensor(2))))
for places in (2, 40, 400, -400, 2**40):
    print("round", places, torch.tensor([1.25, -3.5, 0.0]).round(decimals=places))
    print("round", places, torch.tensor([1.25, -3.5, 0.0], dtype=torch.float64).round(decimals=places))

image = torch.ones(1, 2, 5, 5)
for mode in (["a"], {}, None, 3, "cubic"):
    t(f"interpolate {mode}", lambda: F.interpolate(image, scale_factor=2, mode=mode))
for size in ({}, (1, 2, 3), (2,), [], None, (None,)):
    for f in (F.adaptive_avg_pool2d, F.adaptive_max_pool2d, F.adaptive_avg_pool3d, F.adaptive_max_pool3d):
        t(f"{f.__name__} {size}", lambda: f(image, size))
for dilation in (0, -1):
    t(f"conv1d {dilation}", lambda: F.conv1d(x, torch.ones(2, 3, 2), dilation=dilation))
    t(f"conv2d {dilation}", lambda: F.conv2d(image, torch.ones(2, 2, 2, 2), dilation=dilation))
t("distance", lambda: F.triplet_margin_with_distance_loss(x, x, x, distance_function={}))
t("linear_cross_entropy", lambda: F.linear_cross_entropy([1.0], x, x))

for n in (2**63, 2**64, 2**70, -(2**70), float("inf")):
    t(f"threshold {n}", lambda: F.threshold(x, n, 1.0))
    t(f"threshold to {n}", lambda: F.threshold(x, 5.0, n))
    t(f"threshold of integers {n}", lambda: F.threshold(x.long(), n, 1))
    t(f"leaky_relu {n}", lambda: F.leaky_relu(x, n))
    for mode, size in (("nearest", n), ("nearest", (n, 2)), ("bilinear", (2, n))):
        t(f"interpolate {mode} {size}", lambda: F.interpolate(image, size=size, mode=mode))
    t(f"interpolate by {n}", lambda: F.interpolate(image, scale_factor=n))
