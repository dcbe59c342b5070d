# ruff: noqa
"""What a trace warns of, types of the library's own functions in graphs, parts of block masks, places in what is not sorted."""

import warnings

import torch
import torch.utils.data._utils.pin_memory
from torch import fx, nn
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention
from torch.utils.data import DataLoader


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


def f(x):
    if x.sum() > 0:
        return x + int(x[0]) + len(x) + float(x[1])
    return x - max(x.tolist()) - x.max().item() + sum(row for row in x)


for example in (torch.ones(2), -torch.ones(2)):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        torch.jit.trace(f, example, check_trace=False)
    for each in found:
        if each.category is torch.jit.TracerWarning:
            print(str(each.message).partition(" might")[0])
seen = []
traced = torch.jit.trace(lambda x: (seen.append(torch.jit.is_tracing()), x + 1)[1], torch.ones(1), check_trace=False)
print(seen[0], torch.jit.is_tracing(), type(traced))

for module in (nn.Linear(2, 2), nn.Sequential(nn.Linear(1, 1)), nn.Dropout(), nn.Embedding(2, 2), nn.Flatten()):
    print(fx.symbolic_trace(module).code)

nan = float("nan")
values = torch.tensor([0.0, 1, 2, 2.5, 3, 6, nan])
for row in ([nan], [nan, nan, nan], [1, 2, nan, nan], [3, 1, 2, 5, 4], [nan, 1, 2], [], [5, 4, 3, 2, 1]):
    places = torch.tensor(row)
    for right in (False, True):
        print(
            torch.searchsorted(places, values, right=right).tolist(),
            torch.bucketize(values, places, right=right).tolist(),
        )
print(torch.searchsorted(torch.tensor([[3, 1, 2], [1, 2, 3]]), torch.tensor([[1, 2], [2, 4]])))
for dtype in (torch.int32, torch.int64):
    one = torch.tensor([1], dtype=dtype)
    try:
        nn.EmbeddingBag(4, 2)(one, one)
    except RuntimeError as error:
        print(error)

torch.manual_seed(0)
q, k, v = (torch.randn(2, 2, 8, 4) for _ in range(3))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    attended, aux = flex_attention(q, k, v, return_aux=AuxRequest(lse=True))
    print(aux, flex_attention(q, k, v, return_aux=AuxRequest())[1])
    told(lambda: flex_attention(q, k, v, return_aux=AuxRequest(max_scores=True)))
    told(lambda: flex_attention(q, k, v, return_lse=True, return_aux=AuxRequest()))
mask = create_block_mask(lambda b, h, i, j: i >= j, 2, 2, 8, 8, device="cpu", BLOCK_SIZE=4)
whole, first = slice(None), slice(0, 1)
for index in (0, (0, 1), (first,), (whole, whole, 1), (whole, whole, first), (0, 0, torch.tensor([1])), -1):
    part = mask[index]
    print(part, part.kv_indices.shape, part.q_indices.shape, part.seq_lengths)
print(repr(part))
told(lambda: part.mask_mod(0, 0, 0, 0))
print([tuple(each.shape) if isinstance(each, torch.Tensor) else each for each in mask.as_tuple()[:-1]])
print(mask.as_tuple(flatten=False)[0], len(mask.as_tuple(flatten=False)))

torch._logging.set_logs(recompiles=True)
print(torch.utils.data._utils.pin_memory.pin_memory(["a", b"b", 3]))
print(type(iter(DataLoader([1]))))
