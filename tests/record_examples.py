"""Writes tensorsh/engine/examples/*.tsr, one example of every function: run it with a Python in which PyTorch is installed.

    PYTHONPATH=. python tests/record_examples.py

A statement is made from the function's signature and the small values that `VALUES` has for parameters of that name (the
first combination that PyTorch takes and whose result is short and has no NaN), or stands in `WRITTEN`; what it prints is
PyTorch's. The first line says the shapes that went in and came out.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from pathlib import Path

import torch

from tensorsh.engine import table

FOLDER = Path(__file__).parent.parent / "tensorsh" / "engine" / "examples"

U = "tensor([-1.5, 0.5, 2.5])"
V = "tensor([1., 2., 3.])"
P = "tensor([0.2, 0.5, 0.8])"
A = "tensor([[1., 2.], [3., 4.]])"
S = "tensor([[4., 1.], [1., 3.]])"
I = "tensor([6, 3, 12])"
B = "tensor([True, False, True])"
C = "tensor([3+4j, 1-2j])"
LINE = "tensor([[[1., 2., 3., 4.]]])"
IMAGE = "arange(16.).reshape(1, 1, 4, 4)"
SOLID = "arange(8.).reshape(1, 1, 2, 2, 2)"
INPUT = [U, A, P, V, I, B, C, S, "tensor([[[1., 2.], [3., 4.]]])", LINE, IMAGE, SOLID, "tensor(2.5)", "tensor([2.5])"]
PAIR = [
    "tensor([3., 1., 2.])",
    "tensor([[1., 0.], [2., 1.]])",
    "tensor([4, 5, 8])",
    "tensor([[0, 1], [1, 0]])",
    "2",
    "tensor([2., 1.])",
]
VALUES = {
    "dim": ["0", "1", "-1"], "A": [S, A], "a": INPUT, "b": PAIR, "x": INPUT, "y": PAIR, "self": INPUT, "tensor": [A],
    "weight": ["tensor([[1., 0.], [2., 1.]])", "ones(1, 1, 2)", "ones(1, 1, 2, 2)", "ones(1, 1, 2, 2, 2)", "tensor([0.25])"],
    "size": ["(2, 2)", "2", "(3,)", "(1, 2, 2)"], "kernel_size": ["2"], "target": ["tensor([1., 0., 2.])", "tensor([1., 0., 1.])", "tensor([0, 1])"],
    "index": ["tensor([1, 0])", "tensor([[1, 0], [0, 1]])", "tensor([2, 0, 1])"], "n": ["3", "2"], "p": ["0.5", "2"],
    "tensors": ["(tensor([1., 2.]), tensor([3., 4.]))", "(tensor([[1., 2.]]), tensor([[3., 4.]]))"],
    "output_size": ["2", "(2, 2)", "(4, 4)"], "value": ["9.", "2"], "indices": ["tensor([1, 0])", "tensor([[1, 0]])", "2"],
    "source": ["tensor([9., 8.])", "tensor([[9., 8.], [7., 6.]])", "tensor([9., 8., 7.])"], "M": ["5"], "window_length": ["5"],
    "src": ["tensor([9., 8.])", "tensor([[9., 8.], [7., 6.]])", "tensor([9., 8., 7.])"], "stride": ["(2, 1)", "2"],
    "input1": [A], "input2": PAIR, "x1": [A], "x2": PAIR, "mask": ["tensor([True, False, True])"], "dim0": ["0"], "dim1": ["1"],
    "axis0": ["0"], "axis1": ["1"], "batch1": ["ones(2, 2, 3)"], "batch2": ["ones(2, 3, 2)"], "tensor1": [V], "tensor2": PAIR,
    "mat1": [A], "mat2": ["tensor([[1., 0.], [2., 1.]])", "tensor([[[1., 0.], [2., 1.]]])"], "mat": [A], "vec": ["tensor([1., 2.])"], "vec1": ["tensor([1., 2.])"],
    "vec2": ["tensor([3., 1.])"], "other": PAIR, "B": ["tensor([[1., 0.], [2., 1.]])"], "fill_value": ["7."], "exponent": ["2"],
    "end": ["3"], "start": ["0"], "steps": ["5"], "threshold": ["1."], "max": ["1.", V], "min": ["1.", V], "chunks": ["2"], "pad": ["(1, 1)"],
    "sizes": ["(2, 1)", "(1, 2)"], "dims": ["(1, 0)", "0"], "indices_or_sections": ["2"], "split_sizes": ["[1, 1]"], "split_size": ["1"],
    "split_size_or_sections": ["2"], "repeats": ["2"], "maxnorm": ["2."], "k": ["1"], "upscale_factor": ["2"], "downscale_factor": ["2"],
    "length": ["1"], "row": ["3"], "col": ["3"], "data": ["[1., 2.]"], "shape": ["(2, 2)", "(2,)"], "dimension": ["0"], "step": ["1"],
    "normalized_shape": ["(3,)", "(2,)"], "train": ["False"], "training": ["False"], "mean": ["zeros(3)"], "bins": ["4"],
    "count": ["2"], "prob": ["0.5"], "counts": ["2"], "boundaries": ["tensor([0., 1., 2.])"], "sorted_sequence": [V], "real": ["tensor([1., 2.])"],
    "imag": ["tensor([3., 4.])"], "abs": ["tensor([1., 2.])"], "angle": ["tensor([0., 3.])"], "matrices": ["[ones(2, 2), ones(2, 2)]"],
    "elements": ["tensor([1, 2, 3])"], "test_elements": ["tensor([2, 3])"], "condition": ["tensor([True, False, True])"], "ord": ["2"],
    "num_samples": ["2"], "N": ["3"], "low": ["0"], "shifts": ["1"], "v": [V], "query": ["ones(1, 2, 2)"], "key": ["ones(1, 2, 2)"],
    "groups": ["2"], "num_groups": ["1"], "anchor": ["tensor([[1., 2.]])"], "positive": ["tensor([[1., 3.]])"], "negative": ["tensor([[4., 0.]])"],
    "norm_type": ["2"], "destination": ["0"], "reduce": ["'sum'"], "upper": ["False"], "running_mean": ["None"], "running_var": ["None"],
    "var": ["ones(3)"], "the_template": [A], "from_": ["0"], "to": ["3"], "axis": ["0"], "shapes": ["(2, 1)"], "grid": ["zeros(1, 2, 2, 2)"],
    "input": INPUT,
}  # fmt: skip
OPTIONAL = {"dim": ["1", "0"], "size": ["(2, 2)"]}
"""Parameters worth showing though they have a default."""
SEEDED = "_ = manual_seed(0)"

WEIGHTS = "[ones({0}, 2) * 0.5, ones({0}, 2) * 0.25], False, 1, 0.0, False, False, False)"
WRITTEN = {
    "lstm": "lstm(ones(1, 1, 2), (zeros(1, 1, 2), zeros(1, 1, 2)), " + WEIGHTS.format(8),
    "gru": "gru(ones(1, 1, 2), zeros(1, 1, 2), " + WEIGHTS.format(6),
    "rnn_tanh": "rnn_tanh(ones(1, 1, 2), zeros(1, 1, 2), [ones(2, 2) * 0.5, ones(2, 2)], False, 1, 0.0, False, False, False)",
    "rnn_relu": "rnn_relu(ones(1, 1, 2), zeros(1, 1, 2), [ones(2, 2) * 0.5, ones(2, 2)], False, 1, 0.0, False, False, False)",
    "tensor": "tensor([[1, 2], [3, 4]])",
    "batch_norm": None, "convolution": None, "bilinear": None, "grid_sampler": None, "conv_tbc": None, "instance_norm": None, "ctc_loss": None,
    "embedding_bag": None, "affine_grid_generator": None, "binomial": SEEDED + "; binomial(tensor([10., 10.]), tensor([0.2, 0.8]))",
    "heaviside": "heaviside(tensor([-1., 0., 2.]), tensor(0.5))", "lerp": "lerp(tensor([1., 2.]), tensor([3., 6.]), 0.5)",
    "linalg.cholesky_ex": "linalg.cholesky_ex(tensor([[4., 2.], [2., 5.]])).L", "linalg.inv_ex": "linalg.inv_ex(tensor([[2., 0.], [0., 4.]])).inverse",
    "linalg.householder_product": "linalg.householder_product(tensor([[1.], [1.]]), tensor([0.5]))", "linalg.lu": "linalg.lu(tensor([[1., 2.], [0., 3.]])).U",
    "linalg.ldl_factor_ex": "linalg.ldl_factor_ex(tensor([[4., 2.], [2., 5.]])).info", "linalg.lu_factor_ex": "linalg.lu_factor_ex(tensor([[1., 2.], [0., 3.]])).LU",
    "linalg.ldl_solve": "linalg.ldl_solve(*linalg.ldl_factor(tensor([[4., 0.], [0., 2.]])), tensor([[8.], [2.]]))",
    "linalg.lu_solve": "linalg.lu_solve(*linalg.lu_factor(tensor([[2., 0.], [0., 4.]])), tensor([[2.], [8.]]))",
    "linalg.solve_ex": "linalg.solve_ex(tensor([[2., 0.], [0., 4.]]), tensor([2., 8.])).result",
    "lu_solve": "torch.lu_solve(tensor([[2.], [8.]]), *linalg.lu_factor(tensor([[2., 0.], [0., 4.]])))", "lu_unpack": "lu_unpack(*linalg.lu_factor(tensor([[1., 2.], [0., 3.]]))).U",
    "moveaxis": "moveaxis(ones(2, 3, 4), 0, -1).shape", "nn.functional.bilinear": "nn.functional.bilinear(tensor([[1., 2.]]), tensor([[3., 4.]]), ones(1, 2, 2))",
    "nn.functional.conv_transpose3d": "nn.functional.conv_transpose3d(ones(1, 1, 1, 1, 1), ones(1, 1, 2, 2, 2))",
    "nn.functional.conv_tbc": "nn.functional.conv_tbc(ones(3, 1, 1), ones(2, 1, 1), zeros(1)).shape",
    "nn.functional.pixel_shuffle": "nn.functional.pixel_shuffle(arange(4.).reshape(1, 4, 1, 1), 2)",
    "nn.functional.pixel_unshuffle": "nn.functional.pixel_unshuffle(arange(4.).reshape(1, 1, 2, 2), 2).shape",
    "pixel_shuffle": "pixel_shuffle(arange(4.).reshape(1, 4, 1, 1), 2)", "pixel_unshuffle": "pixel_unshuffle(arange(4.).reshape(1, 1, 2, 2), 2).shape",
    "orgqr": "orgqr(tensor([[1.], [1.]]), tensor([0.5]))", "ormqr": "ormqr(tensor([[1.], [0.]]), tensor([0.5]), tensor([[2.], [3.]]))",
    "randint_like": SEEDED + "; randint_like(zeros(4), 10)", "select_copy": "select_copy(tensor([[1., 2.], [3., 4.]]), 0, 1)",
    "select_scatter": "select_scatter(zeros(2, 2), tensor([5., 6.]), 0, 1)", "sum_to_size": "tensor([[1., 2.], [3., 4.]]).sum_to_size(1, 2)",
    "native_layer_norm": "native_layer_norm(tensor([1., 3.]), (2,), None, None, 0.0)[0]", "multilabel_margin_loss": None,
    "Tensor.new_zeros": "ones(1).new_zeros(2)", "Tensor.new_ones": "zeros(1).new_ones(2)", "Tensor.new_empty": "ones(1).new_empty(2, 3).shape",
    "to": "tensor([1.7]).to(int32)", "index_reduce": "tensor([1., 2., 3.]).index_reduce(0, tensor([0, 2]), tensor([5., 6.]), 'prod').shape",
    "nn.functional.upsample": "nn.functional.upsample(tensor([[[1., 2.]]]), scale_factor=2)",
    **dict.fromkeys("binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss "
                    "sym_sum sym_int sym_float sym_not sym_fresh_size poisson_nll_loss triplet_margin_loss Tensor.data_ptr Tensor.chalf".split()),
    "Tensor.new_empty_strided": "ones(1).new_empty_strided((2, 3), (3, 1)).stride()",
    "signal.windows.general_cosine": "signal.windows.general_cosine(5, a=[0.5, 0.5])",
    "Tensor.resize_as": None, "Tensor.requires_grad_": "tensor([1.]).requires_grad_()", "Tensor.zero_": "ones(2).zero_()", "zero_": "ones(2).zero_()",
    "threshold": "torch.threshold(tensor([-1.5, 0.5, 2.5]), 1., 0.)", "fill_diagonal_": "zeros(2, 2).fill_diagonal_(5.)", "Tensor.fill_diagonal_": "zeros(2, 2).fill_diagonal_(5.)", "Tensor.resize_": "arange(4).resize_(2, 2)", "Tensor.copy_": "zeros(2).copy_(tensor([1, 2]))",
    "Tensor.resize_as_": "arange(4).resize_as_(ones(2, 2))", "Tensor.set_": "ones(1).set_(tensor([1., 2.]))", "Tensor.transpose_": "tensor([[1., 2.], [3., 4.]]).transpose_(0, 1)",
    "Tensor.apply_": "tensor([1., 2.]).apply_(lambda x: x * x)", "Tensor.map_": "tensor([1., 2.]).map_(tensor([3., 4.]), lambda x, y: x * y)",
    "Tensor.map2_": "tensor([1., 2.]).map2_(tensor([3., 4.]), tensor([5., 6.]), lambda x, y, z: x * y + z)",
    "Tensor.exponential_": SEEDED + "; zeros(3).exponential_()", "Tensor.geometric_": SEEDED + "; zeros(3).geometric_(0.5)",
    "Tensor.cauchy_": SEEDED + "; zeros(3).cauchy_()", "Tensor.log_normal_": SEEDED + "; zeros(3).log_normal_()",
    "embedding_renorm_": "embedding_renorm_(tensor([[3., 4.]]), tensor([0]), 1., 2.)", "Tensor.share_memory_": "ones(1).share_memory_()",
    "selu_": "selu_(tensor([1., 2.]))", "Tensor.get_device": "ones(1).get_device()",
    "arange": "arange(5)", "range": "torch.range(1, 4)", "linspace": "linspace(0, 1, 5)", "logspace": "logspace(0, 2, 3)",
    "full": "full((2, 2), 7.)", "zeros": "zeros(2, 3)", "ones": "ones(2, 3)", "empty": "empty(2, 3).shape", "eye": "eye(2)",
    "rand": SEEDED + "; rand(3)", "randn": SEEDED + "; randn(3)", "randint": SEEDED + "; randint(10, (5,))",
    "randperm": SEEDED + "; randperm(5)", "normal": SEEDED + "; normal(0., 1., (3,))",
    "empty_like": "empty_like(ones(2, 3)).shape", "empty_strided": "empty_strided((2, 3), (3, 1)).stride()",
    "empty_permuted": "empty_permuted((2, 3), (1, 0)).stride()",
    "einsum": "einsum('ij,jk->ik', tensor([[1., 2.], [3., 4.]]), tensor([[1., 0.], [2., 1.]]))",
    "where": "where(tensor([True, False, True]), tensor([1., 2., 3.]), tensor([-1., -2., -3.]))",
    "gather": "gather(tensor([[1., 2.], [3., 4.]]), 1, tensor([[0, 0], [1, 0]]))",
    "scatter": "scatter(zeros(2, 3), 1, tensor([[0], [2]]), tensor([[5.], [6.]]))",
    "scatter_add": "scatter_add(zeros(3), 0, tensor([0, 2, 2]), tensor([1., 2., 3.]))",
    "scatter_reduce": "scatter_reduce(zeros(3), 0, tensor([0, 2, 2]), tensor([1., 2., 3.]), 'amax')",
    "index_select": "index_select(tensor([[1., 2.], [3., 4.], [5., 6.]]), 0, tensor([2, 0]))",
    "masked_select": "masked_select(tensor([1., 2., 3.]), tensor([True, False, True]))",
    "masked_fill": "masked_fill(tensor([1., 2., 3.]), tensor([True, False, True]), 0.)",
    "masked_scatter": "masked_scatter(zeros(3), tensor([True, False, True]), tensor([5., 6.]))",
    "take_along_dim": "take_along_dim(tensor([[3., 1.], [2., 4.]]), tensor([[1, 0], [0, 1]]), 1)",
    "clamp": "clamp(tensor([-1.5, 0.5, 2.5]), 0., 1.)", "clip": "clip(tensor([-1.5, 0.5, 2.5]), 0., 1.)",
    "index_put": "index_put(zeros(3), (tensor([0, 2]),), tensor([5., 6.]))",
    "put": "torch.put(zeros(2, 2), tensor([0, 3]), tensor([5., 6.]))",
    "bincount": "bincount(tensor([0, 1, 1, 3]))", "histc": "histc(tensor([1., 2., 1.]), bins=4, min=0, max=3)",
    "histogram": "histogram(tensor([1., 2., 1.]), bins=4, range=(0., 3.))",
    "histogramdd": "histogramdd(tensor([[0., 1.], [1., 0.]]), bins=[2, 2])",
    "unique": "unique(tensor([3, 1, 2, 1]))", "unique_consecutive": "unique_consecutive(tensor([1, 1, 2, 1]))",
    "bucketize": "bucketize(tensor([1, 4, 9]), tensor([2, 5, 8]))", "searchsorted": "searchsorted(tensor([1, 3, 5]), tensor([2, 5]))",
    "cartesian_prod": "cartesian_prod(tensor([1, 2]), tensor([3, 4]))", "meshgrid": "meshgrid(tensor([1, 2]), tensor([3, 4]), indexing='ij')",
    "block_diag": "block_diag(ones(1, 2), 2 * ones(2, 1))", "broadcast_tensors": "broadcast_tensors(ones(2, 1), zeros(2))",
    "broadcast_shapes": "broadcast_shapes((2, 1), (3,))", "atleast_1d": "atleast_1d(tensor(2.))", "atleast_2d": "atleast_2d(tensor([1., 2.]))",
    "atleast_3d": "atleast_3d(tensor([1., 2.])).shape", "combinations": "combinations(tensor([1, 2, 3]))",
    "unravel_index": "unravel_index(tensor([3, 5]), (2, 3))", "vander": "vander(tensor([1, 2, 3]))",
    "as_strided": "as_strided(arange(6.), (2, 2), (2, 1))", "unfold_copy": "unfold_copy(arange(5), 0, 3, 2)",
    "narrow": "narrow(arange(5), 0, 1, 3)", "select": "select(tensor([[1., 2.], [3., 4.]]), 0, 1)",
    "split": "split(arange(5), 2)", "chunk": "chunk(arange(5), 2)", "tensor_split": "tensor_split(arange(5), 2)",
    "permute": "permute(ones(2, 3, 4), (2, 0, 1)).shape", "movedim": "movedim(ones(2, 3, 4), 0, -1).shape",
    "tensordot": "tensordot(tensor([[1., 2.], [3., 4.]]), tensor([[1., 0.], [2., 1.]]), dims=1)",
    "trapezoid": "trapezoid(tensor([1., 2., 4.]))", "gradient": "gradient(tensor([1., 4., 9., 16.]))",
    "quantile": "quantile(tensor([1., 2., 3., 4.]), 0.5)", "nanquantile": "nanquantile(tensor([1., nan, 3.]), 0.5)",
    "corrcoef": "corrcoef(tensor([[1., 2., 3.], [3., 2., 1.]]))", "cov": "cov(tensor([[1., 2., 3.], [3., 2., 1.]]))",
    "cross": "cross(tensor([1., 0., 0.]), tensor([0., 1., 0.]), dim=0)", "linalg.cross": "linalg.cross(tensor([1., 0., 0.]), tensor([0., 1., 0.]))",
    "dot": "dot(tensor([1., 2.]), tensor([3., 4.]))", "bmm": "bmm(ones(2, 2, 3), ones(2, 3, 1))",
    "multinomial": SEEDED + "; multinomial(tensor([0.1, 0.9]), 3, replacement=True)", "bernoulli": SEEDED + "; bernoulli(tensor([0.2, 0.5, 0.8]))",
    "poisson": SEEDED + "; poisson(tensor([1., 4., 9.]))", "stft": "stft(arange(8.), 4, window=ones(4), return_complex=True).shape",
    "istft": "istft(stft(arange(8.), 4, window=ones(4), return_complex=True), 4, window=ones(4)).shape",
    "from_numpy": "from_numpy(np.array([1., 2.]))", "frombuffer": "frombuffer(bytearray(b'ab'), dtype=uint8)", "is_tensor": "is_tensor(tensor(1.))",
    "nn.functional.cross_entropy": "nn.functional.cross_entropy(tensor([[2., 1., 0.]]), tensor([0]))",
    "nn.functional.nll_loss": "nn.functional.nll_loss(tensor([[-0.5, -1., -2.]]), tensor([1]))",
    "nn.functional.embedding": "nn.functional.embedding(tensor([2, 0]), tensor([[1., 2.], [3., 4.], [5., 6.]]))",
    "nn.functional.embedding_bag": "nn.functional.embedding_bag(tensor([[2, 0]]), tensor([[1., 2.], [3., 4.], [5., 6.]]))",
    "nn.functional.one_hot": "nn.functional.one_hot(tensor([0, 2]), 3)",
    "nn.functional.pad": "nn.functional.pad(tensor([1., 2.]), (1, 2))",
    "nn.functional.interpolate": "nn.functional.interpolate(tensor([[[1., 2.]]]), scale_factor=2)",
    "nn.functional.batch_norm": "nn.functional.batch_norm(tensor([[1.], [3.]]), None, None, training=True)",
    "nn.functional.ctc_loss": "nn.functional.ctc_loss(zeros(3, 1, 2).log_softmax(2), tensor([[1]]), tensor([3]), tensor([1]))",
    "nn.functional.scaled_dot_product_attention": "nn.functional.scaled_dot_product_attention(ones(1, 2, 2), ones(1, 2, 2), tensor([[[1., 2.], [3., 4.]]]))",
    "nn.functional.dropout": SEEDED + "; nn.functional.dropout(ones(4))",
    "nn.functional.gumbel_softmax": SEEDED + "; nn.functional.gumbel_softmax(zeros(3), hard=True)",
    "nn.functional.fold": "nn.functional.fold(ones(1, 4, 4), (3, 3), (2, 2))",
    "nn.functional.unfold": "nn.functional.unfold(arange(4.).reshape(1, 1, 2, 2), 2)",
    "nn.functional.linear": "nn.functional.linear(tensor([1., 2.]), tensor([[1., 0.], [2., 1.]]), tensor([0.5, 0.5]))",
    "nn.functional.conv1d": "nn.functional.conv1d(tensor([[[1., 2., 3., 4.]]]), tensor([[[1., -1.]]]))",
    "nn.functional.conv2d": "nn.functional.conv2d(arange(16.).reshape(1, 1, 4, 4), ones(1, 1, 2, 2), stride=2)",
    "nn.functional.conv_transpose1d": "nn.functional.conv_transpose1d(tensor([[[1., 2.]]]), tensor([[[1., 1.]]]))",
    "nn.functional.max_unpool1d": "nn.functional.max_unpool1d(tensor([[[2., 4.]]]), tensor([[[1, 3]]]), 2)",
    "nn.functional.max_unpool2d": "nn.functional.max_unpool2d(tensor([[[[5.]]]]), tensor([[[[3]]]]), 2)",
    "nn.functional.max_unpool3d": "nn.functional.max_unpool3d(tensor([[[[[5.]]]]]), tensor([[[[[7]]]]]), 2).shape",
    "nn.functional.fractional_max_pool2d": "nn.functional.fractional_max_pool2d(arange(16.).reshape(1, 1, 4, 4), 2, output_size=(2, 2)).shape",
    "nn.functional.fractional_max_pool3d": "nn.functional.fractional_max_pool3d(arange(64.).reshape(1, 1, 4, 4, 4), 2, output_size=(2, 2, 2)).shape",
    "nn.functional.grid_sample": "nn.functional.grid_sample(arange(4.).reshape(1, 1, 2, 2), zeros(1, 1, 1, 2), align_corners=False)",
    "nn.functional.affine_grid": "nn.functional.affine_grid(tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2), align_corners=False)",
    "nn.functional.multi_head_attention_forward": None, "nn.functional.hinge_embedding_loss": "nn.functional.hinge_embedding_loss(tensor([0.2, 0.5]), tensor([1., -1.]))",
    "nn.functional.binary_cross_entropy": "nn.functional.binary_cross_entropy(tensor([0.2, 0.8]), tensor([0., 1.]))",
    "nn.functional.margin_ranking_loss": "nn.functional.margin_ranking_loss(tensor([1., 2.]), tensor([2., 1.]), tensor([1., 1.]))",
    "nn.functional.cosine_embedding_loss": "nn.functional.cosine_embedding_loss(tensor([[1., 0.]]), tensor([[1., 1.]]), tensor([1.]))",
    "nn.functional.cosine_similarity": "nn.functional.cosine_similarity(tensor([1., 0.]), tensor([1., 1.]), dim=0)",
    "nn.functional.multi_margin_loss": "nn.functional.multi_margin_loss(tensor([[0.1, 0.9]]), tensor([0]))",
    "nn.functional.multilabel_margin_loss": "nn.functional.multilabel_margin_loss(tensor([[0.1, 0.9]]), tensor([[0, -1]]))",
    "linalg.multi_dot": "linalg.multi_dot([ones(2, 3), ones(3, 2), ones(2, 1)])", "linalg.lstsq": "linalg.lstsq(tensor([[1., 0.], [0., 2.], [0., 0.]]), tensor([[1.], [4.], [0.]])).solution",
    "linalg.solve": "linalg.solve(tensor([[2., 0.], [0., 4.]]), tensor([2., 8.]))", "linalg.inv": "linalg.inv(tensor([[2., 0.], [0., 4.]]))",
    "linalg.eigh": "linalg.eigh(tensor([[2., 0.], [0., 1.]])).eigenvalues", "linalg.svd": "linalg.svd(tensor([[3., 0.], [0., 2.]])).S",
    "linalg.eig": "linalg.eig(tensor([[2., 0.], [0., 1.]])).eigenvalues", "linalg.qr": "linalg.qr(tensor([[2., 0.], [0., 1.]])).R",
    "svd": "svd(tensor([[3., 0.], [0., 2.]])).S", "qr": "qr(tensor([[2., 0.], [0., 1.]])).R", "pca_lowrank": None, "svd_lowrank": None, "lobpcg": None,
    "linalg.matrix_power": "linalg.matrix_power(tensor([[1., 1.], [0., 1.]]), 3)", "linalg.vander": "linalg.vander(tensor([1, 2, 3]))",
    "linalg.tensorsolve": "linalg.tensorsolve(eye(2), tensor([1., 2.]))", "linalg.tensorinv": "linalg.tensorinv(eye(4).reshape(2, 2, 4)).shape",
    "cdist": "cdist(tensor([[0., 0.]]), tensor([[3., 4.]]))", "promote_types": "promote_types(int32, float16)", "can_cast": "can_cast(float64, int32)",
    "result_type": "result_type(tensor([1, 2]), 1.)", "Tensor.item": "tensor([2.5]).item()", "Tensor.tolist": "tensor([[1, 2]]).tolist()",
    "Tensor.view": "arange(4).view(2, 2)", "Tensor.to": "tensor([1.7]).to(int32)", "Tensor.type": "tensor([1.]).type()",
    "Tensor.expand": "tensor([[1], [2]]).expand(2, 3)", "Tensor.repeat": "tensor([1, 2]).repeat(2)", "Tensor.unfold": "arange(5).unfold(0, 3, 2)",
    "Tensor.size": "ones(2, 3).size()", "Tensor.new_full": "ones(1).new_full((2,), 7.)", "Tensor.new_tensor": "ones(1).new_tensor([1, 2])",
    "Tensor.masked_fill_": "tensor([1., 2.]).masked_fill_(tensor([True, False]), 0.)", "Tensor.register_hook": None,
    "Tensor.uniform_": SEEDED + "; zeros(3).uniform_()", "Tensor.normal_": SEEDED + "; zeros(3).normal_()", "Tensor.random_": SEEDED + "; zeros(3).random_(10)",
}  # fmt: skip


SPARSE = {
    "sparse.sampled_addmm": "s = torch.eye(2).to_sparse_csr(); torch.sparse.sampled_addmm(s, ones(2, 3), ones(3, 2)).to_dense()",
    "sspaddmm": "s = torch.eye(2).to_sparse(); torch.sspaddmm(s, s, ones(2, 2)).to_dense()",
    "smm": "s = torch.eye(2).to_sparse(); torch.smm(s, ones(2, 2)).to_dense()",
    "hspmm": "s = torch.eye(2).to_sparse(); torch.hspmm(s, ones(2, 2)).to_dense()",
    "sparse.spdiags": "sparse.spdiags(tensor([[1., 2.]]), tensor([0]), (2, 2)).to_dense()",
    "sparse_coo_tensor": "sparse_coo_tensor(tensor([[0, 1], [2, 0]]), tensor([3., 4.]), (2, 3))",
    "sparse_compressed_tensor": "sparse_compressed_tensor([0, 1, 2], [1, 0], [3., 4.], layout=torch.sparse_csr).to_dense()",
    "sparse_csr_tensor": "sparse_csr_tensor([0, 1, 2], [1, 0], [3., 4.])",
    "sparse_csc_tensor": "sparse_csc_tensor([0, 1, 2], [1, 0], [3., 4.]).to_dense()",
    "sparse_bsr_tensor": "sparse_bsr_tensor([0, 1], [0], [[[3., 4.]]]).to_dense()",
    "sparse_bsc_tensor": "sparse_bsc_tensor([0, 1], [0], [[[3., 4.]]]).to_dense()",
    "Tensor.sparse_mask": "s = torch.eye(2).to_sparse(); ones(2, 2).sparse_mask(s).to_dense()",
    "Tensor.to_sparse": "tensor([[0., 3.], [4., 0.]]).to_sparse()",
    "Tensor.to_sparse_coo": "tensor([0., 3.]).to_sparse_coo()",
    "Tensor.to_sparse_csr": "tensor([[0., 3.], [4., 0.]]).to_sparse_csr()",
    "Tensor.to_sparse_csc": "tensor([[0., 3.], [4., 0.]]).to_sparse_csc()",
    "Tensor.to_sparse_bsr": "ones(2, 2).to_sparse_bsr((2, 2)).values()",
    "Tensor.to_sparse_bsc": "ones(2, 2).to_sparse_bsc((2, 2)).values()",
    "Tensor.indices": "tensor([0., 3.]).to_sparse().indices()",
    "Tensor.values": "tensor([0., 3.]).to_sparse().values()",
    "Tensor.coalesce": "sparse_coo_tensor([[1, 1]], [3., 4.], (2,)).coalesce()",
    "Tensor.is_coalesced": "sparse_coo_tensor([[1, 1]], [3., 4.], (2,)).is_coalesced()",
    "Tensor.sparse_resize_": "tensor([0., 3.]).to_sparse().sparse_resize_((3,), 1, 0).to_dense()",
    "Tensor.sparse_resize_and_clear_": "tensor([0., 3.]).to_sparse().sparse_resize_and_clear_((3,), 1, 0).to_dense()",
    "Tensor.resize_as_sparse_": "s = torch.eye(2).to_sparse(); sparse_coo_tensor((2, 2)).resize_as_sparse_(s).to_dense()",
    "Tensor.sparse_dim": "torch.eye(2).to_sparse().sparse_dim()",
    "Tensor.dense_dim": "torch.eye(2).to_sparse(1).dense_dim()",
    "Tensor.crow_indices": "torch.eye(2).to_sparse_csr().crow_indices()",
    "Tensor.col_indices": "torch.eye(2).to_sparse_csr().col_indices()",
    "Tensor.ccol_indices": "torch.eye(2).to_sparse_csc().ccol_indices()",
    "Tensor.row_indices": "torch.eye(2).to_sparse_csc().row_indices()",
    "Tensor.sspaddmm": "s = torch.eye(2).to_sparse(); s.sspaddmm(s, ones(2, 2)).to_dense()",
    "Tensor.smm": "s = torch.eye(2).to_sparse(); s.smm(ones(2, 2)).to_dense()",
}
WRITTEN |= SPARSE


def shape(value: object) -> str:
    """``float32[2, 3]`` of a tensor, and so on within tuples."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], torch.Tensor):
        return ", ".join(shape(v) for v in value)
    return type(value).__name__


def run(statement: str) -> tuple[str, object] | None:
    """What a statement prints in PyTorch, and its value; None where it fails or its result is nothing to show."""
    space = dict(vars(torch), np=__import__("numpy"))
    try:
        *before, last = statement.split("; ")
        for each in before:
            exec(each, space)
        value = eval(last, space)
    except Exception:
        return None
    if value is None or callable(value):
        return None
    text = repr(value)
    if (
        "nan" in text
        or "inf" in text
        or "object at" in text
        or len(text.splitlines()) > 6
        or max(map(len, text.splitlines())) > 100
    ):
        return None
    if "-0." in text and "e-" in text:
        return None
    return text, value


def spelled(name: str) -> str:
    return (
        f"torch.{name}"
        if "." not in name
        and (
            name in dir(__builtins__)
            or name in ("range", "sum", "max", "min", "abs", "round", "pow", "all", "any", "complex")
        )
        else name
    )


def statements(name: str, function: object) -> list[str]:
    """Calls of a function, made from its parameters."""
    parameters = list(inspect.signature(function).parameters.values())
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    many = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
    shown = [p for p in parameters if p.name in OPTIONAL and p.default is not p.empty]
    method = name.startswith("Tensor.")
    calls = []
    for wanted in ([*needed, *shown], needed):
        choices = [VALUES.get(p.name, ["2"]) for p in wanted]
        if many and not method:
            choices += [["ones(2)", "(2,)", "2"]]
        for values in itertools.islice(itertools.product(*choices), 400):
            texts = [
                f"{p.name}={v}" if p.kind is p.KEYWORD_ONLY or p in shown else v
                for p, v in zip(wanted, values, strict=False)
            ] + list(values[len(wanted) :])
            if method:
                first, *texts = texts or [A]
                calls.append(f"{first}.{name[7:]}({', '.join(texts)})")
            else:
                calls.append(f"{spelled(name)}({', '.join(texts)})")
    return calls


def example(name: str, function: object) -> tuple[str, str, str] | None:
    """A statement, what it prints, and the shapes; None where there is nothing to show."""
    if name in WRITTEN and WRITTEN[name] is None:
        return None
    for statement in [WRITTEN[name]] if name in WRITTEN else statements(name, function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = run(statement)
            if first is None:
                continue
            torch.rand(1)
            if (run(statement) or ("",))[0] != first[0]:
                first = run(f"{SEEDED}; {statement}")
                statement = f"{SEEDED}; {statement}"
        return statement, first[0], shape(first[1])
    return None


def own(name: str, names: dict) -> bool:
    """Whether an example of its own is due: not for in-place forms and further names of one function."""
    function = names[name]
    return not name.rpartition(".")[2].startswith("_") and all(
        names[n] is not function for n in names if n < name and "." in n == "." in name
    )


def main() -> None:
    table.load_all()
    names = {n: f for n, f in table.FUNCTIONS.items() if callable(f) and not isinstance(f, type)}
    names |= {"Tensor." + n: f for n, f in table.METHODS.items() if n not in names and callable(f)}
    files: dict[str, list[str]] = {}
    lacking, seen = [], set()
    for name in sorted(names):
        last = name.rpartition(".")[2]
        if (
            last.startswith("_")
            or last.endswith("_")
            and name not in WRITTEN
            or id(names[name]) in seen
            and name not in WRITTEN
        ):
            continue
        found = example(name, names[name])
        if found is None:
            lacking.append(name)
            continue
        seen.add(id(names[name]))
        statement, text, result = found
        family = "Tensor" if name.startswith("Tensor.") else name.rpartition(".")[0] or "torch"
        lines = [f"# {name} -> {result}", *statement.split("; "), *("#> " + line for line in text.split("\n"))]
        files.setdefault(family, []).append("\n".join(line.rstrip() for line in lines))
    for family, blocks in files.items():
        title = f"# Examples of the functions of {'torch.' if family[0].islower() and family != 'torch' else ''}{family}, each with what PyTorch prints.\n\n"
        (FOLDER / (family.replace(".", "_") + ".tsr")).write_text(title + "\n\n".join(blocks) + "\n", encoding="utf-8")
    print(sum(map(len, files.values())), "examples; none for:", *lacking)


main()
