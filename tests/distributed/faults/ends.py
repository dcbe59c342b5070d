"""A rank that ends badly, or never comes, while the others wait for it."""

import os
import signal
import sys
import threading
import time
from datetime import timedelta

import torch
import torch.distributed as dist

case = sys.argv[1]
if case == "before the start" and os.environ["RANK"] == "1":
    sys.exit(3)
dist.init_process_group("gloo", timeout=timedelta(seconds=2))
rank, x = dist.get_rank(), torch.ones(4)
dist.all_reduce(x)
large = torch.ones(1 << 22)


def during(number):
    if rank == 1:
        threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
    while True:
        dist.all_reduce(large)


def crash():
    import ctypes

    ctypes.string_at(0)


ACTS = {
    "SIGKILL": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "SIGTERM": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "SIGSTOP": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "crash": crash,
    "sys.exit": lambda: sys.exit(7),
    "os._exit": lambda: os._exit(9),
    "returns": lambda: sys.exit(0),
    "raises": lambda: 1 / 0,
    "never": lambda: time.sleep(60),
}
OTHERS = {
    "recv": lambda: dist.recv(x, 1),
    "async": lambda: dist.all_reduce(x, async_op=True).wait(),
    "monitored": lambda: dist.monitored_barrier(timeout=timedelta(seconds=1)),
    "computes": lambda: time.sleep(60),
}
name, _, way = case.partition(", ")
if name in ("kill during", "stop during"):
    during(signal.SIGKILL if name == "kill during" else signal.SIGSTOP)
if rank == 1:
    ACTS[name]()
else:
    OTHERS.get(way, lambda: dist.all_reduce(x))()
