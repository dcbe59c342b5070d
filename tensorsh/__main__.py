"""`python -m tensorsh` is the command `tensorsh`."""

import sys

from .cli import main

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `-m` puts the current folder first: a file `numpy.py` beside a script would be run.
        del sys.path[0]
    sys.exit(main())
