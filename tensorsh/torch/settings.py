"""The functions of ``torch`` that set or tell the session's state: seeds, default dtype and device, print options."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays.backend import cupy
from ..engine.arrays.device import CPU, device
from ..engine.arrays.dtype import BY_NAME, FLOAT, dtype
from ..engine.arrays.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
    type_named,
)
from ..engine.arrays.state import here, state
from ..engine.arrays.type_names import type_name
from ..engine.arrays.warning import warn, warn_of_old
from ..engine.graph.fields import wrap
from ..engine.tensors.storage import UntypedStorage
from ..engine.tensors.tensor import Tensor
from ..engine.tensors.text import print_options
from ..engine.tensors.typed_storage import TypedStorage
from ..engine.wording.overloads import Mismatch, overloads
from ..sandbox.sealed import Frozen
from ..sandbox.wrapping import builtin

__all__ = [
    "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "Generator", "default_generator",
    "get_default_dtype", "set_default_dtype", "set_default_tensor_type", "get_default_device", "set_default_device",
    "set_printoptions",
    "get_num_threads", "set_num_threads", "get_num_interop_threads", "set_num_interop_threads",
    "use_deterministic_algorithms", "are_deterministic_algorithms_enabled", "set_float32_matmul_precision",
    "get_float32_matmul_precision", "set_flush_denormal", "is_deterministic_algorithms_warn_only_enabled",
    "memory_format", "layout", "contiguous_format", "preserve_format", "channels_last", "channels_last_3d", "strided",
    "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "compile", "set_warn_always",
    "TypedStorage", "UntypedStorage", "get_deterministic_debug_mode",
    "set_deterministic_debug_mode",
]  # fmt: skip


class Generator(Frozen):
    """A source of random numbers: PyTorch's Mersenne twister."""

    __module__ = "torch._C"
    __slots__ = ("_core",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            overloads("device? device=None")[0].match("Generator", args, kwargs)
        except Mismatch as mismatch:
            raise TypeError(str(mismatch)) from None
        given = args[0] if args else kwargs.get("device")
        self._core = new_core("cpu" if given is None else given)

    device = property(lambda self: device(self._core.device))

    @builtin("Generator", 1)
    def manual_seed(self, seed: int) -> Generator:
        self._core.manual_seed(seed)
        return self

    @builtin("Generator")
    def seed(self) -> int:
        return self._core.seed()

    @builtin("Generator")
    def initial_seed(self) -> int:
        return self._core.initial_seed()

    @builtin("Generator")
    def get_state(self) -> Tensor:
        return wrap(self._core.get_state())

    @builtin("Generator", 1)
    def set_state(self, new_state: Tensor) -> Generator:
        self._core.set_state(_bytes(new_state))
        return self

    @builtin("Generator")
    def get_offset(self) -> int:
        return self._core.get_offset()

    @builtin("Generator", 1)
    def set_offset(self, offset: int) -> Generator:
        self._core.set_offset(offset)
        return self

    @builtin("Generator")
    def clone_state(self) -> Generator:
        made = object.__new__(Generator)
        made._core = self._core.clone_state()
        return made

    def __reduce__(self) -> tuple:
        """What copies and pickles are made of: the device, the seed, the offset on a device, the state."""
        offset = None if self.device.type == "cpu" else self.get_offset()
        return Generator, (self.device,), (self.initial_seed(), offset, self.get_state())

    def __setstate__(self, kept: tuple) -> None:
        seed, offset, state = kept
        self.manual_seed(seed)
        if offset is not None:
            self.set_offset(offset)
        self.set_state(state)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def new_core(where: Any) -> Any:
    """The engine's generator for a device."""
    from ..engine.random import generator

    where = device(where)
    if where.type == "meta":
        raise RuntimeError("META device type not an accelerator.")
    if where.type != "cuda":
        return generator.Generator(str(where))
    from ..engine.arrays.backend import check_device

    where = check_device(where)
    from ..engine.cuda.philox import Philox

    return Philox(where.index or 0)


def _bytes(value: Any) -> np.ndarray:
    if not isinstance(value, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(value).__name__}")
    if value.dtype is not BY_NAME["uint8"]:
        raise TypeError("RNG state must be a torch.ByteTensor")
    return value._array


def drawing() -> Any:
    """The engine's generator of the session; its module is loaded with the first random number."""
    from ..engine.random import generator

    return generator.default_generator()


default_generator: Generator = type(Generator)(
    "Generator",  # the name is the same, too
    (Generator,),
    {
        "__module__": "torch._C",
        "__qualname__": "Generator",
        "__doc__": "The session's own generator.",
        "__slots__": (),
        "__init__": lambda self: None,
        "_core": property(lambda self: drawing()),
    },
)()


def manual_seed(seed: int) -> Generator:
    """Start the session's random numbers from a seed; the same numbers as PyTorch's follow.
    seed: an integer; all devices are seeded with it, `np.random` and `random` have seeds of their own. The default
    generator is returned.
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    drawing().manual_seed(int(seed))
    seed_devices(int(seed))
    return default_generator


def seed_devices(seed: int) -> None:
    """Seed the CUDA generators, also those that are yet to be made."""
    state.device_seed = seed
    for each in state.device_generators.values():
        each.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    manual_seed(seed)


def seed() -> int:
    """The start of the random numbers from a seed of the system, which is returned as a number of 64 bits.

    `initial_seed` gives it again, so that a run can be repeated with `manual_seed`.

    >>> torch.seed() == torch.initial_seed()
    True
    """
    found = drawing().seed()
    seed_devices(found)
    return found


def initial_seed() -> int:
    """The seed that the random numbers started from, as a number: that of the last `manual_seed` or `seed`.

    >>> _ = torch.manual_seed(7)
    >>> torch.initial_seed()
    7
    """
    return drawing().initial_seed()


def get_rng_state() -> Tensor:
    """The state of the random numbers, to be put back by `set_rng_state`: a tensor uint8[5056], a copy.

    >>> _ = torch.manual_seed(0)
    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(a, torch.rand(2)), state.shape
    (True, torch.Size([5056]))
    """
    return wrap(drawing().get_state())


def set_rng_state(new_state: Tensor) -> None:
    """The random numbers go on from a state that `get_rng_state` gave.

    new_state: a tensor uint8[5056] on the CPU. TypeError: no tensor; RuntimeError: another size or dtype.

    >>> _ = torch.manual_seed(0)
    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    drawing().set_state(_bytes(new_state))


@builtin("torch")
def get_default_dtype() -> dtype:
    """The dtype of floating-point tensors that are made from Python numbers or without one: float32 until `set_default_dtype`
    says otherwise. Complex ones have the complex dtype of that precision.

    >>> torch.get_default_dtype(), torch.tensor(1.5).dtype, torch.zeros(2).dtype
    (torch.float32, torch.float32, torch.float32)
    """
    return state.default_dtype


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of floating-point tensors made from Python numbers.
    d: a floating-point dtype (float32 at first), for this session. Complex numbers follow: complex128 with float64.
    TypeError: an integer dtype.
    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor(0.5).dtype, torch.zeros(1).dtype
    (torch.float64, torch.float64)
    >>> torch.set_default_dtype(torch.float32)
    """
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if d.category != FLOAT:
        raise TypeError("only floating-point types are supported as the default type")
    state.default_dtype = d


def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype, and the device, by a tensor type: ``torch.DoubleTensor``, ``torch.cuda.FloatTensor`` or its name."""
    warn_of_old("set_default_tensor_type")
    name = t if isinstance(t, str) else getattr(t, "type_name", None) or ""
    found = type_named(name)
    if found is None and isinstance(t, str) and "." not in t:
        raise ModuleNotFoundError(f"No module named '{t}'")
    if found is None:
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    d, kind = found
    if kind == "cuda" and cupy() is None:
        raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
    if d.category != FLOAT:
        raise TypeError("only floating-point types are supported as the default type")
    state.default_dtype = d
    if kind == "cuda" or here.default_device is not None and here.default_device.type == "cuda":
        set_default_device(kind)


def get_default_device() -> device:
    """The device that new tensors are made on: the CPU until `set_default_device` or a block ``with torch.device(...)`` says otherwise.

    >>> torch.get_default_device()
    device(type='cpu')
    >>> with torch.device("meta"):
    ...     print(torch.get_default_device(), torch.ones(2).device)
    meta meta
    """
    return here.default_device or CPU


def set_default_device(d: Any) -> None:
    """From now on new tensors are made on a device, where their call names none.

    d: a device or its name, as ``"meta"`` or ``"cuda:0"``; None for the CPU. It is a setting of the session; for a block there is
    ``with torch.device(...)``. RuntimeError: a name that is no device.

    >>> torch.set_default_device("meta")
    >>> torch.ones(2)
    tensor(..., device='meta', size=(2,))
    >>> torch.set_default_device(None)
    >>> torch.ones(2)
    tensor([1., 1.])
    """
    chosen = None if d is None else device(d)
    here.default_device = None if chosen == CPU else chosen


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """Set how tensors are printed: digits, when to summarise, line width, a profile (default, short, full).
    precision: digits behind the point (4). threshold: elements from which on the middle is left out (1000). edgeitems: how
    many stay at each end (3). linewidth: characters of a line (80). sci_mode: whether with exponents (None: where the numbers
    ask for it). profile: 'default', 'short' or 'full', which sets all of them.
    >>> torch.set_printoptions(precision=2)
    >>> print(torch.tensor(1 / 3))
    tensor(0.33)
    >>> torch.set_printoptions(profile="default")
    """
    state.print_options = _copied(print_options())
    state.print_options.set(precision, threshold, edgeitems, linewidth, profile, sci_mode)


def _copied(options: Any) -> Any:
    import copy

    return copy.copy(options)


def get_printoptions() -> dict[str, Any]:
    """The print options as a dict."""
    return print_options().get()


@builtin("torch")
def get_num_threads() -> int:
    """The number of threads that one operation may use, as a number.

    At first as many as ``OMP_NUM_THREADS`` or ``MKL_NUM_THREADS`` say, or else as there are processors.

    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    """
    return state.threads


def check_number(name: str, n: Any) -> None:
    """RuntimeError: no number of threads."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"{name} expects an int, but got {type_name(n)}")
    if n >= 1 << 63:
        raise ValueError("Overflow when unpacking long long")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")


@builtin("torch", 1)
def set_num_threads(n: int) -> None:
    """A limit to the threads that one operation may use.

    n: their number, at least one; with one thread the last digits do not depend on the machine's cores. RuntimeError: not positive.

    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    """
    check_number("set_num_threads", n)
    from ..engine.kernels import use_threads

    use_threads(n)


@builtin("torch")
def get_num_interop_threads() -> int:
    """How many operators run at once: one."""
    return 1


@builtin("torch", 1)
def set_num_interop_threads(n: int) -> None:
    """Nothing: operators run one after the other.

    n: how many threads, at least one. RuntimeError: not positive."""
    check_number("set_num_interop_threads", n)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accepted for programs that ask for the same numbers each time: every operator here gives them.

    mode: whether. warn_only: that a warning would be enough; `are_deterministic_algorithms_enabled` tells the mode.

    >>> torch.use_deterministic_algorithms(True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    for what, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if type(value) is not bool:
            raise TypeError(f"_set_deterministic_algorithms(): argument {what} must be bool, not {type_name(value)}")
    state.deterministic, state.warns_of_chance = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was asked for."""
    return state.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether it was asked for with ``warn_only=True``."""
    return state.warns_of_chance


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """The switch of `use_deterministic_algorithms` as a word or a number."""
    modes = ["default", "warn", "error"]
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in modes:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = modes.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """What `set_deterministic_debug_mode` said last, as a number: 0, 1 (warn) or 2 (error)."""
    return (1 if state.warns_of_chance else 2) if state.deterministic else 0


def set_float32_matmul_precision(precision: str) -> None:
    """Whether products of float32 matrices on GPUs may round their factors to TF32 ("high", "medium")."""
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type_name(precision)}")
    if precision not in ("highest", "high", "medium"):
        told = "is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has no effect."
        warn(f"{precision} {told}")
        return
    state.matmul_precision = precision


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` said last."""
    return state.matmul_precision


@builtin("torch", 1)
def set_flush_denormal(mode: bool) -> bool:
    """False: numbers too small for their dtype are kept. mode: whether they shall become 0."""
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


def set_warn_always(mode: bool) -> None:
    """Whether to warn each time, not once. mode: True or False."""
    state.__dict__["warn_always"] = mode


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` said last."""
    return state.__dict__.get("warn_always", False)


def compile(model: Any = None, **options: Any) -> Any:
    """The function, recorded: later calls run its operators without its Python.
    Results and gradients are the same to the bit. Each kind of call (types, shapes, values that it reads) is recorded for itself;
    what cannot be recorded runs as it stands.
    model: the function, which may call modules, `backward` and optimizers; or a module, which gives an `OptimizedModule` around it.
    fullgraph: refuse a function whose tensors decide what it does, or that prints (False). backend: "inductor" or another of
    PyTorch's names, which all do the same here; a function of one's own is not called. mode, dynamic, options: decide nothing. disable: the function itself
    is given back (False). It is a decorator, too. RuntimeError: a backend or mode of another name.
    >>> f = torch.compile(lambda x: torch.sin(x) * 2 + 1)
    >>> f(torch.zeros(2))
    tensor([1., 1.])
    """
    from .replay.options import check
    from .replay.options import compile as made

    if model is None:
        check(options)
        return lambda inner: compile(inner, **options)
    return made(model, options)
