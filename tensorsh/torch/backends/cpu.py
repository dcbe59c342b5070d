"""``torch.backends.cpu``."""


def get_cpu_capability() -> str:
    """The vector instructions in use: those of the kernels' compiler and of numpy."""
    return "DEFAULT"
