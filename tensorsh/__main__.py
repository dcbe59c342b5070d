"""`python -m tensorsh` is the command `tensorsh`."""

import sys

from .cli import main

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `-m` puts the current folder first: a file `numpy.py` beside a script would be run.
        # What the command's own file would have there takes its place, for `tensorsh python` puts the script's folder there.
        sys.path[0] = sys.prefix + "/bin"
    sys.exit(main())
