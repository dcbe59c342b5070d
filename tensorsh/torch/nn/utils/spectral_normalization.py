"""Weights divided by their largest singular value, which power iterations follow."""

from __future__ import annotations

from typing import Any

from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.named import delete_named, read_named, write_named
from ....sandbox.sealed import Sealed, all_housed
from ..modules.conv import Transposed
from ..parameter import Parameter, is_lazy
from ..reach import F, L, T
from .weight_normalization import hooks_of


def matrix_of(weight: Tensor, dim: int) -> Tensor:
    """A weight as a matrix, with one dimension for the rows."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.ndim) if d != dim])
    return weight.reshape(weight.shape[0], -1)


class SpectralNorm(metaclass=Sealed):
    """The hook that computes the weight."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """The weight over its largest singular value."""
        weight, u, v = (read_named(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = matrix_of(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    F.normalize(T.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    F.normalize(T.mv(matrix, v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()
        return weight / T.dot(u, T.mv(matrix, v))

    def __call__(self, module: Any, inputs: Any) -> None:
        write_named(module, self.name, self.compute_weight(module, module.training))

    def right_vector(self, weight: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
        """The vector `v` whose image under the weight points along `u`, so long that ``u @ weight @ v`` is `sigma`."""
        matrix = matrix_of(weight, self.dim)
        inverse = L.pinv(T.mm(matrix.t(), matrix))
        v = L.multi_dot([inverse, matrix.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(sigma / T.dot(u, T.mv(matrix, v)))


class SpectralNormStateDictHook(metaclass=Sealed):
    """The hook that says in a state dict's metadata that the weight is no entry of it, and that `v` is one."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: dict) -> None:
        versions, key = local_metadata.setdefault("spectral_norm", {}), self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = 1


class SpectralNormLoadStateDictPreHook(metaclass=Sealed):
    """The hook that makes `v` of the weight in a state dict from before it was kept."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: dict, strict: bool, missing_keys: list, *rest: Any
    ) -> None:
        norm = self.fn
        if (local_metadata.get("spectral_norm", {}).get(norm.name + ".version") or 0) >= 1:
            return
        key = prefix + norm.name
        if key not in state_dict and all(key + end in state_dict for end in ("_orig", "_u", "_v")):
            return  # it lacks the metadata alone
        missing = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if missing:
            if strict:
                missing_keys += missing
            return
        with no_grad():
            weight, u = state_dict[key + "_orig"], state_dict[key + "_u"]
            sigma = (weight / state_dict.pop(key)).mean()
            state_dict[key + "_v"] = norm.right_vector(weight, u, sigma)


all_housed(globals(), "torch.nn.utils.spectral_norm")


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a parameter by its largest singular value before each forward."""
    dim = (1 if isinstance(module, Transposed) else 0) if dim is None else dim
    if any(hook.name == name for hook in hooks_of(module, SpectralNorm).values()):
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if is_lazy(weight):
        raise ValueError(
            "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
            "before applying spectral normalization"
        )
    with no_grad():
        height, width = matrix_of(weight, dim).shape
        u = F.normalize(T.empty(height, dtype=weight.dtype).normal_(0, 1), dim=0, eps=eps)
        v = F.normalize(T.empty(width, dtype=weight.dtype).normal_(0, 1), dim=0, eps=eps)
    delete_named(module, name)
    module.register_parameter(name + "_orig", weight)
    write_named(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(SpectralNormStateDictHook(hook))
    module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a plain parameter again."""
    for number, hook in hooks_of(module, SpectralNorm).items():
        if hook.name == name:
            with no_grad():
                weight = hook.compute_weight(module, False)
            for each in (name, name + "_u", name + "_v", name + "_orig"):
                delete_named(module, each)
            module.register_parameter(name, Parameter(weight.detach()))
            del module._forward_pre_hooks[number]
            for kind in ("_state_dict_hooks", "_load_state_dict_pre_hooks"):
                others = dict.get(module.__dict__, kind, {})
                for k in [k for k, each in others.items() if getattr(each.hook, "fn", None) is hook]:
                    del others[k]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")


for _f in (spectral_norm, remove_spectral_norm):
    _f.__module__ = "torch.nn.utils.spectral_norm"
