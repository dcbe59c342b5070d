"""Public forms of operators and functions, as a program calls them: ``torch.add``, ``Tensor.add_``, ``x + y``.

A form knows its title and is the only place that catches what a call raises; what stands below raises plainly. It asks those
who have a say first, while there are any. Cython compiles this file together with `public_form.pxd`; without a compiler it runs
as it stands."""

from types import MethodType

import numpy as np

from ...sandbox.long_calls import HUGE
from ...sandbox.wrapping import signature
from ..arrays.constants import NUMBERS
from ..arrays.door import ASKED, PROCEED, ask, late
from ..arrays.dtype import COMPLEX_HALF
from ..arrays.switches import holder as threads
from ..graph.fields import Fields, wrap
from ..tensors.tensor import Tensor
from ..wording.arguments import MOST, explain, too_wide, types_of
from ..wording.overloads import is_wide
from .casts import door_of
from .older import today

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

if not cython.compiled:
    from ..arrays.switches import opened
    from .around import plainly

ndarray = np.ndarray
FLOAT64 = np.dtype(np.float64)
MOST_FITS = 8
"""So many kinds of calls of a form are known at most."""
NEEDS_DETACH = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


def of_array(input, other, quotient=False):
    """numpy's array as the second operand of a tensor, which PyTorch leaves to numpy: it must want no gradient, and the result has
    the dtype that numpy gives it (float64 of float32 and int64, and of a `quotient` of integers, also where the array has no
    dimension)."""
    if input._node is not None:
        raise RuntimeError(NEEDS_DETACH)
    own = input._array
    if type(own) is ndarray and own.dtype.kind in PLAIN and other.dtype.kind in PLAIN:
        common = np.result_type(own.dtype, other.dtype)
        other = other.astype(FLOAT64 if quotient and common.kind in "biu" else common, copy=False)
        if own.ndim and not other.ndim:
            other = np.broadcast_to(other, own.shape)
    return wrap(other)


PLAIN = "biufc"
"""The kinds of dtypes that are numpy's own."""


class Fit:
    """Arguments of a call that fit an operator whatever their values are: how many stand without a name, the names of the
    others, their types, and their places in the operator's record."""

    def __init__(self, executor, n, names, kinds, places, listed=-1, element=None, length=-1, floats=-1, every=False):
        """kinds: their types; `object` stands for a plain number. listed: which of them is a list, of elements of one type, and of
        one length, if that counts. floats: which of them must be a tensor of floats, or, `every`, of any numbers; else the form answers."""
        self.executor = executor
        self.n = n
        self.names = names
        self.kinds = kinds
        self.places = places
        self.listed = listed
        self.element = element
        self.length = length
        self.floats = floats
        self.every = every


def suits(fit, a):
    """Whether an array is one that a choice is for: numpy's, with elements, but not so many that the work is to be left."""
    if type(a) is not ndarray or not 0 < a.size < HUGE:
        return False
    return fit.every or a.dtype.kind in "fV" and a.dtype is not COMPLEX_HALF


def fit_of_choice(types, executor, every):
    """The fit of a choice: types of arguments, after the names of those by name; the first operand is to be of floats, or `every`
    type of numbers."""
    names = tuple([x for x in types if isinstance(x, str)])
    n = types.index(names[0]) if names else len(types)
    places = [*range(n), *[executor.index[name] for name in names]]
    kinds = tuple([x for x in types if not isinstance(x, str)])
    return Fit(executor, n, names, kinds, bytes(places), floats=places.index(executor.first), every=every)


PYTHON = frozenset(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum
    istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index
    """.split()
)
"""Functions of torch that PyTorch has written in Python."""
BUILTIN = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear
    logsigmoid native_channel_shuffle one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_
    scaled_dot_product_attention selu_ softplus softshrink threshold_
    """.split()
)
"""Functions of torch.nn.functional that PyTorch has not."""


def is_method(title):
    """Whether the function of a title becomes a method where it stands on a class, as a tensor's and those in Python do."""
    owner, _, name = title.partition(".")
    if name[:14] == "nn.functional.":
        return name[14:] not in BUILTIN
    return owner == "Tensor" or name in PYTHON


class PublicForm:
    """A function under its title, called with any arguments."""

    def __cinit__(self):
        take_vectors(self)  # type: ignore[name-defined]  # noqa: F821 - of public_form.pxd

    def __init__(self, title, own, names=(), typed=None, executor=None, choices=None):
        """own: ``own(args, kwargs)`` answers any arguments; names: under one of which there may be a function for sparse tensors
        without a rule. typed: answers in its place, where types decide. executor: the operator, or one whose loop answers for
        the tensors that it is for. choices: the operators that answer for float tensors, by the types of the arguments."""
        if isinstance(names, dict):  # the body of a class that was to be derived from a function
            raise TypeError(f"cannot create '{type(self).__name__}' instances")
        self._title = title
        self._titled = title
        self.__name__ = title.rpartition(".")[2]
        self.__qualname__ = "Tensor." + self.__name__ if title[:9] == "Tensor.__" else self.__name__
        self.__module__ = "torch.nn.functional" if title[:20] == "torch.nn.functional." else "torch"
        self._of_tensors = title[:7] == "Tensor."
        self._own = own
        self._names = tuple(names)
        self._typed = typed
        self._executor = executor
        self._door = door_of(title)
        every = getattr(typed, "limited", True) is False
        self._fits = None if choices is None else [fit_of_choice(types, op, every) for types, op in choices.items()]

    def __call__(self, *args, **kwargs):
        return self._general(args, kwargs)

    def __get__(self, instance, owner):
        return self

    def __repr__(self):
        owner, _, name = self._titled.partition(".")
        if isinstance(self, Written):
            return f"<function {self.__qualname__} at {id(self):#x}>"
        if owner == "Tensor":
            return f"<method '{name}' of 'torch._C.TensorBase' objects>"
        if self.__module__[:9] == "torch._C.":
            return f"<built-in function {self.__name__}>"
        return f"<built-in method {self.__name__} of type object at {id(type(self)):#x}>"

    def __reduce__(self):
        return self.__qualname__

    def _one(self, input):
        """The answer of the executor's loop to a tensor; None for what is not for it."""
        if type(input) is Tensor:
            try:
                return self._executor.single(input)
            except Exception:
                pass  # the general way has the words
        return None

    def _two(self, input, other):
        """The answer of the executor's loop to a tensor and a tensor or number; None for what is not for it."""
        if type(input) is Tensor:
            kind = type(other)
            if kind is Tensor or kind is float or kind is int:
                try:
                    return self._executor.pair(input, other)
                except Exception:
                    pass  # the general way has the words
        return None

    def _check_tensor(self, args):
        """TypeError: a method is called for what is no tensor."""
        if not args:
            raise TypeError(f"unbound method TensorBase.{self.__name__}() needs an argument")
        if not isinstance(args[0], Fields):
            raise TypeError(
                f"descriptor '{self.__name__}' for 'torch._C.TensorBase' objects doesn't apply to a '{type(args[0]).__name__}' object"
            )

    def _general(self, args, kwargs):
        """The answer to any arguments."""
        if opened(threads) >= self._door:
            given = ask(self, args, kwargs)
            if given is not PROCEED:
                return given
        if self._of_tensors:
            self._check_tensor(args)
        args = plainly(args)
        if kwargs:
            named = tuple(kwargs.values())
            numbers = plainly(named)
            if numbers is not named:
                kwargs = dict(zip(kwargs, numbers, strict=True))
        try:
            if self._typed is None:
                return self._own(args, kwargs)
            result = self._typed.answer(args, kwargs)
            if self._typed.news:
                self._learn(args, kwargs)
            return result
        except Exception as error:
            return self._failed(args, kwargs, error)

    def _widely(self, args, kwargs):
        """The answer to arguments one of which is an integer of more than 64 bits."""
        if opened(threads) >= self._door:
            given = ask(self, args, kwargs)
            if given is not PROCEED:
                return given
        told = too_wide(self._titled, args, kwargs)
        if told is not None:
            raise told
        return self._general(args, kwargs)

    def _failed(self, args, kwargs, error):
        """The answer to arguments by which a call failed: of a function for sparse tensors, of those that are asked late, of an
        older form; else PyTorch's error is raised."""
        if self._names and hasattr(error, "form_of"):
            sparse = error.form_of(self._names)
            if sparse is not None:
                return sparse(*args, **kwargs)
        if late and late[0](args, kwargs):
            return self._general(args, kwargs)
        if isinstance(error, TypeError):
            older = today(self._titled, args, kwargs)
            if older is not None:
                return self._general(older[0], older[1])
        told = explain(self._titled, args, kwargs, error)
        if told is error:
            raise error
        raise told from None

    def _learn(self, args, kwargs):
        """Keep the types of a call that fitted: calls like it go to the executor at once."""
        self._typed.news = False
        places = [*range(len(args)), *[self._executor.index.get(name, -1) for name in kwargs]]
        kinds = (*map(type, args), *map(type, kwargs.values()))
        known = self._fits or []
        if (
            len(known) >= MOST_FITS
            or len(set(places)) < len(places)
            or -1 in places
            or "dtype" in kwargs
            or "out" in kwargs
            or types_of(args, kwargs) not in self._typed.known
        ):
            return
        listed = [k for k, kind in enumerate(kinds) if kind is tuple or kind is list]
        at, element, length = -1, None, -1
        if listed:
            at = listed[0]
            value = (*args, *kwargs.values())[at]
            if len(listed) > 1 or not value or len(value) > MOST:
                return
            element = type(value[0])
            tensors = places[at] in self._executor.lists
            if not all([type(each) is element for each in value]) or element is not (Tensor if tensors else int):
                return
            if not tensors:
                length = len(value)
        if self._executor.packed >= 0 and (not listed or places[at] != self._executor.packed or len(args) != at + 1):
            return
        self._fits = [*known, Fit(self._executor, len(args), tuple(kwargs), kinds, bytes(places), at, element, length)]


class Method(PublicForm):
    """A function that is a method where it stands on a class."""

    def __get__(self, instance, owner):
        return self if instance is None else Bound(self, instance)


class Bound(PublicForm):
    """A method with its tensor, as ``x.add`` without a call gives it: Python tells of it as of a function of C, which PyTorch's are."""

    def __cinit__(self):
        takes_tensors(self)  # type: ignore[name-defined]  # noqa: F821 - of public_form.pxd

    def __init__(self, form, instance):
        if type(form) is str:  # the body of a class that was to be derived from a function
            raise TypeError(f"cannot create '{type(self).__name__}' instances")
        self._bound = MethodType(form, instance)
        self.__doc__ = form.__doc__

    @property
    def __self__(self):
        return self._bound.__self__

    @property
    def __signature__(self):
        return signature(self._bound)

    def __getattr__(self, name):
        if name == "__wrapped__":  # it has one argument more
            raise AttributeError(name)
        try:
            return getattr(self._bound.__func__, name)
        except AttributeError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __repr__(self):
        owner = self._bound.__self__
        return f"<built-in method {self.__name__} of {type(owner).__name__} object at {id(owner):#x}>"

    def __eq__(self, other):
        return self._bound == cython.cast(Bound, other)._bound if isinstance(other, Bound) else NotImplemented

    def __hash__(self):
        return hash(self._bound)

    def __reduce__(self):
        return getattr, (self._bound.__self__, self.__name__)


class Straight(PublicForm):
    """A function that is called often, and itself looks at what it is given."""

    def __cinit__(self):
        goes_straight(self)  # type: ignore[name-defined]  # noqa: F821 - of public_form.pxd


class StraightMethod(Method):
    """A method of that kind."""

    def __cinit__(self):
        goes_straight(self)  # type: ignore[name-defined]  # noqa: F821 - of public_form.pxd


class Written(Method):
    """A function that PyTorch has written in Python."""

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    @property
    def __signature__(self):
        return self.__wrapped__.titled(self._title)


class Symbol(Method):
    """A Python operator on a tensor and what a program writes beside it: NotImplemented for what is no operand."""

    def __init__(self, title, executor, arrays):
        """arrays: whether the other operand may be an array of numpy."""
        super().__init__(title, None, (), None, executor)
        self._arrays = arrays

    def _general(self, args, kwargs):
        """The answer to any arguments."""
        if kwargs or len(args) != 2:
            raise TypeError(f"expected 1 argument, got {len(args) + len(kwargs) - 1}")
        self._check_tensor(args)
        input, other = plainly(args)
        if not self._arrays and isinstance(other, ndarray):
            return NotImplemented
        if opened(threads) >= ASKED:
            answer = ask(self, args, {})
            if answer is not PROCEED:
                return answer
        if not isinstance(other, Fields) and not isinstance(other, NUMBERS):
            if not isinstance(other, ndarray):
                return self._general(args, kwargs) if late and late[0](args, kwargs) else NotImplemented
            executor = self._executor
            other = of_array(input, other, executor.promote == "float") if executor.differentiable else wrap(other)
        return self._executor.carry_out(self._executor.filled(input, other))


def form_of(title, own, names=(), typed=None, executor=None, choices=None):
    """The form of a title, as for `PublicForm`."""
    kind = (
        PublicForm
        if not is_method(title)
        else Method
        if title[:7] == "Tensor." and title[7:] not in PYTHON
        else Written
    )
    return kind(title, own, names, typed, executor, choices)


def executor_of(form):
    """The operator whose loop answers to calls of a form, if it has one; the number of tensors or numbers that such calls have."""
    if not isinstance(form, PublicForm):
        return None, 0
    executor = cython.cast(PublicForm, form)._executor
    if executor is None or executor.loop is None:
        return None, 0
    return executor, executor.operands


if not cython.compiled:

    def interpreted(form, args, kwargs):
        """The answer of a form to any arguments."""
        n = len(args)
        if any(type(x) is int and is_wide(x) for x in (*args, *kwargs.values())):
            return form._widely(args, kwargs)
        if opened(threads) < form._door:
            if n and not kwargs and form._executor is not None and n == form._executor.operands:
                result = form._one(args[0]) if n == 1 else form._two(args[0], args[1])
                if result is not None:
                    return result
            kinds = (*map(type, args), *map(type, kwargs.values()))
            plain = tuple([object if kind is int or kind is float else kind for kind in kinds])
            for fit in form._fits or ():
                if fit.floats >= 0 and fit.n == n and fit.names == tuple(kwargs) and fit.kinds in (kinds, plain):
                    try:
                        if suits(fit, (*args, *kwargs.values())[fit.floats]._array):
                            return fit.executor.answered(args, kwargs)
                    except Exception:
                        pass  # the form has the words
        return form._general(args, kwargs)

    def going_straight(form, args, kwargs):
        """The answer of a function that itself looks at what it is given."""
        if form._of_tensors:
            form._check_tensor(args)
        return form._own(*args, **kwargs)

    method = "method_descriptor"
    compiled = "builtin_function_or_method"
    for kind, name in (
        (PublicForm, compiled),
        (Bound, compiled),
        (Written, "function"),
        (Method, method),
        (Straight, compiled),
        (StraightMethod, method),
    ):
        kind.__name__ = kind.__qualname__ = name
        kind.__module__ = "builtins"
    Symbol.__name__ = Symbol.__qualname__ = Method.__name__
    Symbol.__module__ = "builtins"

    PublicForm._fields = frozenset(vars(PublicForm("", None)))  # type: ignore[attr-defined]
    Straight.__call__ = StraightMethod.__call__ = lambda self, *args, **kwargs: going_straight(self, args, kwargs)  # type: ignore[method-assign]
    Bound.__call__ = lambda self, *args, **kwargs: self._bound(*args, **kwargs)  # type: ignore[method-assign]
    Symbol._fields = PublicForm._fields | {"_arrays"}  # type: ignore[attr-defined]
    PublicForm.__call__ = lambda self, *args, **kwargs: interpreted(self, args, kwargs)  # type: ignore[method-assign]
else:
    vectors()  # type: ignore[name-defined]  # noqa: F821 - of public_form.pxd
