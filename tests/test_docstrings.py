"""Docstrings of modules, optimizers, schedules and distributions name every argument and have an example that gives what it says.

    python tests/test_docstrings.py --python /path/to/python/with/torch

runs the same examples under PyTorch.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any

HEAD = "import math, torch\nfrom torch import distributions, nn, optim\nimport torch.nn.functional as F\nmodel = nn.Linear(2, 1)"


SPACES = ("nn", "optim", "optim.lr_scheduler", "optim.swa_utils", "distributions", "utils.data")
FUNCTIONS = {
    "": (
        "autocast can_cast compile enable_grad finfo get_default_device get_default_dtype get_num_threads get_rng_state iinfo "
        "inference_mode initial_seed is_complex is_floating_point is_grad_enabled is_tensor load manual_seed no_grad numel "
        "promote_types result_type save seed set_default_device set_default_dtype set_grad_enabled set_num_threads "
        "set_printoptions set_rng_state Size typename use_deterministic_algorithms vmap"
    ),
    "Tensor": "backward register_hook retain_grad",
    "autograd.functional": "hessian hvp jacobian jvp vhp vjp",
    "distributions": "kl_divergence",
    "func": "functional_call grad grad_and_value hessian jacfwd jacrev jvp linearize stack_module_state vjp",
    "nn.utils": "clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector vector_to_parameters",
    "nn.utils.parametrizations": "orthogonal spectral_norm weight_norm",
    "nn.utils.parametrize": "cached is_parametrized register_parametrization remove_parametrizations",
    "nn.utils.prune": "custom_from_mask is_pruned l1_unstructured ln_structured random_unstructured remove",
    "nn.utils.rnn": "pad_sequence pack_padded_sequence pack_sequence pad_packed_sequence unpack_sequence unpad_sequence",
    "nn.init": (
        "calculate_gain uniform_ normal_ trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ "
        "orthogonal_ sparse_ dirac_"
    ),
    "utils.data": "default_collate default_convert",
}


def documented() -> dict[str, Any]:
    """The classes of some namespaces below torch, and functions of others."""
    from tensorsh import torch

    found = {}
    for space in SPACES:
        inside = attrgetter(space)(torch)
        for name in dir(inside):
            kind = getattr(inside, name)
            if (
                isinstance(kind, type)
                and not name.startswith("_")
                and kind.__module__.startswith("torch." + space.partition(".")[0])
            ):
                found.setdefault(f"{space}.{name}", kind)
    for space, names in FUNCTIONS.items():
        inside = attrgetter(space)(torch) if space else torch
        found |= {f"{space}.{name}".lstrip("."): getattr(inside, name) for name in names.split()}
    return found


def differences(doc: str, run: Callable[[str], str]) -> list[str]:
    """The examples of a docstring that print something else than it says."""
    found = []
    for example in doctest.DocTestParser().get_examples(doc):
        got, wanted = run(example.source).strip(), example.want.strip()
        if got != wanted:
            found.append(f"{example.source}  says  {wanted}\n  gives {got}")
    return found


def in_session() -> Callable[[str], str]:
    from tensorsh import Session

    output = io.StringIO()
    session = Session(stdout=output)
    session.run(HEAD)

    def run(source: str) -> str:
        output.seek(output.truncate(0))
        value = session.run(source)
        return output.getvalue() + ("" if value is None else repr(value))

    return run


def in_python() -> Callable[[str], str]:
    names: dict[str, Any] = {}
    exec(HEAD, names)

    def run(source: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(source, "example", "single"), names)
        return output.getvalue()

    return run


def under_pytorch(python: str) -> str:
    docs = {name: kind.__doc__ for name, kind in documented().items()}
    done = subprocess.run([python, __file__, "--drive"], input=json.dumps(docs), capture_output=True, text=True)
    return done.stdout + done.stderr


def test_examples() -> None:
    wrong = [each for kind in documented().values() for each in differences(kind.__doc__ or "", in_session())]
    assert not wrong, "\n".join(wrong)


def test_every_class_has_an_example() -> None:
    assert not [name for name, kind in documented().items() if ">>> " not in (kind.__doc__ or "")]


def test_every_argument_is_explained() -> None:
    lacking = []
    for name, kind in documented().items():
        for each in inspect.signature(kind).parameters.values():
            starred = each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
            if (
                not starred
                and not each.name.startswith(("self", "_"))
                and not re.search(rf"(?<!\w){each.name}(?!\w)", kind.__doc__ or "")
            ):
                lacking.append(f"{name}: {each.name}")
    assert not lacking


if __name__ == "__main__":
    if "--drive" in sys.argv:
        for name, doc in json.load(sys.stdin).items():
            try:
                print("\n".join([f"{name}: {each}" for each in differences(doc or "", in_python())]), end="")
            except Exception as error:
                print(f"{name}: {error!r}")
    else:
        print(under_pytorch(sys.argv[sys.argv.index("--python") + 1]))
