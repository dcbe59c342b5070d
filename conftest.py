"""Tests run in several processes side by side: each computes with one thread, set before numpy is imported."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
