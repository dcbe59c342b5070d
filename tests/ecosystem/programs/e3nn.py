"""Features that turn with the world: spherical harmonics and a tensor product."""

import torch
from e3nn import o3
from e3nn.nn import Gate

torch.manual_seed(0)
places = torch.randn(4, 3)
print(o3.spherical_harmonics([0, 1, 2], places, normalize=True))
first, second = o3.Irreps("4x0e + 2x1o"), o3.Irreps("1x0e + 1x1o")
product = o3.FullyConnectedTensorProduct(first, second, "3x0e + 1x1o")
x, y = first.randn(4, -1), second.randn(4, -1)
print(product(x, y))
turn = o3.rand_matrix()
print(
    torch.allclose(
        product(x @ first.D_from_matrix(turn).T, y @ second.D_from_matrix(turn).T),
        product(x, y) @ product.irreps_out.D_from_matrix(turn).T,
        atol=1e-4,
    )
)
print(o3.Linear(first, "2x0e + 1x1o")(x), o3.wigner_3j(1, 1, 1))
gate = Gate("4x0e", [torch.relu], "2x0e", [torch.sigmoid], "2x1o")
print(gate.irreps_out, gate(gate.irreps_in.randn(2, -1)))
