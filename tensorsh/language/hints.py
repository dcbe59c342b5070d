"""Hints on what to try: one rule for a kind of error, chosen by its message.

A rule sees the match of its pattern, the exception, the place and the tensors that stand there, and gives a sentence
or None. It may do arithmetic with shapes; it never computes with the values.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator

from . import peek
from .habits import ARGUMENTS, FUNCTIONS, IMPORTS, OF_TENSORS, TENSOR
from .layers import misfit
from .places import Host, Place, headline, nearest
from .pytorch_names import in_plain_python, instead_of
from .rules import RULES, Case, always, rule
from .uses import HOMES, elsewhere


def hints(error: BaseException, place: Place, host: Host) -> Iterator[str]:
    """The hints for an error, usually none or one."""
    layer = misfit(error, place.scopes)
    if layer is not None:
        yield layer
        return
    line = headline(error).split("\n")[0]
    for pattern, function in RULES:
        match = pattern.search(line)
        if match:
            text = function(Case(error, match, place, host))
            if text:
                yield text
                return


_PRODUCTS = frozenset({"matmul", "mm", "bmm", "mv", "dot", "inner", "vdot", "multi_dot", "__matmul__"})


def _product(tree: ast.AST | None) -> tuple[ast.expr, ast.expr, str] | None:
    """The two factors of the first matrix product in an expression, and the text that rebuilds it."""
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            if isinstance(node, ast.BinOp):
                return node.left, node.right, "{} @ {}"
            return node.target, node.value, "{} @ {}"
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in _PRODUCTS:
            continue
        if len(node.args) == 2:
            return node.args[0], node.args[1], ast.unparse(node.func) + "({}, {})"
        if len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            return node.func.value, node.args[0], f"{{}}.{name}({{}})"
    return None


def _text(node: ast.expr, attribute: str = "") -> str:
    text = ast.unparse(node)
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        text = f"({text})"
    return f"{text}.{attribute}" if attribute else text


@rule(r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
@rule(r"size mismatch, got input|Expected size for first two dimensions of batch2|inconsistent tensor size, expected")
@rule(r"matmul: Input operand 1 has a mismatch in its core dimension|shapes \(.*\) and \(.*\) not aligned")
def inner_sizes(case: Case) -> str | None:
    product = _product(case.place.tree())
    if product is None:
        if case.match.re.groups == 4:
            return f"inner sizes differ ({case.match[2]} and {case.match[3]})"
        return None
    left, right, form = product
    values = [peek.evaluate(node, *case.place.scopes) for node in (left, right)]
    shapes = [peek.shape_of(value) for value in values]
    if case.match.re.groups == 4:  # of computed operands the message knows the sizes
        _, inner_left, inner_right, columns = map(int, case.match.groups())
        shapes = [shapes[0] or (-1, inner_left), shapes[1] or (inner_right, columns)]
    a, b = shapes
    if not a or not b:
        return f"inner sizes differ ({case.match[2]} and {case.match[3]})" if case.match.re.groups == 4 else None
    inner = a[-1], b[-2] if len(b) > 1 else b[0]
    said = f"inner sizes differ ({inner[0]} and {inner[1]})"
    if inner[0] == inner[1]:
        return None

    def transposed(shape: tuple[int, ...]) -> str:
        return "T" if len(shape) == 2 else "mT"

    if len(b) > 1 and a[-1] == b[-1]:
        return f"{said}; did you mean `{form.format(_text(left), _text(right, transposed(b)))}`?"
    if len(a) > 1 and a[-2] == inner[1]:
        return f"{said}; did you mean `{form.format(_text(left, transposed(a)), _text(right))}`?"
    if b[-1] == (a[-2] if len(a) > 1 else a[0]):
        return f"{said}; did you mean `{form.format(_text(right), _text(left))}`?"
    return said


@rule(r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)")
@rule(r"operands could not be broadcast together")
def broadcasting(case: Case) -> str | None:
    rule_text = "sizes are compared from the last dimension; each pair must be equal or have a 1"
    tensors = case.tensors()
    if len(tensors) != 2:
        return rule_text
    for (name, value), (_, other) in (tensors, tensors[::-1]):
        small, large = peek.shape_of(value), peek.shape_of(other)
        if small and large and len(small) < len(large):
            padded = small + (1,) * (len(large) - len(small))
            if all(p in (1, q) or q == 1 for p, q in zip(padded, large, strict=True)):
                index = ", ".join([":"] * len(small) + ["None"] * (len(large) - len(small)))
                return f"{rule_text}; did you mean `{name}[{index}]`, of shape {list(padded)}?"
    return rule_text


@rule(r"^NameError: name '(\w+)' is not defined")
def unknown_name(case: Case) -> str | None:
    name = case.match[1]
    if constant := _constant(name):
        return f"did you mean `{constant}`?"
    if (line := IMPORTS.get(name)) or name in case.host.names_in("") and (line := f"import {name}"):
        return f"`{line}` brings it"
    names = dict.fromkeys(n for scope in case.place.scopes for n in scope)
    names.update(dict.fromkeys(case.host.names()))
    if found := elsewhere(case.host, name):
        return f"did you mean `{found}`?"
    for own in ("self", "cls"):
        if own in case.place.scopes[0] and name in peek.names_of(case.place.scopes[0][own]):
            return f"did you mean `{own}.{name}`?"
    near = nearest(name, names) or _known(FUNCTIONS, name, names)
    return _suggestion(near, case.host.lacking("torch", name)) or _length(name)


def _constant(name: str) -> str | None:
    """`True`, `False` or `None`, where somebody wrote it as other languages do, or swapped two letters."""
    if name in ("null", "nil", "NULL", "undefined"):
        return "None"
    letters = sorted(name.lower())
    return next(
        (
            word
            for word in ("True", "False", "None")
            if name[0] in word[0] + word[0].lower() and sorted(word.lower()) == letters
        ),
        None,
    )


_PROCESSES = "a program starts no processes but `torch.multiprocessing`'s and a DataLoader's workers"
_NETWORK = "a program has no network"
_LEFT_OUT = {
    **dict.fromkeys(
        ("shelve", "marshal"), "`torch.save`, `torch.load` and `pickle` keep tensors and other values, `json` texts"
    ),
    **dict.fromkeys(("subprocess", "multiprocessing", "concurrent", "signal"), _PROCESSES),
    **dict.fromkeys(("socket", "http", "urllib", "ssl", "ftplib", "smtplib"), _NETWORK),
    "ctypes": "a program reaches no memory but its tensors'",
}
"""Python's own modules that programs look for, and what there is in their place."""
_HERE = {
    **dict.fromkeys(("matplotlib", "seaborn", "plotly"), "`plot` and `hist` draw in the terminal; "),
    "tensorboard": "`plot`, `hist` and `track` show losses in the terminal; ",
    "sklearn": "`from tensorsh import datasets` has small sets of data; ",
}
"""Packages of others that programs look for, and what there is in their place."""


@rule(r"^ImportError: cannot import name '(\w+)' from '([\w.]+)'")
@rule(r"^ModuleNotFoundError: No module named '((?:\w+\.)*?)(\w+)'")
def unknown_import(case: Case) -> str | None:
    name, path = case.match.groups()
    if case.match.string.startswith("Module"):
        path, name = name.rstrip("."), path
    if getattr(case.error, "__notes__", None):
        return None
    if not path and name in sys.stdlib_module_names and any(case.host.names_in("")):
        return _LEFT_OUT.get(
            name, "of Python's own modules programs import those that lead to no files, processes or network"
        )
    if path.startswith("torch") and name != "tensorboard" and (elsewhere := in_plain_python(f"{path}.{name}")):
        return elsewhere
    found = _suggestion(nearest(name, case.host.names_in(path)))
    if found is None and not path and any(case.host.names_in("")):
        return (
            f"{_HERE.get(name, '')}programs import torch, numpy, tqdm, some of Python's own modules, and .tsr or .py files beside them; an installed "
            f"package needs --allow-import={name} (%allow import {name} at the prompt)"
        )
    if found is None and path in HOMES and not case.host.lacking(path, name) and not instead_of(f"{path}.{name}"):
        return "PyTorch has no such name either"
    if found is None and path.startswith("torch"):
        shown = "; `plot`, `hist` and `track` show losses in the terminal" if "tensorboard" in (path, name) else ""
        return "tensorsh has no such part of PyTorch" + (shown or instead_of(f"{path}.{name}"))
    return found


@rule(r"^UnboundLocalError: cannot access local variable '(\w+)'")
def unbound_local(case: Case) -> str | None:
    name = case.match[1]
    if len(case.place.scopes) > 1 and name in case.place.scopes[1]:
        return f"`{name}` is assigned in this function and so is local to it; `global {name}` would use the outer one"
    return None


@rule(r"^AttributeError: (?!.*did you mean)")
def unknown_attribute(case: Case) -> str | None:
    error = case.error
    if getattr(error, "__notes__", None):
        return None
    name = getattr(error, "name", None)
    obj = getattr(error, "obj", None)
    plain = re.search(r"'(int|float|list|tuple)' object has no attribute '(\w+)'", case.match.string)
    if plain and plain[2] in OF_TENSORS:
        return (
            f"`torch.tensor(...)` makes a tensor of {'a number' if plain[1] in ('int', 'float') else f'a {plain[1]}'}"
        )
    if type(name) is not str or obj is None and "'NoneType'" not in case.match.string:
        found = re.search(r"has no attribute '(\w+)'", case.match.string)
        if not found:
            return None
        name, obj = found[1], None
        for node in ast.walk(case.place.tree() or ast.Module([], [])):
            if isinstance(node, ast.Attribute) and node.attr == name:
                value = peek.evaluate(node.value, *case.place.scopes)
                obj = None if value is peek.MISSING else value
        if obj is None:
            return None
    if (odd := next((n for n in ("_init_", "__int__", "init") if n in vars(type(obj))), "")) and not peek.is_library(
        type(obj)
    ):
        return f"the class has `{odd}`, which nobody calls: is `__init__` meant?"
    base = peek.tensor_class(obj)
    if base is not None and base.__name__ == "Tensor" and (near := nearest(name, TENSOR, 1) or [name])[0] in TENSOR:
        return f"a tensor has {TENSOR[near[0]]}"
    if obj is None:
        return None
    if type(obj) in (str, list, tuple, dict, set, range, bytes) and (counted := _length(name)):
        return counted
    owner = "" if base or not peek.is_library(type(obj)) else getattr(obj, "__name__", "")
    owner = "Tensor" if base is not None and base.__name__ == "Tensor" else owner
    said = case.host.lacking(owner, name) if type(owner) is str and "tensorsh" not in case.match.string else None
    names = peek.names_of(obj)
    if owner == "torch" and (home := elsewhere(case.host, name)):
        return f"it is `{home}`"
    return _suggestion(nearest(name, names) or _known(FUNCTIONS, name, names), said)


def _known(table: dict[str, str], name: str, names: Iterable[str]) -> list[str]:
    """What a name from elsewhere is called here, where there is such a name."""
    known = table.get(name.lower().replace("_", "")) or table.get(name)
    return [known] if known is not None and known in names else []


def _length(name: str) -> str | None:
    """What one writes here who asks for a length as elsewhere."""
    return "did you mean `len(...)`?" if name in ("length", "size") or nearest(name, ("length",)) else None


def _suggestion(near: list[str], said: str | None = None) -> str | None:
    """`said` and the nearest names, whichever there are."""
    if not near:
        return said
    return f"{said}; the nearest it has: {_quoted(near)}" if said else f"did you mean {_quoted(near)}?"


def _quoted(names: list[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


@rule(r"^TypeError: .*got an unexpected keyword argument '(\w+)'")
def unknown_keyword(case: Case) -> str | None:
    from ..sandbox.wrapping import signature

    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        if isinstance(node, ast.Call) and any(keyword.arg == case.match[1] for keyword in node.keywords):
            function = peek.evaluate(node.func, *case.place.scopes)
            if function is not peek.MISSING and (peek.is_library(type(function)) or isinstance(function, type)):
                names = signature(function).parameters
                return _suggestion(nearest(case.match[1], names) or _known(ARGUMENTS, case.match[1], names))
    return None


@rule(r"received an invalid combination of arguments - got \(.*?(\w+)=")
def misspelt_keyword(case: Case) -> str | None:
    """The names that the listed forms have; a name that holds the typed one is near, too."""
    got, _, forms = str(case.error).partition("expected one of:")
    if "dtype=str" in got:
        return dtype_in_quotes(case)
    names = dict.fromkeys(
        re.findall(r"(\w+)(?: = [^,()]+)?[,)]", re.sub(r"\(didn't match.*|\(.*are incorrect.*", "", forms))
    )
    for name in re.findall(r"(\w+)=", got):
        if name not in names and (
            near := nearest(name, names) or _known(ARGUMENTS, name, names) or [n for n in names if f"_{name}" in n]
        ):
            return _suggestion(near)
    return None


@rule(r"argument 'dtype'.* must be torch.dtype, not str")
def dtype_in_quotes(case: Case) -> str:
    return "a dtype is written without quotes, as in `dtype=torch.float32`"


@rule(r"device type at start of device string: (\w+)")
def unknown_device(case: Case) -> str | None:
    return _suggestion(
        ["cuda"] if case.match[1].lower() == "gpu" else nearest(case.match[1], ("cpu", "cuda", "meta", "mps"))
    )


@rule(r"^RuntimeError: Error\(s\) in loading state_dict")
def unknown_keys(case: Case) -> str | None:
    lacking, _, more = str(case.error).partition("Unexpected key(s)")
    missing, names = re.findall(r'"([^"]+)"', lacking), re.findall(r'"([^"]+)"', more)
    if names and all(name.startswith("module.") for name in names):
        return 'a parallel module wrote these names: `{name.removeprefix("module."): value for name, value in state.items()}`'
    for name in names:
        if near := nearest(name, missing, 1):
            return f"`{name}` is like `{near[0]}`, which is missing"
    return None


@rule(r"^RuntimeError: (mean|std|var)\b.*(could not infer output dtype|only support)")
def mean_of_whole_numbers(case: Case) -> str:
    return f"whole numbers have no {case.match[1]} here; `.float()` in front of it converts them"


@rule(r"^IndexError: Target (\d+) is out of bounds")
def unknown_class(case: Case) -> str:
    number = int(case.match[1])
    return f"classes are numbered from 0: class {number} needs scores for {number + 1} classes or more"


@rule(r"expected target dtype to be (Long)|Found dtype \w+ but expected (Float|Double)")
def target_dtype(case: Case) -> str:
    kind = case.match[1] or case.match[2]
    why = "numbers of classes are whole" if kind == "Long" else "target and input need one dtype"
    return f"{why}; `target.{kind.lower()}()` converts it"


@rule(r"have (?:the )?same dtype|expected scalar type|must have the same dtype|same type as|to have the same dtype")
def mixed_dtypes(case: Case) -> str | None:
    kinds = {name: peek.describe(value) for name, value in case.tensors()}
    types = {name: text.partition("[")[0] for name, text in kinds.items() if text}
    if len(set(types.values())) != 2:
        return None if types else "`.float()`, `.long()` and `.to(dtype)` give one of them the dtype of the other"
    (first, a), (second, b) = list(types.items())[0], next(i for i in types.items() if i[1] != list(types.values())[0])
    return f"`{first}` is {a} and `{second}` is {b}; convert one of them, as in `{second}.to({first}.dtype)`"


@rule(r"does not require grad and does not have a grad_fn")
def no_graph(case: Case) -> str | None:
    found = case.host.history(case.error, case.place.filename, case.place.line)
    return (
        found
        or "nothing it was computed from has requires_grad=True, or the graph was cut by no_grad, detach, .data or item"
    )


@rule(r"modified by an inplace operation")
def modified(case: Case) -> str | None:
    return case.host.history(case.error, case.place.filename, case.place.line)


@rule(r"shape '\[([\d, -]+)\]' is invalid for input of size (\d+)")
def bad_view(case: Case) -> str | None:
    sizes = [int(size) for size in case.match[1].split(",")]
    total = int(case.match[2])
    known = 1
    for size in sizes:
        known *= size if size != -1 else 1
    if -1 in sizes:
        return f"{total} elements cannot be divided by {known}"
    if known and total % known == 0:
        return f"the shape holds {known} elements, the tensor has {total}"
    for position, size in enumerate(sizes):
        if size and known // size and total % (known // size) == 0:
            fitting = [*sizes[:position], -1, *sizes[position + 1 :]]
            return f"the shape holds {known} elements, the tensor has {total}; {fitting} would fit"
    return f"the shape holds {known} elements, the tensor has {total}"


@rule(r"^RuntimeError: vmap: It looks like you're (attempting|calling)")
def _depends_on_slices(case: Case) -> str:
    if case.match[1] == "attempting":
        return "all slices are computed at once, so no branch can depend on one; torch.where(condition, a, b) takes elements"
    return "all slices are computed at once, so none has a Python number; compute with the tensor itself"


for _pattern, _advice in {
    r"^AttributeError: cannot assign \w+ before Module.__init__\(\) call":
        "`__init__` of a module begins with `super().__init__()`",
    r"a Tensor with \d+ elements cannot be converted to Scalar|only one element tensors can be converted":
        "`.tolist()` gives all numbers; an index, `.sum()` or `.mean()` make one of them",
    r"0D or 1D target tensor expected, multi-target not supported":
        "a target holds one number of a class for each example: `.squeeze(1)` of a column, `.argmax(1)` of rows with a 1",
    r"all elements of input should be between 0 and 1":
        "`torch.sigmoid` makes probabilities of scores; `nn.BCEWithLogitsLoss` takes the scores as they are",
    r"^ValueError: Expected more than 1 value per channel when training":
        "one example has no spread; `net.eval()` takes what training has seen, a DataLoader's `drop_last=True` leaves it out",
    r"a leaf Variable that requires grad is being used in an in-place operation":
        "update parameters inside `with torch.no_grad():`",
    r"grad can be implicitly created only for (real )?scalar outputs":
        "reduce it first, as with `.sum()` or `.mean()`, or pass backward a gradient of its shape",
    r"[Oo]nly Tensors of floating point and complex dtype can require gradients":
        "write the numbers with a point (`1.`) or give `dtype=torch.float32`",
}.items():  # fmt: skip
    always(_pattern, _advice)
