"""Storages are objects: one for each memory, whose attributes, size and place all tensors that lie in it see."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from tensorsh.engine.tensors.lots import places
from tensorsh.torch.root import torch


def test_a_memory_has_one_storage_also_after_nobody_held_it():
    x = torch.arange(6.0)
    s = x.untyped_storage()
    assert x[2:].untyped_storage() is s is x.view(2, 3).t().untyped_storage()
    s.note, number = "kept", s._cdata
    seen = weakref.ref(s)
    del s
    gc.collect()
    assert seen() is None
    assert (x.untyped_storage().note, x.untyped_storage()._cdata) == ("kept", number)


def test_what_is_known_of_a_memory_goes_with_it():
    before = len(places)
    for _ in range(20):
        x = torch.ones(4)
        x.untyped_storage().note = 1
        x.untyped_storage().resize_(4)  # x keeps the older memory
        x.untyped_storage().resize_(40)
    del x
    gc.collect()
    assert len(places) <= before + 1


def test_storages_that_hold_one_another_are_freed():
    first, second = torch.UntypedStorage(4), torch.UntypedStorage(4)
    first.other, second.other = second, first
    seen = weakref.ref(first), weakref.ref(second)
    del first, second
    gc.collect()
    assert [ref() for ref in seen] == [None, None]


def test_tensors_follow_a_storage_made_larger_or_smaller():
    x = torch.arange(4.0)
    y, late = x[1:3], torch.empty(0)
    s = x.untyped_storage()
    late.set_(s, 2, (2,), (1,))
    s.resize_(64)
    x[2] = 9
    assert y.tolist() == [1.0, 9.0] and late.tolist() == [9.0, 3.0] and late.untyped_storage() is s
    s.resize_(0)
    assert (s.nbytes(), x.untyped_storage() is s, x.tolist()) == (0, True, [0.0, 1.0, 9.0, 3.0])
    s.resize_(16)
    s.copy_(torch.ones(4).untyped_storage())
    assert x.tolist() == [1.0] * 4 and y.tolist() == [1.0] * 2 and late.tolist() == [1.0] * 2
    assert x.data_ptr() == s.data_ptr()


def test_memory_that_others_hold_is_not_resized():
    x = torch.from_numpy(np.ones(3))
    with pytest.raises(RuntimeError, match="not resizable"):
        x.untyped_storage().resize_(100)
    part = torch.UntypedStorage([1, 2, 3, 4])[1:3]
    with pytest.raises(RuntimeError, match="not resizable"):
        part.resize_(100)
    assert part.tolist() == [2, 3] and torch.empty(0, dtype=torch.uint8).set_(part).tolist() == [2, 3]


def test_storages_of_other_dtypes_are_copies():
    x = torch.tensor([1], dtype=torch.uint8)
    assert x.untyped_storage().byte().untyped() is not x.untyped_storage()
    assert torch.tensor([1.0]).untyped_storage().float8_e4m3fnuz().tolist() == [0.0, 0.0, 128.0, 64.0]  # PyTorch's
