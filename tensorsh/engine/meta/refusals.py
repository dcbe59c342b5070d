"""PyTorch's words where only the elements tell what a result is."""

from __future__ import annotations

NONZERO = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent implementation "
    "does not exist. This implementation returns a fake value, assuming all elements of the tensor are non-zero. To enable this "
    "registration, please set 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
)
NO_KERNEL = (
    "aten::{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. You may "
    "have run into this message while using an operator with PT2 compilation APIs (torch.compile/torch.export); in order to use "
    "this operator with those APIs you'll need to add a fake impl. Please see the following for next steps:  "
    "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
)


COMPOSITES = {"histogram": "histogram.bin_ct", "histogramdd": "_histogramdd_bin_edges"}
"""Functions made of operators that are refused, with PyTorch's name for what it lacks."""


def check(function: str) -> None:
    """Refuse a function made of operators that needs elements."""
    if function in COMPOSITES:
        raise refusal(COMPOSITES[function])


def refusal(name: str) -> NotImplementedError:
    """PyTorch's words for an operator whose result only the elements tell."""
    return NotImplementedError(NONZERO if name == "nonzero" else NO_KERNEL.format(name))
