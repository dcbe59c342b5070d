import numpy as np
import torch
from torch import Tensor
from torch.library import custom_op


@custom_op("mylib::numpy_sin", mutates_args=())
def numpy_sin(x: Tensor) -> Tensor:
    return torch.from_numpy(np.sin(x.cpu().numpy()))


x = torch.tensor([1.0, 2.0], requires_grad=True)
print(numpy_sin, numpy_sin(torch.tensor([1.0, 2.0])))
print(numpy_sin(x))
try:
    numpy_sin(x).sum().backward()
except RuntimeError as e:
    print(e)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * x.cos()


numpy_sin.register_autograd(backward, setup_context=setup_context)
torch.ops.mylib.numpy_sin(x).sum().backward()
print(x.grad)


@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: Tensor, *, val: float) -> Tensor:
    return torch.from_numpy(x.numpy() * val)


@scale.register_fake
def _(x, *, val):
    return torch.empty_like(x)


def setup_scale(ctx, inputs, keyword_only_inputs, output):
    ctx.val = keyword_only_inputs["val"]


scale.register_autograd(lambda ctx, grad: grad * ctx.val, setup_context=setup_scale)
y = scale(x, val=3.0)
print(y, torch.autograd.grad(y.sum(), x))


@custom_op("mylib::fill_one_", mutates_args={"x"})
def fill_one_(x: Tensor) -> None:
    x.numpy()[:] = 1


z = torch.zeros(2)
fill_one_(z)
print(z, z._version)
try:

    @custom_op("mylib::untyped", mutates_args=())
    def untyped(x):
        return x
except ValueError as e:
    print(e)
