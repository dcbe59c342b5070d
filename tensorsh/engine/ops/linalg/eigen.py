"""Eigenvalues and eigenvectors, of general and of hermitian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import move
from ...arrays.device import CPU, absent
from ...arrays.dtype import of
from ...arrays.state import here
from ...graph.fields import wrap
from ...numerics import batches
from ...operators.declare import Array, composite
from ...tensors.tensor import Tensor
from .common import (
    LinAlgError,
    adj,
    check_kernel,
    check_square,
    complex_dtype,
    diagonal_of,
    embed,
    into,
    linalg,
    use,
    without_diagonal,
)  # fmt: skip
from .svd import off_diagonal

PHASE = (
    "{}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The specified loss function "
    "depends on this quantity, so it is ill-defined."
)


def check_phase(t: Any, name: str, diagonal: Any) -> None:
    """The loss must not depend on the phases that eigenvectors leave open."""
    if absent(t.array(diagonal)):
        return
    values = move(t.array(diagonal), CPU)
    if values.dtype.kind == "c" and np.abs(values.imag).max(initial=0) > 1e-2 * max(
        1.0, np.abs(values.real).max(initial=0)
    ):
        raise RuntimeError(PHASE.format(name))


def check_eig(name: str, a: Any) -> None:
    if a.dtype.kind not in "fcV":
        raise RuntimeError(f"Unknown Complex ScalarType for {of(a).short}")
    check_square(name, a)
    check_kernel("linalg_eig", a)
    if not np.isfinite(a).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


@linalg("eig", laid="columns 1", outputs="eigenvalues eigenvectors")
def eig(xp, A: Array):
    """``A V = V diag(L)``; the results are complex."""
    check_eig("linalg.eig", A)
    kind = complex_dtype(A.dtype)
    values, vectors = batches.eig(A)
    return values.astype(kind), vectors.astype(kind)


@eig.joint_gradient
def eig_gradient(t, g, needs, eigenvalues, eigenvectors):
    gl, gv = g
    V, Vh = eigenvectors, adj(t, eigenvectors)
    if gv is None:
        return [None if gl is None else solved(t, Vh, gl[..., :, None] * Vh)]
    inner = Vh @ gv
    diagonal = diagonal_of(t, inner)
    check_phase(t, "linalg_eig_backward", diagonal)
    # Eigenvectors have length one: only what is orthogonal to that counts.
    inner = inner - Vh @ (V * diagonal.real[..., None, :])
    inner = without_diagonal(t, inner / t.conj(off_diagonal(t, eigenvalues)))
    if gl is not None:
        inner = inner + embed(t, gl)
    return [solved(t, Vh, inner @ Vh)]


def solved(t: Any, a: Any, b: Any) -> Any:
    return use(t, "solve_ex")(a, b)[0]


@composite("linalg.eigvals", method=False)
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of general matrices, complex."""
    if A._node is not None and here.grad_enabled or type(A._array) is not np.ndarray:
        return into(eig.function(A)[0], out, "linalg_eigvals")
    check_eig("linalg.eigvals", A._array)
    return into(wrap(batches.eigvals(A._array).astype(complex_dtype(A._array.dtype))), out, "linalg_eigvals")


def triangle(name: str, a: Any, UPLO: str) -> str:
    check_square(name, a)
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_kernel("linalg_eigh_cpu", a)
    return UPLO.upper()


def finite(function: Any) -> Any:
    """A call to LAPACK with its failure in PyTorch's words."""
    try:
        return function()
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
            "eigenvalues (error code: 1)."
        ) from None


@linalg("eigh", laid="columns 1", outputs="eigenvalues eigenvectors")
def eigh(xp, A: Array, UPLO="L"):
    """The eigenvalues, ascending, and eigenvectors of hermitian matrices, of which one triangle is read."""
    UPLO = triangle("linalg.eigh", A, UPLO)
    return tuple(finite(lambda: batches.eigh(A, UPLO)))


@eigh.joint_gradient
def eigh_gradient(t, g, needs, eigenvalues, eigenvectors):
    gl, gv = g
    V, Vh = eigenvectors, adj(t, eigenvectors)
    if gv is None:
        return [None if gl is None else (V * gl[..., None, :]) @ Vh]
    inner = Vh @ gv
    check_phase(t, "linalg_eigh_backward", diagonal_of(t, inner))
    inner = without_diagonal(t, (inner - adj(t, inner)) / 2 / off_diagonal(t, eigenvalues))
    if gl is not None:
        inner = inner + embed(t, gl)
    return [V @ (inner @ Vh)]


@composite("linalg.eigvalsh", method=False)
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of hermitian matrices, ascending."""
    if A._node is not None and here.grad_enabled:
        return into(eigh.function(A, UPLO)[0], out, "linalg_eigvalsh")
    UPLO = triangle("linalg.eigh", A._array, UPLO)
    return into(wrap(finite(lambda: batches.eigvalsh(A._array, UPLO))), out, "linalg_eigvalsh")
