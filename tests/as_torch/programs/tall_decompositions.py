"""QR decompositions of matrices with many more rows than columns have the signs of LAPACK's reflections."""

import torch

torch.manual_seed(0)
for m, n, dtype in (
    (70_000, 3, torch.float32),
    (20_000, 10, torch.float64),
    (3_000, 60, torch.float32),
    (2_113, 33, torch.float64),
):
    a = torch.randn(m, n, dtype=dtype)
    Q, R = torch.linalg.qr(a)
    print(Q.shape, Q.stride(), R.shape, R.diagonal()[:6], Q[:2, :5])
    print(
        (Q @ R - a).abs().max() < 1e-4, (Q.T @ Q - torch.eye(n, dtype=dtype)).abs().max() < 1e-5, R.tril(-1).abs().max()
    )
    print(torch.linalg.qr(a, mode="r")[1].diagonal()[-4:])
few = torch.randn(70_000, 1) * torch.arange(1.0, 4)  # of rank one
Q, R = torch.linalg.qr(few)
print((Q @ R - few).abs().max() < 1e-3, R[0])
x = torch.randn(20_000, 4, dtype=torch.float64, requires_grad=True)
Q, R = torch.linalg.qr(x)
(Q[0].sum() + R.sum()).backward()
print(x.grad[:3])
