"""What makes one number of many: each result counts where one of its elements does."""

from __future__ import annotations

REDUCE_NAMES = "sum mean amin amax argmin argmax prod all norm var std".split()
