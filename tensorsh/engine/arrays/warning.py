"""Warnings, told of the line of the program that led to them; those of old forms once in a session, in PyTorch's words."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from ...sandbox.sealed import is_own
from ...sandbox.wrapping import wraps
from .state import state


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, once for each place: the innermost line that is not this package's."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_own(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_BACKED = "is deprecated in favor of torch.linalg."
_GOES = " and will be removed in a future PyTorch release.\n"
_NUMBERS = "is deprecated on 0-D tensors."
_INSTEAD = "should be replaced with\n"
_RECTANGULAR = "A window was not provided. A rectangular window will be applied"
_EXPLICIT = (
    "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
OLD = {
    "cholesky": f"torch.cholesky {_BACKED}cholesky{_GOES}L = torch.cholesky(A)\n{_INSTEAD}L = torch.linalg.cholesky(A)\nand\n"
    f"U = torch.cholesky(A, upper=True)\n{_INSTEAD}U = torch.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
    "qr": f"torch.qr {_BACKED}qr{_GOES}The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
    f"Q, R = torch.qr(A, some)\n{_INSTEAD}Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    "lu": f"torch.lu {_BACKED}lu_factor / torch.linalg.lu_factor_ex{_GOES}LU, pivots = torch.lu(A, compute_pivots)\n{_INSTEAD}"
    "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
    f"LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n{_INSTEAD}"
    "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
    "triangular_solve": f"torch.triangular_solve {_BACKED}solve_triangular{_GOES[1:]}torch.linalg.solve_triangular has its "
    "arguments reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\n"
    f"{_INSTEAD}X = torch.linalg.solve_triangular(A, B).",
    "lu_solve": f"torch.lu_solve {_BACKED}lu_solve{_GOES[1:]}Note that torch.linalg.lu_solve has its arguments reversed.\n"
    f"X = torch.lu_solve(B, LU, pivots)\n{_INSTEAD}X = torch.linalg.lu_solve(LU, pivots, B)",
    "chain_matmul": f"torch.chain_matmul is deprecated{_GOES.rstrip()} Use torch.linalg.multi_dot instead, which accepts a list "
    "of two or more tensors rather than multiple parameters.",
    "cross": "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply "
    "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release.",
    "stft": f"{_RECTANGULAR},which is known to cause spectral leakage. Other windows such as torch.hann_window or "
    f"torch.hamming_window are recommended to reduce spectral leakage.{_EXPLICIT}",
    "stft of pairs": "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the complex output to "
    "recover the old return format.",
    "istft": f"{_RECTANGULAR}.Please provide the same window used by stft to make the inversion lossless.{_EXPLICIT}",
    "scatter": "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
    "torch.scatter_reduce instead for more reduction options.",
    "padding of even kernels": "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input "
    "be created",
    "nested": "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying "
    "layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better operator coverage, "
    "and works with torch.compile.",
    "set_default_tensor_type": "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives.",
    "complex": "Casting complex values to real discards the imaginary part",
    "T of a number": f"Tensor.T {_NUMBERS} This function is the identity in these cases.",
    "mT of a number": f"Tensor.mT {_NUMBERS} This function is the identity in these cases.",
    "mH of a number": f"Tensor.mH {_NUMBERS} Consider using x.conj().",
    "adjoint() of a number": f"adjoint() {_NUMBERS} Consider using x.conj().",
    "H of a number": f"Tensor.H {_NUMBERS} Consider using x.conj().",
    "T": "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error "
    "in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, "
    "-1))` to reverse the dimensions of a tensor.",
    "invariants": "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse "
    "tensor which violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt in or out. "
    "See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. ",
    "profiler": "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be reported. "
    "To keep events across cycles, set acc_events=True.",
}
"""What is said of an old form, by its name."""


_DIST, _FUNCTIONAL = "torch.distributed.", "torch.distributed._functional_collectives."
_USE = "`{0}{1}` is deprecated. Please use `{0}{2}` instead."
_PRIVATE = "`{0}{1}` is a private function and will be deprecated. Please use `{0}{2}` instead."
_LATER = (
    "`{0}{1}` will be deprecated. If you must use it, please revisit our documentation later at "
    "https://pytorch.org/docs/main/distributed.html#collective-functions"
)
_FLOWING = (
    "torch.distributed.nn.functional.{1} is deprecated, use torch.distributed._functional_collectives.{2} instead."
)
_FORMS = {
    _USE: (
        (_DIST, "all_gather_into_tensor all_gather_single reduce_scatter_tensor reduce_scatter_single"),
        (
            _FUNCTIONAL,
            "all_gather_tensor all_gather_single all_gather_tensor_autograd all_gather_single_autograd reduce_scatter_tensor "
            "reduce_scatter_single reduce_scatter_tensor_autograd reduce_scatter_single_autograd all_gather_into_tensor_coalesced "
            "all_gather_single_coalesced reduce_scatter_tensor_coalesced reduce_scatter_single_coalesced",
        ),
    ),
    _PRIVATE: ((_DIST, "_all_gather_base all_gather_single _reduce_scatter_base reduce_scatter_single"),),
    _LATER: ((_DIST, "all_reduce_coalesced - all_gather_coalesced -"),),
    _FLOWING: (
        (
            "torch.distributed.nn.functional.",
            "broadcast broadcast reduce_scatter reduce_scatter_single all_gather all_gather_single all_to_all_single all_to_all_single "
            "all_reduce all_reduce",
        ),
    ),
}
DEPRECATED = {
    **{
        place + old: form.format(place, old, new)
        for form, places in _FORMS.items()
        for place, names in places
        for old, new in zip(names.split()[::2], names.split()[1::2], strict=True)
    },
    "torch.distributed.checkpoint.save_state_dict": "`save_state_dict` is deprecated and will be removed in future versions.Please use "
    "`save` instead.",
    "torch.distributed.checkpoint.load_state_dict": "`load_state_dict` is deprecated and will be removed in future versions. Please use "
    "`load` instead.",
    "NO_SHARD": "The `NO_SHARD` sharding strategy is deprecated. If having issues, please use `DistributedDataParallel` instead.",
    "state_dict_type": "FSDP.state_dict_type() and FSDP.set_state_dict_type() are being deprecated. Please use APIs, get_state_dict() and "
    "set_state_dict(), which can support different parallelisms, FSDP1, FSDP2, DDP. API doc: "
    "https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict.get_state_dict .Tutorial: "
    "https://pytorch.org/tutorials/recipes/distributed_checkpoint_recipe.html .",
    "ranks": "The combination of ranks + tag as process group identifier has been deprecated. Please switch to using ProcessGroup, "
    "DeviceMesh, or group name instead.",
}
"""What is said of a function of several processes by its full name, or of another old form: a FutureWarning, each time."""


def deprecated(name: str) -> Callable[[Any], Any]:
    """A decorator for what stands under a deprecated name, which says so when it is called."""

    def dress(function: Any) -> Any:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            warn(DEPRECATED[name], FutureWarning)
            return function(*args, **kwargs)

        run.__name__ = run.__qualname__ = name.rpartition(".")[2]
        return run

    return dress


def warn_of_old(name: str) -> None:
    """Warn of an old form, once; each time where all warnings are wanted (`torch.set_warn_always`)."""
    if first(name):
        warn(OLD[name])


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn for the first time in a session; each time where all warnings are wanted."""
    if first(message):
        warn(message, category)


def first(name: str) -> bool:
    """Whether a warning is still to be given."""
    if name in state.warned and not state.__dict__.get("warn_always"):
        return False
    state.warned.add(name)
    return True
