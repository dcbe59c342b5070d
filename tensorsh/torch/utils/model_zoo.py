"""``torch.utils.model_zoo``: the older name of `torch.hub.load_state_dict_from_url`. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..hub import load_state_dict_from_url

load_url = load_state_dict_from_url


def tqdm(iterable: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A bar of progress, by the package `tqdm`."""
    from tqdm.auto import tqdm as bar

    return bar(iterable, *args, **kwargs)
