"""Private parts of data loaders that libraries read: what kind of dataset, whose numbers, which iterator."""

from torch.utils.data import DataLoader, IterableDataset, Sampler
from torch.utils.data.dataloader import _DatasetKind, _InfiniteConstantSampler


class Five(IterableDataset):
    def __iter__(self):
        return iter(range(5))


class Again(DataLoader):
    """Takes another sampler after it was made."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._DataLoader__initialized = False
        self.batch_sampler = [[0, 1], [2]]
        self._DataLoader__initialized = True

    def _get_iterator(self):
        print("an iterator is made")
        return super()._get_iterator()


def told(loader):
    samplers = [type(x).__name__ for x in (loader.sampler, loader.batch_sampler, loader._index_sampler)]
    print(samplers, loader._dataset_kind, loader._auto_collation, loader._IterableDataset_len_called)
    print(loader.multiprocessing_context, loader._DataLoader__initialized, type(iter(loader)).__name__)


told(DataLoader(Five(), batch_size=2))
told(DataLoader(list(range(5)), batch_size=None))
loader = DataLoader(list(range(5)), batch_size=2, shuffle=True)
told(loader)
print(len(loader), isinstance(DataLoader(Five()).sampler, _InfiniteConstantSampler), _DatasetKind.Iterable)
print(isinstance(_InfiniteConstantSampler(), Sampler))
try:
    loader.batch_sampler = []
except ValueError as error:
    print(error)
print(list(Again(list(range(5)))))
