"""``torch.compile``: a function's operators, recorded once and run again without its Python. docs/compile.md says which functions."""
