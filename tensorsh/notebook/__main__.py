"""The process of a kernel: `python -m tensorsh.notebook -f CONNECTION_FILE [--allow-read[=PATH]] ...`."""

import sys

from .launch import launch

if __name__ == "__main__":
    launch(sys.argv[1:])
