"""What PyTorch says where tensors lie on several devices.

Elementwise operators name two devices. Others compare their arguments, in the order of PyTorch's own declaration, with the
first one before they compute, and name the argument and the method that does so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .dtype import of

AT_LEAST_TWO = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
METHODS = {
    name: method.split()
    for name, method in {
        "mm": "mm self mat2", "bmm": "bmm self mat2", "addmm": "addmm self mat1 mat2", "baddbmm": "baddbmm self batch1 batch2",
        "addbmm": "_addbmm self batch1 batch2", "addmv": "addmv self mat vec", "mv": "addmv_ self=vec mat=input vec",
        "addr": "_addr self vec1 vec2", "dot": "_dot self tensor", "vdot": "_vdot self other", "gather": "gather self index",
        "index_select": "_index_select self index", "_embedding": "_index_select self=weight index=indices",
        "native_layer_norm": "_native_layer_norm input weight bias", "_native_group_norm": "_native_group_norm input weight bias",
        "_fused_rms_norm": "__fused_rms_norm input weight", "_nll_loss": "nll_loss_forward self target weight",
        "cat": "cat tensors", "stack": "cat tensors", "logaddexp": "logaddexp self other", "logaddexp2": "logaddexp2 self other", "gcd": "gcd self other",
        "lcm": "lcm self other", "igamma": "igamma self other", "igammac": "igammac self other",
        "nextafter": "nextafter self other", "_huber_loss": "_huber_loss self target",
        "grid_sampler_2d": "_grid_sampler_2d input grid", "grid_sampler_3d": "_grid_sampler_3d input grid",
        "take": "_take self index", "put": "_put_ self index source", "index_add": "index_add self index source",
        "index_copy": "index_copy self index source", "index_reduce": "index_reduce self index source",
        "scatter_add": "scatter_add self index src", "_scatter": "scatter_src self index src",
        "scatter_reduce": "scatter_reduce_two self index src", "masked_select": "_masked_select self mask",
        "_masked_scatter": "_masked_scatter_ self mask source", "_multi_margin_loss": "_multi_margin_loss self target weight",
        "_cdist_forward": "__cdist_forward x1 x2", "linalg.solve_ex": "_linalg_solve_ex A B",
        "linalg.householder_product": "_linalg_householder_product input tau", "ormqr": "_ormqr self input2=tau input3=other",
        "linalg.solve_triangular": "_linalg_solve_triangular self=A B", "triangular_solve": "triangular_solve self A",
        "lu_unpack": "lu_unpack LU_data LU_pivots", "linalg.lu_solve": "linalg_lu_solve LU pivots B",
        "linalg.ldl_solve": "linalg_ldl_solve LD pivots B", "linalg.cross": "linalg_cross self other",
        "_prelu_kernel": "__prelu_kernel self weight", "_clamp_tensors": "clamp_Tensor self min max",
        "_clamp_min_tensor": "clamp_min_Tensor self min=bound", "_clamp_max_tensor": "clamp_max_Tensor self max=bound",
        "equal": "_equal self other", "searchsorted": "Tensor_searchsorted sorted_sequence self",
        "bucketize": "Tensor_bucketize self boundaries", "isin": "isin_Tensor_Tensor elements test_elements",
        "bincount": "_bincount self weights",
        "native_batch_norm": "_native_batch_norm input weight bias running_mean running_var",
        "cudnn_batch_norm": "_cudnn_batch_norm input weight bias running_mean running_var",
        "_embedding_bag": "__embedding_bag weight indices offsets per_sample_weights",
        "_embedding_bag_forward_only": "__embedding_bag_forward_only weight indices offsets per_sample_weights",
    }.items()
}  # fmt: skip
"""By the operator's name: what follows ``wrapper_CUDA_`` in the method's name, and its arguments (ours, where it differs)."""


RECURRENT = frozenset(["_lstm_layer", "_gru_layer", "_rnn_layer"])


def typed(x: Any, place: Any) -> str:
    """What an array is to PyTorch's convolutions: ``torch.cuda.FloatTensor``."""
    return f"torch.{'' if place.type == 'cpu' else 'cuda.'}{of(x).short}Tensor"


def convolved(place_of: Callable, input: Any, weight: Any, bias: Any = None) -> str | None:
    """The words of a convolution, which compares types, if a tensor lies on the CPU beside one that does not."""
    here = place_of(input)
    for name, x in ("weight", weight), ("bias", bias):
        if x is not None and (place_of(x).type == "cpu") is not (here.type == "cpu"):
            dense = " or input should be a MKLDNN tensor and weight is a dense tensor" if here.type == "cpu" else ""
            return (
                f"Input type ({typed(input, here)}) and {name} type ({typed(x, place_of(x))}) should be the same{dense}"
            )
    return None


def mixed(name: str, places: dict[str, Any]) -> str | None:
    """The argument that lies elsewhere than the first, in PyTorch's words; None where it does not compare them, or they do
    not differ. places: the devices of the tensors by our names; a list of devices for a list of tensors."""
    if name in RECURRENT:
        for kind in ("h", "c", "w_ih", "w_hh", "b_ih", "b_hh"):
            if places.get(kind, places["input"]) != places["input"]:
                other = "hidden" if kind in "hc" else "parameter"
                return (
                    f"Input and {other} tensors are not at the same device, found input tensor at {places['input']} and "
                    f"{other} tensor at {places[kind]}"
                )
    if name == "cholesky_solve" and places["input"] != places["L"]:
        return f"Expected b and A to be on the same device, but found b on {places['input']} and A on {places['L']} instead."
    method, *arguments = METHODS.get(name, ("",))
    common = None
    for argument in arguments:
        theirs, _, ours = argument.partition("=")
        found = places.get(ours or ("input" if theirs == "self" else theirs))
        for place in found if isinstance(found, list) else () if found is None else (found,):
            common = place if common is None else common
            if place != common:
                return (
                    f"Expected all tensors to be on the same device, but got {theirs} is on {place}, different from other "
                    f"tensors on {common} (when checking argument in method wrapper_CUDA_{method})"
                )
    return None


def two_of(places: Iterable) -> str:
    """Two of the devices: the first that is no CPU, and the first that differs from it."""
    found = list(places)
    first = next(p for p in found if p.type != "cpu")
    return AT_LEAST_TWO.format(first, next(p for p in found if p != first))
