"""``torch._dynamo.trace_rules``."""

import os


def _as_posix_path(path: str) -> str:
    return path.replace(os.sep, "/")
