"""``torch.multiprocessing``: Python's multiprocessing. Tensors are sent as copies; no memory is shared."""

from multiprocessing import *  # noqa: F403
from multiprocessing import get_all_start_methods as get_all_start_methods
from multiprocessing import set_start_method as set_start_method


def get_all_sharing_strategies() -> set[str]:
    return {"file_system"}


def get_sharing_strategy() -> str:
    return "file_system"


def set_sharing_strategy(new_strategy: str) -> None:
    """Nothing is shared: any strategy that there is will do."""
    assert new_strategy in get_all_sharing_strategies()
