"""Two kinds of functions by name, which their families tell, so that all who ask know a new function.

Elementwise: an element of the result is made of the operands' elements at its place, and of nothing else; the room
``ops/elementwise`` and the activations. Whoever makes such a call for what is not one tensor (the slices of a `vmap`, nested tensors,
tensors in parts, a recording) asks for these. Drawing: the result depends on random numbers; the room ``ops/random`` and dropout.
"""

from __future__ import annotations

from functools import cache

from .table import family_of, read_index

FAMILIES = ("elementwise.", "nn.activation", "nn.rectifiers")
OTHERS = frozenset(
    "allclose equal is_conj is_neg is_nonzero view_as_complex view_as_real softmax log_softmax glu prelu rrelu".split()
)
"""Functions of these families that look at other places too, give no tensor, or draw."""
BESIDE = frozenset(
    "masked_fill clone contiguous detach ones_like zeros_like to type_as bfloat16 bool double float half int long __rdiv__".split()
)
"""Those of other families: what is masked, what copies or converts each element, and the name under which hooks are told of division."""


DRAWING = ("random.", "nn.dropout")
DRAWING_TOO = frozenset(
    """dropout_ alpha_dropout_ feature_dropout feature_dropout_ feature_alpha_dropout_ rrelu rrelu_ gumbel_softmax
    scaled_dot_product_attention _standard_gamma _sample_dirichlet _dirichlet""".split()
)
"""Functions of other families that draw, or may."""


@cache
def drawing() -> frozenset[str]:
    """The names of functions and methods that draw random numbers, or may."""
    family_of("", 0)
    found = {
        name.rpartition(".")[2]
        for names in read_index()
        for name, family in names.items()
        if family.startswith(DRAWING)
    }
    return frozenset(name for name in found if name[0] != "_") | DRAWING_TOO


@cache
def steps() -> frozenset[str]:
    """The names of the elementwise steps of the engine's own, of which gradients are made (``_tanh_backward``)."""
    family_of("", 0)
    return frozenset(
        name
        for names in read_index()
        for name, family in names.items()
        if name[0] == "_" and name[:2] != "__" and family.startswith(FAMILIES) and "rrelu" not in name
    ) - {"_prelu_kernel"}


@cache
def elementwise() -> frozenset[str]:
    """Their names, as a function bears them (``add``, ``special_zeta``, ``__rsub__``), without the underscore of a write."""
    family_of("", 0)  # what has changed is loaded
    found = set(BESIDE)
    for names in read_index():
        for name, family in names.items():
            last = name.rpartition(".")[2]
            last = last if last[-2:] == "__" else last.rstrip("_")
            if family.startswith(FAMILIES) and last not in OTHERS and (last[0] != "_" or last[:2] == "__"):
                found |= {last, "special_" + last} if name[:8] == "special." else {last}
    return frozenset(found)
