"""What is documented and seldom asked for: of graphs, of modules, of scalers, of transforms of numbers."""

import torch
from torch import nn


def told(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).partition("\n")[0])


scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=7)
scaler.set_growth_factor(3.0)
scaler.set_backoff_factor(0.25)
scaler.set_growth_interval(11)
print(scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval())

net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 1)))
net.set_submodule("1.0", nn.Tanh())
net.register_module("more", nn.Identity())
print(net)
told(lambda: net.set_submodule("", nn.Tanh()))
told(lambda: net.set_submodule("1.9.0", nn.Tanh()))

traced = torch.fx.symbolic_trace(net)
print(traced.graph.output_node(), traced.graph.find_nodes(op="call_module"))
print(traced.add_submodule("extra.inner", nn.ReLU()), traced.delete_submodule("extra.inner"))
traced.delete_all_unused_submodules()
print([name for name, _ in traced.named_modules()])
node = next(iter(traced.graph.find_nodes(op="call_module")))
node.update_kwarg("a", 1)
node.insert_arg(1, 2)
node.update_arg(1, 3)
print(node.args, node.kwargs)

print(torch.abs(torch.tensor([3 + 4j]), out=torch.empty(1, dtype=torch.complex64)))
print(torch.linalg.svdvals(torch.diag(torch.tensor([3.0, 1.0, 2.0]))))

from torch.distributions.utils import logits_to_probs, probs_to_logits, tril_matrix_to_vec, vec_to_tril_matrix  # noqa: E402

for binary in (False, True):
    print(logits_to_probs(torch.tensor([0.0, 1.0, 2.0]), binary), probs_to_logits(torch.tensor([0.2, 0.8]), binary))
rows = torch.arange(9.0).view(3, 3)
for diagonal in (0, -1):
    print(tril_matrix_to_vec(rows, diagonal), vec_to_tril_matrix(tril_matrix_to_vec(rows, diagonal), diagonal))

from torch.utils._pytree import tree_all, tree_any, tree_map_  # noqa: E402

tree = {"a": [1, 2], "b": (3,)}
print(tree_all(lambda x: x > 0, tree), tree_any(lambda x: x > 2, tree), tree_map_(print, tree))

loss = nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4])
x = torch.ones(3, 4)
print(torch.equal(loss.predict(x), loss.log_prob(x).argmax(1)))

with torch.autograd.set_multithreading_enabled(False):
    print(torch.autograd.is_multithreading_enabled())
print(torch.autograd.is_multithreading_enabled())


@torch.set_grad_enabled(False)
def plain(x):
    return (x * 2).requires_grad


x = torch.ones(2, requires_grad=True)
print(plain(x), torch.is_grad_enabled())
y = torch.arange(6.0).view(2, 3)
print(y.swapdims_(0, 1).shape, y.swapaxes_(0, 1).shape)

big = torch.arange(64.0 * 48).view(1, 1, 64, 48).double()
print(nn.functional.interpolate(big, (50, 60))[0, 0, ::9, ::13])
e = torch.arange(9.0).view(3, 3)
print(torch.einsum("ii->i", e), torch.einsum("ii,ij->j", e, e), torch.einsum("iij->j", torch.ones(2, 2, 3)))
singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
(g,) = torch.autograd.grad(torch.det(singular), singular, create_graph=True)
print(g.detach().round(decimals=6))
