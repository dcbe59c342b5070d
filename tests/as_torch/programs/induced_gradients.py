"""Under anomaly detection a gradient of a gradient that fails names the gradients in whose computation it was made."""

import warnings

import torch


class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2.0 + b

    @staticmethod
    def backward(ctx, grad):
        first = grad.clone()
        first[0] = 0
        first[0] /= 0
        return grad, first


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sum(0, keepdim=True)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        grad = grad.expand(3)
        return Inner.apply(grad * x, grad + x)


def tried(early):
    x = torch.rand(3, requires_grad=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with torch.autograd.set_detect_anomaly(early):
                y = Outer.apply(x)
                (g,) = torch.autograd.grad(y, x, create_graph=True)
                total = g.sum()
            with torch.autograd.detect_anomaly():
                total.backward()
        except RuntimeError as error:
            print(error)
    for each in told:
        text = str(each.message).partition(" (Triggered")[0]
        print(
            repr("\n".join(line for line in text.splitlines() if line[:2] != "  ")),
            "Inner.apply" in text,
            "Outer" in text,
        )


tried(True)
tried(False)

x = torch.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as told, torch.autograd.detect_anomaly():
    warnings.simplefilter("always")
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    try:
        ((g - 3).sqrt() * 0).sum().backward()
    except RuntimeError as error:
        print(error)
print(["induced" in str(each.message) for each in told])
