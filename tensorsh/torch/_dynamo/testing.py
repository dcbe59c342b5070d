"""``torch._dynamo.testing``: a backend that counts what it is given. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any


class CompileCounter:
    """A backend of ``torch.compile`` that counts graphs and their calls; here it is given none."""

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: list) -> Any:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        """Begin again."""
        self.frame_count = self.op_count = 0
