"""Sparse tensors: texts, layouts, arithmetic, products, gradients and refusals as PyTorch 2.13 gave them."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.sparse.arrays import Coo
from tensorsh.engine.sparse.rules import merged, walked

from ..recording.sparse import FILES, outputs
from ..support.outcomes import as_read
from ..support.processes import printed
from ..support.tables import rows


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_statements(name: str) -> None:
    (file,) = (each for each in FILES if each.stem == name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outputs(file, torch)
    recorded = [(statement, told) for file, _, statement, told in rows("sparse") if file == name]
    assert [statement for statement, _ in found] == [statement for statement, _ in recorded]
    wrong = {
        s: (told, got) for (s, got), (_, told) in zip(found, recorded, strict=True) if as_read(got) != as_read(told)
    }
    assert not wrong, json.dumps(wrong, indent=1)


def test_merging_is_the_same_by_heads_and_by_places() -> None:
    generator = np.random.default_rng(0)

    def made() -> Coo:
        indices = generator.integers(0, 4, (2, 7))
        return Coo(indices, generator.integers(0, 9, 7).astype(np.float32), (4, 4)).coalesce()

    for _ in range(20):
        x, y = made(), made()
        quick = merged(x, y)
        x.coalesced = False
        slow = merged(x, y)
        assert (quick.indices == slow.indices).all() and (quick.values == slow.values).all()
        assert (quick.dense() == x.dense() + y.dense()).all()
    assert walked([0, 2], [1, 2]) == ([0, 2], [1, 2])


def test_products_are_those_of_dense_matrices() -> None:
    torch.manual_seed(0)
    x = torch.randn(6, 8, dtype=torch.float64) * (torch.rand(6, 8) > 0.5)
    y = torch.randn(8, 5, dtype=torch.float64) * (torch.rand(8, 5) > 0.5)
    for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        sparse = x.to_sparse(layout=layout)
        assert torch.allclose(sparse @ y, x @ y)
        assert torch.allclose(y.t() @ sparse.t(), y.t() @ x.t())
    assert torch.allclose((x.to_sparse() @ y.to_sparse()).to_dense(), x @ y)
    blocks = x.to_sparse_bsr((2, 2))
    assert torch.equal(blocks.to_dense(), x) and torch.equal(blocks.to_sparse().to_dense(), x)


def test_dense_programs_load_nothing_of_it() -> None:
    code = (
        "import sys; from tensorsh import torch; x = torch.ones(2, 2, requires_grad=True); (x @ x).sum().backward(); print(x);"
        "print([m for m in sys.modules if 'sparse' in m])"
    )
    assert printed(code).splitlines()[-1] == "[]"


@pytest.mark.parametrize("layout", ["to_sparse", "to_sparse_csr", "to_sparse_bsr"])
def test_what_the_shell_tells_of_a_sparse_tensor(layout: str) -> None:
    from tensorsh.assist.about import tensor_facts

    t = getattr(torch.eye(4), layout)(*[(2, 2)] if layout.endswith("bsr") else [])
    facts = tensor_facts(t)[0]
    assert facts["layout"].startswith(str(t.layout)) and facts["shape"] == "torch.Size([4, 4])" and "memory" in facts
    assert t._array.nbytes == sum(
        part.nbytes for part in (t._values() if layout == "to_sparse" else t.values(), *parts(t))
    )
    with pytest.raises(RuntimeError, match="nbytes is not defined for sparse tensors"):
        t.nbytes  # noqa: B018


def parts(t: torch.Tensor) -> tuple:
    return (t._indices(),) if t.layout is torch.sparse_coo else (t.crow_indices(), t.col_indices())
