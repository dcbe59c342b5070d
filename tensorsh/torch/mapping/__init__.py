"""``torch.vmap``: a function mapped over a dimension of its arguments, all slices computed at once."""

from .levels import levels, lifted
from .slices import Batched, base
from .vmap import at_once, known_randomness, no_numbers, units, vmap

__all__ = ["Batched", "at_once", "base", "known_randomness", "levels", "lifted", "no_numbers", "units", "vmap"]
