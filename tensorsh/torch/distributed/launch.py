"""``python -m torch.distributed.launch``: the older name of `run`. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from .run import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
