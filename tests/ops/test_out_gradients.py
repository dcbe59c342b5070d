"""``out=`` tensors that want a gradient: who refuses a leaf, in which words, and in what a history is left."""

from __future__ import annotations

from tensorsh import torch

X = torch.arange(1.0, 10).view(3, 3)
SPACE = {"torch": torch, "X": X}
USUAL = "(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
COPIED = "a leaf Variable that requires grad is being used in an in-place operation."
CASES = {
    "softmax(X, 0)": "aten::softmax", "log_softmax(X, 0)": "aten::log_softmax", "floor_divide(X, X)": "aten::floor_divide",
    "diag(X)": "aten::diagonal_copy", "heaviside(X, X)": "aten::heaviside", "t_copy(X)": "aten::t_copy",
    "arange(3.0)": "aten::arange", "full((3,), 1.0)": "aten::full", "zeros(3)": "aten::zeros", "rand(3)": "aten::rand",
    "linspace(0, 1, 3)": "aten::linspace", "eye(3)": "aten::eye", "fft.fftfreq(3)": "aten::fft_fftfreq",
    "normal(0.0, 1.0, (3,))": "aten::normal", "inner(X, X)": COPIED, "tensordot(X, X, 1)": COPIED, "quantile(X, 0.5)": COPIED,
    "linalg.norm(X)": COPIED, "linalg.cond(X)": COPIED, "nuclear_norm(X)": COPIED, "special.ndtr(X)": COPIED, "exp(X)": "exp",
    "linalg.inv(X * X)": "linalg_inv_ex", "randn(3)": "cannot resize variables that require grad",
}  # fmt: skip


def written(call: str, out: torch.Tensor) -> str:
    try:
        eval(f"torch.{call[:-1]}, out=out)", SPACE, {"out": out})
    except RuntimeError as error:
        return str(error).removesuffix(USUAL)
    return out.grad_fn.name() if out.grad_fn else ""


def test_leaves_are_refused() -> None:
    torch.manual_seed(0)
    wrong = {}
    for call, wanted in CASES.items():
        size = eval(f"torch.{call}", SPACE).shape
        # in the midst of a graph it gets the node of what is copied, or of a kernel without derivative
        later = {"aten": "torch::autograd::NotImplemented", COPIED[:4]: "torch::autograd::CopyBackwards"}.get(
            wanted[:4], wanted
        )
        found = (
            written(call, torch.empty(size, requires_grad=True)),
            written(call, torch.empty(size, requires_grad=True).clone()),
        )
        if found != (wanted, later):
            wrong[call] = found
    assert not wrong


def test_histories_arrive() -> None:
    x, out = X.clone().requires_grad_(), torch.empty(3, 3)
    torch.inner(x, X, out=out).sum().backward()
    assert x.grad.tolist() == [[12, 15, 18]] * 3
    assert str(torch.softmax(x, 0, out=out).grad_fn).startswith("<NotImplemented object")
    for wants in (True, False):
        made = torch.zeros(3, out=torch.empty(3), requires_grad=wants)
        assert made.requires_grad is wants
    with torch.no_grad():
        assert not torch.zeros(3, out=torch.ones(3, requires_grad=True)).requires_grad
