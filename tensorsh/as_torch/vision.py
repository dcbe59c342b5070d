"""``torchvision`` and ``functorch`` where they are not installed: their parts are tensorsh's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any
from warnings import warn

NAME = "torchvision"
FUNCTORCH = {
    "functorch": (), "functorch.einops": ("rearrange",),
    "functorch.experimental": ("chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"),
    "functorch.experimental.control_flow": ("cond", "map", "UnsupportedAliasMutationException"),
}  # fmt: skip
"""What stands in the modules of functorch; all of the older forms where nothing is named."""
PARTS = (
    "datasets",
    "datasets.folder",
    "transforms",
    "transforms.functional",
    "transforms.v2",
    "transforms.v2.functional",
    "utils",
)


def installed(name: str) -> bool:
    """Whether there is a package of a name; a mere folder is none."""
    spec = PathFinder.find_spec(name)
    return spec is not None and spec.origin is not None


def deprecated(function: Any, name: str) -> Any:
    """A function of functorch, which says where it stands now."""
    now = {"vmap": "torch.vmap", "combine_state_for_ensemble": "torch.func.stack_module_state"}.get(
        name, "torch.func.functional_call" if name.startswith("make_functional") else f"torch.func.{name}"
    )

    def warned(*args: Any, **kwargs: Any) -> Any:
        warn(
            f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{name}` is deprecated as of "
            "PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use "
            f"`{now}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration guide for more details "
            "https://pytorch.org/docs/main/func.migrating.html",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    warned.__name__, warned.__qualname__, warned.__doc__ = name, name, function.__doc__
    return warned


def own(part: str) -> ModuleType:
    """The module that stands for a part of torchvision."""
    elsewhere = {"utils": "transforms.utils", "transforms.v2.functional": "transforms.functional"}
    return importlib.import_module(f"tensorsh.{elsewhere.get(part, part)}")


class VisionFinder(MetaPathFinder, Loader):
    """Steps back where torchvision is installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] == "functorch" and not installed("functorch"):
            return ModuleSpec(fullname, self, is_package=True) if fullname in FUNCTORCH else None
        if fullname != NAME and fullname not in [f"{NAME}.{part}" for part in PARTS]:
            return None
        there = sys.modules.get(NAME)
        if installed(NAME) if there is None else getattr(there, "__loader__", None) is not self:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ in FUNCTORCH:
            owner = importlib.import_module("tensorsh.torch.functional_modules")
            func = importlib.import_module("tensorsh.torch.func")
            flow = importlib.import_module("tensorsh.torch.control_flow")
            for name in FUNCTORCH[module.__name__] or owner.__all__:
                made = getattr(owner, name, None) or getattr(func, name, None) or getattr(flow, name)
                setattr(
                    module,
                    name,
                    deprecated(made, name) if module.__name__ == "functorch" and name[0].islower() else made,
                )
            return
        if module.__name__ == NAME:
            module.__version__ = "0.28.0+tensorsh"  # type: ignore[attr-defined]
            for part in ("datasets", "transforms", "utils"):
                setattr(module, part, own(part))
            return
        sys.modules[module.__name__] = own(module.__name__.removeprefix(f"{NAME}."))


FINDER = VisionFinder()
