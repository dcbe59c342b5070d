"""``torch.return_types``: the classes of named results, by the operators' names."""

from __future__ import annotations

from ..engine.loading import table
from ..engine.operators.declare import Operator
from ..engine.tensors.named_tuples import named

COMPOSED = {
    "histogram": "hist bin_edges", "histogramdd": "hist bin_edges", "linalg_ldl_factor": "LD pivots",
    "linalg_lstsq": "solution residuals rank singular_values", "linalg_lu_factor": "LU pivots", "qr": "Q R",
    "slogdet": "sign logabsdet", "svd": "U S V",
}  # fmt: skip
"""Results of functions made of operators."""

for _name, _fields in COMPOSED.items():
    for _title in (_name, _name + "_out")[: 1 + (_name != "histogramdd")]:
        globals()[_title] = named(_title, tuple(_fields.split()))
table.load_all()
for _op in list(table.OPERATORS.values()):
    if isinstance(_op, Operator) and _op.fields and _op.name[0] != "_":
        globals()[_op.name] = named(_op.name, tuple(_op.fields))
        if _op.out:
            globals()[_op.name + "_out"] = named(_op.name + "_out", tuple(_op.fields))
__all__ = [name for name, value in globals().items() if getattr(value, "__module__", "") == "torch.return_types"]
