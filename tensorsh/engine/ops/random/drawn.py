"""Random numbers with the history of the tensors that they were drawn for: their gradients are zero."""

from __future__ import annotations

from ...operators.declare import Array, operator


@operator("_normal_of_mean", node="NormalBackward1", method=False)
def normal_of_mean(xp, mean: Array, drawn):
    """Normal numbers of a mean for each element."""
    return drawn


@operator("_normal_of_std", node="NormalBackward2", method=False)
def normal_of_std(xp, std: Array, drawn):
    """Normal numbers of a standard deviation for each element."""
    return drawn


@operator("_normal_of_both", node="NormalBackward3", method=False)
def normal_of_both(xp, mean: Array, std: Array, drawn):
    """Normal numbers of both for each element."""
    return drawn


for _each in (normal_of_mean, normal_of_both):
    _each.gradient(mean=lambda t, g, mean: t.zeros_like(mean))
for _each in (normal_of_std, normal_of_both):
    _each.gradient(std=lambda t, g, std: t.zeros_like(std))
