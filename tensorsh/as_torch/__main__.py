"""``python -m tensorsh.as_torch SCRIPT [args]``, ``-m MODULE [args]``, ``-c CODE [args]``."""

import sys

from .running import run

sys.exit(run(sys.argv[1:]))
