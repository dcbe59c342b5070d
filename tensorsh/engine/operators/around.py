"""What stands around a kernel: operands of half types are brought to single precision and results back, whoever waits for one on
large arrays can be interrupted, and its results lie in memory as those of images do.

Cython compiles this file together with `around.pxd`; without a compiler it runs as it stands."""

import numpy as np

from ...sandbox.integers import KNOWN, plain_numbers
from ...sandbox.long_calls import LONG, apart
from ..arrays.dtype import COMPLEX_HALF
from ..arrays.layout import channels_are_last, faced, with_channels_last
from ..numerics.halves import MANY, converted, widened
from ..numerics.halves import narrowed as narrowed_to
from .results import narrowed

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

ndarray = np.ndarray
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
if not cython.compiled:
    from ..tape.record import dtype_of, in_rows, size_of

    def has_derived(values):
        """Whether there is a number of a derived class among some values."""
        return any([type(x) not in KNOWN and isinstance(x, (int, float, complex)) for x in values])


def plainly(values):
    """The values of a call with plain numbers in the place of those of a program's own classes."""
    return plain_numbers(values) if has_derived(values) else values


def applied(function, xp, arrays):
    """``function(xp, *arrays)``, without a tuple between for the usual numbers of arguments."""
    n = len(arrays)
    if n == 1:
        return function(xp, arrays[0])
    if n == 2:
        return function(xp, arrays[0], arrays[1])
    if n == 3:
        return function(xp, arrays[0], arrays[1], arrays[2])
    if n == 4:
        return function(xp, arrays[0], arrays[1], arrays[2], arrays[3])
    return function(xp, *arrays)


def brought(x, dtype):
    """An array, or a number of numpy's, in another dtype."""
    if type(x) is ndarray:
        found = dtype_of(x)
        if size_of(x) <= MANY:
            if found is not FLOAT64:
                return x.astype(dtype)
        elif found is FLOAT32 or dtype is FLOAT32:
            made = widened(x) if dtype is FLOAT32 else narrowed_to(x, dtype)
            if made is not None:
                return made
    return converted(x, dtype)


def facing(arrays):
    """As `faced`, of arrays that lie differently, one at least not in row order."""
    for x in arrays:
        if type(x) is ndarray and not in_rows(x):
            strides = x.strides
            shape = x.shape
            for other in arrays:
                if type(other) is ndarray and (other.strides != strides or other.shape != shape):
                    return faced(arrays)
            return None
    return None


def turned_back(result, back):
    """The result for operands that were turned; the mean of a loss has nothing to turn."""
    return result.transpose(back) if type(result) is ndarray and result.ndim == len(back) else result


def returned(result, narrow):
    """What was computed in single precision, or several such arrays, in the half type again."""
    if type(result) is ndarray and dtype_of(result) is FLOAT32 and narrow is not COMPLEX_HALF:
        return brought(result, narrow)
    return narrowed(result, narrow)


def laid_last(result):
    """Images with the channels last, as some kernels make them."""
    return result if channels_are_last(result) else with_channels_last(result)


class Around:
    """A kernel, called as it is."""

    def __init__(self, kernel, many, images, most):
        """many: so many elements of one array take long, and so do two arrays each element of which meets each of the other;
        0: never. images: results have the channels last in memory where one of so many first arguments has, of fewer dimensions
        than `most`."""
        self.kernel = kernel
        self.many = many
        self.images = images
        self.most = most
        self.__doc__ = kernel.__doc__

    def __call__(self, xp, *given, **options):
        if self.many and self.takes_long(given):
            result = apart(self.kernel, xp, *given, **options)
        elif options:
            result = self.kernel(xp, *given, **options)
        else:
            result = self.kernel(xp, *given)
        i = 0
        while i < self.images:
            each = given[i]
            if 3 < each.ndim < self.most and channels_are_last(each):
                if type(result) is tuple:
                    return tuple([laid_last(r) if r.ndim == each.ndim else r for r in result])
                return laid_last(result)
            i += 1
        return result

    def takes_long(self, given):
        """Whether arrays, also in short lists, are large, or the product of their sizes is."""
        work = largest = 1
        for each in given:
            kind = type(each)
            if kind is ndarray:
                many = (each,)
            elif (kind is list or kind is tuple) and len(each) < 64:
                many = each
            else:
                continue
            for x in many:
                if type(x) is not ndarray:
                    continue
                n = size_of(x)
                if n > 0:
                    if n >= self.many or largest * n >= LONG or work >= LONG:
                        return True
                    if largest * n > work:
                        work = largest * n
                    if n > largest:
                        largest = n
        return False
