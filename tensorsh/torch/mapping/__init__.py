"""``torch.vmap``: a function mapped over a dimension of its arguments, all slices computed at once."""

from .levels import levels, lifted
from .slices import Batched, base
from .vmap import known_randomness, no_numbers, vmap

__all__ = ["Batched", "base", "known_randomness", "levels", "lifted", "no_numbers", "vmap"]
