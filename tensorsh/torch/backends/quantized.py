"""``torch.backends.quantized``: the library that computes with quantized tensors."""

SWITCHES = {"engine": "none"}
__all__: list[str] = []

supported_engines = ["none"]
