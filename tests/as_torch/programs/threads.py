"""Modes are a thread's own: what each thread has, threads that train beside others, one graph and one leaf of several threads."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.autograd.forward_ad as fw
import torch.nn.functional as F
from torch import nn
from torch.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


def elsewhere(function):
    """What a function gives in another thread."""
    found = []

    def run():
        try:
            found.append(function())
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


class Named(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return "mode"


class Sevens(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return torch.full((1,), 7.0)


def autocast():
    return torch.is_autocast_enabled("cpu"), torch.is_autocast_cache_enabled(), torch.get_autocast_dtype("cpu")


def saved():
    return torch.ones(2, requires_grad=True).exp().grad_fn._saved_result.tolist()


def dual():
    return fw.unpack_dual(fw.make_dual(torch.ones(1), torch.full((1,), 3.0)) * 2).tangent.item()


def place():
    return str(torch.empty(2).device), str(torch.get_default_device())


def anomaly():
    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def added():
    return torch.add(x, 1)


x = torch.zeros(2)
double = saved_tensors_hooks(lambda t: t * 2, lambda t: t)
for name, context, look in [
    ("no_grad", torch.no_grad(), torch.is_grad_enabled),
    ("set_grad_enabled", torch.set_grad_enabled(False), torch.is_grad_enabled),
    ("inference_mode", torch.inference_mode(), torch.is_inference_mode_enabled),
    ("autocast", torch.autocast("cpu", torch.float16, cache_enabled=False), autocast),
    ("device", torch.device("meta"), place),
    ("anomaly", torch.autograd.detect_anomaly(), anomaly),
    ("saved", double, saved),
    ("dual", fw.dual_level(), dual),
]:
    torch.set_grad_enabled(True)
    with context:
        print(name, look(), elsewhere(look))
with Named():
    found = added(), elsewhere(added)
print("functions", *found)
with Sevens():
    found = added(), elsewhere(added)
print("dispatch", *found)
with torch._C.DisableTorchFunctionSubclass():
    print("subclasses", torch._C._is_torch_function_enabled(), elsewhere(torch._C._is_torch_function_enabled))
with disable_saved_tensors_hooks("none here"):
    print("refused", elsewhere(double.__enter__))
torch.set_default_device("meta")
print("set_default_device", place(), elsewhere(place))
torch.set_default_device(None)
torch.set_default_dtype(torch.float64)
print("dtype", elsewhere(lambda: torch.empty(2).dtype))
torch.set_default_dtype(torch.float32)
torch.use_deterministic_algorithms(True)
print("deterministic", elsewhere(torch.are_deterministic_algorithms_enabled))
torch.use_deterministic_algorithms(False)
torch.manual_seed(3)
print("one generator", elsewhere(lambda: torch.rand(1).item() == torch.rand(1).item()))
with fw.dual_level():
    shared = fw.make_dual(torch.ones(1), torch.full((1,), 3.0))
    print("dual of another", elsewhere(lambda: fw.unpack_dual(shared * 2).tangent), elsewhere(fw.enter_dual_level))


def begun():
    """Ends a context in the thread that goes on with it."""
    with torch.no_grad():
        yield torch.is_grad_enabled()
    yield torch.is_grad_enabled()


steps = begun()
print(next(steps), torch.is_grad_enabled(), elsewhere(lambda: (next(steps), torch.is_grad_enabled())))
print(torch.is_grad_enabled(), elsewhere(torch.is_grad_enabled))
torch.set_grad_enabled(True)

# a thread within each mode, while another records and walks
ready, go = threading.Barrier(2), threading.Barrier(2)


def beside(context):
    w = torch.full((2, 2), 0.5, requires_grad=True)

    def hold():
        with context:
            ready.wait()
            go.wait()
            y = w @ w
        found.append((y.requires_grad, str(y.dtype)) if isinstance(y, torch.Tensor) else y)

    found = []
    thread = threading.Thread(target=hold)
    thread.start()
    ready.wait()
    y = w @ w
    y.sum().backward()
    go.wait()
    thread.join()
    return y.requires_grad, str(y.dtype), w.grad.tolist(), found


for name, context in [
    ("no_grad", torch.no_grad()), ("inference", torch.inference_mode()), ("autocast", torch.autocast("cpu")),
    ("functions", Named()), ("saved", saved_tensors_hooks(lambda t: 0, lambda t: 1 / 0)),
]:  # fmt: skip
    print(name, beside(context))


class Watched(torch.autograd.Function):
    """Says whose thread walks, and whether that records."""

    @staticmethod
    def forward(ctx, x):
        ctx.thread = threading.get_ident()
        return x * 2

    @staticmethod
    def backward(ctx, g):
        seen.append((ctx.thread == threading.get_ident(), torch.is_grad_enabled()))
        return g * 2


seen = []
w = torch.ones(2, requires_grad=True)
y = Watched.apply(w).sum()
y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
print(elsewhere(lambda: y.backward(create_graph=False)), w.grad, seen)


def trained(seed, steps=8):
    """What becomes of a small network that is trained and looked at."""
    g = torch.Generator().manual_seed(seed)
    data, target = torch.randn(8, 4, generator=g), torch.randint(0, 3, (8,), generator=g)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.randn(p.shape, generator=g) * 0.5)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(data), target)
        loss.backward()
        optimizer.step()
        with torch.inference_mode():
            losses.append(round(F.cross_entropy(net(data), target).item(), 3))
        slopes = torch.vmap(torch.func.grad(lambda v: (v * v).sum()))(data)
        assert torch.equal(slopes, 2 * data) and torch.is_grad_enabled()
    return losses


alone = [trained(seed) for seed in range(6)]
with ThreadPoolExecutor(4) as pool, torch.no_grad():
    together = list(pool.map(trained, range(6)))
print(alone[0], together == alone)

# one model that several threads call and walk: the gradients are the sum
model = nn.Linear(3, 2)
with torch.no_grad():
    for p in model.parameters():
        p.fill_(0.25)
parts = [torch.full((4, 3), float(i)) for i in range(8)]
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda part: model(part).sum().backward(), parts))
print(model.weight.grad, model.bias.grad)
w = torch.zeros(20000, requires_grad=True)


def add_often():
    for _ in range(20):
        (w * 1.0).sum().backward()


threads = [threading.Thread(target=add_often) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(w.grad.min(), w.grad.max())
