"""What dropout multiplies a place with, drawn where it is needed: kernels of attention draw it again for the gradients."""

from __future__ import annotations

from .philox import PREAMBLE
from .sources import pieces

CODE = pieces(__file__)

KEPT = PREAMBLE + CODE["KEPT"]
"""What dropout multiplies the weight at a place with, as `philox.DROPOUT` has it for all of them; 1 where there is none."""
