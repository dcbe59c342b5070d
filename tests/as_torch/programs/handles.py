"""Handles of hooks: those that registering gives, and those that a library makes for dicts of its own."""

import copy
import pickle
from collections import OrderedDict

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

hooks, options = OrderedDict(), OrderedDict()
handle = RemovableHandle(hooks, extra_dict=options)
hooks[handle.id] = "a hook"
options[handle.id] = True
second = RemovableHandle(hooks, extra_dict=[options])
hooks[second.id] = "another"
print(second.id - handle.id, list(hooks.values()), handle.hooks_dict_ref() is hooks)
handle.remove()
handle.remove()
print(list(hooks.values()), options)
with second:
    print(len(hooks))
print(len(hooks))
again = pickle.loads(pickle.dumps(handle))
print(again.id == handle.id, type(copy.deepcopy(handle)).__name__)

layer = nn.Linear(1, 1)
first = layer.register_forward_hook(lambda module, args, output: print("first"))
last = layer.register_forward_hook(
    lambda module, args, kwargs, output: print("last", kwargs), with_kwargs=True, prepend=True
)
layer(torch.ones(1))
print(len(layer._forward_hooks_with_kwargs), list(layer._forward_hooks) == [last.id, first.id])
last.remove()
print(len(layer._forward_hooks_with_kwargs))
layer(input=torch.ones(1))
for bad in ((), (hooks, "a hook")):
    try:
        RemovableHandle(*bad)
    except TypeError as error:
        print(error)
