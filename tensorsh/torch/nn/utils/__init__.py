"""``torch.nn.utils``: clipping of gradients, parameters as vectors, weights with norms of their own."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_found = lazily(
    __name__,
    {
        "clip_grad": "clip_grad_norm_ clip_grad_norm clip_grad_value_ clip_grads_with_norm_ get_total_norm",
        "memory_formats": "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
        "convert_parameters": "parameters_to_vector vector_to_parameters",
        "weight_normalization": "weight_norm remove_weight_norm",
        "spectral_normalization": "spectral_norm remove_spectral_norm",
        "fusion": "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights skip_init",
    },
)
globals().update(_found)
__all__ = list(_found)
