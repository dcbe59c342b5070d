"""``powerSGD_hook``: gradients of matrices are sent as products of two thin ones (Vogels et al., 2019, arXiv:1905.13727)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....engine.arrays.dtype import bfloat16, float16
from .....engine.tape.grad_modes import no_grad
from .....sandbox.sealed import OpenSealed
from ....nn.reach import L, T
from ....settings import Generator
from ...collectives import all_reduce
from ...groups import group_of
from .default_hooks import allreduce_hook, done

__all__ = ["PowerSGDState", "powerSGD_hook"]


class PowerSGDState(metaclass=OpenSealed):
    """What the hook keeps between steps.
    process_group: the processes (None: all). matrix_approximation_rank: columns of the thin matrices. start_powerSGD_iter: steps that
    reduce gradients as they are first. min_compression_rate: a matrix with less to save is sent as it is. use_error_feedback: whether
    what a step lost is added to the next one's gradients (True). warm_start: whether a step begins with the last one's matrices (True).
    orthogonalization_epsilon: added to lengths of columns (0). random_seed: of the first matrices.
    compression_stats_logging_frequency: accepted. batch_tensors_with_same_shape: whether matrices of one shape are worked on together.
    ValueError where the first steps are too few for what is kept."""

    __module__ = "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook"

    def __init__(
        self, process_group: Any, matrix_approximation_rank: int = 1, start_powerSGD_iter: int = 1_000,  # noqa: N803
        min_compression_rate: float = 2, use_error_feedback: bool = True, warm_start: bool = True,
        orthogonalization_epsilon: float = 0, random_seed: int = 0, compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:  # fmt: skip
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, "
                "because PowerSGD can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank, self.start_powerSGD_iter = matrix_approximation_rank, start_powerSGD_iter
        self.min_compression_rate, self.use_error_feedback = min_compression_rate, use_error_feedback
        self.warm_start, self.orthogonalization_epsilon = warm_start, orthogonalization_epsilon
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape
        self.iter = 0
        self.error_dict: dict[int, Any] = {}
        self.p_memory_dict: dict[int, Any] = {}
        self.q_memory_dict: dict[int, Any] = {}
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self._seeds = np.random.RandomState(random_seed)

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Count a step, with its last bucket."""
        self.iter += bucket.is_last()

    def compression_stats(self) -> tuple[float, int, int]:
        """How many times fewer numbers were sent, how many there were, how many were sent."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return before / after if after else 0, before, after

    def _thin(self, matrix: Any) -> int:
        """The columns that stand for a matrix, counted among what is sent; 0 where it is sent as it is."""
        n, m = matrix.shape
        rank = min(n, m, self.matrix_approximation_rank)
        worth = (n + m) * rank * self.min_compression_rate < n * m
        self.total_numel_before_compression += n * m
        self.total_numel_after_compression += (n + m) * rank if worth else n * m
        return rank if worth else 0

    def _parts(self, memory: dict, index: int, shapes: list[tuple], dtype: Any) -> tuple[list, bool]:
        """A bucket's matrices in one row of memory, and whether the row is new."""
        sizes = [int(np.prod(shape)) for shape in shapes]
        new = not self.warm_start or index not in memory
        if new:
            memory[index] = T.zeros(sum(sizes), dtype=dtype)
        return [part.view(shape) for part, shape in zip(memory[index].split(sizes), shapes, strict=True)], new


def orthogonalize(matrices: Any, epsilon: float) -> None:
    """Make columns of matrices (batch, n, rank) orthonormal in place, by Gram and Schmidt, or QR where there are many."""
    if matrices.shape[2] > 2 and matrices.dtype not in (float16, bfloat16):
        matrices.copy_(L.qr(matrices)[0])
        return
    for i in range(matrices.shape[2]):
        column, rest = matrices[:, :, i : i + 1], matrices[:, :, i + 1 :]
        column /= T.norm(column, dim=1, keepdim=True) + epsilon
        rest -= T.sum(column * rest, dim=1, keepdim=True) * column


def powerSGD_hook(state: Any, bucket: Any) -> Any:  # noqa: N802
    """The mean of a bucket over all processes, in which matrices M are sent as P and Q of P Q^T, after some steps.
    state: a PowerSGDState. bucket: the gradients."""
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return allreduce_hook(state.process_group, bucket)
    with no_grad():
        reduce_thin(state, bucket)
    state.maybe_increase_iter(bucket)
    return done(bucket.buffer())


def reduce_thin(state: PowerSGDState, bucket: Any) -> None:
    """Reduce a bucket in place."""
    group, buffer, index = group_of(state.process_group), bucket.buffer(), bucket.index()
    if state.use_error_feedback:
        buffer += state.error_dict.get(index, 0)
        before = buffer.clone()
    by_shape: dict[tuple, list] = {}
    plain = []
    for gradient in bucket.gradients():
        matrix = gradient.view(gradient.shape[0], -1)
        if state._thin(matrix):
            by_shape.setdefault(matrix.shape, []).append(matrix)
        else:
            plain.append(gradient.view(-1))
    alike = (
        list(by_shape.values())
        if state.batch_tensors_with_same_shape
        else [[m] for same in by_shape.values() for m in same]
    )
    batches = [T.stack(same) for same in alike]
    ranks = [min(*batch.shape[1:], state.matrix_approximation_rank) for batch in batches]
    high = [(*batch.shape[:2], rank) for batch, rank in zip(batches, ranks, strict=True)]
    wide = [(batch.shape[0], batch.shape[2], rank) for batch, rank in zip(batches, ranks, strict=True)]
    ps, _ = state._parts(state.p_memory_dict, index, high, buffer.dtype)
    qs, new = state._parts(state.q_memory_dict, index, wide, buffer.dtype)
    if new:
        generator = Generator().manual_seed(int(state._seeds.randint(1_000_000_000)))
        for q in qs:
            q.copy_(T.randn(q.shape, generator=generator, dtype=q.dtype))
    for batch, p, q in zip(batches, ps, qs, strict=True):
        orthogonalize(q, state.orthogonalization_epsilon)
        p.copy_(T.bmm(batch, q))
    if plain:
        together = T.cat(plain)
        all_reduce(together, group=group)
        for gradient, mean in zip(plain, together.div_(group.size()).split([len(g) for g in plain]), strict=True):
            gradient.copy_(mean)
    if batches:
        all_reduce(state.p_memory_dict[index], group=group)
        for batch, p, q in zip(batches, ps, qs, strict=True):
            orthogonalize(p, state.orthogonalization_epsilon)
            q.copy_(T.bmm(batch.transpose(1, 2), p))
        all_reduce(state.q_memory_dict[index], group=group)
        state.q_memory_dict[index].div_(group.size())
        for same, p, q in zip(alike, ps, qs, strict=True):
            for matrix, product in zip(same, T.bmm(p, q.transpose(1, 2)), strict=True):
                matrix.copy_(product)
    if state.use_error_feedback:
        state.error_dict[index] = before - buffer
