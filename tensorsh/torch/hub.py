"""``torch.hub``: models and weights from the network, which tensorsh does not use: files that are there already are found."""

from __future__ import annotations

import os
import re
from typing import Any, NoReturn
from urllib.parse import urlparse

__all__: list[str] = []  # programs in the sandbox see none of it: a folder's hubconf.py is Python with all its rights

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_chosen: list[str] = []


def _get_torch_home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of what was fetched before."""
    return _chosen[-1] if _chosen else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str) -> None:
    """Take another folder."""
    _chosen[:] = [os.path.expanduser(d)]


def _offline(what: str) -> NoReturn:
    raise RuntimeError(f"tensorsh fetches nothing from the network: put {what}")


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False,
    file_name: str | None = None, weights_only: bool = True,
) -> Any:  # fmt: skip
    """The state dict in a file that was fetched before. RuntimeError, which names the place, where it is not there."""
    from .serialization import load as read

    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    path = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(path):
        _offline(f"the file of {url} at {path}")
    return read(path, map_location=map_location, weights_only=weights_only)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """RuntimeError unless the file is there."""
    if not os.path.exists(dst):
        _offline(f"the file of {url} at {dst}")


def load(repo_or_dir: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:
    """A model by its name in a folder's ``hubconf.py``, with ``source="local"``."""
    return getattr(_module(repo_or_dir, source), model)(*args, **kwargs)


def list(github: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:  # noqa: A001
    """The names of the models in a folder's ``hubconf.py``, with ``source="local"``."""
    return [n for n, f in vars(_module(github, source)).items() if callable(f) and not n.startswith("_")]


def help(github: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:  # noqa: A001
    """The docstring of a model in a folder's ``hubconf.py``, with ``source="local"``."""
    return getattr(_module(github, source), model).__doc__


def _module(folder: str, source: str) -> Any:
    import importlib.util
    import sys

    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source != "local":
        _offline(f"{folder} into a folder and load it with source='local'")
    path = os.path.join(folder, "hubconf.py")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(made)
    finally:
        sys.path.remove(folder)
    return made


def __getattr__(name: str) -> Any:
    """The bar of progress that libraries take from here: tqdm's, where it is installed."""
    if name != "tqdm":
        raise AttributeError(f"module 'torch.hub' has no attribute {name!r}")
    from tqdm import tqdm

    return tqdm
