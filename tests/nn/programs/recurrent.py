# ruff: noqa
"""Recurrent layers, cells and packed sequences."""

import torch

nn = torch.nn
U = nn.utils.rnn


def show(name, m, *a):
    try:
        r = m(*a)
        y, h = r
        h = h if isinstance(h, tuple) else (h,)
        d = y.data if isinstance(y, U.PackedSequence) else y
        print(name, m, d.shape, d.grad_fn.name(), [q.grad_fn.name() for q in h], [q.shape for q in h])
        print(d.flatten()[:6])
        print(h[0].flatten()[:4])
        m.zero_grad()
        l = (d**2).sum() + sum((q**3).sum() for q in h)
        l.backward()
        print([f"{p.grad.sum().item():.4f}" for p in m.parameters()])
    except Exception as e:
        print(name, "EXC", type(e).__name__, e)


for cls in (nn.LSTM, nn.GRU, nn.RNN):
    for kw in (
        {},
        {"batch_first": True},
        {"bidirectional": True},
        {"num_layers": 2},
        {"num_layers": 2, "dropout": 0.5},
        {"bias": False},
        {"num_layers": 2, "bidirectional": True, "batch_first": True},
    ):
        torch.manual_seed(1)
        m = cls(3, 4, **kw)
        x = torch.randn(5, 2, 3, requires_grad=True)
        show(cls.__name__, m, x)
        print(f"{x.grad.sum():.4f}", x.grad[0, 0])
        k = m.num_layers * (2 if m.bidirectional else 1)
        h0 = torch.randn(k, 5 if m.batch_first else 2, 4, requires_grad=True)
        c0 = torch.randn(k, 5 if m.batch_first else 2, 4, requires_grad=True)
        show("h0", m, x, (h0, c0) if cls is nn.LSTM else h0)
        print(
            h0.grad.sum().item().__format__(".4f"),
            c0.grad if cls is not nn.LSTM else c0.grad.sum().item().__format__(".4f"),
        )
        show("unb", m, torch.randn(5, 3))
        xs = [torch.randn(n, 3) for n in (2, 5, 3)]
        p = U.pack_sequence(xs, enforce_sorted=False)
        print(p)
        m.batch_first = False
        show("packed", m, p)
        y, _ = m(p)
        q, l = U.pad_packed_sequence(y, batch_first=True, padding_value=-1.0)
        print(q.shape, l, q.sum().item().__format__(".4f"))
        print(q[0].grad_fn is not None)
        q, l = U.pad_packed_sequence(y, total_length=7)
        print(q.shape, l, q[:, 0])
    show("double", cls(3, 4).double(), torch.randn(5, 2, 3).double())
show("relu", nn.RNN(3, 4, nonlinearity="relu"), torch.randn(5, 2, 3))
show("proj", nn.LSTM(3, 4, proj_size=2), torch.randn(5, 2, 3))
for c in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
    m = c(3, 4)
    y = m(torch.randn(2, 3))
    print(m, y)
    y = m(torch.randn(3))
    print(y)
m = nn.RNNCell(3, 4, nonlinearity="relu")
print(m, m(torch.randn(2, 3), torch.randn(2, 4)))
m = nn.LSTM(3, 4, 2, bidirectional=True)
print(list(m.state_dict()))
for f in (
    lambda: m(torch.randn(2, 3, 4)),
    lambda: m(torch.randn(3)),
    lambda: m(torch.randn(2, 3, 3), (torch.zeros(1, 3, 4), torch.zeros(4, 3, 4))),
    lambda: nn.LSTM(3, 0),
    lambda: nn.RNN(3, 4, nonlinearity="x"),
    lambda: nn.LSTM(3, 4, 0),
    lambda: nn.LSTM(3, 4, dropout=2),
    lambda: nn.RNNCell(3, 4)(torch.randn(2, 4)),
    lambda: nn.RNNCell(3, 4)(torch.randn(1, 2, 3)),
    lambda: nn.GRU(3, 4)(torch.randn(2, 2, 3), torch.zeros(2, 2, 4)),
    lambda: nn.LSTM(3, 4)(torch.randn(2, 2, 3).long()),
    lambda: nn.GRU(3, 4)(torch.randn(2, 2, 3), torch.zeros(2, 4)),
    lambda: nn.LSTM(3, 4)(torch.randn(2, 3), (torch.zeros(1, 1, 4), torch.zeros(1, 1, 4))),
):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
print(U.pad_sequence([torch.ones(2), torch.ones(3) * 2], batch_first=True, padding_value=9))
print(U.pad_sequence([torch.ones(2, 2), torch.ones(3, 2) * 2], padding_side="left"))
print(U.unpack_sequence(U.pack_sequence([torch.arange(3), torch.arange(2)])))
pk = U.pack_padded_sequence(torch.randn(4, 2, 3, requires_grad=True), [4, 2])
print(pk.data.grad_fn.name(), pk.batch_sizes)
pk = U.pack_padded_sequence(torch.randn(2, 4, 3), torch.tensor([4, 2]), batch_first=True)
print(pk)
