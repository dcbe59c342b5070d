# ruff: noqa: B023
"""What is padded and packed wrongly, standard deviations that are no numbers, the types of what functions return."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_sequence


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


one = torch.tensor(1.0)
for given in (
    [one, one],
    [one, torch.ones(2)],
    [1, 2],
    [],
    torch.ones(2),
    torch.ones(2, 3),
    "ab",
    [torch.ones(2), None],
):
    t(f"pad {given}", lambda: pad_sequence(given))
    t(f"pack {given}", lambda: pack_sequence(given))
for given in (one, torch.ones(2), torch.ones(2, 3), [1]):
    t(f"pack padded {given}", lambda: pack_padded_sequence(given, [2, 1]))
nan = float("nan")
t("normal_", lambda: torch.ones(2).normal_(0, nan))
t("normal", lambda: torch.normal(0.0, nan, (2,)))
t("normal of means", lambda: torch.normal(torch.ones(2), nan))
t("init", lambda: nn.init.xavier_normal_(torch.ones(2, 2), nan))
for value in (torch.manual_seed(0), torch.default_generator, torch.Generator(), nn.ReLU().load_state_dict({})):
    print(type(value), type(value).__name__, type(value).__module__)
