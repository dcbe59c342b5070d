"""Names of ``torch`` itself that libraries use and its documentation does not show. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..engine.arrays.layout import _mkldnn  # noqa: F401 - a name of torch
from ..engine.graph.gradient_nodes import Underivable
from ..engine.tensors.storage import UntypedStorage
from ..engine.tensors.tensor import Tensor
from .foreach import FOREACH
from .grad_scaler import unscale, update_scale
from .private_sparse import PUBLIC, SPARSE
from .root import torch as T  # noqa: N812

globals().update(FOREACH | {name: function for name, function in SPARSE.items() if name in PUBLIC})


class _Classes:
    """``torch.classes``: classes compiled by others, of which there are none."""

    loaded_libraries: set[str] = set()

    def load_library(self, path: str) -> None:
        raise OSError(f"tensorsh loads no compiled extensions: {path}")


classes = _Classes()


def _running_with_deploy() -> bool:
    """Whether a Python within a program of another language runs this: never."""
    return False


def from_file(
    filename: str, shared: bool | None = None, size: int = 0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of `size` elements on the memory of a file; what is written goes into the file with `shared`, and else nowhere."""
    if not isinstance(filename, str):
        told = f"from_file(): argument 'filename' (position 1) must be str, not {type(filename).__name__}"
        raise TypeError(told)
    if pin_memory:
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    made = T.empty(0, dtype=dtype)
    if size:
        nbytes = size * made.element_size()
        made.set_(UntypedStorage.from_file(filename, bool(shared), nbytes), 0, (size,))
    return made.requires_grad_() if requires_grad else made


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:  # noqa: A002
    """RuntimeError unless a tensor of one element is true."""
    if not bool(input):
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _of_bools(name: str, line: int) -> Any:
    """Whether any element of a tensor of bools is true, or all are, as a tensor of no dimensions."""

    def function(input: Tensor) -> Tensor:  # noqa: A002
        if not isinstance(input, Tensor):
            raise TypeError(
                f"_is_{name}_true(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        if input.dtype is not T.bool:
            where = f'"/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp":{line}'
            raise RuntimeError(
                f"self.scalar_type() == at::kBool INTERNAL ASSERT FAILED at {where}, please report a bug to PyTorch. "
            )
        return getattr(input, name)()

    function.__name__ = function.__qualname__ = f"_is_{name}_true"
    return function


_is_all_true, _is_any_true = _of_bools("all", 2144), _of_bools("any", 2148)


def _chunk_cat(tensors: Any, dim: int, num_chunks: int, *, out: Tensor | None = None) -> Tensor:
    """Tensors filled up with zeros along `dim`, each in so many chunks that are laid flat, one beside another."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"_chunk_cat(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    first = tensors[0] if tensors else None
    if num_chunks < 1 or first is None:
        raise RuntimeError(
            f"_chunk_cat expects {'a non-empty input tensor list' if first is None else 'positive num_chunks'}"
        )
    if not -first.ndim <= dim < first.ndim:
        span = f"[{-first.ndim}, {first.ndim - 1}]"
        raise IndexError(f"Dimension out of range (expected to be in range of {span}, but got {dim})")
    dim %= first.ndim
    parts = []
    for t in tensors:
        if t.dtype is not first.dtype:
            raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
        if dim >= t.ndim:
            raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
        if t.shape[:dim] != first.shape[:dim]:
            raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
        missing = -t.shape[dim] % num_chunks
        whole = T.cat([t, t.new_zeros((*t.shape[:dim], missing, *t.shape[dim + 1 :]))], dim)
        parts.append(whole.reshape(*t.shape[:dim], num_chunks, -1))
    made = T.cat(parts, dim + 1, out=out)
    if made._node is not None:
        made._node = Underivable(made, "_chunk_cat")
    return made


def _assert_tensor_metadata(
    a: Tensor, size: Any = None, stride: Any = None, dtype: Any = None, *, device: Any = None, layout: Any = None
) -> None:
    """RuntimeError unless a tensor is of the sizes, strides, dtype, device and layout that are given."""
    wanted = {"size": size, "stride": stride, "dtype": dtype, "device": device and T.device(device), "layout": layout}
    for name, value in wanted.items():
        if value is None:
            continue
        found = tuple(a.stride() if name == "stride" else a.shape) if name in ("size", "stride") else getattr(a, name)
        if found != (tuple(value) if isinstance(value, list) else value):
            shown = list(found) if isinstance(found, tuple) else found
            many = "s" if name in ("size", "stride") else ""
            raise RuntimeError(f"Tensor {name}{many} mismatch! Expected: {value}, Got: {shown}")


def _disable_dynamo(fn: Any = None, recursive: bool = True, wrapping: bool = True) -> Any:
    """A function, or a decorator: nothing compiles either."""
    return (lambda function: function) if fn is None else fn


def _has_compatible_shallow_copy_type(input: Tensor, other: Tensor, /) -> bool:  # noqa: A002
    """Whether a tensor may take the place of another in it: both are of one layout, nested or not, with elements or without."""
    return (input.layout, input.is_nested, input.is_meta) == (other.layout, other.is_nested, other.is_meta)


def _amp_foreach_non_finite_check_and_unscale_(self: Any, found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiply gradients in place, and set `found_inf` to 1 where one is not finite."""
    unscale(self, found_inf, inv_scale)


_amp_update_scale_ = update_scale


def _shape_as_tensor(self: Tensor) -> Tensor:
    """The shape as a tensor."""
    return T.tensor(list(self.shape))


def _cast_Long(self: Tensor, non_blocking: bool = False) -> Tensor:  # noqa: N802
    return self.long()


def _cast_Float(self: Tensor, non_blocking: bool = False) -> Tensor:  # noqa: N802
    return self.float()


def _convert_indices_from_coo_to_csr(self: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Compressed rows of sorted row numbers."""
    if self.dim() > 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {self.dim()} dimensional tensor.")
    found = T.cat([self.new_zeros(1), T.bincount(self, minlength=size).cumsum(0)])
    return found.int() if out_int32 else found.to(T.int64)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """Row and column numbers of compressed rows."""
    rows = T.repeat_interleave(T.arange(len(crow_indices) - 1), crow_indices.diff())
    found = T.stack([col_indices, rows] if transpose else [rows, col_indices])
    return found.int() if out_int32 else found


def _grouped_mm(
    input: Tensor, mat2: Tensor, offs: Tensor | None = None, bias: Any = None, out_dtype: Any = None
) -> Tensor:  # noqa: A002
    """Products of groups of rows with a matrix of each group; `offs` are the ends of the groups."""
    if offs is None:
        return T.bmm(input, mat2)
    ends = [0, *offs.tolist()]
    if input.dim() == 2 and mat2.dim() == 3:
        parts = [input[a:b] @ mat2[i] for i, (a, b) in enumerate(zip(ends, ends[1:], strict=False))]
        return T.cat(parts)
    return T.stack([input[:, a:b] @ mat2[a:b] for a, b in zip(ends, ends[1:], strict=False)])


class PyTorchFileReader:
    """The reader of checkpoints in PyTorch's compiled half; `torch.load` reads them here."""

    def __init__(self, *args: Any) -> None:
        raise NotImplementedError("tensorsh does not have torch.PyTorchFileReader: read the file with torch.load")


def _nnpack_available() -> bool:
    """Whether the library NNPACK multiplies: no."""
    return False


def _int_mm(self: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of matrices of int8, in int32."""
    for name, each in (("self", self), ("mat2", mat2)):
        if each.dim() != 2:
            raise RuntimeError(f"Expected {name} to be of dimension 2 but got {each.dim()}")
        if each.dtype.name != "int8":
            raise RuntimeError(f"Expected {name} dtype to be of type int8 but got {each.dtype}")
    if self.size(1) != mat2.size(0):
        raise RuntimeError(f"self.size(1) needs to match mat2.size(0) but got {self.size(1)} and {mat2.size(0)}")
    product = self.int() @ mat2.int()
    return product if out is None else out.resize_(product.shape).copy_(product)


def _addmm_activation(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1, use_gelu: bool = False,
    out: Any = None,
) -> Tensor:  # fmt: skip
    """A product of matrices, added and passed through relu or gelu."""
    found = T.addmm(self, mat1, mat2, beta=beta, alpha=alpha)
    found = T.nn.functional.gelu(found) if use_gelu else found.relu()
    return found if out is None else out.resize_(found.shape).copy_(found)


class Type:
    """A type of TorchScript's: here a name for annotations."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(f"torch._C.{type(self).__name__}: No constructor defined!")


TYPES = "Any Await Bool Class Complex DeviceObj Dict Enum Float Future Int Interface List None Number Optional PyObject RRef String Tensor Tuple Union"
for _name in [f"{_kind}Type" for _kind in TYPES.split()]:
    globals()[_name] = type(_name, (Type,), {"__module__": "torch"})
Type.__module__ = "torch"
