"""Training runs of five kinds, 200 steps each: every loss to four digits."""

import torch
import torch.nn.functional as F
from torch import nn


def told(name, losses):
    print(name)
    for start in range(0, len(losses), 10):
        print(" ".join(f"{loss:.4f}" for loss in losses[start : start + 10]))


def trained(model, optimizer, loss_of):
    losses = []
    for _ in range(200):
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def linear_fit():
    x = torch.randn(100, 3)
    y = x @ torch.tensor([[1.5], [-2.0], [0.7]]) + 0.3 + 0.1 * torch.randn(100, 1)
    model = nn.Linear(3, 1)
    told("linear fit", trained(model, torch.optim.SGD(model.parameters(), lr=0.05), lambda m: F.mse_loss(m(x), y)))
    print(model.weight, model.bias)


def perceptron():
    x = torch.randn(256, 2)
    y = ((x[:, 0] * x[:, 1]) > 0).long()
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    told("MLP", trained(model, torch.optim.Adam(model.parameters(), lr=1e-2), lambda m: F.cross_entropy(m(x), y)))
    print(model[0].weight[:4])


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def lenet():
    x, y = torch.rand(64, 1, 28, 28), torch.randint(0, 10, (64,))
    model = LeNet()

    def loss_of(m):
        i = torch.randperm(64)[:8]
        return F.cross_entropy(m(x[i]), y[i])

    told("LeNet", trained(model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), loss_of))
    print(model.conv1.weight[0])


def batches(text, length):
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(c) for c in text])

    def batch():
        starts = torch.randint(0, len(ids) - length - 1, (8,))
        rows = lambda more: torch.stack([ids[k + more : k + more + length] for k in starts])
        return rows(0), rows(1)

    return len(characters), batch


class Characters(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.embed = nn.Embedding(count, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.out = nn.Linear(32, count)

    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[0])


def sequences(name, model, optimizer, batch):
    def loss_of(m):
        x, y = batch()
        return F.cross_entropy(m(x).flatten(0, 1), y.flatten())

    told(name, trained(model, optimizer, loss_of))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(self.ln1(x)).split(c, 2))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, count, length, width):
        super().__init__()
        self.tok, self.pos = nn.Embedding(count, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(Block(width, 4), Block(width, 4))
        self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, count)

    def forward(self, x):
        return self.head(self.ln(self.blocks(self.tok(x) + self.pos(torch.arange(x.shape[1])))))


torch.manual_seed(0)
linear_fit()
perceptron()
lenet()
count, batch = batches("the quick brown fox jumps over the lazy dog. " * 8, 20)
model = Characters(count)
sequences("LSTM", model, torch.optim.Adam(model.parameters(), lr=5e-3), batch)
count, batch = batches("to be or not to be that is the question " * 10, 16)
model = GPT(count, 16, 32)
sequences("GPT", model, torch.optim.AdamW(model.parameters(), lr=3e-3), batch)
