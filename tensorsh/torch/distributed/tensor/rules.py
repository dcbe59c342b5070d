"""What functions of torch do with tensors in parts: where the operands must lie, and where the result does.

A rule brings operands to the placements it wants, calls the function on the parts, and says how the results make up a whole. An
operand that is whole everywhere and meets others in parts gets the sum of the gradients that the processes find. What has no rule is
computed on whole tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ....engine.arrays.dtype import dtype
from ....engine.loading.elementwise import elementwise
from ....engine.operators.torch_function import DisableTorchFunctionSubclass, beside_defaults
from ....engine.tensors.tensor import Tensor
from ...containers import mapped, tensors_in
from .moving import Guard, moved
from .parts import beside_parts, in_parts, local_of, placed_tensor
from .placement_types import REPLICATE, Partial, Replicate, Shard, _StridedShard

RULES: dict[str, Callable] = {}

ALSO_POINTWISE = set(
    """copy alpha_dropout bernoulli dropout fill rand_like randn_like zero empty_like full_like bfloat16 bool byte cdouble cfloat char cpu cuda
half int long short type type_as""".split()
)
"""What is done element by element, and is no elementwise function: its elements are drawn, set, or cast."""
OF_THE_PART = set(
    """grad_fn is_leaf requires_grad dtype device layout is_cuda is_sparse names retains_grad output_nr register_hook retain_grad
is_floating_point is_complex element_size itemsize is_contiguous is_shared share_memory get_device is_inference data_ptr untyped_storage
is_signed register_post_accumulate_grad_hook is_conj is_neg is_mps is_meta is_quantized is_nested is_mkldnn""".split()
)
"""What a tensor in parts answers as the part that is here does."""
LINEAR_ALONE = set("neg negative contiguous detach to float double half bfloat16 cpu positive zeros_like".split())
LINEAR_TOGETHER = set("add sub subtract iadd isub radd".split())
SCALING = set("mul multiply div divide true_divide truediv imul itruediv rmul".split())
MIXED = (
    "aten.{name} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed "
    "operators!"
)
UNDERNEATH = {"cross_entropy": "nll_loss_forward", "nll_loss": "nll_loss_forward", "getitem": "index", "imul": "mul_", "iadd": "add_",
              "rmul": "mul", "radd": "add", "itruediv": "div_", "truediv": "div", "isub": "sub_", "pow": "pow"}  # fmt: skip
"""The operators that PyTorch names, where a function is made of others."""


def dispatch(func: Any, args: tuple, kwargs: dict) -> Any:
    """The result of a function of torch of which some argument is a DTensor."""
    title = func.__name__
    name = title.strip("_")
    if title in ("__get__", "__set__", "__delete__"):  # of a property
        name = getattr(getattr(func, "__self__", None), "__name__", "dtype")
        name = name if name in ("T", "mT", "H", "mH", "real", "imag") else "dtype"
    if name in OF_THE_PART or name == "type" and len(args) == 1:
        with DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    kwargs = beside_defaults(getattr(func, "_title", ""), kwargs)
    if name == "is_same_size":
        return args[0].shape == args[1].shape
    if in_parts(kwargs.get("out")):
        out = kwargs.pop("out")
        found = func(*args, **kwargs).redistribute(placements=out._placements)
        if out._shape != found._shape:
            raise RuntimeError(
                f"out of shape {list(out._shape)} does not fit a result in parts of {list(found._shape)}"
            )
        local_of(out).copy_(local_of(found))
        return out
    found = tensors_in((args, kwargs))
    mesh = next(t._mesh for t in found if in_parts(t))
    for t in found:
        if not in_parts(t) and t.numel() != 1 and not beside_parts & {name, "*"}:
            raise RuntimeError(MIXED.format(name=operator_of(name, args, title[-1] == "_" != title[0])))
    if "*" in beside_parts:  # what is whole lies in the same way everywhere
        whole = lambda v: (
            placed_tensor(v, mesh, (REPLICATE,) * mesh.ndim, v.shape)
            if isinstance(v, Tensor) and not in_parts(v)
            else v
        )
        args, kwargs = mapped(whole, args), mapped(whole, kwargs)
    rule = RULES.get(name)
    if rule is None and is_pointwise(title):
        rule = pointwise
    if rule is not None and any(type(each) is _StridedShard for t in found if in_parts(t) for each in t._placements):
        rule = alike if rule is pointwise else None
    if rule is not None:
        result = rule(Call(func, title, name, args, kwargs, mesh))
        if result is not NotImplemented:
            return result
    return Call(func, title, name, args, kwargs, mesh).whole()


def is_pointwise(title: str) -> bool:
    name = title.strip("_")
    return name in elementwise() or title in elementwise() or name in ALSO_POINTWISE


def operator_of(name: str, args: tuple, in_place: bool) -> str:
    """PyTorch's name of the operator that a call arrives at."""
    plain = UNDERNEATH.get(name, name) + "_" * in_place
    if name == "linear":
        plain = "addmm" if len(args) > 2 and args[2] is not None else "mm"
    elif name in ("matmul", "rmatmul"):
        dims = [t.dim() for t in args[:2]]
        plain = "dot" if dims == [1, 1] else "mv" if dims == [2, 1] else "mm" if max(dims) < 3 else "bmm"
    return f"{plain}.Tensor" if is_pointwise(name) or plain == "index" else f"{plain}.default"


class Call:
    """A call with tensors in parts."""

    def __init__(self, func: Any, title: str, name: str, args: tuple, kwargs: dict, mesh: Any) -> None:
        self.func, self.title, self.name, self.args, self.kwargs, self.mesh = func, title, name, args, kwargs, mesh
        self.tensors: list[Any] = [t for t in tensors_in((args, kwargs)) if in_parts(t)]

    def argument(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by its place or name."""
        return self.args[place] if len(self.args) > place else self.kwargs.get(name, default)

    def whole(self) -> Any:
        """The call on whole tensors."""
        same = (REPLICATE,) * self.mesh.ndim
        return self.run({id(t): same for t in self.tensors}, same)

    def run(self, wanted: dict[int, tuple], out: tuple, shape: Any = None, sizes: dict[int, int] | None = None) -> Any:
        """The call on parts. wanted: the placements of each tensor. out: those of the results. shape: of the whole result, else
        that of the part with the sizes of some dimensions."""

        def local(value: Any) -> Any:
            return self.part(value, wanted[id(value)], out) if in_parts(value) else value

        def placed(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            full = shape
            if full is None:
                full = list(value.shape)
                for dim, size in (sizes or {}).items():
                    full[dim] = size
            return placed_tensor(value, self.mesh, out, tuple(full))

        changes = (
            self.title.endswith("_")
            and not self.title.endswith("__")
            or self.title[:3] in ("__i",)
            and self.title not in ("__invert__", "__iter__", "__int__", "__index__")
        )
        if changes and in_parts(self.args[0]):
            return self.change(self.args[0], local, out)
        result = self.func(*mapped(local, self.args), **mapped(local, self.kwargs))
        return mapped(placed, result)

    def change(self, target: Any, local: Callable, out: tuple) -> Any:
        """A call that writes into its first tensor."""
        if out != target._placements:
            raise RuntimeError(
                f"aten.{self.title}: in-place operations that require placement changes are not supported. The operation would "
                f"change placement from {target._placements} to {out}"
            )
        part = local_of(target)
        self.func(part, *mapped(local, self.args[1:]), **mapped(local, self.kwargs))
        target._array, target._node, target._cell = part._array, part._node, part._cell
        return target

    def part(self, t: Any, wanted: tuple, out: tuple) -> Tensor:
        """The part of a tensor in wanted placements; its gradient is summed where others are in parts."""
        part = moved(local_of(t), self.mesh, t._placements, wanted, t._shape)
        if part._node is not None:
            for i, (placement, result) in enumerate(zip(wanted, out, strict=True)):
                if isinstance(placement, Replicate) and not isinstance(result, Replicate):
                    part = Guard.apply(part, self.mesh.get_group(i))  # type: ignore[attr-defined]
        return part


def rule(*names: str) -> Callable:
    """Enter a rule for functions of these names."""

    def entered(function: Callable) -> Callable:
        for name in names:
            RULES[name] = function
        return function

    return entered


def broadcast_shape(shapes: list[tuple]) -> tuple:
    """The common shape of several."""
    ndim = max(map(len, shapes), default=0)
    found = [1] * ndim
    for shape in shapes:
        for i, n in enumerate(shape[::-1]):
            if n != 1:
                found[ndim - 1 - i] = n
    return tuple(found)


def pointwise(call: Call) -> Any:
    """Element by element: parts meet parts."""
    tensors, mesh = call.tensors, call.mesh
    shape = broadcast_shape([t._shape for t in tensors])
    ndim = len(shape)
    wanted: list[list] = [[] for _ in tensors]
    out = []
    changes = call.title.endswith("_") and not call.title.endswith("__")
    for i in range(mesh.ndim):
        here = [t._placements[i] for t in tensors]
        order = [0] if changes else range(len(tensors))
        cuts = [here[k].dim + ndim - len(tensors[k]._shape) for k in order if isinstance(here[k], Shard)]
        if cuts:
            dim = cuts[0]
            out.append(Shard(dim))
            for k, t in enumerate(tensors):
                own = dim - (ndim - len(t._shape))
                wanted[k].append(Shard(own) if own >= 0 and t._shape[own] != 1 else REPLICATE)
            continue
        kept = partial(call, here)
        out.append(REPLICATE if kept is None else kept)
        for k, placement in enumerate(here):
            wanted[k].append(REPLICATE if kept is None else placement)
    return call.run({id(t): tuple(w) for t, w in zip(tensors, wanted, strict=True)}, tuple(out), shape)


def alike(call: Call) -> Any:
    """Element by element, of tensors that lie in the same parts, and of numbers."""
    first = max(call.tensors, key=lambda t: t.numel())
    if first.numel() == 1:
        return NotImplemented
    wanted = {}
    for t in call.tensors:
        number = t.numel() == 1
        if not number and (t._shape != first._shape or t._placements != first._placements):
            return NotImplemented
        wanted[id(t)] = (REPLICATE,) * call.mesh.ndim if number else t._placements
    return call.run(wanted, first._placements, first._shape)


def partial(call: Call, here: list) -> Any:
    """The placement of a result whose operands are in terms, where it is in the same terms; None elsewhere."""
    terms = [each for each in here if isinstance(each, Partial)]
    if not terms or any(each.reduce_op not in ("sum", "avg") for each in terms):
        return None
    together = call.name in LINEAR_TOGETHER and len(here) == len(terms) and len(set(terms)) == 1
    together = together and len(here) == sum(isinstance(a, Tensor) for a in call.args) == 2
    scaled = call.name in SCALING and len(terms) == 1 and isinstance(here[0], Partial)
    alone = call.name in LINEAR_ALONE or call.title in ("fill_", "zero_")
    alone = alone and not any(
        isinstance(each, dtype) and not each.is_floating_point for each in (*call.args, *call.kwargs.values())
    )
    return terms[0] if together or scaled or alone and len(here) == 1 else None


@rule("iter")
def iterated(call: Call) -> Any:
    """Slices along the first dimension, one after the other."""
    if any(each.is_shard(0) for each in call.args[0]._placements):
        told = "It cannot be performed without redistribution, which is disallowed by the current operator."
        raise RuntimeError(("Attempted to unbind along the sharded dimension 0. ", told))
    return iter(call.args[0].unbind(0))


@rule("linear")
def linear(call: Call) -> Any:
    """Rows of the weight are columns of the result, its columns meet parts of the input."""
    x, weight, bias = call.argument(0, "input"), call.argument(1, "weight"), call.argument(2, "bias")
    if not in_parts(x) or not in_parts(weight):
        return NotImplemented
    last = len(x._shape) - 1
    of_x, of_w, of_b, out = [], [], [], []
    for i in range(call.mesh.ndim):
        a, w = x._placements[i], weight._placements[i]
        if isinstance(w, Shard) and w.dim == 0:
            places = REPLICATE, w, Shard(0), Shard(last)
        elif isinstance(w, Shard) or isinstance(a, Shard) and a.dim == last:
            places = Shard(last), Shard(1), REPLICATE, Partial()
        elif isinstance(a, Shard):
            places = a, REPLICATE, REPLICATE, a
        else:
            places = (REPLICATE,) * 4
        for entries, place in zip((of_x, of_w, of_b, out), places, strict=True):
            entries.append(place)
    shape = (*x._shape[:-1], weight._shape[0])
    parts = [call.part(x, tuple(of_x), tuple(out)), call.part(weight, tuple(of_w), tuple(out))]
    added = None if bias is None else call.part(bias, tuple(of_b), tuple(out))
    if added is not None and any(
        isinstance(each, Partial) and call.mesh.get_group(i).rank() for i, each in enumerate(out)
    ):
        added = added * 0  # one of the terms has it
    return placed_tensor(call.func(*parts, added), call.mesh, tuple(out), shape)


@rule("matmul", "mm", "bmm", "rmatmul")
def matmul(call: Call) -> Any:
    """Rows of the first and columns of the second are rows and columns of the result; what is summed over gives terms."""
    a, b = call.args[:2] if len(call.args) > 1 else (None, None)
    if call.title == "__rmatmul__":
        a, b = b, a
    if not in_parts(a) or not in_parts(b):
        return NotImplemented
    dims = len(a._shape), len(b._shape)
    if dims in ((1, 1), (2, 1)):
        return a.dot(b) if dims == (1, 1) else a.mv(b)
    if min(dims) < 2:
        return NotImplemented
    if dims == (2, 2) and a._shape[1] != b._shape[0]:
        raise RuntimeError(f"a and b must have same reduction dim, but got {list(a._shape)} X {list(b._shape)}.")
    batch = broadcast_shape([a._shape[:-2], b._shape[:-2]])
    ndim = len(batch) + 2
    of_a, of_b, out = [], [], []
    for i in range(call.mesh.ndim):
        places: tuple | None = None
        p, q = a._placements[i], b._placements[i]
        if isinstance(p, Shard):
            dim = p.dim - len(a._shape)
            if dim == -1:
                places = p, Shard(len(b._shape) - 2), Partial()
            elif dim == -2:
                places = p, REPLICATE, Shard(ndim - 2)
                if q.is_shard(len(b._shape) - 1) and a.numel() < b.numel():  # the larger stays where it is
                    places = REPLICATE, q, Shard(ndim - 1)
            else:
                own = len(b._shape) + dim
                same = own >= 0 and b._shape[own] == a._shape[p.dim]
                places = p, Shard(own) if same else REPLICATE, Shard(ndim + dim)
        elif isinstance(q, Shard):
            dim = q.dim - len(b._shape)
            if dim == -2:
                places = Shard(len(a._shape) - 1), q, Partial()
            elif dim == -1:
                places = REPLICATE, q, Shard(ndim - 1)
            else:
                own = len(a._shape) + dim
                same = own >= 0 and a._shape[own] == b._shape[q.dim]
                places = Shard(own) if same else REPLICATE, q, Shard(ndim + dim)
        for entries, place in zip((of_a, of_b, out), places or (REPLICATE,) * 3, strict=True):
            entries.append(place)
    shape = (*batch, a._shape[-2], b._shape[-1])
    return (
        call.run({id(a): tuple(of_a), id(b): tuple(of_b)} if a is not b else {}, tuple(out), shape)
        if a is not b
        else NotImplemented
    )


@rule("addmm")
def addmm(call: Call) -> Any:
    """A product and a sum."""
    bias, a, b = call.args[:3] if len(call.args) > 2 else (None, None, None)
    return NotImplemented if call.kwargs or not in_parts(a) else bias + a.matmul(b)


REDUCTIONS = {"sum": "sum", "mean": "avg", "amax": "max", "amin": "min", "max": "max", "min": "min", "prod": "product",
              "all": "product", "any": "sum"}  # fmt: skip
INFINITE = {math.inf: "max", -math.inf: "min"}
"""How norms of infinite order come of those of parts."""


@rule("sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "std", "var", "prod", "norm", "all", "any", "logsumexp",
      "softmax", "log_softmax", "cumsum", "sort", "argsort", "topk", "normalize", "linalg_vector_norm")  # fmt: skip
def along(call: Call) -> Any:
    """Along dimensions: parts along others stay, and what is reduced gives terms."""
    x = call.argument(0, "input")
    default = -1 if call.name in ("sort", "argsort", "topk") else None
    if len(call.tensors) != 1 or not in_parts(x):
        return pointwise(call) if call.name in ("max", "min") and len(call.tensors) == 2 else NotImplemented
    place = 2 if call.name in ("topk", "norm", "normalize", "linalg_vector_norm") else 1
    dims = call.argument(place, "dim", 1 if call.name == "normalize" else default)
    ndim = len(x._shape)
    dims = (
        list(range(ndim)) if dims is None else [dims] if isinstance(dims, int) and not isinstance(dims, bool) else dims
    )
    if not isinstance(dims, (list, tuple)):
        return NotImplemented
    dims = [d % ndim if ndim else 0 for d in dims]
    keeps = call.name in (
        "softmax", "log_softmax", "cumsum", "sort", "argsort", "topk", "normalize",
    ) or call.kwargs.get("keepdim", False)  # fmt: skip
    keeps = keeps or len(call.args) > place + 1 and call.args[place + 1] is True
    total = len(call.args) <= place and "dim" not in call.kwargs
    how = REDUCTIONS.get(call.name)
    is_norm = call.name in ("norm", "linalg_vector_norm")
    if is_norm:
        how = INFINITE.get(call.argument(1, "p" if call.name == "norm" else "ord"))
    if call.name in ("max", "min") and not total:
        how = None
    wanted, out, sizes = [], [], {}
    for i, placement in enumerate(x._placements):
        after: Any = REPLICATE
        if isinstance(placement, Shard):
            even = x._shape[placement.dim] % call.mesh.size(i) == 0
            if placement.dim not in dims:
                after = Shard(placement.dim - (0 if keeps else sum(d < placement.dim for d in dims)))
                sizes[after.dim] = x._shape[placement.dim]
            elif how is not None and (even or how == "sum"):
                after = Partial(how)
            else:
                placement = REPLICATE
        elif isinstance(placement, Partial):
            if (
                how in ("sum", "avg")
                and placement.reduce_op in ("sum", "avg")
                or is_norm
                and how == placement.reduce_op
            ):
                after = placement
            else:
                placement = REPLICATE
        wanted.append(placement)
        out.append(after)
    return call.run({id(x): tuple(wanted)}, tuple(out), sizes=sizes)


@rule("layer_norm", "rms_norm")
def layer_norm(call: Call) -> Any:
    """Along the last dimensions."""
    x, sizes = call.argument(0, "input"), call.argument(1, "normalized_shape")
    count = 1 if isinstance(sizes, int) else len(sizes)
    wanted = {id(t): (REPLICATE,) * call.mesh.ndim for t in call.tensors}
    wanted[id(x)] = out = tuple(
        p if isinstance(p, Shard) and p.dim < len(x._shape) - count else REPLICATE for p in x._placements
    )
    return call.run(wanted, out, x._shape)


@rule("scaled_dot_product_attention")
def attention(call: Call) -> Any:
    """Batches and heads are apart."""
    first = call.tensors[0]
    fits = all(p.is_replicate() or p.is_shard(0) or p.is_shard(1) for p in first._placements)
    if not fits or len(call.tensors) != 3 or any(t._placements != first._placements for t in call.tensors):
        return NotImplemented
    sizes = {p.dim: first._shape[p.dim] for p in first._placements if isinstance(p, Shard)}
    return call.run({id(t): t._placements for t in call.tensors}, first._placements, sizes=sizes)


@rule("mse_loss", "l1_loss")
def loss(call: Call) -> Any:
    """The mean of what is computed element by element."""
    if call.kwargs or len(call.tensors) != 2 or len(call.args) != 2:
        return NotImplemented
    difference = call.args[0] - call.args[1]
    return (difference * difference if call.name == "mse_loss" else difference.abs()).mean()


@rule("embedding")
def embedding(call: Call) -> Any:
    """Rows of a table: its columns are the result's last dimension; of rows in parts, each process finds its own."""
    numbers, table = call.argument(0, "input"), call.argument(1, "weight")
    if call.argument(3, "max_norm") is not None:  # the norms of whole rows
        raise NotImplementedError(
            "Operator aten.embedding_renorm_.default does not have a sharding strategy registered."
        )
    if not in_parts(numbers) or call.mesh.ndim != 1 or not in_parts(table):
        return NotImplemented
    p, q = numbers._placements[0], table._placements[0]
    shape = (*numbers._shape, table._shape[1])
    if isinstance(q, Shard) and q.dim == 1:
        return call.run({id(numbers): (REPLICATE,), id(table): (q,)}, (Shard(len(shape) - 1),), shape)
    if isinstance(q, Shard):
        from .moving import share

        group = call.mesh.get_group(0)
        low, high = share(table._shape[0], group.size(), group.rank())
        where = call.part(numbers, (REPLICATE,), (Partial(),))
        rows = call.part(table, (q,), (Partial(),))
        outside = (where < low) | (where >= high)
        found = call.func((where - low).masked_fill(outside, 0), rows)
        return placed_tensor(found.masked_fill(outside.unsqueeze(-1), 0), call.mesh, (Partial(),), shape)
    if isinstance(p, Shard):
        return call.run({id(numbers): (p,), id(table): (REPLICATE,)}, (p,), shape)
    return NotImplemented
