"""Dictionaries whose entries go with their keys: what updates them."""

import torch
from torch.utils.weak import WeakIdKeyDictionary, WeakTensorKeyDictionary

first, second = torch.ones(1), torch.ones(1)
names = WeakTensorKeyDictionary({first: "first"})
names.update({second: "second"})
names.update([(first, "again")])
names.update()
names.update(None)


class Pairs:
    def keys(self):
        return iter([second])

    def __getitem__(self, key):
        return "pair"


names.update(Pairs())
print(list(names.values()), len(names), second in names)


class Failing:
    def __init__(self, where):
        self.where = where

    def keys(self):
        if self.where == "keys":
            raise KeyError("keys")
        return ["a"]

    def __getitem__(self, key):
        raise IndexError("item")


for wrong in (42, Failing("keys"), Failing("item")):
    try:
        WeakIdKeyDictionary().update(wrong)
    except Exception as error:
        print(type(error).__name__, error)
del first
print(len(names), list(names.values()))
