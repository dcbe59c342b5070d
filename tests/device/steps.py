"""Training steps on the stand-in, counted: kernels that would be launched, and how often the program waits for the device.

``python -m tests.device.steps`` prints both for the second step of some networks, with
the functions that launch the most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tensorsh import torch

from . import standin

nn = torch.nn
F = nn.functional


class Block(nn.Module):
    """A block of a small GPT."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.first(x)).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.drop(self.out(y.transpose(1, 2).reshape(b, t, c)))
        return x + self.drop(self.down(F.gelu(self.up(self.second(x)))))


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(11, 16), nn.Embedding(6, 16)
        self.blocks = nn.Sequential(Block(16, 2), Block(16, 2))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 11, bias=False)

    def forward(self, i: torch.Tensor) -> torch.Tensor:
        x = self.words(i) + self.places(torch.arange(i.shape[1], device=i.device))
        return self.head(self.norm(self.blocks(x))).flatten(0, 1)


def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(24, 10), nn.ReLU(), nn.Linear(10, 5),
    )  # fmt: skip


NETWORKS: dict[str, tuple[Callable, Callable, Callable]] = {
    "MLP": (
        lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 5)),
        lambda: (torch.randn(6, 8), torch.arange(6) % 5),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    ),
    "LeNet": (
        lenet, lambda: (torch.randn(3, 1, 16, 16), torch.arange(3)), lambda p: torch.optim.Adam(p, lr=0.01),
    ),
    "GPT": (
        GPT, lambda: (torch.arange(12).view(2, 6) % 11, torch.arange(12) % 7), lambda p: torch.optim.AdamW(p, lr=0.01),
    ),
}  # fmt: skip


def counted(name: str) -> tuple[Counter, int]:
    """The launches of the second training step by function, and how often a value was read on the host."""
    network, data, optimizer = NETWORKS[name]
    with standin.installed():
        torch.manual_seed(0)
        net = network().cuda()
        x, y = (t.cuda() for t in data())
        opt = optimizer(net.parameters())
        for _ in range(2):
            standin.launched.clear()
            before = standin.reads[0]
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        return Counter(standin.launched), standin.reads[0] - before


if __name__ == "__main__":
    for name in NETWORKS:
        launches, reads = counted(name)
        print(f"{name}: {launches.total()} launches, {reads} reads")
        print("   ", ", ".join(f"{k} {n}" for k, n in launches.most_common(18)))
