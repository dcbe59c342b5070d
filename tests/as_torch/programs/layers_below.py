"""Operators below autograd whose arguments are not those of the public functions, by their names in torch.ops.aten."""

import torch

a = torch.ops.aten
x = torch.arange(24.0).view(1, 2, 3, 4)
z = x[0]
y = z[:, :, :3].clone() + torch.eye(3) * 5


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


show(lambda: a.linalg_inv(y)[0])
show(lambda: a.linalg_vector_norm(y))
show(lambda: a.linalg_det.default(y))
show(lambda: a.linalg_eigvalsh(y @ y.mT)[0])
show(lambda: a.special_xlog1py(y, y)[0, 0])
show(lambda: a.special_erf.default(y)[0, 0])
show(lambda: a.special_i0e(y)[0, 0])
show(lambda: a.fft_fft(z)[0, 0])
show(lambda: a.fft_rfft2.default(z)[0, 0])
show(lambda: a.reflection_pad2d(x, [1, 1, 1, 1])[0, 0, 0])
show(lambda: a.replication_pad1d.default(z, [1, 2])[0, 0])
show(lambda: a.reflection_pad3d(x[None], [1, 1, 1, 1, 1, 1]).shape)
show(lambda: a.upsample_nearest2d(x, [6, 8]).sum())
show(lambda: a.upsample_nearest2d.vec(x, None, [2.0, 2.0]).sum())
show(lambda: a.upsample_bilinear2d(x, [5, 6], False).sum())
show(lambda: a.upsample_bilinear2d(x, [5, 6], True).sum())
show(lambda: a.upsample_bilinear2d.vec(x, None, True, [2.0, 2.0]).sum())
show(lambda: a.upsample_bicubic2d(x, [5, 6], False).sum())
show(lambda: a.upsample_linear1d(z, [6], False).sum())
show(lambda: a.upsample_trilinear3d(x[None], [3, 4, 5], True).sum())
show(lambda: a._upsample_nearest_exact2d(x, [5, 7]).sum())
show(lambda: a.upsample_nearest1d(z, [7]).sum())
show(lambda: a.silu_(y.clone())[0, 0])
show(lambda: a.gelu_(y.clone())[0, 0])
show(lambda: a.relu6_(y.clone())[0, 0])
show(lambda: a.log_sigmoid(y)[0, 0])
show(lambda: a.im2col(x, [2, 2], [1, 1], [0, 0], [1, 1])[0, 0])
show(lambda: a.col2im(a.im2col(x, [2, 2], [1, 1], [0, 0], [1, 1]), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1])[0, 0])
show(lambda: a.numpy_T(x[0, 0]))
show(lambda: torch._C._nn.upsample_nearest2d(x, (6, 8)).shape)
show(lambda: torch._C._nn.upsample_nearest1d(torch.empty(1, 1, 3, device="meta"), (5,)).shape)
show(lambda: torch._C._nn.reflection_pad1d(z, (1, 1)).shape)
show(lambda: a.linalg_matrix_power(y, 2)[0, 0])
show(lambda: a.linalg_solve(y, y[:, :, :1])[0])
show(lambda: a.special_polygamma(1, y + 1)[0, 0])
show(lambda: a.special_logsumexp(y, [0])[0])
show(lambda: a.silu_backward(y, y)[0, 0])
show(lambda: a.gelu_backward(y, y)[0, 0])
show(lambda: a.gelu_backward.default(y, y, approximate="tanh")[0, 0])
show(lambda: a.sigmoid_backward(y, y.sigmoid())[0, 0])
show(lambda: a.tanh_backward(y, y.tanh())[0, 0])
show(lambda: a.threshold_backward(y, y, 2.0)[0, 0])
show(lambda: a.hardtanh_backward(y, y, -1.0, 9.0)[0, 0])
show(lambda: a.softplus_backward(y, y, 1.0, 20.0)[0, 0])
show(lambda: a.glu_backward(y[:, :, :1], y[:, :, :2], -1)[0, 0])
show(lambda: a.logit_backward(y, y / 40, None)[0, 0])
show(lambda: a.mish_backward(y, y)[0, 0])
