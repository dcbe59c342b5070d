"""Kullback-Leibler divergences, by the types of the two distributions.

    kl_divergence(p, q) = E_p[log p(x) - log q(x)]

A rule is looked up for the classes of p and q, or the nearest classes above them for which there is one. Programs may
register rules of their own; these belong to their session and come first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engine.arrays.state import state
from ...engine.arrays.warning import warn
from ...engine.tensors.tensor import Tensor
from .base import Distribution

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Tensor]
Pair = tuple[type, type]


def own_rules() -> dict[Pair, Rule]:
    """The rules that the program registered."""
    return getattr(state, "divergences", {})


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """A decorator that makes `f(p, q)` the rule for two classes and those below them."""
    for kind in (type_p, type_q):
        if not isinstance(kind, type):  # PyTorch takes any class: libraries have bases of their own
            raise TypeError("issubclass() arg 1 must be a class")

    def enter(rule: Rule) -> Rule:
        state.divergences = own_rules() | {(type_p, type_q): rule}  # type: ignore[attr-defined]
        return rule

    return enter


def nearest(matches: list[Pair], first: int) -> Pair:
    """The pair of most derived classes, compared by one side first."""
    best = matches[0]
    for pair in matches[1:]:
        for side in (first, 1 - first):
            if pair[side] is not best[side]:
                best = pair if issubclass(pair[side], best[side]) else best
                break
    return best


def all_rules() -> dict[Pair, Rule]:
    """The rules, PyTorch's and the program's."""
    from .kl_cross import RULES

    return RULES | own_rules()


class Registered(Mapping):
    """The rules as they are when somebody looks."""

    def __getitem__(self, pair: Pair) -> Rule:
        return all_rules()[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(all_rules())

    def __len__(self) -> int:
        return len(all_rules())


_KL_REGISTRY = Registered()


def find(type_p: type, type_q: type) -> Rule | None:
    """The rule for two classes."""
    rules = all_rules()
    matches = [pair for pair in rules if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not matches:
        return None
    left, right = nearest(matches, 0), nearest(matches, 1)
    if rules[left] is not rules[right]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
            f"{right[1].__name__})",
            RuntimeWarning,
        )
    return rules[left]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence of `q` from `p`, for each of the batch: the mean of ``log p - log q`` under `p`.

    p, q: distributions for whose classes there is a rule (`register_kl` makes one); the batch shapes broadcast.
    NotImplementedError: no rule.

    >>> distributions.kl_divergence(distributions.Normal(0.0, 1.0), distributions.Normal(1.0, 2.0))
    tensor(0.4431)
    """
    from .kl_cross import RULES

    kinds = type(p), type(q)
    rule = own_rules().get(kinds) or RULES.get(kinds) or find(*kinds)
    if rule is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return rule(p, q)


def where_infinite(result: Tensor, condition: Tensor) -> Tensor:
    """A divergence that is infinite where q excludes what p allows."""
    result[condition] = math.inf
    return result
