"""What the files of linear algebra share: checks in PyTorch's words, LinAlgError, LAPACK over batches.

numpy.linalg does the work where it can (it knows batches and is loaded anyway); what it lacks comes from scipy's LAPACK,
which is imported when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ....sandbox.sealed import Sealed
from ...arrays.backend import CPU, module_of, move
from ...arrays.blas import set_usual_threads
from ...arrays.device import absent
from ...arrays.dtype import of
from ...loading import table
from ...operators.declare import Operator, camel, operator
from ...operators.out_rules import store_results
from ...tape.worlds import raw
from ...tensors.named_tuples import named


class _LinAlgError(RuntimeError, metaclass=Sealed):
    """A matrix that an algorithm cannot handle: singular, not positive-definite, not finite."""


_LinAlgError.__module__ = "torch._C"
LinAlgError = _LinAlgError
table.FUNCTIONS["linalg.LinAlgError"] = LinAlgError


def linalg(name: str, /, **options: Any) -> Callable:
    """A primitive of ``torch.linalg``: as `operator`, under the names PyTorch's messages, results and nodes use."""

    def declare(kernel: Callable) -> Operator:
        settings: dict[str, Any] = {
            "method": False,
            "long": "hosted",
            "node": f"Linalg{camel(name)}Backward0",
        } | options
        op = operator("linalg." + name, **settings)(kernel)
        op.name = "linalg_" + name
        return op

    return declare


def use(t: Any, name: str) -> Callable:
    """An operator of ``torch.linalg`` in a gradient formula."""
    return getattr(t, "linalg." + name)


def adj(t: Any, x: Any) -> Any:
    """The conjugate transpose of matrices, in both worlds."""
    return t.adjoint(x)


herm = raw.adjoint
"""The conjugate transpose of arrays."""


def diagonal_of(t: Any, x: Any) -> Any:
    return t.diagonal(x, 0, -2, -1)


def dtype_of(t: Any, x: Any) -> Any:
    """numpy's dtype of an array or a tensor."""
    return t.array(x).dtype


def constant(t: Any, host: Any, like: Any) -> Any:
    """A small array in a formula's world, on the device of `like`."""
    array = t.array(like)
    if type(array) is not np.ndarray:
        host = module_of([array]).asarray(host)
    return t.constant(host)


def unit(t: Any, like: Any, m: int, n: int | None = None, dtype: Any = None) -> Any:
    """The unit matrix in a formula's world."""
    return constant(t, np.eye(m, n, dtype=dtype or dtype_of(t, like)), like)


def embed(t: Any, x: Any) -> Any:
    """Diagonal matrices."""
    return x[..., None] * unit(t, x, x.shape[-1])


def without_diagonal(t: Any, x: Any) -> Any:
    """Square matrices with zeros on their diagonals."""
    n = x.shape[-1]
    return x * constant(t, 1 - np.eye(n, dtype=real_dtype(dtype_of(t, x))), x)


def check_matrix(name: str, x: Any) -> None:
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")


def check_square(name: str, x: Any) -> None:
    check_matrix(name, x)
    if x.shape[-1] != x.shape[-2]:
        prefix = f"{name}: " if name else ""
        raise RuntimeError(
            f"{prefix}A must be batches of square matrices, but they are {x.shape[-2]} by {x.shape[-1]} matrices"
        )


def check_sides(name: str, a: Any, b: Any) -> None:
    """The rows of a right side are as many as those of the square matrices."""
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {a.shape[-1]} by {a.shape[-1]} but each b matrix is "
            f"{b.shape[-2]} by {b.shape[-1]}"
        )


def check_whole(name: str, x: Any) -> None:
    """Float or complex, not whole numbers."""
    if x.dtype.kind not in "fcV":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {of(x).short}")


def check_float(name: str, x: Any, kernel: str | None = None) -> None:
    """Float or complex, and, where `kernel` names PyTorch's inner function, no half type."""
    check_whole(name, x)
    if x.dtype.itemsize <= 2:
        if kernel is None:
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {of(x).short}")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{of(x).short}'")


def check_kernel(kernel: str, x: Any) -> None:
    """What PyTorch says where only its inner function minds the dtype."""
    if x.dtype.kind not in "fcV" or x.dtype.itemsize <= 2:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{of(x).short}'")


def check_info(info: Any, message: Callable[[str, int], str]) -> None:
    """Raise for the first matrix whose factorisation failed; `message` gets "(Batch element 1): " or "", and the info."""
    codes = info._array if hasattr(info, "_array") else info
    if type(codes) is np.ndarray and not codes.ndim and not codes.item() or absent(codes):
        return
    if not isinstance(codes, (np.ndarray, np.generic)):
        codes = move(codes, CPU)
    codes = np.asarray(codes)
    if not codes.any():
        return
    at = int(np.flatnonzero(codes)[0])
    raise LinAlgError(message(f"(Batch element {at}): " if codes.ndim else "", int(codes.reshape(-1)[at])))


def singular_inverse(name: str) -> Callable[[str, int], str]:
    return lambda batch, code: (
        f"{name}: {batch}The diagonal element {code} is zero, the inversion could not be completed because the input matrix "
        "is singular."
    )


def each(f: Callable, *arrays: Any) -> Any:
    """`f` on every matrix of equally batched arrays, the results stacked (f may return a tuple)."""
    if arrays[0].ndim == 2:
        alone = f(*arrays)
        return (
            tuple([np.asarray(x, order="C") for x in alone]) if type(alone) is tuple else np.asarray(alone, order="C")
        )
    core = arrays[0].shape[:-2]
    rows = [a.reshape((-1, *a.shape[len(core) :])) for a in arrays]
    count = int(np.prod(core))
    found = [f(*[r[i] for r in rows]) for i in range(count)]
    if not found:
        return None
    if isinstance(found[0], tuple):
        return tuple(
            np.stack([x[i] for x in found]).reshape((*core, *np.shape(found[0][i]))) for i in range(len(found[0]))
        )
    return np.stack(found).reshape((*core, *np.shape(found[0])))


ROOM = 64
"""The room for each column with which LAPACK works in blocks: with scipy's own, of one number or three, it takes twice as long."""


def lapack(names: str, like: Any) -> list:
    """LAPACK functions for an array's dtype."""
    return functions_of(names, like.dtype)


@lru_cache(64)
def functions_of(names: str, dtype: Any) -> list:
    from ...loading import scipy

    functions = scipy.part("linalg").get_lapack_funcs(names.split(), (np.empty((1, 1), dtype),))
    set_usual_threads()  # also of the BLAS that came with them
    return list(functions)


def real_dtype(dtype: Any) -> Any:
    return np.dtype({"F": "f", "D": "d"}.get(dtype.char, dtype.char))


def complex_dtype(dtype: Any) -> Any:
    return np.dtype({"f": "F", "d": "D"}.get(dtype.char, dtype.char))


def renamed(name: str, fields: str, results: Any) -> Any:
    """Results under another name: ``torch.return_types.svd`` where ``linalg_svd`` made them."""
    return named(name, tuple(fields.split()))(results)


def into(results: Any, out: Any, name: str) -> Any:
    """A composite's results, or `out` with the results written to it."""
    if out is None:
        return results
    many = isinstance(results, tuple)
    sources = list(results) if many else [results]
    targets = list(out) if many else [out]
    if len(sources) != len(targets):
        raise TypeError(f"expected tuple of {len(sources)} elements but got {len(targets)}")
    tracked = any(x._node is not None for x in sources)
    dotted = name.replace("_", ".", 1) if name.startswith("linalg_") else name
    store_results(dotted, sources, targets, tracked, title=name)
    kind: Any = type(results)
    if many and kind is not tuple:
        kind = named(kind.__name__ + "_out", kind.__match_args__)
    return kind(targets) if many else out
