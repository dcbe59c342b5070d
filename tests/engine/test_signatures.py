"""Signatures against PyTorch's, and bare flags by them."""

from __future__ import annotations

import inspect
import re
from types import FunctionType

from tensorsh.engine.loading import table
from tensorsh.engine.operators import declare
from tensorsh.language.flags import default_of

from ..support.cases import all_pass
from ..support.processes import printed
from ..support.tables import pairs

RECORDED = pairs("signatures")
table.load_all()

OTHERWISE = """
adaptive_max_pool1d avg_pool1d max_pool1d max_pool1d_with_indices max_pool2d max_pool3d alpha_dropout alpha_dropout_
dropout_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ group_norm instance_norm
binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss poisson_nll_loss
triplet_margin_loss celu selu embedding_renorm_ nn.functional.avg_pool1d nn.functional.instance_norm
nn.functional.layer_norm nn.functional.rrelu nn.functional.rrelu_ special.round Tensor.cdouble Tensor.cfloat Tensor.new gru lstm rnn_relu rnn_tanh
""".split()
"""In PyTorch these are the undocumented kernels behind `nn.functional`; here they are one with the public function."""
ALIASES = {
    "det": "A", "matrix_exp": "A", "inverse": "A", "matrix_power": "A", "linalg.norm": "A", "unsafe_split": "tensor",
    "orgqr": "A tau", "ormqr": "tau other", "Tensor.orgqr": "tau", "Tensor.ormqr": "tau other", "resize_as_": "self",
    "Tensor.lstsq": "A", "Tensor.solve": "A", "Tensor.copy_": "src", "Tensor.map_": "tensor",
    "Tensor.requires_grad_": "requires_grad", "Tensor.resize_as": "the_template", "Tensor.polygamma": "input",
    "Tensor.polygamma_": "input", "sparse.addmm": "input",
    **dict.fromkeys((f"sparse_{kind}_tensor" for kind in "coo csr csc bsr bsc compressed".split()), "pin_memory layout"),
}  # fmt: skip
"""One operator under two names of PyTorch that call a parameter differently: this is the other one's."""
LENIENT = {"indices_or_sections", "memory_format", "sizes", "counts", "layout", "decimals", "e", "v", "out", "upper"}
ABSENT = {
    "_stacklevel", "out_dtype", "out", "implicit", "cudnn_enable", "cudnn_enabled", "element", "test_element", "sections", "indices",
    "tensor_indices_or_sections", "storage", "cls", "other", "size", "copy", "device", "dtype",
}  # fmt: skip


class Torch:
    strided = preserve_format = contiguous_format = float64 = int64 = None


def parameters(text: str) -> dict[str, inspect.Parameter]:
    return dict(
        inspect.signature(eval(f"lambda {text}: None", {"torch": Torch, "number": None, "strided": None})).parameters
    )


def own(name: str) -> dict[str, inspect.Parameter]:
    kind, _, last = name.rpartition(".")
    function = table.METHODS[last] if kind == "Tensor" else table.FUNCTIONS[name]
    found = dict(inspect.signature(function).parameters)
    if kind == "Tensor" and found:
        first, *rest = found.values()
        found = {"self": first} | {p.name: p for p in rest}
    return found


def overloads(name: str) -> list[dict[str, inspect.Parameter]]:
    """PyTorch's, without the deprecated ones of functions that begin with `self`."""
    found = [parameters(text) for text in RECORDED[name]]
    if not name.startswith("Tensor."):
        found = [o for o in found if "self" not in o] or found
    return found


def test_parameters() -> None:
    all_pass(check_parameters, sorted(set(RECORDED) - set(OTHERWISE)))


def check_parameters(name: str) -> None:
    theirs, ours = overloads(name), own(name)
    if any({"args", "kwargs"} <= set(o) for o in theirs):
        return
    union = {p: [o[p].default for o in theirs if p in o] for o in theirs for p in o}
    allowed = set(ALIASES.get(name, "").split())
    assert not set(ours) - set(union) - LENIENT - allowed
    assert allowed or not set(union) - set(ours) - ABSENT
    for each, defaults in union.items():
        if (
            each in ours
            and len(theirs) == 1
            and defaults[0] is not inspect.Parameter.empty
            and defaults[0] not in ((), None)
        ):
            assert ours[each].default == defaults[0] or isinstance(defaults[0], float), each


def test_every_public_name_has_a_signature() -> None:
    for name, function in {**table.FUNCTIONS, **table.METHODS}.items():
        if name != "linalg.LinAlgError" and not name.endswith("Tensor") and not isinstance(function, property):
            assert "kwargs" not in str(inspect.signature(function)), name


def test_methods_and_forms() -> None:
    from tensorsh import torch

    x = torch.ones(2, 2)
    assert str(inspect.signature(x.sum)) == "(dim=None, keepdim=False, *, dtype=None, out=None)"
    assert str(inspect.signature(torch.mul)) == "(input, other, *, out=None)"
    assert str(inspect.signature(x.mul_)) == "(other)"
    assert str(inspect.signature(torch.softmax)) == "(input, dim, dtype=None, *, out=None)"


def test_functions_in_python_have_annotations() -> None:
    from tensorsh import torch

    functional = torch.nn.functional
    told = {
        functional.dropout: "(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor",
        functional.glu: "(input: torch.Tensor, dim: int = -1) -> torch.Tensor",
        functional.rms_norm: "(input: torch.Tensor, normalized_shape: list[int], weight: torch.Tensor | None = None, "
        "eps: float | None = None) -> torch.Tensor",
        torch.einsum: "(*args: Any) -> torch.Tensor",
        torch.norm: "(input, p: float | str | None = 'fro', dim=None, keepdim=False, out=None, dtype=None)",
        torch.Tensor.split: "(self, split_size, dim=0)",
        torch.unravel_index: "(indices: torch.Tensor, shape: int | collections.abc.Sequence[int] | torch.Size) -> "
        "tuple[torch.Tensor, ...]",
    }
    assert {function: str(inspect.signature(function)) for function in told} == told


def test_bare_flags_in_a_program() -> None:
    from tensorsh import Session

    s = Session()
    assert s.run("ones(2, 3).sum(0, keepdim).shape == ones(2, 3).max(0, keepdim)[0].shape == (1, 3)")
    assert s.run("x = ones(2); x.put_(tensor([0, 0]), tensor([1., 2.]), accumulate).tolist()") == [4.0, 1.0]
    assert s.run("zeros(2, requires_grad).requires_grad")


def switches() -> list[tuple[str, str]]:
    """Every boolean keyword of every function."""
    return [
        (name, each.name)
        for name, function in sorted(table.FUNCTIONS.items())
        if name != "linalg.LinAlgError"
        for each in inspect.signature(function).parameters.values()
        if type(each.default) is bool
    ]


def test_every_boolean_keyword_may_be_a_bare_flag() -> None:
    wrong = [(n, k) for n, k in switches() if default_of(table.FUNCTIONS[n], k) not in (True, False, None)]
    assert len(switches()) > 300 and not wrong


def test_inspect_is_loaded_only_when_asked() -> None:
    code = "import sys; from tensorsh import torch; torch.ones(2, 2).sum(0); torch.linalg.inv(torch.eye(2)); print('inspect' in sys.modules)"
    plain = "import sys, numpy; print('inspect' in sys.modules)"
    assert printed(code) == printed(plain)


def test_no_form_calls_a_form() -> None:
    """A wrong call is worded once, and a right one pays once. (A short way in front of a form is none.)"""
    twice = []
    made = ("form", "explained", "heard", "Operator.form")
    forms = {f"{maker}.<locals>.call" for maker in made}
    for name, function in [*table.FUNCTIONS.items(), *table.METHODS.items()]:
        if isinstance(function, FunctionType) and function.__code__.co_qualname in forms:
            held = [cell.cell_contents for cell in function.__closure__ or ()]
            if any(getattr(each, "_title", None) == function._title for each in held if each is not function):
                twice.append(name)
    assert twice == []


def test_options_of_a_declaration_are_few_and_told() -> None:
    options = [name for name in inspect.signature(declare.operator).parameters if name != "names"]
    told = re.findall(r"^(\w+)  ", inspect.getdoc(declare.operator) or "", re.MULTILINE)
    assert told == options and len(options) <= 16
