"""The array API on tensors: what libraries call that know no kind of array."""

import array_api_compat
import array_api_compat.torch as xp
import torch

torch.manual_seed(0)
x, i = torch.randn(3, 4), torch.arange(5)
b = x > 0
print(array_api_compat.array_namespace(x).__name__, array_api_compat.device(x), array_api_compat.size(x))
for found in (
    xp.sum(x, axis=1),
    xp.prod(x, axis=(0, 1)),
    xp.all(b, axis=0, keepdims=True),
    xp.max(x, axis=0),
    xp.std(x, correction=1.0),
    xp.concat([x, x], axis=None),
    xp.permute_dims(x, (1, 0)),
    xp.flip(x, axis=0),
    xp.nonzero(b),
    xp.linspace(0, 1, 5, endpoint=False),
    xp.take_along_axis(x, i[:3][:, None], axis=1),
    xp.unique_inverse(i % 2),
    xp.sort(x, descending=True),
    xp.vecdot(x, x),
    xp.tensordot(x, x.T, axes=1),
    xp.linalg.vector_norm(x, axis=0),
    xp.linalg.matrix_rank(x),
    xp.linalg.cross(x[:, :3], x[:, 1:]),
    xp.fft.fftfreq(4),
    xp.isdtype(x.dtype, "real floating"),
    xp.result_type(i, x),
    xp.astype(x, xp.int8),
    xp.cumulative_sum(x, axis=1, include_initial=True),
    xp.count_nonzero(b, axis=0),
    xp.meshgrid(i[:2], i[:3], indexing="ij"),
    sorted(xp.__array_namespace_info__().dtypes(kind="integral")),
    xp.clip(x, min=0),
    xp.remainder(x, 1.0),
    xp.floor_divide(i, 2),
):
    print(found)
