"""Stores of a program's own behind a prefix, and where processes meet."""

import torch.distributed as dist


class Mine(dist.Store):
    def __init__(self):
        super().__init__()
        self.held = {}

    def set(self, key, value):
        self.held[key] = value

    def get(self, key):
        return self.held.get(key, b"")

    def compare_set(self, key, expected, desired):
        if self.held.get(key) in (None, expected):
            self.held[key] = desired
        return self.held[key]


mine = Mine()
store = dist.PrefixStore("p", mine)
store.append("foo", "po")
store.append("foo", "tato")
store.multi_set(["a", "b"], ["c", b"d"])
print(store.multi_get(["a", "b", "foo"]), mine.held, store.has_extended_api())


def handler(url, rank=-1, world_size=-1, **_):
    yield store, 1, 2, url


dist.register_rendezvous_handler("mine", handler)
print(next(dist.rendezvous("mine://x", 1, 2))[1:])
for call in (
    lambda: dist.rendezvous("invalid://"),
    lambda: dist.rendezvous("file://foo?rank=12&world_size=16", 12, 16),
    lambda: dist.rendezvous("env://", 1, "a"),
    lambda: next(dist.rendezvous("file://?rank=0&world_size=1")),
    lambda: next(dist.rendezvous("tcp://127.0.0.1?rank=0&world_size=1")),
    lambda: next(dist.rendezvous("tcp://127.0.0.1:23456?world_size=1")),
):
    try:
        print(call())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
