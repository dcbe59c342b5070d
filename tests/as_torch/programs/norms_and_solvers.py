# ruff: noqa
"""Norms of halves and of nothing, orders that are refused, least squares."""

import torch


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


x = torch.tensor([3.0, 0.0, 4.0])
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    for order in (0, 1, 2, 3, float("inf"), -1):
        found = torch.linalg.vector_norm(x.to(dtype), order)
        print(dtype, order, found, torch.linalg.norm(x.to(dtype), order).dtype)
told(lambda: torch.linalg.vector_norm(x, 1 + 2j))
told(lambda: torch.linalg.matrix_norm(x.view(1, 3), 1 + 2j))
told(lambda: torch.linalg.norm(x, 1 + 2j))
for shape in ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3)):
    for order in (0, 1, 2):
        for dim in (None, 0, -1):
            told(lambda: torch.linalg.norm(torch.ones(shape), order, dim).shape)
            told(lambda: torch.norm(torch.ones(shape), order, dim).shape)
for shape in ((0, 3), (3, 0), (2, 0, 3), (0, 0)):
    for order in (2, "nuc", 1, -1, float("inf")):
        told(lambda: torch.linalg.matrix_norm(torch.ones(shape), order))
torch.manual_seed(0)
for shape in ((3, 2), (2, 3), (1, 1), (4, 1), (1, 4), (3, 3)):
    for batch in ((), (2,), (2, 1)):
        for columns in (1, 2):
            for dtype in (torch.float64, torch.complex128):
                a, b = torch.randn(*batch, *shape, dtype=dtype), torch.randn(*batch, shape[0], columns, dtype=dtype)
                for driver in ("gels", "gelsy", "gelsd", "gelss"):
                    got = torch.linalg.lstsq(a, b, driver=driver)
                    print(
                        shape,
                        batch,
                        columns,
                        driver,
                        [
                            round(v, 4)
                            for v in torch.view_as_real(got.solution.to(torch.complex128)).flatten().tolist()[:6]
                        ],
                        got.residuals.shape,
                        [round(abs(v), 4) for v in got.residuals.flatten().tolist()],
                        got.rank.tolist(),
                        got.singular_values.shape,
                    )
for a, b in (
    ((2, 2), (3, 1)),
    ((2, 2), (2,)),
    ((2,), (2,)),
    ((2, 3, 2), (3, 3, 1)),
    ((2, 3, 2), (2, 3)),
    ((0, 0), (0, 1)),
    ((3, 0), (3, 2)),
    ((0, 3), (0, 2)),
    ((2, 2), (2, 2, 1)),
):
    told(lambda: [each.shape for each in torch.linalg.lstsq(torch.ones(a), torch.ones(b))])
told(lambda: torch.linalg.lstsq(torch.ones(2, 2), torch.ones(2, 1), driver="none"))
told(lambda: torch.linalg.lstsq(torch.ones(2, 2), torch.ones(2, 1, dtype=torch.float64)))
told(lambda: torch.linalg.lstsq(torch.ones(2, 2), torch.ones(2, 1), rcond=-1.0).rank)
told(lambda: torch.linalg.lstsq(torch.ones(2, 2).half(), torch.ones(2, 1).half()))

# The gradient of eigenvectors is symmetric, however few of them are used.
torch.manual_seed(3)
for dtype in (torch.float64, torch.complex128):
    a, weights = torch.randn(3, 3, dtype=dtype), torch.randn(3, 3, dtype=dtype)
    a = (a + a.mH).requires_grad_()
    values, vectors = torch.linalg.eigh(a)
    for columns in (slice(0, 1), slice(1, 3)):
        part = vectors[:, columns]
        loss = (weights * (part @ part.mH)).sum().real
        for value in (loss, loss + values[0] ** 2):
            found = torch.view_as_real(torch.autograd.grad(value, a, retain_graph=True)[0].cdouble())
            print(found.mul(1e6).round().long().flatten())
