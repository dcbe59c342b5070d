"""``torch._inductor``: PyTorch's compiler of kernels, of which there are the settings alone. Plain Python's alone."""
