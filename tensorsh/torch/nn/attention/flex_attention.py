"""``flex_attention``: attention whose scores a program's function changes, and masks made of a function of places.

PyTorch calls these functions under `vmap` with one place at a time; here they get all places at once, as index tensors that
broadcast against one another, which gives the same numbers.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from ....engine.arrays.dtype import bool_, float32, float64, int32
from ....engine.arrays.state import here
from ....engine.arrays.warning import warn_once
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import Sealed
from ..reach import T

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip


class AuxRequest(namedtuple("AuxRequest", "lse max_scores", defaults=(False, False)), metaclass=Sealed):
    """The results beside attention that a call asks for."""

    __module__ = "torch.nn.attention.flex_attention"
    __slots__ = ()


class AuxOutput(namedtuple("AuxOutput", "lse max_scores", defaults=(None, None)), metaclass=Sealed):
    """The results beside attention that a call asked for."""

    __module__ = "torch.nn.attention.flex_attention"
    __slots__ = ()


BLOCK = _DEFAULT_SPARSE_BLOCK_SIZE = 128


def places(shape: tuple) -> list:
    """The numbers of batch, head, query and key, each along a dimension of its own."""
    return [T.arange(n).view([n if i == d else 1 for i in range(len(shape))]) for d, n in enumerate(shape)]


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Any:
    """The mask that keeps all."""
    return batch.new_ones(size=(), dtype=bool_)


def and_masks(*mask_mods: Callable) -> Callable:
    """The mask that keeps what all of these keep."""
    return joined(mask_mods, lambda a, b: a & b, True)


def or_masks(*mask_mods: Callable) -> Callable:
    """The mask that keeps what one of these keeps."""
    return joined(mask_mods, lambda a, b: a | b, False)


def joined(masks: tuple, join: Callable, start: bool) -> Callable:
    if not all(callable(each) for each in masks):
        raise RuntimeError(f"All inputs should be callable mask_mods: {masks}")

    def mask(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        found = b.new_full((), start, dtype=bool_)
        for each in masks:
            found = join(found, each(b, h, q_idx, kv_idx))
        return found

    return mask


def create_mask(
    mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None, **_: Any
) -> Tensor:
    """The mask as a tensor of (B, H, Q_LEN, KV_LEN)."""
    shape = 1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN
    return mod_fn(*places(shape)).expand(shape)


MORE = (
    "To print out more, set BlockMask.to_string(limit=N)",
    "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
)


PARTS = [f"{full}{side}_{of}" for side in ("kv", "q") for full in ("", "full_") for of in ("num_blocks", "indices")]
"""The attributes of a mask that tell its blocks."""


def _sliced_mask_mod_error(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Any:
    """RuntimeError: part of a mask has no function of places."""
    wrong, right = (
        "\n  base_mask = create_block_mask(my_mask_fn, ...)"
        "\n  sliced_mask = base_mask[:, :, block_idx]"
        f"\n  sliced_mask.mask_mod = apply_offset({of}_mask.mask_mod, offset)  # {say}!"
        for of, say in (("sliced", "WRONG"), ("base", "Use base_mask"))
    )
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the mask_mod attribute is reset. You must "
        f"set it from the original BlockMask's mask_mod.\n\nIncorrect usage:{wrong}\n\nCorrect usage:{right}"
    )


class BlockMask(metaclass=Sealed):
    """A mask by blocks: which of them are left out, kept in part, or kept whole."""

    __module__ = "torch.nn.attention.flex_attention"

    def __init__(
        self, mask_mod: Callable, part: Tensor, whole: Tensor, seq_lengths: tuple, block: tuple[int, int]
    ) -> None:
        self.mask_mod, self.BLOCK_SIZE, self.seq_lengths = mask_mod, block, seq_lengths
        self.shape = (*part.shape[:-2], *seq_lengths)
        self._part, self._whole = part, whole
        self.kv_num_blocks, self.kv_indices = ordered(part)
        self.full_kv_num_blocks, self.full_kv_indices = ordered(whole)
        self.q_num_blocks, self.q_indices = ordered(part.transpose(-1, -2))
        self.full_q_num_blocks, self.full_q_indices = ordered(whole.transpose(-1, -2))

    def __getitem__(self, index: Any) -> BlockMask:
        """The mask of some batches, heads and rows of blocks; a number keeps its dimension."""
        given = index if isinstance(index, tuple) else (index,)
        places = (slice(i, None if i == -1 else i + 1) if isinstance(i, int) else i for i in given)
        part, whole = (blocks[at] for at in [tuple(places)] for blocks in (self._part, self._whole))
        return BlockMask(_sliced_mask_mod_error, part, whole, self.seq_lengths, self.BLOCK_SIZE)

    def as_tuple(self, flatten: bool = True) -> tuple:
        """Its lengths, the tensors of its blocks, four that are None, the size of a block and the function, one after another."""
        lengths, block = (pair if flatten else (pair,) for pair in (self.seq_lengths, self.BLOCK_SIZE))
        return (*lengths, *(getattr(self, name) for name in PARTS), *(None,) * 4, *block, self.mask_mod)

    def numel(self) -> int:
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """How many percent of the elements lie in blocks that are left out."""
        computed = int((self._part | self._whole).sum()) * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - computed / self.numel())

    def to_dense(self) -> Tensor:
        """Which blocks are computed."""
        return (self._part | self._whole).to(int32)

    def to(self, device: Any) -> BlockMask:
        """The mask itself: it lies where its tensors are needed."""
        return self

    def to_string(self, grid_size: Any = (20, 20), limit: int = 4) -> str:
        """A picture of the blocks of each head."""
        dense = self.to_dense().float()
        if grid_size == -1:
            grid_size = tuple(dense.shape[-2:])
        rows, columns = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        shown = []
        for b in range(dense.shape[0]):
            for h in range(dense.shape[1]):
                if len(shown) >= limit:
                    return "\n".join([*shown, "...", *MORE])
                shown.append(f"({b}, {h})\n{picture(dense[b, h], rows, columns)}\n")
        return "\n".join(shown)

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name).shape}" for name in PARTS]
        shown += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%"]
        return ",\n    ".join(
            [
                "BlockMask(\n    " + shown[0],
                *shown[1:],
                f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}\n)",
            ]
        )

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"


def ordered(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """The number of blocks in each row, and the columns with those of the blocks first."""
    return blocks.sum(-1, dtype=int32), blocks.int().argsort(dim=-1, descending=True, stable=True).to(int32)


def picture(blocks: Tensor, rows: int, columns: int) -> str:
    """Blocks as text, several to a sign where there are too many."""
    height, width = (max(1, math.ceil(n / most)) for n, most in zip(blocks.shape, (rows, columns), strict=True))
    lines = []
    for r in range(0, blocks.shape[0], height):
        means = [blocks[r : r + height, c : c + width].mean().item() for c in range(0, blocks.shape[1], width)]
        lines.append("".join("██" if m == 1 else "  " if m == 0 else "░░" for m in means))
    return "\n".join(lines)


def create_block_mask(
    mask_mod: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = BLOCK, _compile: bool = False, **_: Any,
) -> BlockMask:  # fmt: skip
    """The blocks of a mask that is given as a function of batch, head, query and key."""
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN)
    q, k = math.ceil(Q_LEN / size[0]), math.ceil(KV_LEN / size[1])
    filled = mask.new_zeros((*mask.shape[:2], q * size[0], k * size[1]))
    filled[..., :Q_LEN, :KV_LEN] = mask
    kept = filled.view(*mask.shape[:2], q, size[0], k, size[1]).sum((3, 5))
    whole = kept == size[0] * size[1]
    return BlockMask(mask_mod, (kept > 0) & ~whole, whole, (Q_LEN, KV_LEN), size)  # type: ignore[arg-type]


def flex_attention(
    query: Tensor, key: Tensor, value: Tensor, score_mod: Callable | None = None, block_mask: BlockMask | None = None,
    scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False, kernel_options: Any = None, *,
    return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Attention of (batch, heads, length, features) with scores as `score_mod(score, b, h, q_idx, kv_idx)` leaves them."""
    check(query, key, value, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use return_aux=AuxRequest(lse=True) instead."
        )
    if return_lse:
        warn_once(
            "return_lse is deprecated and will be removed in v2.10. Please use return_aux=AuxRequest(lse=True) instead.",
            FutureWarning,
        )
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    shape = *query.shape[:3], key.shape[2]
    if enable_gqa:
        key, value = (t.repeat_interleave(query.shape[1] // t.shape[1], 1) for t in (key, value))
    exact = float64 if query.dtype is float64 else float32
    scores = (query @ key.transpose(-2, -1)).to(exact) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if score_mod is not None:
        scores = score_mod(scores, *places(shape)).to(exact).expand(shape)
    if block_mask is not None:
        if block_mask.shape[2] < shape[2] or block_mask.shape[3] < shape[3]:
            raise ValueError(
                f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={shape[2]} and "
                f"kv_len={shape[3]}. As the block mask was created for a smaller length than you're using it for, you "
                "likely need to create a new block mask."
            )
        scores = scores.masked_fill(~block_mask.mask_mod(*places(shape)), -math.inf)
    left_out = (scores == -math.inf).all(-1, keepdim=True)
    weights = scores.softmax(-1).masked_fill(left_out, 0.0).to(query.dtype)
    found = weights @ value
    if return_aux is not None:
        return found, AuxOutput(scores.logsumexp(-1) if return_aux.lse else None)
    return (found, scores.logsumexp(-1)) if return_lse else found


def check(query: Tensor, key: Tensor, value: Tensor, shared: bool) -> None:
    """The errors of tensors that attention does not take."""
    if any(t.ndim != 4 for t in (query, key, value)):
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if not shared and query.shape[1] != key.shape[1]:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={query.shape[1]} and "
            f"Hkv={key.shape[1]}. Try setting enable_gqa=True for GQA."
        )
    if query.device.type == "cpu" and here.grad_enabled and any(t.requires_grad for t in (query, key, value)):
        raise NotImplementedError(
            "FlexAttention does not support backward on CPU. Please set the input requires_grad to False or use another "
            "device."
        )
