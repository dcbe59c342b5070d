"""``torch.func``: functions to functions: derivatives and mapping over a dimension; modules are called with other parameters in
`stateless.py`.

Gradients are taken by views of the arguments (fresh leaves where nobody outside wants a gradient), with a graph where
somebody outside may differentiate again, so that transforms nest; what hangs on these leaves alone is handed out without its graph.
Inside `vmap` (mapping/) a gradient is taken by a copy of an argument for each slice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.arrays.state import here
from ..engine.graph.dual import DualLeaf, TangentsAlone
from ..engine.graph.nodes import AccumulateGrad
from ..engine.loading.table import find_function
from ..engine.operators.declare import Array, operator
from ..engine.tape.forward_mode import pushing, weight_of
from ..engine.tape.grad_modes import enable_grad
from ..engine.tensors.tensor import Tensor, wanting
from ..sandbox.wrapping import wraps
from .autograd.forward_ad import check_dtype, check_dual
from .autograd.gradients import grad as gradients
from .batch_norms import replace_all_batch_norm_modules_
from .mapping import Batched, at_once, base, known_randomness, levels, lifted, no_numbers, units, vmap
from .rearrange import rearrange
from .stateless import functional_call, stack_module_state
from .transform_checks import differentiable, parted, places_of, real, tensors_of, tensors_only, transforming, under_way
from .trees import flatten, rebuild
from .utils._pytree import tree_structure, treespec_pprint

__all__ = [
    "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "rearrange",
    "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip


def mapped(function: Callable, tree: Any) -> Any:
    return rebuild(tree, iter([function(leaf) for leaf in flatten(tree)]))


def inside(x: Any) -> Any:
    """A tensor to differentiate by."""
    if not isinstance(x, Tensor):
        return x
    x = lifted(x, levels())
    made = x.view_as(x) if linked(x) else wanting(x.detach())
    base(made)._born = here.born
    return made


def linked(x: Tensor) -> bool:
    """Whether a tensor, or that of all slices, has a place in a graph: it wants a gradient, or it has a tangent."""
    return base(x)._node is not None


def beside(x: Any) -> Any:
    """An argument that is not differentiated by, which a function may write into all the same."""
    if not isinstance(x, Tensor) or linked(x) or type(x) not in (Tensor, Batched):
        return x
    made = x.detach()
    base(made)._born = here.born
    return made


@operator("_lent", method=False)
def lent(xp, input: Array):  # noqa: ANN201
    """A tensor with the memory of another, that may be written into while that one keeps its place in the graph."""
    return input


lent.gradient(input=lambda t, g: g)


def lend(x: Any) -> Any:
    """What a function gets that may write into it; a slice of `vmap`, which stands for memory elsewhere, is lent as it is."""
    return lent.function(x) if isinstance(x, Tensor) and linked(x) and not levels() else x


DETACHED, ASIDE = 1, 2


def stopped() -> int:
    """What becomes of results where gradients are off: they are detached, or have a tangent still; 0 where gradients are on."""
    return 0 if here.grad_enabled else ASIDE if here.tangents else DETACHED


def outside(result: Any, own: list, off: int = 0) -> Any:
    """A result without its graph, if that ends at no other leaves than those made for the transform, or gradients are `off`:
    then it may still have a tangent."""
    if not isinstance(result, Tensor) or not linked(result):
        return result
    kept = foreign(result, own)
    if kept and not off:
        return result
    made = result.detach()
    if kept and off == ASIDE:
        base(made)._node = TangentsAlone(base(result)._node, None)
    return made


def foreign(result: Tensor, own: list) -> bool:
    """Whether the graph of a result ends at other leaves, or tangents, than those made for the transform."""
    made = {id(base(x)) for x in own}
    nodes, seen = [base(result)._node], set()
    while nodes:
        node = nodes.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in made or type(node) is DualLeaf and node._counts_now:
            return True
        if node._title == "torch::autograd::Error":  # which says so where it is differentiated
            return True
        nodes += node._edges
    return False


class Given:
    """The arguments of one call, those in `argnums` made ready to differentiate by; `off`: gradients are, where it is called;
    `writable`: the function may write into them."""

    def __init__(self, args: tuple, argnums: int | tuple, off: int, writable: bool = False) -> None:
        self.off = off
        self.single = isinstance(argnums, int)
        places = places_of(argnums, len(args))
        ready = [each if at in places else mapped(beside, each) for at, each in enumerate(args)]
        for place in places:
            for leaf in flatten(args[place]):
                if not isinstance(leaf, Tensor):
                    raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
                if writable:
                    check_dtype("primal", leaf)
            ready[place] = mapped(inside, args[place])
        self.args = tuple(ready)
        self.chosen = tuple(ready[place] for place in places)
        self.wrt = [x for x in flatten(self.chosen) if isinstance(x, Tensor)]
        self.own = [x for x in self.wrt if type(base(x)._node) is AccumulateGrad]
        if writable:
            self.args = tuple(mapped(lend, x) if at in places else x for at, x in enumerate(self.args))

    def answer(self, values: list, off: int | None = None) -> Any:
        """Values for each tensor to differentiate by, in the form of the arguments."""
        tree = rebuild(self.chosen, iter([outside(v, self.own, self.off if off is None else off) for v in values]))
        return tree[0] if self.single else tree

    def result(self, tree: Any) -> Any:
        return mapped(lambda leaf: outside(leaf, self.own, self.off), tree)


def derived(output: Tensor, wrt: list, weight: Any = None, create_graph: bool = True) -> list:
    """The gradients of an output, zeros where there is none."""
    if not linked(output):
        return [find_function("zeros_like")(x) for x in wrt]
    weights = None if weight is None else [weight]
    return list(
        gradients(
            output,
            wrt,
            weights,
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
            materialize_grads=True,
        )
    )


def grad_and_value(func: Callable, argnums: int | tuple = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of `func` by some of its arguments, and its value, as a pair.

    argnums: which argument, or a tuple of them. has_aux: `func` returns a pair, of which the second is handed through:
    ``(gradient, (value, aux))``. RuntimeError: a value that is no tensor of one element.
    >>> torch.func.grad_and_value(lambda x: (x ** 2).sum())(torch.tensor([1.0, 3.0]))
    (tensor([2., 6.]), tensor(10.))
    """

    @wraps(func)
    def both(*args: Any, **kwargs: Any) -> tuple:
        off = stopped()
        with transforming(backward=True):
            given = Given(args, argnums, off)
            output = func(*given.args, **mapped(beside, kwargs))
            aux: Any = None
            if has_aux:
                output, aux = parted(output, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output.ndim:
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} "
                    "dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            again = off != DETACHED and linked(output) and foreign(output, given.own)
            found = given.answer(derived(output, given.wrt, create_graph=again))
            value = given.result(output)
            return (found, (value, given.result(aux))) if has_aux else (found, value)

    return both


def grad(func: Callable, argnums: int | tuple = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of `func`, whose result is one number, by some of its arguments.

    argnums: which argument, or a tuple of them, which gives a tuple of gradients; an argument may be a list or dict of tensors.
    has_aux: `func` returns a pair, of which the second is handed through: ``(gradient, aux)``. Each gradient has the shape of its
    argument; `grad` of `grad` differentiates again. RuntimeError: a result that is no tensor of one element.
    >>> torch.func.grad(lambda x: x ** 3)(torch.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """The result of `func`, and a function that multiplies a vector by its Jacobian from the left: a backward pass.

    primals: the arguments of `func`. has_aux: `func` returns a pair, of which the second comes third: ``(result, function, aux)``.
    The function takes what has the shape of the result, and gives a tuple with the shapes of the arguments.
    >>> value, pull = torch.func.vjp(lambda x: x ** 2, torch.tensor([1.0, 3.0]))
    >>> value, pull(torch.ones(2))
    (tensor([1., 9.]), (tensor([2., 6.]),))
    """
    off = stopped()
    with transforming(backward=True):
        given = Given(primals, tuple(range(len(primals))), off)
        output = func(*given.args)
        output, aux = parted(output, "vjp(f, *primals)") if has_aux else (output, None)
        tensors_only(output)
        differentiable(output)
        form = tree_structure(output)

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        off = stopped()
        if tree_structure(cotangents) != form:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {treespec_pprint(tree_structure(cotangents))}, primal output: {treespec_pprint(form)}"
            )
        with enable_grad():
            total: list | None = None
            for each, weight in zip(flatten(output), flatten(cotangents), strict=True):
                part = derived(each, given.wrt, weight)
                total = part if total is None else [a + b for a, b in zip(total, part, strict=True)]
            return given.answer(total or [], off)

    result = given.result(output)
    return (result, pull, given.result(aux)) if has_aux else (result, pull)


JVP = "jvp(f, primals, tangents)"


def jvp(
    func: Callable, primals: tuple, tangents: tuple, *, strict: bool = False, has_aux: bool = False
) -> tuple:  # fmt: skip
    """The result of `func`, and its Jacobian multiplied by the tangents: the derivative along them, without a backward pass.

    primals, tangents: two tuples of tensors of the same shapes. has_aux: `func` returns a pair, of which the second comes third.
    strict: RuntimeError where a result does not depend on the primals.
    >>> torch.func.jvp(lambda x: x ** 2, (torch.tensor([1.0, 3.0]),), (torch.tensor([1.0, 0.0]),))
    (tensor([1., 9.]), tensor([2., 0.]))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    forms = [tree_structure(each) for each in (primals, tangents)]
    if forms[0] != forms[1]:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if primals is "
            f"a tuple of 3 tensors, tangents also must be. Got primals with structure {forms[0]} and tangents with structure "
            f"{forms[1]}"
        )
    leaves = tensors_of(primals, JVP, "primals")
    for tangent, leaf in zip(tensors_of(tangents, JVP, "tangents"), leaves, strict=True):
        check_dual(leaf, tangent)
    off = stopped()
    with transforming(backward=False):
        given = Given(primals, tuple(range(len(primals))), off, writable=True)
        output = func(*given.args)
        output, aux = parted(output, JVP) if has_aux else (output, None)
        tensors_only(output, JVP)
        if strict and not all(linked(each) for each in flatten(output)):
            raise RuntimeError(
                f"{JVP[:-1]}, strict=True): The output of f is independent of the inputs. This is not allowed with strict=True."
            )
        moved = mapped(lambda each: outside(pushed(each, given)(flatten(tangents)), given.own, off), output)
        result = given.result(output)
        return (result, moved, given.result(aux)) if has_aux else (result, moved)


def linearize(func: Callable, *primals: Any) -> tuple:
    """The result of `func` at `primals`, and the function that multiplies its Jacobian there by tangents of their shapes.

    >>> value, along = torch.func.linearize(torch.sin, torch.tensor(0.0))
    >>> value, along(torch.tensor(2.0))
    (tensor(0.), tensor(2.))
    """
    leaves = flatten(primals)
    output = func(*primals)

    def along(*tangents: Any) -> Any:
        given = flatten(tangents)
        if len(given) != len(leaves):
            raise RuntimeError(
                f"Expected the tangents to have the same argspec as the primals: {len(given)} tensors for {len(leaves)}"
            )
        for i, (tangent, leaf) in enumerate(zip(given, leaves, strict=True)):
            if tangent.shape != leaf.shape:
                raise RuntimeError(
                    f"tangent:{i} with shape {tangent.shape} in flattened pytree doesn't match the shape {leaf.shape} of "
                    "the corresponding primal."
                )
        whole = lambda *given: func(*rebuild(primals, iter(given)))  # noqa: E731 - its arguments are the leaves
        return jvp(whole, tuple(leaves), tuple(given))[1]

    return output, along


def pushed(output: Tensor, given: Given) -> Callable:
    """A function that gives the derivative of an output along tangents: that of its gradient by the weight, which it is linear in."""
    zeros_like = find_function("zeros_like")
    if not (output.is_floating_point() or output.is_complex()):
        return lambda tangents: zeros_like(output)
    weight = weight_of(output)
    given.own.append(weight)
    with pushing():
        first = derived(output, given.wrt, weight)

    def along(tangents: list) -> Tensor:
        total: Any = None
        for part, tangent in zip(first, tangents, strict=True):
            if linked(part):
                (found,) = gradients(
                    part, [weight], tangent, create_graph=True, allow_unused=True, materialize_grads=True
                )
                total = found if total is None else total + found
        return zeros_like(output) if total is None else total

    return along


def jacobian(
    name: str, func: Callable, argnums: int | tuple, has_aux: bool, rows: Callable, randomness: str = "different"
) -> Callable:  # fmt: skip
    @wraps(func)
    def matrix(*args: Any, **kwargs: Any) -> Any:
        off = stopped()
        columns = rows is _by_columns
        wanted = [leaf for at in places_of(argnums, len(args)) for leaf in flatten(args[at])] if columns else [None]
        if not wanted:
            raise AssertionError("tensors must have at least one element")
        _ = columns and [leaf.numel for leaf in wanted]
        with transforming(backward=not columns):
            real(name, args, "inputs")
            given = Given(args, argnums, off, writable=columns)
            with no_numbers(randomness):
                output = func(*given.args, **mapped(beside, kwargs))
            call = JVP if columns else "vjp(f, *primals)"
            output, aux = parted(output, call) if has_aux else (output, None)
            tensors_only(output, call)
            real(name, output, "outputs")
            if not columns:
                differentiable(output)
            again = off != DETACHED and any(
                foreign(each, given.own) for each in flatten(output) if isinstance(each, Tensor) and linked(each)
            )
            found = mapped(lambda each: given.answer(rows(each, given, again)), output)
            return (found, given.result(aux)) if has_aux else found

    return matrix


def _by_rows(output: Tensor, given: Given, again: bool) -> list:
    if not output.numel():
        return [find_function("zeros")(*output.shape, *x.shape, dtype=x.dtype) for x in given.wrt]
    rows = at_once(lambda weight: tuple(derived(output, given.wrt, weight, create_graph=again)), units(output))
    return [row.reshape((*output.shape, *x.shape)) for row, x in zip(rows, given.wrt, strict=True)]


def _by_columns(output: Tensor, given: Given, again: bool) -> list:
    result = []
    zeros = find_function("zeros")
    along = pushed(output, given)
    for i, x in enumerate(given.wrt):
        if not x.numel():
            result.append(zeros(*output.shape, *x.shape, dtype=x.dtype))
            continue
        still = [zeros(y.shape, dtype=y.dtype) for y in given.wrt]
        (columns,) = at_once(lambda unit, i=i: (along([*still[:i], unit, *still[i + 1 :]]),), units(x))  # noqa: B023
        result.append(columns.movedim(0, -1).reshape((*output.shape, *x.shape)))
    return result


def jacrev(
    func: Callable, argnums: int | tuple = 0, *, has_aux: bool = False, chunk_size: Any = None,
    _preallocate_and_copy: bool = False,
) -> Callable:  # fmt: skip
    """A function that gives the Jacobian of `func`, row by row: a backward pass for each element of the result.

    argnums: which argument, or a tuple of them. has_aux: `func` returns a pair, of which the second is handed through.
    chunk_size: how many rows at a time. The shape is the result's, then the argument's; for long results of few arguments
    `jacfwd` costs less.
    >>> torch.func.jacrev(lambda x: x ** 2)(torch.tensor([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return jacobian("jacrev", func, argnums, has_aux, _by_rows)


def jacfwd(func: Callable, argnums: int | tuple = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """A function that gives the Jacobian of `func`, column by column: a forward pass for each element of the argument.

    argnums: which argument, or a tuple of them. has_aux: `func` returns a pair, of which the second is handed through.
    randomness: whether random numbers are refused (``"error"``), the ``"same"`` or ``"different"`` in each column. The shape is the
    result's, then the argument's.
    >>> torch.func.jacfwd(lambda x: x ** 2)(torch.tensor([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    known_randomness(randomness)
    return jacobian("jacfwd", func, argnums, has_aux, _by_columns, randomness)


def hessian(func: Callable, argnums: int | tuple = 0) -> Callable:
    """A function that gives the matrix of second derivatives of `func`.

    argnums: which argument, or a tuple of them, which gives a tuple of tuples. The shape is the result's, then twice the argument's.
    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """`func` itself, under a function of its own: removing writes in place changes no result."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
            "out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be replaced with "
            "their non-aliasing counterparts, {view}_copy.\n"
        )

    @wraps(func)
    def over(*args: Any, **kwargs: Any) -> Any:
        with under_way():
            return func(*args, **kwargs)

    return over
