# ruff: noqa
"""Methods and refusals that PyTorch's own tests ask for."""

import torch
from torch.nn.utils import rnn


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


for kind in (torch.int64, torch.uint16, torch.bool, torch.float8_e5m2, torch.bfloat16, torch.complex32):
    told(kind.to_complex)
packed = rnn.pack_sequence([torch.ones(2), torch.ones(1)])
print([getattr(packed, name)().data.dtype for name in "byte char short int long half float double".split()])
told(lambda: rnn.pack_padded_sequence(torch.ones(0, 5), []))
