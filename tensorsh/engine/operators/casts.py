"""The functions whose arguments mixed precision may cast, by their names below ``torch``, and the door at which a form asks."""

from __future__ import annotations

from ..arrays.door import ASKED, CASTING, PLACING

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
CALM = frozenset(
    """
    T H mT mH abs absolute acos acosh add addcdiv addcmul all amax amin angle any arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor cat ceil clamp
    clamp_max clamp_min clip clone complex conj contiguous copysign cos cosh data data_ptr deg2rad detach device digamma dim div
    divide dropout dtype element_size elu eq exp exp2 expand expm1 fill fix flatten float floor floor_divide fmax fmin fmod frac
    gcd ge gelu grad grad_fn greater greater_equal gt hardtanh heaviside hypot i0 igamma igammac imag is_contiguous
    is_floating_point is_leaf isfinite isinf isnan item itemsize layer_norm layout lcm ldexp le leaky_relu lerp less less_equal
    lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit logsumexp lt
    max maximum mean min minimum movedim mul multiply nan_to_num ndim ne neg negative norm not_equal numel permute pow prod
    rad2deg ravel real reciprocal relu remainder requires_grad reshape round rsqrt rsub select sgn shape sigmoid sign signbit
    silu sin sinc sinh size softmax softplus split sqrt square squeeze stack std stride sub subtract sum swapaxes t tan tanh to
    tolist transpose true_divide trunc unbind unflatten unsqueeze var view view_as xlogy zero
    """.split()
)
"""Functions, methods and properties that read each number once, wherever it lies: whatever their operands are, it decides of no
place. Their doors stay shut where processes share memory."""
NAMES = frozenset((*LOW, *WIDE, *JOINED, "nn.functional.pad", "__matmul__", "__rmatmul__"))


OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv mod rmod imod pow rpow ipow floordiv rfloordiv ifloordiv "
        "and rand iand or ror ior xor rxor ixor lshift rlshift ilshift rshift rrshift irshift neg pos abs invert eq ne lt le gt ge "
        "bool int float complex len repr format"
    ).split()
)


def door_of(title: str) -> int:
    """How far the door must be open for a form to ask: mixed precision opens that of the functions whose arguments it casts, and no other; shared memory that of
    all but calm ones."""
    name = title.partition(".")[2]
    if name in NAMES:
        return CASTING
    last = name.rpartition(".")[2]
    return ASKED if last in CALM or last.rstrip("_") in CALM or name in OPERATORS else PLACING
