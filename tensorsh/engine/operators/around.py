"""What stands around a kernel: whoever waits for one on large arrays can be interrupted, and its results lie in memory as those of
images do.

Cython compiles this file together with `around.pxd`; without a compiler it runs as it stands.
"""

import numpy as np

from ...sandbox.long_calls import LONG, apart
from ..arrays.layout import channels_are_last, with_channels_last

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

ndarray = np.ndarray
if not cython.compiled:
    from ..tape.record import size_of


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
                    return tuple([with_channels_last(r) if r.ndim == each.ndim else r for r in result])
                return with_channels_last(result)
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
