"""The functions whose arguments mixed precision may cast, by their names below ``torch``, and the door at which a form asks."""

from __future__ import annotations

from typing import Any

from ..arrays.door import asked, casting

LOW = """
mm bmm addmm baddbmm addbmm matmul linalg.matmul linalg.vecdot linalg.multi_dot chain_matmul einsum tensordot inner
linalg.matrix_power
_lstm_layer _rnn_layer conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d nn.functional.conv1d nn.functional.conv2d
nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.conv_transpose3d
nn.functional.linear nn.functional.scaled_dot_product_attention prelu nn.functional.prelu
""".split()
WIDE = """
prod quantile nanquantile stft cdist trace view_as_complex cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr
ormqr pinverse geqrf lu qr svd triangular_solve polar linalg.cond linalg.matrix_rank linalg.solve linalg.cholesky
linalg.svdvals linalg.eigvals linalg.eigvalsh linalg.inv linalg.householder_product linalg.tensorinv linalg.tensorsolve
linalg.qr linalg.cholesky_ex linalg.svd linalg.eig linalg.eigh linalg.lstsq linalg.inv_ex fft.fft fft.ifft fft.fft2 fft.ifft2
fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfft2 fft.irfft2 fft.rfftn fft.irfftn fft.hfft fft.ihfft
nn.functional.avg_pool3d nn.functional.binary_cross_entropy nn.functional.grid_sample nn.functional.max_pool3d
nn.functional.max_unpool2d nn.functional.max_unpool3d nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d
nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d nn.functional.mse_loss
nn.functional.cosine_embedding_loss nn.functional.nll_loss nn.functional.hinge_embedding_loss
nn.functional.poisson_nll_loss nn.functional.smooth_l1_loss nn.functional.cross_entropy nn.functional.l1_loss
nn.functional.huber_loss nn.functional.margin_ranking_loss nn.functional.soft_margin_loss
nn.functional.triplet_margin_loss nn.functional.multi_margin_loss nn.functional.ctc_loss nn.functional.kl_div
nn.functional.multilabel_margin_loss nn.functional.binary_cross_entropy_with_logits
""".split()
JOINED = "stack cat index_copy".split()
NAMES = frozenset((*LOW, *WIDE, *JOINED, "nn.functional.pad", "__matmul__", "__rmatmul__"))


def door_of(title: str) -> list[Any]:
    """The door of a form: mixed precision opens that of the functions whose arguments it casts, and no other."""
    return casting if title.partition(".")[2] in NAMES else asked
