"""``torch.jit._recursive``: what TorchScript keeps of classes; there is nothing. For plain Python alone (`tensorsh.as_torch`)."""


class _Store:
    """The types that were compiled: none."""

    type_store: dict = {}


concrete_type_store = _Store()
