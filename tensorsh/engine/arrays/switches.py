"""The modes that every call of an operator looks at, at fixed places in memory: each thread has its own.

Those of the thread that asked last are at hand; another thread that asks finds its own first. Cython compiles this file together
with `switches.pxd`; without a compiler it runs as it stands."""

from _thread import _local  # threading adds nothing but its import
from typing import Any

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython


ever: list[bool] = []
"""Not empty once any thread has had something that each call would look for: until then, no call looks."""
MARKED = frozenset(("inference", "born", "default_device", "generator"))


class Switches:
    """The part of a thread's modes (`Modes`) that is looked at most often."""

    grad_enabled: bool
    inference: bool
    places: Any
    """Tells where in a program an operation is recorded, if anybody wants to know: a function, else False."""
    born: int
    """The number of the innermost transform of `torch.func` that is under way, which tensors made in it bear; 0 outside."""
    door: int
    """How far the door of calls is open (`door.py`)."""
    outermost: bool
    """Whether a call is the program's own: none is under way."""
    passing: Any
    """The form that goes on once more, after those who have a say were asked."""
    autocast: Any
    """The `Precision` in effect, if any."""
    profile: Any
    """What counts the calls of operators, if anything does."""
    function_modes: tuple
    """The modes that override all functions, the innermost last."""
    listening: tuple
    """The modes that are asked below autograd, the innermost last (`torch/dispatching.py`)."""
    default_device: Any
    walk: Any
    """The roots of the backward pass under way, the nodes whose gradients are wanted (None: all leaves), a list for its number."""
    packing: tuple
    """The hooks for saved tensors, the innermost last."""
    dual_level: int
    """The level of forward differentiation; -1 outside."""
    transforms: int
    """How many transforms of `torch.func` are under way, one in another."""
    tangents: int
    """In how many forward differentiations, one in another, the program is; calls under ``no_grad`` ask at the door then."""
    pushing: bool
    """Whether a walk looks for tangents: it ends at dual tensors."""

    def __init__(self):
        self.grad_enabled = self.outermost = True
        self.inference = self.pushing = self.places = False
        self.autocast = self.passing = self.profile = self.walk = self.default_device = None
        self.packing = self.listening = self.function_modes = ()
        self.door = self.tangents = self.transforms = self.born = 0
        self.dual_level = -1


if cython.compiled:
    modes_as_members(Switches)  # type: ignore[name-defined]  # noqa: F821 - of switches.pxd


class Holder:
    """Whose modes are at hand. A thread is told by a number that no other ever has, not by its place in memory."""

    def __init__(self):
        self.make = Switches
        self.threads = _local()
        self.own = None
        self.marked = False

    def enter(self):
        """The modes of the thread that asks, which is not the one that asked last."""
        known = self.threads.__dict__
        found = known.get("modes")
        if found is None:
            found = known["modes"] = self.make()
        return self.put(found)

    def mark(self):
        """From now on each call looks whether its thread has a door open, a transform or the like."""
        self.marked = True
        ever[:] = [True]

    def use(self, modes):
        """Put modes in the place of the thread's."""
        self.threads.modes = modes
        self.put(modes)

    def put(self, modes):
        """The modes at hand from now on. What was there before goes at the very end, for that may run a program's code."""
        before = self.own  # noqa: F841
        self.own = modes
        self.thread = current()
        return modes


if not cython.compiled:
    from _thread import get_ident as current

    def modes_of(holder):
        """The modes of the thread that asks."""
        return holder.enter()

    def recording(holder):
        """Whether the thread records operations."""
        return holder.enter().grad_enabled

    def inferring(holder):
        """Whether the thread is in inference mode."""
        return holder.enter().inference

    def opened(holder):
        """How far the door is open for the thread."""
        return holder.enter().door

    def noting(holder):
        """What tells where an operation of the thread is recorded."""
        return holder.enter().places

    def transform(holder):
        """The number of the thread's innermost transform."""
        return holder.enter().born


holder = threads = Holder()


class Here:
    """The modes of the thread that asks for them, by their names."""

    def __getattribute__(self, name):
        return getattr(modes_of(threads), name)

    def __setattr__(self, name, value):
        if name in MARKED and value:
            threads.mark()
        setattr(modes_of(threads), name, value)


def record(on, inference=None):
    """Record operations from now on, or do not; what was so before. inference: whether what is made is never to take part in a
    graph."""
    own = modes_of(threads)
    before = own.grad_enabled
    own.grad_enabled = on
    if inference is not None:
        own.inference = inference
        threads.mark()
    if own.tangents:
        own.settle()
    return True if before else False
