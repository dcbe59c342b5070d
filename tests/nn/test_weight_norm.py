"""Weight normalization: its node, and its first and second gradients by differences."""

import pytest

from tensorsh import torch


@pytest.mark.parametrize(("dim", "size", "node"), [(0, (4, 1), "Interface"), (1, (1, 3), "Interface"), (-1, (), "")])
def test_gradients(dim: int, size: tuple, node: str) -> None:
    torch.manual_seed(0)
    v = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    g = torch.randn(size, dtype=torch.float64, requires_grad=True)
    weight = torch._weight_norm(v, g, dim)
    assert weight.grad_fn.name() == (f"WeightNorm{node}Backward0" if node else "MulBackward0")
    assert torch.allclose(torch.norm_except_dim(weight, 2, dim), g.abs())
    assert torch.autograd.gradcheck(torch._weight_norm, (v, g, dim))
    assert torch.autograd.gradgradcheck(torch._weight_norm, (v, g, dim))


def test_dimensions_between_have_no_kernel_of_their_own() -> None:
    v = torch.ones(2, 3, 2, requires_grad=True)
    assert torch._weight_norm(v, torch.ones(1, 3, 1), 1).grad_fn.name() == "MulBackward0"
    with pytest.raises(RuntimeError, match="first or last"):
        torch._weight_norm_interface(v, torch.ones(1, 3, 1), 1)
