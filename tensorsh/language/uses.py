"""Hints on a value that is used as something else: a function in square brackets, a class in the place of its object, a list in
that of a tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ..sandbox.kinds import functions_of_torch
from . import peek
from .places import Host, nearest
from .rules import Case, always, rule

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)
HOMES = {
    "torch": "torch", "torch.nn": "nn", "torch.optim": "torch.optim", "torch.nn.functional": "nn.functional",
    "torch.optim.lr_scheduler": "torch.optim.lr_scheduler",
}  # fmt: skip
"""Where names stand that are looked for in torch itself, and how one writes that."""


def elsewhere(host: Host, name: str) -> str | None:
    """The name with its module's, if a module below torch has it."""
    for path, written in HOMES.items():
        if path != "torch" and name in host.names_in(path):
            return f"{written}.{name}"
    return None


def _values(case: Case, kind: type[ast.AST], part: str) -> Iterator[tuple[Any, Any, Any]]:
    """The nodes of a kind at the place, with one part of them and its value."""
    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        if isinstance(node, kind):
            inner = getattr(node, part)
            value = peek.evaluate(inner, *case.place.scopes)
            if value is not peek.MISSING:
                yield node, inner, value


def _is_function(value: Any) -> bool:
    return isinstance(value, _FUNCTIONS) or isinstance(value, functions_of_torch())


def _is_layer(value: Any) -> bool:
    """Whether a value is a class of layers, and no layer."""
    return isinstance(value, type) and any(cls.__name__ == "Module" for cls in value.__mro__)


@rule(r"^TypeError: '([\w.]+)' object is not subscriptable")
def function_in_square_brackets(case: Case) -> str | None:
    for node, inner, value in _values(case, ast.Subscript, "value"):
        if _is_function(value):
            name, parts = ast.unparse(inner), node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return f"`{name}` is a function, which round brackets call: `{name}({', '.join(map(ast.unparse, parts))})`"
    return None


@rule(r"^TypeError: '([\w.]+)' object is not callable")
def value_in_round_brackets(case: Case) -> str | None:
    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        if not isinstance(node, ast.Call):
            continue
        value, name = peek.evaluate(node.func, *case.place.scopes), ast.unparse(node.func)
        sizes = case.match[1] == "torch.Size" and name.endswith(".shape")
        if sizes or isinstance(value, list | tuple | dict) or (value is not peek.MISSING and peek.tensor_class(value)):
            index = ", ".join(map(ast.unparse, node.args))
            return f"`{name}` is a value; square brackets take a part of it" + (f": `{name}[{index}]`" if index else "")
    return None


@rule(r"^TypeError: '(\w+)' object is not iterable")
def function_for_its_values(case: Case) -> str | None:
    if case.match[1] == "int":
        return "`range(n)` counts from 0 to n - 1"
    for node, _, value in _values(case, ast.Call, "func"):
        if (
            isinstance(value, type)
            and node.args
            and case.match[1] != "method"
            and any(cls.__name__ == "Optimizer" for cls in value.__mro__)
        ):
            return f"an optimizer takes parameters: `{ast.unparse(node.args[0])}.parameters()`"
    return None


@rule(
    r"^(?:Type|Attribute)Error: (?:.* )?'(method|function|builtin_function_or_method|method_descriptor|type)' (?:object|and)"
)
@rule(r"^TypeError: .* and '(method|function|builtin_function_or_method)'$")
@rule(r'^TypeError: can only concatenate \w+ \(not "(method|function|builtin_function_or_method)"\) to')
@rule(
    r"^TypeError: (?:unsupported format string passed to |type |.* not '?)(method|function|builtin_function_or_method)\b"
)
def uncalled(case: Case) -> str | None:
    """A function or a class that stands where what it gives is meant."""
    nodes = list(ast.walk(case.place.tree() or ast.Module([], [])))
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    for node in nodes:
        if not isinstance(node, ast.Name | ast.Attribute) or node in called:
            continue
        value, name = peek.evaluate(node, *case.place.scopes), ast.unparse(node)
        if case.match[1] == "type":
            if isinstance(value, type):
                return f"`{name}` is a class: `{name}()` makes an object of it"
        elif _is_function(value) or value is peek.MISSING and isinstance(node, ast.Attribute) and "(" in name:
            return f"`{name}` is a function: `{name}()` calls it"
    return None


@rule(r"^TypeError: (?:\w+\.)?(\w+)\.(\w+)\(\) takes (\d+) positional arguments? but (\d+) w")
def no_self(case: Case) -> str | None:
    for value in (value for scope in case.place.scopes for value in scope.values()):
        kind = value if isinstance(value, type) else type(value)
        method = vars(kind).get(case.match[2]) if kind.__name__ == case.match[1] else None
        if isinstance(method, FunctionType) and int(case.match[4]) == int(case.match[3]) + 1:
            names = method.__code__.co_varnames[: method.__code__.co_argcount]
            if names[:1] != ("self",):
                return f"a method is given its object first: `def {case.match[2]}({', '.join(('self', *names))})`"
    return None


@rule(r"Boolean value of (Tensor|the truth value)|truth value of an array")
def truth(case: Case) -> str:
    for node, inner, value in _values(case, ast.Call, "func"):
        given = [peek.evaluate(argument, *case.place.scopes) for argument in node.args]
        if (
            _is_layer(value)
            and peek.is_library(value)
            and any(a is peek.MISSING or peek.tensor_class(a) for a in given)
        ):
            name = ast.unparse(inner)
            arguments = ", ".join(map(ast.unparse, node.args))
            return f"`{name}` is a class: `{name}()({arguments})` makes a layer of it and calls that"
    return "say which is meant: `.any()` or `.all()`; `&`, `|`, `~` combine masks where `and`, `or`, `not` cannot"


@rule(r"^TypeError: ([\w.]+) is not a Module subclass")
def class_for_a_layer(case: Case) -> str | None:
    if case.match[1] in ("list", "tuple"):
        return f"the modules of a {case.match[1]} are given one by one with a star, as in `nn.Sequential(*layers)`"
    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        for argument in node.args if isinstance(node, ast.Call) else ():
            value, name = peek.evaluate(argument, *case.place.scopes), ast.unparse(argument)
            if _is_layer(value):
                return f"`{name}` is a class: `{name}()` makes a layer of it"
            if _is_function(value):
                word = name.rpartition(".")[2].lower()
                found = [each for each in case.host.names_in("torch.nn") if each.lower() == word]
                return f"`{name}` is a function; " + (
                    f"`nn.{found[0]}()` is a layer of it" if found else "`forward` calls it"
                )
    return None


@rule(r"^TypeError: (\w+)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Tensor")
def tensors_one_by_one(case: Case) -> str | None:
    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(case.match[1]):
            return (
                f"the tensors stand in a list: `{ast.unparse(node.func)}([{', '.join(map(ast.unparse, node.args))}])`"
            )
    return None


@rule(r"^TypeError: tensor\(\) takes 1 positional argument but \d+ were given")
def numbers_one_by_one(case: Case) -> str | None:
    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("tensor"):
            return (
                f"the numbers stand in a list: `{ast.unparse(node.func)}([{', '.join(map(ast.unparse, node.args))}])`"
            )
    return None


@rule(r"^NotImplementedError: Module \[(\w+)\] is missing the required \"forward\" function")
def forward_misspelt(case: Case) -> str | None:
    for value in (value for scope in case.place.scopes for value in scope.values()):
        kind = value if isinstance(value, type) else type(value)
        if kind.__name__ == case.match[1] and (near := nearest("forward", vars(kind), 1)):
            return f"`{case.match[1]}` has `{near[0]}`: is `forward` meant?"
    if case.match[1] in ("ModuleList", "ModuleDict"):
        return f"a {case.match[1]} holds layers, which `forward` calls one by one; `nn.Sequential` calls them in their order"
    return "the class defines `forward(self, x)`, which `net(x)` calls"


@rule(r"^AttributeError: '[\w.]+' object has no attribute 'backward'")
def backward_of_another(case: Case) -> str | None:
    for _, _, value in _values(case, ast.Attribute, "value"):
        if _is_layer(type(value)):
            return "`backward` is the loss's, a tensor: `loss = criterion(output, target); loss.backward()`"
        if (base := peek.tensor_class(value)) is not None and base.__name__ == "ndarray":
            return (
                "numpy's arrays have no gradients; `backward` is called on a tensor that was computed from parameters"
            )
    return None


@rule(r"^TypeError: cannot assign '[\w.]+' as parameter '(\w+)'")
def tensor_for_a_parameter(case: Case) -> str:
    return f"`nn.Parameter(...)` makes one; `with torch.no_grad(): net.{case.match[1]}.copy_(...)` keeps the one that is there"


@rule(r"^(?:Type|Attribute)Error: .*'NoneType'")
def nothing_there(case: Case) -> str | None:
    """A variable that is None, most often what a function without `return` gave."""
    for node in ast.walk(case.place.tree() or ast.Module([], [])):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            name, owner = ast.unparse(node.value), peek.evaluate(node.value, *case.place.scopes)
            cls = peek.tensor_class(owner)
            if cls is not None and cls.__name__ == "Tensor" and not peek.field(owner, cls, "is_leaf"):
                return f"`{name}` was computed: `{name}.retain_grad()` before `backward()` keeps its gradient"
            return f"`{name}.grad` is None until `backward()` has run on something that was computed from it"
        if isinstance(node, ast.Name) and peek.evaluate(node, *case.place.scopes) is None:
            return f"`{node.id}` is None; a function without `return` gives that"
    return None


@rule(r"argument '(?:input|other|target)' \(position \d\) must be Tensor, not (int|float|list|tuple|numpy.ndarray)$")
def no_tensor(case: Case) -> str:
    for node in ast.walk(case.place.tree() or ast.Module([], [])) if case.match[1] == "tuple" else ():
        for argument in node.args if isinstance(node, ast.Call) else ():
            parts = peek.evaluate(argument, *case.place.scopes)
            if isinstance(parts, tuple) and any(map(peek.tensor_class, parts)):
                return f"`{(name := ast.unparse(argument))}` holds several values: `{name}[0]` is the first"
    maker = "torch.from_numpy(...)" if case.match[1] == "numpy.ndarray" else "torch.tensor(...)"
    return f"`{maker}` makes a tensor of it"


@rule(r"Target size \(torch.Size\(\[(.*)\]\)\) must be the same as input size \(torch.Size\(\[(.*)\]\)\)")
@rule(r"Using a target size \(torch.Size\(\[(.*)\]\)\) that is different to the input size \(torch.Size\(\[(.*)\]\)\)")
def one_column(case: Case) -> str | None:
    target, given = ([n for n in sizes.split(", ") if n] for sizes in case.match.groups())
    if given == [*target, "1"]:
        return "`.squeeze(-1)` takes the last dimension off the input, `.unsqueeze(-1)` gives the target one"
    if target == [*given, "1"]:
        return "`.squeeze(-1)` takes the last dimension off the target, `.unsqueeze(-1)` gives the input one"
    return None


@rule(r"Expected (\d)D \(unbatched\) or (\d)D \(batched\) input to conv\w+, but got input of size: \[(.*)\]")
def dimensions_of_images(case: Case) -> str | None:
    lacking = int(case.match[1]) - len(case.match[3].split(","))
    if lacking == 1:
        return "channels come first: `x[None]` is an image of one channel"
    return "batch and channels come first, then one dimension each for height, width and the like"


for _pattern, _advice in {
    r"^TypeError: 'generator' object is not subscriptable|^TypeError: object of type 'generator' has no len":
        "`list(...)` makes a list of it, which has places and a length",
    r"^TypeError: seed\(\) takes 0 positional arguments but 1 was given":
        "`random` is torch's here: `import random` brings Python's, `torch.manual_seed(0)` seeds torch's",
    r"Expected floating point type for target with class probabilities":
        "`.float()` makes probabilities of it; a target of class numbers has one for each example: `.argmax(1)`",
    r"^TypeError: can only concatenate str \(not \"Tensor\"\) to str": '`f"... {value}"` writes a value into a text',
    r"unsupported format string passed to Tensor.__format__":
        "such a format is for one number; `torch.set_printoptions(precision=2)` is for tensors",
    r"^AssertionError: Torch not compiled with CUDA enabled":
        'there is no GPU here: `device = "cuda" if torch.cuda.is_available() else "cpu"` takes what there is',
    r"not implemented for '(Long|Int|Short|Char|Byte|Bool)'$":
        "`.float()` in front of it makes floating-point numbers of whole ones",
    r"only supports boolean masks|expected condition to be a boolean tensor":
        "a comparison makes a mask, as in `x > 0`; `.bool()` makes one of numbers",
    r"result type (Float|Double) can't be cast to the desired output type (Long|Int|Short|Byte|Bool)":
        "what is written in place keeps its dtype, here one of whole numbers; begin with `1.` or `.float()`",
}.items():  # fmt: skip
    always(_pattern, _advice)
