"""Names and shape of the graph: in-place forms, copies of views, arithmetic with plain numbers, losses."""

from __future__ import annotations

import pytest

from tensorsh import torch

F = torch.nn.functional


def tree(node: object) -> str:
    if node is None:
        return "-"
    if node.name() == "torch::autograd::AccumulateGrad":
        return "A"
    return f"{node.name()}({', '.join(tree(n) for n, _ in node.next_functions)})"


TREES = {
    "x.clone().acosh_()": "AcoshBackward1(CloneBackward0(A))",
    "x.clone().eq_(2)": "EqBackward0(CloneBackward0(A))",
    "x.clone().eq_(y)": "EqBackward1(CloneBackward0(A), A)",
    "x.clone().logical_not_()": "CloneBackward0(A)",
    "x.clone().as_strided_((2,), (1,))": "AsStridedBackward1(CloneBackward0(A))",
    "F.elu(x.clone(), inplace=True)": "EluBackward1(CloneBackward0(A))",
    "x.clone().random_()": "RandomBackward2(CloneBackward0(A))",
    "torch.expand_copy(x, (2, 2))": "ExpandBackward0_copy(A)",
    "torch.squeeze_copy(x, 0)": "SqueezeBackward1_copy(A)",
    "torch.narrow_copy(x, 0, 0, 1)": "NarrowCopyBackward0(A)",
    "torch.unsafe_split(x, 1)[0]": "UnsafeSplitBackward0(A)",
    "x[:, :1].reshape(2)": "ReshapeAliasBackward0(SliceBackward0(A))",
    "F.cross_entropy(x, torch.ones(2, 2))": "DivBackward1(NegBackward0(SumBackward0(MulBackward0(LogSoftmaxBackward0(A), -))))",
    "F.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=0.1)": (
        "AddBackward0(MulBackward1(NllLossBackward0(LogSoftmaxBackward0(A))), MulBackward1(DivBackward0(SumBackward0("
        "MaskedFillBackward0(NegBackward0(SumBackward1(LogSoftmaxBackward0(A))))), -)))"
    ),
    "F.nll_loss(x[None], torch.tensor([[0, 1]]))": "NllLoss2DBackward0(ViewBackward0(UnsqueezeBackward0(A)))",
    "F.margin_ranking_loss(x, y, torch.ones(2, 2))": (
        "MeanBackward0(ClampMinBackward0(AddBackward1(MulBackward0(-, SubBackward0(A, A)))))"
    ),
    "torch.masked.sum(x, mask=x > 0)": "SumBackward1(WhereBackward0(A, -))",
    "F.scaled_dot_product_attention(x, x, y, attn_mask=y)": (
        "MmBackward0(SafeSoftmaxBackward0(AddBackward0(MmBackward0(MulBackward1(A), MulBackward1(TransposeBackward0(A))), A)), A)"
    ),
    "F.adaptive_avg_pool3d(x[None, None], 1)": "MeanBackward1(UnsqueezeBackward0(UnsqueezeBackward0(A)))",
    "torch.linalg.vecdot(x[0], y[0])": "VdotBackward0(SelectBackward0(A), SelectBackward0(A))",
    "x.scatter(0, torch.tensor([[0, 1]]), y, reduce='add')": "torch::autograd::NotImplemented(A, A)",
    "x.clone().floor_divide_(2)": "torch::autograd::NotImplemented(CloneBackward0(A))",
}


@pytest.mark.parametrize("expression", TREES)
def test_trees(expression: str) -> None:
    x = torch.tensor([[1.5, 2.0], [3.0, 4.0]], requires_grad=True)
    y = torch.tensor([[1.0, 2.0], [0.5, 3.0]], requires_grad=True)
    found = eval(expression, {"torch": torch, "F": F, "x": x, "y": y})
    assert tree(found.grad_fn) == TREES[expression]


def test_ignored_targets_have_a_gradient_of_plain_zeros() -> None:
    x = torch.tensor([[0.5, 1.0], [0.2, 0.1]], requires_grad=True)
    F.nll_loss(x, torch.tensor([0, -100])).backward()
    assert str(x.grad) == "tensor([[-1.,  0.],\n        [ 0.,  0.]])"
