"""Futures: errors in functions that waited, several together, and what another thread sets."""

import pickle
import threading
import time
import warnings

import torch
from torch.futures import Future, collect_all, wait_all

warnings.simplefilter("ignore")


def said(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).partition("\n")[0])


f = Future()
g = f.then(lambda x: x + 1)
h = f.then(lambda: 3)
i = f.then(lambda x: x.value() + 1).then(lambda x: x.wait() * 2)
f.set_result(5)
for each in (f, g, h, i):
    said(each.wait)
    said(each.value)
    print(each.done())
f = Future()
f.set_exception(KeyError("k"))
said(f.wait)
said(f.value)
said(f.then(lambda x: x.wait()).wait)
said(lambda: f.set_result(3))
a, b = Future(), Future()
both = collect_all([a, b])
b.set_exception(KeyError("b"))
print(both.done())
a.set_exception(ValueError("a"))
print(both.done())
said(both.wait)
said(lambda: wait_all([b, a]))
said(lambda: collect_all([f, None]))
said(lambda: wait_all((None,)))
said(lambda: torch.jit.wait(None))
said(lambda: collect_all([]).wait())
said(lambda: pickle.dumps(Future()))


def later():
    time.sleep(0.05)
    there.set_result(torch.ones(2))


there = Future()
thread = threading.Thread(target=later)
thread.start()
print(there.wait())
thread.join()
