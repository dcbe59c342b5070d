"""``torch.version``."""

__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]

__version__ = "2.13.0+cpu"
cuda = None
hip = None
debug = False
git_version = "tensorsh"
