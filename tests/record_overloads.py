"""Writes tensorsh/engine/overloads.txt, the parameters of PyTorch's functions with their kinds: run it with PyTorch's Python.

    PYTHONPATH=. python tests/record_overloads.py

One line a function: its overloads, separated by `|`, from PyTorch's stubs and docstrings; `python` before those of
functions written in Python, whose mistakes Python itself words.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from functools import lru_cache
from pathlib import Path

import torch

from tensorsh.engine import table

FOLDER = os.path.dirname(torch.__file__)
FILE = Path(__file__).parent.parent / "tensorsh" / "engine" / "overloads.txt"
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


@lru_cache
def stub(file: str, owner: str | None = None) -> dict[str, list[str]]:
    with open(os.path.join(FOLDER, file), encoding="utf-8") as source:
        body = ast.parse(source.read()).body
    if owner:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == owner)
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.args.vararg is None:
            found.setdefault(node.name, []).append(written(node.args))
    return found


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
    listed = stub("_C/_VariableFunctions.pyi").get(name)
    return listed is None or any(re.search(r"\bout=", each) for each in listed)


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
            found = re.match(r"([a-z]\w*)\(\)", str(error))
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


UNPACKED = {1: "", 2: "[0 for a, b in [pair(kernel_size)]], ", 3: "[0 for a, b, c in [triple(kernel_size)]], "}
SOFT = "input.{0}, (dim is None or method(input, '{0}', dim, dtype=dtype))"
STEPS = {
    "relu": "_relu(input)", "relu6": "_relu6(input)", "leaky_relu": "_leaky_relu(input, negative_slope)", "elu": "_elu(input, alpha)",
    "selu": "_selu(input)", "celu": "_celu(input, alpha)", "silu": "_silu(input)", "mish": "_mish(input)", "rrelu": "_rrelu(input, lower, upper, training)",
    "hardtanh": "_hardtanh(input, min_val, max_val)", "hardswish": "_hardswish(input)", "hardsigmoid": "_hardsigmoid(input)",
    "glu": "input.dim(), _glu(input, dim)", "threshold": "_threshold(input, threshold, value)", "tanh": "input.tanh", "sigmoid": "input.sigmoid",
    "tanhshrink": "input.tanh", "softsign": "input.abs", "softmax": SOFT.format("softmax"), "log_softmax": SOFT.format("log_softmax"), "softmin": SOFT.format("softmax"),
    "dropout": "p < 0.0, _dropout(input, p, training)", "alpha_dropout": "p < 0.0, _alpha_dropout(input, p, training)",
    "feature_alpha_dropout": "p < 0.0, _feature_alpha_dropout(input, p, training)",
    "dropout1d": "p < 0.0, input.dim(), _feature_dropout(input, p, training)", "dropout2d": "p < 0.0, input.dim(), _feature_dropout(input, p, training)",
    "dropout3d": "p < 0.0, input.dim(), _feature_dropout(input, p, training)",
    "layer_norm": "_layer_norm(input, normalized_shape, weight, bias, eps)", "group_norm": "input.dim(), _group_norm(input, num_groups, weight, bias, eps)",
    "batch_norm": "(training and input.size()), eps <= 0.0, _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)",
    "instance_norm": "(use_input_stats and input.size()), eps <= 0.0, _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)",
    "rms_norm": "_rms_norm(input, normalized_shape, weight, eps)", "normalize": "input.norm",
    "embedding": "(padding_idx is not None and padding_idx > 0 and weight.size()), max_norm is None or input.contiguous, _embedding(weight, input, -1 if padding_idx is None else padding_idx, "
    "scale_grad_by_freq, sparse)",
    "cross_entropy": "_cross_entropy_loss(input, target, weight, 1, ignore_index, label_smoothing)",
    "nll_loss": "_nll_loss_nd(input, target, weight, 1, ignore_index)",
    "mse_loss": "target.size(), input.size(), _mse_loss(input, target, 1)", "l1_loss": "target.size(), input.size(), _l1_loss(input, target, 1)", "smooth_l1_loss": "target.size(), input.size(), _smooth_l1_loss(input, target, 1, beta)",
    "huber_loss": "target.size(), input.size(), _huber_loss(input, target, 1, delta)",
    "binary_cross_entropy": "target.size(), input.size(), (weight is None or weight.size()), _binary_cross_entropy(input, target, weight, 1)",
    "binary_cross_entropy_with_logits": "target.size(), input.size(), _binary_cross_entropy_with_logits(input, target, weight, pos_weight, 1)",
    "kl_div": "_kl_div(input, target, 1, log_target=log_target)", "soft_margin_loss": "_soft_margin_loss(input, target, 1)",
    "multi_margin_loss": "p != 1, weight is None or weight.dim(), _multi_margin_loss(input, target, p, margin, weight, 1)", "multilabel_margin_loss": "_multilabel_margin_loss(input, target, 1)",
    "margin_ranking_loss": "input1.dim(), input2.dim(), target.dim(), _margin_ranking_loss(input1, input2, target, margin, 1)",
    "hinge_embedding_loss": "_hinge_embedding_loss(input, target, margin, 1)",
    "cosine_embedding_loss": "_cosine_embedding_loss(input1, input2, target, margin, 1)",
    "triplet_margin_loss": "margin <= 0, _triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, 1)",
    "poisson_nll_loss": "_poisson_nll_loss(input, target, log_input, full, eps, 1)",
    "pad": "_pad(input, pad, mode, value)", "unfold": "_im2col(input, pair(kernel_size), pair(dilation), pair(padding), pair(stride))",
    "fold": "_col2im(input, pair(output_size), pair(kernel_size), pair(dilation), pair(padding), pair(stride))", "interpolate": "input.dim()",
    "upsample": "input.dim()", "upsample_nearest": "input.dim()", "upsample_bilinear": "input.dim()",
    "ctc_loss": "_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, 1, zero_infinity)",
    "max_unpool1d": "input.size()", "max_unpool2d": "input.size()", "max_unpool3d": "input.size()", "grid_sample": "mode in ('bilinear', 'nearest', 'bicubic') and padding_mode in "
    "('zeros', 'border', 'reflection') and _grid_sampler(input, grid, 0, 0, False if align_corners is None else align_corners)",
    "multilabel_soft_margin_loss": "_log_sigmoid(input)", "gumbel_softmax": "_empty_like(logits)", "embedding_bag": "weight.dtype, (per_sample_weights is None or (input.size(), per_sample_weights.size())), weight.dim(), input.dim(), "
    "(weight.dim() == 2 and input.dim() == 2 - (offsets is not None) and mode in ('sum', 'mean') and "
    "_embedding_bag(weight, input, input if offsets is None else offsets, scale_grad_by_freq, 0, sparse, per_sample_weights, offsets is not None and include_last_offset, padding_idx))", "local_response_norm": "input.dim()", "gaussian_nll_loss": "isinstance(var, float) or _any(var < 0)", "affine_grid": "not theta.is_floating_point() or len(size) not in (4, 5) or "
    "min(size) <= 0 or align_corners and False or _affine_grid_generator(theta, size, False if align_corners is None else align_corners)",
} | {
    f"fractional_max_pool{d}d{form}": "output_size is None or (input.dim(), input.size(0), "
    f"_fractional_max_pool{d}d(input, kernel_size, output_size, input if _random_samples is None else _random_samples))"
    for d in (2, 3)
    for form in ("", "_with_indices")
} | {
    f"{kind}_pool{d}d{form}": steps
    for d in (1, 2, 3)
    for kind, form, steps in (
        ("max", "", f"_max_pool{d}d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)"),
        ("max", "_with_indices", f"_max_pool{d}d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)"),
        ("lp", "", UNPACKED[d] + f"input.pow, _avg_pool{d}d(input, kernel_size, [] if stride is None else stride, 0, ceil_mode)"),
        ("adaptive_avg", "", f"_adaptive_avg_pool{d}d(input, several(output_size, input.size()))"),
        *(
            ("adaptive_max", form, f"_adaptive_max_pool{d}d(input, {'output_size' if d == 1 else 'several(output_size, input.size())'})")
            for form in ("", "_with_indices")
        ),
    )
}  # fmt: skip
"""What functions of nn.functional that are written in Python do with their arguments until these are known to fit."""
UNIQUE = {
    kind: f"chosen(args, kwargs, ('return_inverse', {place}), ('return_counts', {place + 1}), "
    f"(_{kind}return_output, _{kind}return_counts, _{kind}return_inverse, _{kind}return_inverse_and_counts))"
    for kind, place in (("", 2), ("consecutive_", 1))
}
COMPUTED = {
    "": "__unique2(input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts) if dim is None else "
    "_unique_dim(input, dim, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)",
    "consecutive_": "_unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)",
}
NORM = (
    "input.layout, (isinstance(p, str) or _linalg_vector_norm(input, 2.0 if p is None else p, [dim] if isinstance(dim, int) "
    "else dim, keepdim, dtype=dtype))"
)
STFT = (
    "(center and align_to_window is not None) or (center and input.dim(), center and n_fft // 2, center and _pad(input, (1,), pad_mode, None), "
    "_stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window))"
)
PLAIN_STEPS = {
    **dict.fromkeys(("cdist", "functional.cdist"), "_cdist(x1, x2, p, None)"),
    **{f"atleast_{n}d": f"_atleast_{n}d(tensors[0] if len(tensors) == 1 else tensors)" for n in (1, 2, 3)},
    "broadcast_tensors": "_broadcast_tensors(tensors)",
    "cartesian_prod": "_cartesian_prod(tensors)",
    "block_diag": "_block_diag(tensors)",
    "chain_matmul": "_chain_matmul(matrices)",
    "meshgrid": "_meshgrid(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors, "
    "**({} if indexing is None else {'indexing': indexing}))",
    "split": "method(tensor, 'split', split_size_or_sections, dim) if hasattr(tensor, 'dim') else "
    "tensor.split(split_size_or_sections, dim)",
    "Tensor.split": "hasattr(split_size, 'dim') or (_split(self, split_size, dim) if isinstance(split_size, int) else "
    "_split_with_sizes(self, split_size, dim))",
    "stft": STFT,
    "unique": UNIQUE[""],
    "unique_consecutive": UNIQUE["consecutive_"],
    "Tensor.stft": STFT.replace("input", "self"),
    "Tensor.istft": "_istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, "
    "return_complex=return_complex)",
    "Tensor.unique": "bool(return_inverse), bool(return_counts), " + COMPUTED[""].replace("input", "self"),
    "Tensor.unique_consecutive": "bool(return_inverse), bool(return_counts), "
    + COMPUTED["consecutive_"].replace("input", "self"),
    "Tensor.resize_as": "tensor.size",
    "norm": NORM,
    "lu": "_lu_with_infos(*args, **kwargs) if kwargs.get('get_infos', args[2] if len(args) > 2 else False) else _lu_no_infos(*args, **kwargs)",
    **{
        f"masked.{name}": "dtype is None and input.dtype, input.layout"
        for name in "amax amin argmax argmin cumsum cumprod logsumexp".split()
    },
    "masked.median": "dtype is None and input.dtype, _is_floating_point(input)",
    "functional.norm": NORM,
    "Tensor.norm": NORM.replace("input", "self"),
    "tensordot": "isinstance(dims, int) and (a.dim(), b.dim()), _tensordot(a, b, [], [])",
    "einsum": "len(args) < 2 or not isinstance(args[0], str) or _einsum(args[0], args[1] if len(args) == 2 and "
    "isinstance(args[1], (list, tuple)) else args[1:])",
}
"""The same for other functions written in Python."""
HELPERS = {
    f"_nn.{kind}{last} (_{kind}{last})": f"python input{', sorted=True' if not kind else ''}, return_inverse=False, return_counts=False, dim=None > {COMPUTED[kind]}"
    for kind in COMPUTED
    for last in ("return_output", "return_counts", "return_inverse", "return_inverse_and_counts")
} | {
    f"_nn.{name} (_{name})": "python A, pivot=True, get_infos=False, out=None > out is None or (len(out), [each.resize_as_ for each in out])"
    for name in ("lu_no_infos", "lu_with_infos")
}
"""Functions written in Python that those call."""
WRITTEN = {
    **dict.fromkeys(
        ("tensor", "as_tensor", "Tensor.new_tensor"),
        "Any data, *, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False",
    ),
    "nonzero": "Tensor input, *, bool as_tuple=False, Tensor? out=None",
    "Tensor.nonzero": "*, bool as_tuple=False",
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


def in_python(name: str, value: object) -> str:
    """The parameters of a function written in Python, and the steps it takes."""
    last = name.rpartition(".")[2]
    steps = STEPS.get(last, "") if name.startswith("nn.functional.") else PLAIN_STEPS.get(name, "")
    parameters = []
    for p in inspect.signature(value).parameters.values():
        plain = p.default is p.empty or p.default is None or isinstance(p.default, (int, float, str, tuple, list))
        parameters.append(p.replace(annotation=p.empty, default=p.default if plain else None))
    return str(inspect.Signature(parameters))[1:-1] + (" > " + steps if steps else "")


def called_by_steps() -> list[str]:
    """The builtin functions that those steps name, as lines of their own."""
    lines = []
    named = {
        n
        for steps in (*STEPS.values(), *PLAIN_STEPS.values(), *COMPUTED.values(), "_max_unpool2d() _max_unpool3d()")
        for n in re.findall(r"\b_(\w+)\(", steps)
    }
    for name in sorted(named):
        places = torch._C._nn, torch._C._VariableFunctions, torch._C._linalg
        value = next((getattr(each, name) for each in places if hasattr(each, name)), None)
        if value is None:
            continue
        listed = told(value)
        found = f"+ {' | '.join(with_optional(listed[1:], value))}" if listed else declared(value, False)[0]
        lines.append(f"_nn.{name}: {found}")
    return lines + [f"{name}: {text}" for name, text in HELPERS.items()]


def main() -> None:
    table.load_all()
    functions, methods = stub("_C/_VariableFunctions.pyi"), stub("_C/__init__.pyi", "TensorBase")
    names = [n for n in table.FUNCTIONS if not n.rpartition(".")[2].startswith("_")]
    names += ["Tensor." + n for n in (*table.METHODS, "detach", "retain_grad") if not n.startswith("_")]
    names += ["can_cast", "promote_types", "result_type"]
    lines = []
    for name in sorted(names):
        owner, _, last = name.rpartition(".")
        value = torch
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is None or isinstance(value, (type, property)) or not callable(value):
            continue
        if name in WRITTEN:
            lines.append(f"{name}: {WRITTEN[name]}")
            continue
        if inspect.isfunction(value):
            kept = getattr(torch.nn.functional, "_" + last, None) if name.startswith("nn.functional.") else None
            if inspect.isfunction(kept) and "pool" in last:
                lines.append(f"{name} ({kept.__name__}): python {in_python(name, kept)}")
                continue
            own = value.__name__
            said = f" ({own})" if own.lstrip("_") == last and own != last else ""
            lines.append(f"{name}{said}: python {in_python(name, value)}")
            continue
        bound = getattr(torch.ones(2, 2), last) if owner == "Tensor" else value
        listed = told(bound)
        said = said_name(bound, name)
        title = f"{name} ({said})" if said else name
        if listed:
            lines.append(f"{title}: + {' | '.join(with_optional(listed[1:], value))}")
            continue
        overloads = methods.get(last, []) if owner == "Tensor" else functions.get(last, []) if not owner else []
        if owner == "Tensor":
            overloads = [o.split(", ", 1)[1] if ", " in o else "" for o in overloads]
        else:
            overloads = [o for o in overloads if " self" not in o] or overloads
        overloads = [o for o in overloads if "out_dtype" not in o]
        if owner == "Tensor" and not any(overloads) and takes_format(bound):
            overloads = ["*, memory_format? memory_format=None"]
        schema = declared(value, owner == "Tensor")
        if not overloads or schema and "Any " in overloads[0] and first_of(schema[0]) == first_of(overloads[0]):
            overloads = schema or overloads or functions.get(last, [])
        if overloads:
            lines.append(f"{title}: {' | '.join(dict.fromkeys(overloads))}")
    lines += called_by_steps()
    FILE.write_text(
        "# Names: overloads. Made by tests/record_overloads.py.\n" + "\n".join(lines) + "\n", encoding="ascii"
    )


main()
