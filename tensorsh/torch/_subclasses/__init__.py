"""``torch._subclasses``: PyTorch's tensors without data; here `device="meta"` has them."""
