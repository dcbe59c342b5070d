"""``torch.utils.deterministic``: a switch for memory that nothing was written to, which is zero here anyway."""

from __future__ import annotations

SWITCHES = {"fill_uninitialized_memory": True}
