"""Hooks for what nodes keep, hooks on several tensors, checkpoints: what PyTorch 2.13 prints and counts."""

from __future__ import annotations

import pytest

from tensorsh import torch

hooks = torch.autograd.graph.saved_tensors_hooks
checkpoint = torch.utils.checkpoint.checkpoint


def test_each_saved_tensor_goes_through_the_hooks() -> None:
    packed, unpacked = [], []

    def pack(x):
        packed.append(str(x))
        return x.detach()

    def unpack(x):
        unpacked.append(str(x))
        return x

    a = torch.ones(2, requires_grad=True)
    b = torch.ones(2, requires_grad=True) * 2
    with hooks(pack, unpack):
        w = (a * b).exp() * 3
    w.sum().backward()
    assert packed == [
        "tensor([2., 2.], grad_fn=<MulBackward0>)",
        "tensor([1., 1.], requires_grad=True)",
        "tensor([7.3891, 7.3891], grad_fn=<ExpBackward0>)",
    ]
    assert unpacked == ["tensor([7.3891, 7.3891])", "tensor([2., 2.])", "tensor([1., 1.])"]
    assert str(a.grad) == "tensor([44.3343, 44.3343])"


def test_second_derivatives_pass_the_hooks() -> None:
    a = torch.tensor([0.3, 0.7], requires_grad=True)
    with hooks(lambda x: x.detach().numpy(), torch.from_numpy):
        y = (a.sin() * a.cos()).sum()
    (g,) = torch.autograd.grad(y, a, create_graph=True)
    g.sum().backward()
    assert torch.allclose(a.grad, -2 * (2 * a.detach()).sin())


def test_refused_hooks_and_wrong_answers() -> None:
    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        with pytest.raises(RuntimeError, match="no hooks here"), torch.autograd.graph.save_on_cpu():
            pass
    a = torch.ones(2, requires_grad=True)
    with hooks(lambda x: x, lambda x: 3):
        y = a * a
    with pytest.raises(TypeError, match="expected to be a Tensor but got result of type int"):
        y.sum().backward()


def test_mutation_of_saved_tensors() -> None:
    a = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        out.backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_gradient_edges_stand_for_tensors() -> None:
    a = torch.ones(2, requires_grad=True)
    u, v = a.unbind()
    edge = torch.autograd.graph.get_gradient_edge(v)
    assert (edge.node.name(), edge.output_nr) == ("UnbindBackward0", 1)
    assert torch.autograd.grad((u * 3 + v * v).sum(), edge)[0].item() == 2.0


def test_hooks_on_several_tensors() -> None:
    a, b, c, d = (torch.ones(2, requires_grad=True) for _ in range(4))
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (a, b, c, d), lambda grads: seen.append([g is not None for g in grads])
    )
    ((a * b).sum() + c.sum()).backward()
    (c * d).sum().backward()
    handle.remove()
    (a * b).sum().backward()
    assert seen == [[True, True, True, False], [False, False, True, True]]


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_computes_twice(reentrant: bool) -> None:
    calls = []

    def f(x):
        calls.append(x.requires_grad)
        return torch.nn.functional.dropout((x.sin() * x).exp(), 0.5)

    torch.manual_seed(0)
    a = torch.ones(4, requires_grad=True)
    y = checkpoint(f, a, use_reentrant=reentrant)
    assert y.grad_fn.name() == ("CheckpointFunctionBackward" if reentrant else "MulBackward0")
    y.sum().backward()
    assert len(calls) == 2
    assert ((a.grad != 0) == (y != 0)).all()  # the same elements were dropped
    assert torch.rand(1).item() == pytest.approx(0.4556, abs=1e-4)


def test_wanted_gradients_move_with_a_write() -> None:
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    b.retain_grad()
    b.add_(1)
    (b * 2).sum().backward()
    assert b.retains_grad
    assert b.grad.tolist() == [2.0, 2.0]


def test_what_nodes_say_they_keep() -> None:
    x = torch.tensor([[0.5, 1.0]], requires_grad=True)
    assert str((x * 2).grad_fn._saved_other) == "tensor(2)"
    assert x.view(2).grad_fn._saved_self_sym_sizes == (1, 2)
    assert torch.nn.functional.mse_loss(x, x.detach()).grad_fn._saved_reduction == 1


def test_a_hook_on_several_tensors_in_the_pass_of_one_number() -> None:
    p, q = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    seen: list = []
    torch.autograd.graph.register_multi_grad_hook((p, q), seen.append)
    (p.sum() + q.sum()).backward()
    p.sum().backward()
    assert [[g is not None for g in grads] for grads in seen] == [[True, True], [True, False]]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_of_half_precision_have_its_dtype(dtype) -> None:
    F = torch.nn.functional
    for function in (
        torch.erf, torch.exp2, torch.rsqrt, torch.log2, torch.deg2rad, F.gelu, F.hardswish, F.leaky_relu, F.elu, torch.nanmean,
        lambda x: x**2, lambda x: torch.addcmul(x, x, x), lambda x: F.batch_norm(x, None, None, torch.ones(3), training=True),
    ):  # fmt: skip
        x = torch.linspace(0.1, 0.9, 6, dtype=dtype).reshape(2, 3).requires_grad_()
        y = x.clone()
        y.retain_grad()
        function(y).sum().backward()
        assert y.grad.dtype == x.grad.dtype == dtype, function


HALF = """
[-0.044921875, -0.03857421875, 0.083984375, -0.04541015625, -0.039306640625, 0.08251953125]
[-0.050048828125, 0.07666015625, 0.373046875, 0.8359375, 1.46875, 2.265625]
[-0.025634765625, -0.060302734375, 0.294921875, 1.1171875, 1.59375, 1.765625]
[-0.02734375, 0.0250244140625, 0.34375, 0.9375, 1.5, 1.875]
[0.020751953125, 0.20703125, 0.82421875, 0.72265625, 0.2138671875, 0.039794921875]
[-0.125, 0.26171875, 0.84375, 0.875, -0.043701171875, -1.3671875]
[3.609375, 2.09375, 0.10302734375, 1.671875, 10.9375, 31.875]
4096.0
"""


def test_gradients_of_half_precision_are_rounded_as_pytorchs() -> None:
    """A kernel rounds once, a composed formula after each operator; sums over broadcast dimensions do not stall."""
    F = torch.nn.functional
    x = torch.linspace(-2, 2.5, 6).bfloat16().reshape(2, 3)
    g = torch.linspace(0.3, 1.7, 6).bfloat16().reshape(2, 3)
    found = []
    for f in (
        lambda x: x.softmax(1), F.hardswish, F.gelu, F.silu, torch.tanh, torch.sin, lambda x: x**3,
    ):  # fmt: skip
        y = x.clone().requires_grad_()
        f(y).backward(g)
        found.append(str(y.grad.float().flatten().tolist()))
    b = torch.zeros(1, dtype=torch.bfloat16, requires_grad=True)
    (torch.ones(4096, 1, dtype=torch.bfloat16) + b).sum().backward()
    assert [*found, str(b.grad.item())] == HALF.split("\n")[1:-1]


SHOWN = """
AddBackward0 {'alpha': 1}
SumBackward1 {'dim': (1,), 'keepdim': False, 'self_sym_sizes': (2, 3)}
MeanBackward0 {'self_sym_numel': 6, 'self_sym_sizes': (2, 3)}
UnsqueezeBackward0 {'dim': 18446744073709551615}
SqueezeBackward1 {'dim': 0, 'self_sym_sizes': (1, 3)}
SplitBackward0 {'dim': 1, 'self_sym_sizes': (2, 3), 'split_size': 2}
MmBackward0 {'mat2': (3, 2), 'mat2_sym_sizes': (3, 2), 'mat2_sym_strides': (1, 3), 'self': (2, 3), 'self_sym_sizes': (2, 3), 'self_sym_strides': (3, 1)}
ClampBackward1 {'max': None, 'min': 2, 'self': (2, 3)}
AmaxBackward0 {'dim': (0, 18446744073709551615), 'keepdim': False, 'result': (), 'self': (2, 3)}
StdBackward0 {'correction': 1, 'dim': (1,), 'keepdim': False, 'result': (2,), 'self': (2, 3)}
VarBackward0 {'correction': None, 'dim': None, 'keepdim': False, 'self': (2, 3)}
CumsumBackward0 {'dim': 18446744073709551615}
FlipBackward0 {'dims': (18446744073709551615,)}
PermuteBackward0 {'dims': (18446744073709551615, 0)}
HuberLossBackward0 {'delta': 2.0, 'reduction': 1, 'self': (2, 3), 'target': (2, 3)}
GeluBackward0 {'approximate': 'none', 'self': (2, 3)}
StackBackward0 {'dim': 0}
ToCopyBackward0 {}
SortBackward0 {'dim': 18446744073709551615, 'indices': (2, 3), 'self_sym_sizes': (2, 3)}
TopkBackward0 {'dim': 18446744073709551615, 'indices': (2, 2), 'self_sym_sizes': (2, 3)}
ConstantPadNdBackward0 {'pad': (1, 18446744073709551615)}
SumBackward1 {'dim': (0,), 'keepdim': False, 'self_sym_sizes': (2, 3)}
"""


def test_nodes_show_what_they_keep_under_pytorchs_names() -> None:
    F = torch.nn.functional
    x = torch.arange(1.0, 7).reshape(2, 3).requires_grad_()

    def shown(y) -> str:
        f = y.grad_fn
        found = {k[7:]: getattr(f, k) for k in sorted(dir(f)) if k.startswith("_saved_")}
        return f.name() + " " + str({k: tuple(v.shape) if isinstance(v, torch.Tensor) else v for k, v in found.items()})

    results = [
        x + 1, x.sum(1), x.mean(), x.unsqueeze(-1), x[:1].squeeze(0), x.split(2, 1)[0], x @ x.T, x.clamp(min=2), x.amax((0, -1)),
        x.std(1), x.var(), x.cumsum(-1), x.flip(-1), x.permute(-1, 0), F.huber_loss(x, x.detach() + 1, delta=2.0), F.gelu(x),
        torch.stack([x, x]), x.to(torch.float64), x.sort(descending=True)[0], x.topk(2)[0], F.pad(x, (1, -1)),
        F.layer_norm(x, (3,)).sum(0),
    ]  # fmt: skip
    assert [shown(y) for y in results] == SHOWN.split("\n")[1:-1]
    with pytest.raises(AttributeError, match="no attribute '_saved_self'"):
        results[0].grad_fn._saved_self  # noqa: B018
