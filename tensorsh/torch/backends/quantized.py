"""``torch.backends.quantized``: the library that computes with quantized tensors."""

SWITCHES = {"engine": "none"}
supported_engines = ["none"]
