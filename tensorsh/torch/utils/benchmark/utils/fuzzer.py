"""Fuzzer: inputs of random sizes and layouts, the same for the same seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from ....root import torch

__all__ = ["FuzzedParameter", "FuzzedSparseTensor", "FuzzedTensor", "Fuzzer", "ParameterAlias"]

TRIES = 1000


class FuzzedParameter:
    """A number drawn anew for each input: between bounds, ``"uniform"`` or ``"loguniform"``, or one of a dict's keys by their
    probabilities. `strict`: kept where other parameters are drawn again."""

    def __init__(
        self, name: str, minval: float | None = None, maxval: float | None = None, distribution: Any = None, strict: bool = False
    ) -> None:  # fmt: skip
        if not isinstance(distribution, dict) and distribution not in ("loguniform", "uniform"):
            raise AssertionError(f"Unknown distribution: {distribution}")
        self.name, self.strict = name, strict
        self._low: Any = minval
        self._high: Any = maxval
        self._distribution = distribution

    def sample(self, state: Any) -> Any:
        """A number, by numpy's `RandomState`."""
        low, high = self._low, self._high
        if isinstance(self._distribution, dict):
            choices = list(self._distribution)
            return choices[state.choice(np.arange(len(choices)), p=tuple(self._distribution.values()))]
        if self._distribution == "loguniform":
            return min(max(int(2 ** state.uniform(low=np.log2(low), high=np.log2(high))), low), high)
        if isinstance(low, int) and isinstance(high, int):
            return int(state.randint(low=low, high=high + 1))
        return state.uniform(low=low, high=high)


class ParameterAlias:
    """A choice of a parameter: the value of another."""

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


def itemsize(dtype: Any) -> int:
    return torch.empty((), dtype=dtype).element_size()


class FuzzedTensor:
    """A tensor whose sizes are numbers or names of parameters.

    steps: of a slice of a larger tensor. probability_contiguous: how often the dimensions are not permuted. min_elements,
    max_elements, max_allocation_bytes: bounds; parameters beyond them are drawn again. dim_parameter: the name of the number of
    dimensions. tensor_constructor: called with the size, the dtype and the parameters in place of `torch.rand`.
    """

    def __init__(
        self, name: str, size: tuple, steps: tuple | None = None, probability_contiguous: float = 0.5,
        min_elements: int | None = None, max_elements: int | None = None, max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None, roll_parameter: str | None = None, dtype: Any = None, cuda: bool = False,
        tensor_constructor: Callable | None = None,
    ) -> None:  # fmt: skip
        self.name, self._size, self._steps = name, size, steps or ()
        self._probability, self._dim, self._cuda = probability_contiguous, dim_parameter, cuda
        self._bounds = min_elements or 0, math.inf if max_elements is None else max_elements
        self._most_bytes = math.inf if max_allocation_bytes is None else max_allocation_bytes
        self._dtype = torch.float32 if dtype is None else dtype
        self._constructor = tensor_constructor or self.default_tensor_constructor

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **kwargs: Any) -> Any:
        """Random numbers of a dtype."""
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype)
        return torch.randint(1, 127, size=size, dtype=dtype)

    def _sizes(self, params: dict) -> tuple[tuple, tuple, tuple]:
        """Size and steps as numbers, and the size of the tensor that is sliced."""
        dims = len(self._size) if self._dim is None else params[self._dim]
        size, steps = (
            (*[params.get(each, each) for each in given][:dims], *[1] * (dims - len(given)))
            for given in (self._size, self._steps)
        )
        return size, steps, tuple(n * step for n, step in zip(size, steps, strict=True))

    def satisfies_constraints(self, params: dict) -> bool:
        """Whether parameters keep the tensor within its bounds."""
        size, _, whole = self._sizes(params)
        low, high = self._bounds
        return low <= math.prod(size) <= high and math.prod(whole) * itemsize(self._dtype) <= self._most_bytes

    def _make_tensor(self, params: dict, state: Any) -> tuple[Any, dict]:
        size, steps, whole = self._sizes(params)
        made = self._constructor(size=whole, dtype=self._dtype, **params)
        made = made.cuda() if self._cuda else made
        order = np.arange(len(size))
        if state.rand() > self._probability:
            while len(size) > 1 and np.all(order == np.arange(len(size))):
                order = state.permutation(made.dim())
            made = made.permute(tuple(order.tolist())).contiguous().permute(tuple(np.argsort(order).tolist()))
        made = made[tuple(slice(0, n * step, step) for n, step in zip(size, steps, strict=True))]
        return made, {
            "numel": made.numel(), "order": order, "steps": steps, "is_contiguous": made.is_contiguous(),
            "dtype": str(self._dtype),
        }  # fmt: skip


class FuzzedSparseTensor(FuzzedTensor):
    """A tensor of coordinates and values. The parameters `density`, `coalesced` and `sparse_dim` say how many and in which form."""

    def __init__(
        self, name: str, size: tuple, min_elements: int | None = None, max_elements: int | None = None,
        dim_parameter: str | None = None, sparse_dim: str | None = None, nnz: str | None = None, density: str | None = None,
        coalesced: str | None = None, dtype: Any = None, cuda: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            name, size, min_elements=min_elements, max_elements=max_elements, dim_parameter=dim_parameter, dtype=dtype, cuda=cuda
        )  # fmt: skip
        self._sparse_dim = sparse_dim

    @staticmethod
    def sparse_tensor_constructor(size: Any, dtype: Any, sparse_dim: int, nnz: int, is_coalesced: bool) -> Any:
        """Random coordinates and values; each coordinate twice where they are not to be coalesced."""
        shape = [nnz, *size[sparse_dim:]]
        values = FuzzedTensor.default_tensor_constructor(shape, dtype)
        places = torch.rand(sparse_dim, nnz)
        places.mul_(torch.tensor(size[:sparse_dim]).unsqueeze(1).to(places))
        places = places.to(torch.long)
        if not is_coalesced:
            values, places = torch.cat([values, torch.randn_like(values)], 0), torch.cat([places, places], 1)
        made = torch.sparse_coo_tensor(places, values, torch.Size(size))
        return made.coalesce() if is_coalesced else made

    def _make_tensor(self, params: dict, state: Any) -> tuple[Any, dict]:
        size, density = self._sizes(params)[0], params["density"]
        count = math.ceil(sum(size) * density)
        if count > sum(size):
            raise AssertionError("nnz cannot exceed total number of elements")
        sparse = min(params["sparse_dim"] if self._sparse_dim else len(size), len(size))
        made = self.sparse_tensor_constructor(size, self._dtype, sparse, count, params["coalesced"])
        made = made.cuda() if self._cuda else made
        return made, {
            "numel": made.numel(), "shape": made.size(), "is_coalesced": made.is_coalesced(), "density": density,
            "sparsity": 1.0 - density, "sparse_dim": made.sparse_dim(), "dense_dim": made.dense_dim(),
            "is_hybrid": len(size) > sparse, "dtype": str(self._dtype),
        }  # fmt: skip


class Fuzzer:
    """Parameters and the tensors made of them; constraints are functions of the parameters that refuse some."""

    def __init__(
        self, parameters: list, tensors: list, constraints: list | None = None, seed: int | None = None
    ) -> None:
        self._seed = np.random.RandomState().randint(0, 2**32 - 1, dtype=np.int64) if seed is None else seed
        self._parameters = self._unpack(parameters, FuzzedParameter)
        self._tensors = self._unpack(tensors, FuzzedTensor)
        self._constraints = constraints or ()
        doubles = {each.name for each in self._parameters} & {each.name for each in self._tensors}
        if doubles:
            raise ValueError(f"Duplicate names in parameters and tensors: {doubles}")
        self._refused = self._drawn = 0

    @staticmethod
    def _unpack(values: list, kind: type) -> tuple:
        return tuple(chain.from_iterable([each] if isinstance(each, kind) else each for each in values))

    def take(self, n: int) -> Iterator[tuple[dict, dict, dict]]:
        """So many inputs: the tensors and their properties by name, and the parameters."""
        state = np.random.RandomState(self._seed)
        torch.manual_seed(int(state.randint(low=0, high=2**63, dtype=np.int64)))
        for _ in range(n):
            params = self._generate(state)
            made = {each.name: each._make_tensor(params, state) for each in self._tensors}
            yield {k: v for k, (v, _) in made.items()}, {k: told for k, (_, told) in made.items()}, params

    @property
    def rejection_rate(self) -> float:
        """The part of drawn parameters that was refused."""
        return self._refused / self._drawn if self._drawn else 0.0

    def _generate(self, state: Any) -> dict:
        kept: dict[str, Any] = {}
        for _ in range(TRIES):
            found = {}
            for each in self._parameters:
                found[each.name] = kept[each.name] if each.name in kept else each.sample(state)
                if each.strict:
                    kept[each.name] = found[each.name]
            self._resolve(found)
            self._drawn += 1
            if all(f(found) for f in self._constraints) and all(t.satisfies_constraints(found) for t in self._tensors):
                return found
            self._refused += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    @staticmethod
    def _resolve(params: dict) -> None:
        """Put values in the place of aliases. ValueError: a cycle of them."""
        left = sum(isinstance(value, ParameterAlias) for value in params.values())
        while left:
            for name, value in list(params.items()):
                if isinstance(value, ParameterAlias):
                    params[name] = params[value.alias_to]
            before, left = left, sum(isinstance(value, ParameterAlias) for value in params.values())
            if left == before:
                raise ValueError(f"ParameterAlias cycle detected\n{params}")
