"""``torch`` means tensorsh in this process: for Python that was written for PyTorch.

    import tensorsh.as_torch                       first; then `import torch`, `import einops`, ...
    python -m tensorsh.as_torch SCRIPT [args]      runs a program so (`-m MODULE`, `-c CODE`), as does `tensorsh python`
    pytest --torch=tensorsh                        runs a test suite so

Importing this package puts a finder first on ``sys.meta_path``; nothing is installed. Where PyTorch itself is imported
already, ImportError says so.
"""

from .finder import install

install()
