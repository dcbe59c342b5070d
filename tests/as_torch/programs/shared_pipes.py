"""Data pipes: several that read one stream, samples in groups, pipes by key, and samples that are shared among workers."""

import pickle
import warnings
from functools import partial

from torch.utils.data import DataLoader, SequentialSampler
from torch.utils.data.datapipes.iter import Grouper, IterableWrapper, Sampler
from torch.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES
from torch.utils.data.datapipes.map import SequenceWrapper
from torch.utils.data.graph import traverse_dps
from torch.utils.data.graph_settings import apply_sharding, get_all_graph_pipes

warnings.simplefilter("ignore")


def odd(x, base=2):
    return x % base


def word_of(x):
    return x[0]


def told(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


source = IterableWrapper(range(6))
first, second = source.fork(num_instances=2)
print(list(zip(first, second, strict=True)), list(first), list(second), len(first))
one, two, three = IterableWrapper(range(3)).fork(3, copy="deep")
print(next(iter(two)), list(one), list(two), list(three))
even, uneven = source.demux(2, odd)
print(list(uneven), list(even), list(even.mux(uneven)), len(source.mux(source)))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    left, right = source.fork(2)
    begun = iter(left)
    print(next(begun), list(left))
    source.map(lambda x: x)
    print([str(each.message).split(".")[0] for each in caught])
told(lambda: next(begun))
for wrong in (
    lambda: source.fork(0),
    lambda: source.fork(2, copy="other"),
    lambda: list(source.fork(2, buffer_size=2)[0]),
    lambda: list(source.demux(2, odd, buffer_size=1)[1]),
    lambda: list(source.demux(1, odd)[0]),
    lambda: source.map(odd, input_col=[0, 1, 2]),
    lambda: source.filter(3),
    lambda: len(source.demux(2, odd)[0]),
    lambda: source.groupby(odd, guaranteed_group_size=2),
):
    told(wrong)
words = IterableWrapper(["ab", "bc", "ax", "by", "az", "cc"])
print(list(words.groupby(word_of)), list(words.groupby(word_of, group_size=2, keep_key=True)))
print(list(Grouper(words, word_of, buffer_size=3, group_size=3, guaranteed_group_size=2)))
told(lambda: list(words.groupby(word_of, buffer_size=3, group_size=3)))
print(list(words.groupby(word_of, buffer_size=3, group_size=3, drop_remaining=True)))
print(list(Sampler(source, sampler=SequentialSampler)), len(Sampler(source)))

table = SequenceWrapper({"a": 1, "b": 2})
numbers = SequenceWrapper(list(range(5)))
print(
    table["a"],
    len(table),
    numbers.map(odd)[3],
    [numbers.batch(2)[i] for i in range(3)],
    len(numbers.batch(2, drop_last=True)),
)
joined = numbers.concat(SequenceWrapper("xyz"))
print([joined[i] for i in range(len(joined))], numbers.zip(joined)[2], len(numbers.zip(joined)))
for wrong in (
    lambda: joined[8],
    lambda: numbers.zip(joined)[6],
    lambda: numbers.batch(2)[4],
    lambda: numbers.concat([1]),
    numbers.concat().map,
):
    told(wrong)
print(list(numbers.shuffle().set_seed(3)), list(numbers.shuffle(indices=[1, 3]).set_shuffle(False)))
print(
    [type(each).__name__ for each in (numbers, numbers.map(odd), joined, numbers.shuffle(), source.groupby(odd), first)]
)

shared = source.map(partial(odd, base=4)).sharding_filter()
print([list(apply_sharding(pickle.loads(pickle.dumps(shared)), 3, i)) for i in range(3)])
told(lambda: apply_sharding(shared.sharding_filter(), 2, 0))
ranks = IterableWrapper(range(12)).sharding_filter()
apply_sharding(ranks, 2, 1, sharding_group=SHARDING_PRIORITIES.DISTRIBUTED)
apply_sharding(ranks, 3, 2, sharding_group=SHARDING_PRIORITIES.MULTIPROCESSING)
print(list(ranks), len(ranks))
told(lambda: apply_sharding(ranks, 2, 0))
print(sorted(DataLoader(shared, batch_size=None, num_workers=0)))
print([type(each).__name__ for each in get_all_graph_pipes(traverse_dps(first.zip(second)))])


class Own(type(source).__mro__[1]):
    def __init__(self):
        self.count = 0

    def __iter__(self):
        self.count = 0
        return self

    def __next__(self):
        self.count += 1
        if self.count > 3:
            raise StopIteration
        return self.count


own = Own()
print(list(own), list(own.map(odd)), own._number_of_samples_yielded)
