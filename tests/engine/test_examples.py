"""Every public function has a docstring, and an example that gives what PyTorch gave."""

from __future__ import annotations

import pytest

from tensorsh.engine.examples import FOLDER, example, examples
from tensorsh.engine.loading import table
from tensorsh.golden.runner import collect, run_file

table.load_all()

PLUMBING = """
affine_grid_generator alias batch_norm bilinear conv_tbc convolution ctc_loss embedding_bag grid_sampler grid_sampler_2d
grid_sampler_2d_backward grid_sampler_2d_backward_backward grid_sampler_3d grid_sampler_3d_backward
grid_sampler_3d_backward_backward instance_norm native_batch_norm native_group_norm sym_ite sym_max sym_min sym_sum
sym_int sym_float sym_not sym_fresh_size linear_cross_entropy multi_head_attention_forward multilabel_margin_loss
adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices
kl_div margin_ranking_loss hinge_embedding_loss cosine_embedding_loss poisson_nll_loss triplet_margin_loss
binary_cross_entropy_with_logits
""".split()
"""Kernels behind functions that have an example."""
WITHOUT = {
    "chalf": "no complex32", "data_ptr": "an address", "cuda": "a device", "pin_memory": "a device",
    "from_dlpack": "another library's", "storage_type": "a class", "resize": "gone", "resize_as": "gone",
    "lobpcg": "random", "pca_lowrank": "random", "svd_lowrank": "random", "eig": "gone", "symeig": "gone", "lstsq": "gone",
    "solve": "gone", "matrix_rank": "gone", "chain_matmul": "warns", "LinAlgError": "no function", "get_device": "-1",
    "conv_transpose3d": "see nn.functional", "set_": "see data",
}  # fmt: skip


def public() -> dict[str, object]:
    names = {n: f for n, f in table.FUNCTIONS.items() if not n.rpartition(".")[2].startswith("_")}
    return names | {"Tensor." + n: f for n, f in table.METHODS.items() if not n.startswith("_") and callable(f)}


@pytest.mark.parametrize("path", collect([FOLDER]), ids=lambda p: str(p).rpartition("/")[2])
def test_examples_run(path) -> None:
    result = run_file(path)
    assert not result.differences, result


def test_every_function_has_a_docstring() -> None:
    assert not [n for n, f in public().items() if not f.__doc__ and not n.endswith("Tensor")]


def test_every_function_has_an_example() -> None:
    without = [
        n for n, f in public().items() if not (example(n) or hasattr(f, "__wrapped__") and f.__wrapped__.example())
    ]
    known = {*PLUMBING, *WITHOUT}
    assert len(examples()) > 650
    lacking = [n for n in without if n.rpartition(".")[2].rstrip("_") not in known and not n.endswith("Tensor")]
    assert not lacking


def test_help_shows_the_example() -> None:
    import pydoc

    from tensorsh import torch

    text = pydoc.plain(pydoc.render_doc(torch.cumsum))
    assert (
        "cumsum(input, dim, *, dtype=None, out=None)" in text and ">>> cumsum(" in text and "This is float32[" in text
    )
