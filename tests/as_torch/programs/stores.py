"""Stores of keys that processes share: files, addresses, prefixes, how long they wait."""

import os
import tempfile
from datetime import timedelta

import torch.distributed as dist


def said(call):
    try:
        return call()
    except Exception as error:
        return str(error).splitlines()[0]


path = tempfile.mktemp()
first, second = dist.FileStore(path, 2), dist.FileStore(path, 2)
first.set("key", "value")
prefixed = dist.PrefixStore("p", first)
prefixed.set("k", "v")
print(second.get("key"), second.get("p/k"), prefixed.num_keys(), prefixed.list_keys())
none = said(lambda: prefixed.underlying_store.wait(["none"], timedelta(seconds=0.05)))  # noqa: F821 - it is deleted later
print(none)
del first, prefixed
print(os.path.exists(path))
del second
print(os.path.exists(path))
store = dist.TCPStore("localhost", 0, 1, True)
print(store.port > 0, store.libuvBackend, store.num_keys(), store.list_keys())
other = dist.TCPStore("localhost", store.port)
store.set("key", "value")
print(other.get("key"))
again = said(lambda: dist.TCPStore("localhost", store.port, 1, True)).replace(str(store.port), "PORT")
print(again)
shared = dist.TCPStore("localhost", 0, 1, True, multi_tenant=True)
print(type(dist.TCPStore("localhost", shared.port, 1, True, multi_tenant=True)).__name__)
under = dist.PrefixStore("a", dist.PrefixStore("b", store))
print(said(lambda: under.wait(["x", "y"], timedelta(seconds=0.05))), under._underlying_non_prefix_store is store)
under.set_timeout(timedelta(seconds=3))
print(store.timeout)
print(said(lambda: dist.TCPStore("localhost", 0, 0)), said(lambda: dist.PrefixStore("a", None)))
late = said(lambda: dist.TCPStore("localhost", 0, 2, True, timeout=timedelta(seconds=1)))
print(late.partition("waiting")[2])
