"""Parameters of PyTorch's functions, with their kinds.

One line a function: its overloads, separated by `|`, from PyTorch's stubs and docstrings; `python` before those of
functions written in Python, whose mistakes Python itself words.
"""

from __future__ import annotations

import ast
import inspect
import re

import torch

from tensorsh.engine.loading import table

from . import stubs

KINDS = {
    "Tensor": "Tensor", "Number": "Number", "Number | _complex": "Number", "_int": "int", "_bool": "bool", "_float": "float", "_size": "ints",
    "_int | _size": "ints1", "_int | SymInt": "int", "_dtype": "dtype", "DeviceLikeType": "device", "_layout": "layout",
    "Generator": "Generator", "str": "str", "Sequence[_int | SymInt]": "ints", "tuple[Tensor, ...] | list[Tensor]": "Tensors",
    "_size | _int": "ints1", "Sequence[_float]": "floats", "memory_format": "memory_format", "Size": "ints",
    "Sequence[_int | SymInt] | _int": "ints1", "str | EllipsisType": "name", "Sequence[str | EllipsisType | None]": "names",
    "tuple[Tensor, ...] | list[Tensor] | None": "Tensors", "tuple[Tensor | None, ...] | list[Tensor | None]": "Tensors", "Tensor | Number | _complex": "Tensor", "Number | _complex | Tensor": "Tensor",
}  # fmt: skip
SHOWN = {"dtype": "torch.dtype"}


def kind(note: ast.expr | None, default: str) -> str:
    text = ast.unparse(note) if note is not None else ""
    text = re.sub(r" \| None$", "", text)
    return KINDS.get(text) or ("Any" if "Number" not in text else "Tensor" if "Tensor" in text else "Number")


def stubbed(overloads: list[ast.arguments]) -> list[str]:
    """The overloads of a stub, but for those that take any number of arguments."""
    return [written(each) for each in overloads if each.vararg is None]


def written(a: ast.arguments) -> str:
    """``Tensor input, int dim, *, dtype dtype=None``"""
    texts = []
    everything = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(everything) - len(a.defaults)) + a.defaults
    for each, default in zip(everything, defaults, strict=True):
        texts.append(one(each, default))
    if a.kwonlyargs:
        texts.append("*")
        texts += [one(each, default) for each, default in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    return ", ".join(texts)


def one(argument: ast.arg, default: ast.expr | None) -> str:
    shown = "" if default is None else "=" + ast.unparse(default).replace(", ", ",").replace(" ", "")
    note = argument.annotation
    # The indices of `index_put` may hold None, and are not None themselves.
    optional = "?" if note is not None and ast.unparse(note).endswith("| None") and argument.arg != "indices" else ""
    found = kind(note, shown)
    found = "Tensors" if found == "Any" and argument.arg == "out" else found
    return f"{found}{optional} {argument.arg.rstrip('_')}{shown}"


SCHEMA = {
    "Scalar": "Number", "ScalarType": "dtype", "Device": "device", "Layout": "layout", "MemoryFormat": "memory_format",
    "int[]": "ints", "SymInt[]": "ints", "Tensor[]": "Tensors", "Tensor?[]": "Tensors", "float[]": "floats", "Scalar[]": "Numbers",
    "SymInt": "int",
}  # fmt: skip
"""Types of aten's schemas."""


def of_schema(schema: str, drop: int) -> str:
    """``Tensor input, ints1 kernel_size, *, Tensor? out=None`` of an operator's schema without its first arguments."""
    listed = schema[schema.index("(") + 1 : schema.rindex(") -> ")]
    texts = []
    for part in re.split(r", (?![^\[]*\])", listed)[drop:]:
        if part == "*":
            texts.append(part)
            continue
        kind, _, rest = part.partition(" ")
        name, _, default = rest.partition("=")
        kind = re.sub(r"\([a-z]!?\)", "", kind)
        optional = "?" if kind.endswith("?") else ""
        kind = kind.removesuffix("?")
        found = "ints1" if re.fullmatch(r"(Sym)?[Ii]nt\[\d\]", kind) else SCHEMA.get(kind, kind)
        default = default.replace(", ", ",").replace("[", "(").replace("]", ")").replace('"', "'")
        texts.append(f"{found}{optional} {'input' if name == 'self' else name}{'=' + default if default else ''}")
    return ", ".join(texts)


def declared(value: object, method: bool) -> list[str]:
    """From the schema of the operator that a builtin function is."""
    packet = getattr(torch.ops.aten, value.__name__, None)
    if packet is None:
        return []
    schema = str(getattr(packet, next(o for o in packet.overloads() if o != "out"))._schema)
    text = of_schema(schema, 1 if method else 0)
    schemas = [str(getattr(packet, o)._schema) for o in packet.overloads()]
    if (
        not method
        and takes_out(value.__name__)
        and any("(a!)" in s and "self" not in s.split("(a!)")[1].split()[0] for s in schemas)
    ):
        several = any("(b!)" in s for s in schemas)
        text += (", " if " *, " in text else ", *, ") + f"{'Tensors' if several else 'Tensor'}? out=None"
    return [text.replace("bool? pin_memory=None", "bool pin_memory=False, bool requires_grad=False")]


def takes_out(name: str) -> bool:
    """Whether the stubs give a function ``out``, where they have it at all."""
    listed = stubbed(stubs.functions(name))
    return not listed or any(re.search(r"\bout=", each) for each in listed)


def first_of(text: str) -> str:
    """The name of the first parameter."""
    return text.partition(",")[0].partition("=")[0].rpartition(" ")[2]


def with_optional(listed: list[str], value: object) -> list[str]:
    """What a function lists does not tell which parameters without default may be None: the schemas do."""
    packet = getattr(torch.ops.aten, value.__name__, None)
    schemas = [of_schema(str(getattr(packet, o)._schema), 0) for o in packet.overloads()] if packet else []
    optional = {part for schema in schemas for part in schema.split(", ") if "? " in part and "=" not in part}
    return [
        ", ".join(
            part.replace(" ", "? ", 1) if part.replace(" ", "? ", 1) in optional else part for part in each.split(", ")
        )
        for each in listed
    ]


def said_name(value: object, name: str) -> str:
    """What a function calls itself in its errors, where that is not to be guessed."""
    owner, _, last = name.rpartition(".")
    usual = f"{owner}_{last}" if owner in ("linalg", "special", "fft") else last
    for args in ((object(),) * 30, ()):
        try:
            value(*args)
        except TypeError as error:
            found = re.match(r"([a-z_]\w*)\(\)", str(error))
            if found:
                return "" if found[1] == usual else found[1]
        except Exception:
            return ""
    return ""


TYPES = {
    "tuple of ints": "ints", "torch.dtype": "dtype", "tuple of names": "names", "tuple of Tensors": "Tensors", "torch.device": "device",
    "torch.layout": "layout", "torch.Generator": "Generator", "torch.memory_format": "memory_format", "tuple of floats": "floats",
    "tuple of Scalars": "Numbers",
}  # fmt: skip
SINGLE = (
    "dim",
    "kernel_size",
    "stride",
    "padding",
    "dilation",
    "output_size",
    "output_padding",
    "dims",
    "shifts",
    "correction",
    "s",
)


def told(value: object) -> list[str] | None:
    """The overloads as the function itself lists them when no call fits; None where it has but one."""
    options: list[str] = []
    for args, kwargs in ((), {f"bogus{i}": 0 for i in range(30)}), ((object(),) * 30, {}):
        try:
            value(*args, **kwargs)
            return None
        except TypeError as error:
            text = str(error)
        except Exception:
            return None
        if "invalid combination of arguments" not in text:
            return None
        options = re.findall(r"^ \* \((.*)\)$", text, re.MULTILINE) or re.findall(
            r"but expected \((.*)\)$", text, re.MULTILINE
        )
        if options:
            break
    found = []
    for option in options:
        texts = []
        for each in option.split(", ") if option else []:
            if each == "*":
                texts.append(each)
                continue
            each, _, default = each.partition(" = ")
            kind, _, name = each.rpartition(" ")
            kind = TYPES.get(kind, kind)
            kind = "ints1" if kind == "ints" and name in SINGLE else kind
            texts.append(
                f"{kind}{'?' if default == 'None' else ''} {name}{'=' + default.replace(' ', '') if default else ''}"
            )
        found.append(", ".join(texts))
    return ["+", *found] if found else None


BUILTIN = """
    _make_dual _pack_padded_sequence _pad_packed_sequence _sparse_sum _unique2 _unpack_dual adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d affine_grid_generator alpha_dropout any atleast_1d atleast_2d atleast_3d avg_pool1d avg_pool2d
    avg_pool3d batch_norm binary_cross_entropy binary_cross_entropy_with_logits block_diag broadcast_tensors
    cartesian_prod cdist celu chain_matmul col2im cosine_embedding_loss cross_entropy_loss ctc_loss dropout einsum elu
    embedding embedding_bag empty_like feature_alpha_dropout feature_dropout fractional_max_pool2d fractional_max_pool3d
    glu grid_sampler group_norm hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss im2col instance_norm
    is_floating_point istft kl_div l1_loss layer_norm leaky_relu linalg_vector_norm log_sigmoid margin_ranking_loss
    max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool2d
    max_unpool3d meshgrid mish mse_loss multi_margin_loss multilabel_margin_loss nested_to_padded_tensor nll_loss_nd pad pad_sequence poisson_nll_loss relu
    relu6 rms_norm rrelu selu silu smooth_l1_loss soft_margin_loss split split_with_sizes stft tensordot threshold
    triplet_margin_loss unique_consecutive unique_dim
"""
"""Builtin functions that those in Python hand their arguments to (`engine/wording/steps.py`)."""
WRITTEN = {
    **dict.fromkeys(
        ("tensor", "as_tensor", "Tensor.new_tensor"),
        "Any data, *, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False",
    ),
    "frombuffer": "Any buffer, *, dtype dtype, int count=-1, int offset=0, bool requires_grad=False",
    "_nn.nested_tensor": "Any data, *, dtype? dtype=None, device? device=None, bool pin_memory=False, bool requires_grad=False",
    "nonzero": "Tensor input, *, bool as_tuple=False, Tensor? out=None",
    "Tensor.nonzero": "+  | *, bool as_tuple",
    "Tensor.cpu": "*, memory_format? memory_format=None",
    "Tensor.is_contiguous": "*, memory_format memory_format=torch.contiguous_format",
    "can_cast": "dtype from_, dtype to",
    "Tensor.requires_grad_": "bool requires_grad=True",
    "Tensor.type": "Any dtype=None, bool non_blocking=False, *, memory_format? memory_format=None",
    "Tensor.contiguous": "*, memory_format memory_format=torch.contiguous_format",
    "Tensor.size": "int? dim=None | name dim",
    "Tensor.stride": "int? dim=None | name dim",
}
"""Those of which neither a stub nor a call tells enough."""


def takes_format(bound: object) -> bool:
    """Whether a method of which the stubs tell no parameter takes a memory format all the same."""
    try:
        bound(memory_format=3)
    except Exception as error:
        return "must be torch.memory_format" in str(error)
    return False


def in_python(value: object) -> str:
    """The parameters of a function written in Python, or of the first of those that it is written as."""
    if "if_false" in value.__code__.co_freevars:
        return in_python(inspect.getclosurevars(value).nonlocals["if_false"])
    parameters = []
    for p in inspect.signature(value).parameters.values():
        plain = p.default is p.empty or p.default is None or isinstance(p.default, (int, float, str, tuple, list))
        parameters.append(p.replace(annotation=p.empty, default=p.default if plain else None))
    return str(inspect.Signature(parameters))[1:-1]


def typed(value: object) -> str:
    """The annotations of a function written in Python, `_` where there is none, and that of what it gives."""
    signature = inspect.signature(value)
    *notes, answer = [annotated(p.annotation) for p in signature.parameters.values()] + [
        annotated(signature.return_annotation)
    ]
    return ", ".join(notes) + f" -> {answer}" * (answer != "_")


def annotated(note: object) -> str:
    """An annotation as it is told in a signature, without the modules of its names."""
    if note is inspect.Parameter.empty:
        return "_"
    return re.sub(r"\b(?:\w+\.)+(?=[A-Za-z])", "", inspect.formatannotation(note))


def called_in_python() -> dict[str, str]:
    """The overloads of the builtin functions that those in Python call."""
    lines = {}
    for name in BUILTIN.split():
        places = torch._C._nn, torch._C._VariableFunctions, torch._C._linalg, torch._C._nested
        value = next(getattr(each, name) for each in places if hasattr(each, name))
        listed = told(value)
        found = f"+ {' | '.join(with_optional(listed[1:], value))}" if listed else declared(value, False)[0]
        lines[f"_nn.{name} takes"] = found
    return lines | {f"{name} takes": text for name, text in WRITTEN.items() if name.startswith("_nn.")}


def takes() -> dict[str, str]:
    """The overloads of each function, and (by ``name called``) the name that it has in its errors."""
    table.load_all()
    names = [n for n in table.FUNCTIONS if not n.rpartition(".")[2].startswith("_")]
    names += ["Tensor." + n for n in (*table.METHODS, "detach", "retain_grad") if not n.startswith("_")]
    names += ["can_cast", "promote_types", "result_type"]
    names += [
        n for n in table.METHODS if n[-1] == "_" and n[0] != "_" and n not in table.FUNCTIONS
    ]  # those that PyTorch has
    found: dict[str, str] = {}
    for name in sorted(names):
        owner, _, last = name.rpartition(".")
        value = torch
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is None or isinstance(value, (type, property)) or not callable(value):
            continue
        if name in WRITTEN:
            found[f"{name} takes"] = WRITTEN[name]
            continue
        if inspect.isfunction(value):
            kept = getattr(torch.nn.functional, "_" + last, None) if name.startswith("nn.functional.") else None
            if inspect.isfunction(kept) and "pool" in last:
                found |= {f"{name} takes": f"python {in_python(kept)}", f"{name} called": kept.__name__}
                continue
            own = value.__name__
            if own.lstrip("_") == last and own != last:
                found[f"{name} called"] = own
            found[f"{name} takes"] = f"python {in_python(value)}"
            if value.__annotations__ and "Masked" not in typed(value):
                found[f"{name} typed"] = typed(value)
            continue
        bound = getattr(torch.ones(2, 2), last) if owner == "Tensor" else value
        listed = told(bound)
        if said := said_name(bound, name):
            found[f"{name} called"] = said
        if listed:
            found[f"{name} takes"] = f"+ {' | '.join(with_optional(listed[1:], value))}"
            continue
        named = stubs.methods(last) if owner == "Tensor" else stubs.functions(last) if not owner else []
        overloads = stubbed(named)
        if owner == "Tensor":
            overloads = [o.split(", ", 1)[1] if ", " in o else "" for o in overloads]
        else:
            overloads = [o for o in overloads if " self" not in o] or overloads
        overloads = [o for o in overloads if "out_dtype" not in o]
        if owner == "Tensor" and not any(overloads) and takes_format(bound):
            overloads = ["*, memory_format? memory_format=None"]
        schema = declared(value, owner == "Tensor")
        if not overloads or schema and "Any " in overloads[0] and first_of(schema[0]) == first_of(overloads[0]):
            overloads = schema or overloads or stubbed(stubs.functions(last))
        if overloads:
            found[f"{name} takes"] = " | ".join(dict.fromkeys(overloads))
    return found | called_in_python()
