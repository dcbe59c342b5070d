"""`np`: the vetted part of numpy. Its arrays are real numpy arrays.

Left out, with the reason: what opens files by itself (fromfile, memmap, fromregex, DataSource), what leads to memory
(ndarray's constructor, lib.stride_tricks.as_strided, ctypeslib, nditer), what makes arrays of Python objects
(frompyfunc, object_; numpy would show their pointers to `frombuffer`), what prints or tells about the machine (info,
show_config, get_include), what evaluates text (bmat, f2py), and classes whose shared state a script could change
(polynomial, ma, matrix).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..copying import same
from ..integers import plain, settled
from ..kinds import Calling, Final, Told, make, public_type, stand_in
from ..long_calls import NO_OBJECTS, batched, counting, endable, fitting
from ..namespace import Lazy, Namespace
from ..numpy_guards import GUARDED, answered, bounded, named, plainly, silent, with_points
from ..numpy_views import NO_TEXT, check_buffer, is_plain, without_gaps
from . import numpy_ufuncs
from .standard import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..environment import Environment

UFUNCS = """abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
atanh bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs
float_power floor floor_divide fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert isfinite isinf
isnan isnat lcm ldexp left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
logical_or logical_xor matmul matvec maximum minimum mod modf multiply negative nextafter not_equal positive pow
power rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square subtract tan
tanh true_divide trunc vecdot vecmat"""

FUNCTIONS = """all allclose amax amin angle any append apply_along_axis apply_over_axes argmax argmin argpartition
argsort argwhere around array2string array_equal array_equiv array_repr array_split array_str average bartlett
base_repr binary_repr bincount blackman block broadcast_arrays broadcast_shapes broadcast_to can_cast choose clip
column_stack common_type compress concat concatenate convolve copy copyto corrcoef correlate count_nonzero cov cross
cumprod cumsum cumulative_prod cumulative_sum datetime_as_string datetime_data delete diag diag_indices
diag_indices_from diagflat diagonal diff digitize dot dsplit dstack ediff1d einsum einsum_path expand_dims extract
fill_diagonal fix flatnonzero flip fliplr flipud format_float_positional format_float_scientific geomspace
get_printoptions geterr gradient hamming hanning histogram histogram2d histogram_bin_edges histogramdd hsplit hstack
i0 imag indices inner insert interp intersect1d is_busday isclose iscomplex iscomplexobj isdtype isfortran isin
isneginf isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lexsort linspace logspace
mask_indices matrix_transpose max may_share_memory mean median meshgrid min min_scalar_type mintypecode moveaxis
nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile
nanstd nansum nanvar ndim nonzero outer packbits pad partition percentile permute_dims piecewise place poly polyadd
polyder polydiv polyfit polyint polymul polysub polyval printoptions prod promote_types ptp put put_along_axis
putmask quantile ravel ravel_multi_index real real_if_close repeat reshape resize result_type roll rollaxis roots
rot90 round row_stack searchsorted select set_printoptions setdiff1d seterr setxor1d shape shares_memory sinc size
sort sort_complex split squeeze stack std sum swapaxes take take_along_axis tensordot tile trace transpose trapezoid
trapz tri tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from typename union1d unique
unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unstack unwrap vander var vdot vsplit
vstack where in1d"""

# Makers of arrays from a dtype or from any Python object; each refuses a result that holds objects.
CREATORS = """arange array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray astype atleast_1d
atleast_2d atleast_3d empty empty_like eye fromfunction fromiter fromstring full full_like identity ones ones_like
require zeros zeros_like"""

TYPES = """bool bool_ broadcast byte bytes_ cdouble character complex128 complex64 complexfloating
csingle datetime64 double dtype errstate flexible float16 float32 float64 floating generic half iinfo inexact int16
int32 int64 int8 int_ intc integer intp long longlong ndenumerate ndindex number poly1d short
signedinteger single str_ timedelta64 ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong
unsignedinteger ushort"""

CONSTANTS = "False_ True_ e euler_gamma inf little_endian nan newaxis pi __version__"

LINALG = """LinAlgError cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm
matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv
tensorsolve trace vecdot vector_norm"""

BATCHED = "cholesky cond det eig eigh eigvals eigvalsh inv matrix_power matrix_rank pinv qr slogdet solve svd svdvals"
"""Those that walk batches of matrices."""

LONG = """all allclose amax amin any argmax argmin argpartition argsort argwhere array_equal array_equiv average
bincount compress convolve copy copyto corrcoef correlate count_nonzero cov cumprod cumsum cumulative_prod cumulative_sum diff
digitize dot einsum flatnonzero histogram inner interp intersect1d isclose isin kron lexsort max mean median min nanargmax nanargmin
nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar nonzero outer
partition percentile prod ptp quantile round searchsorted setdiff1d setxor1d sort std sum tensordot trace trapezoid trapz
union1d unique unique_all unique_counts unique_inverse unique_values var vdot where"""
"""Functions that take long where arrays are large, and call nothing that a program defines."""

FFT = """fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2
rfftfreq rfftn"""

TESTING = """assert_ assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal
assert_array_equal assert_array_less assert_array_max_ulp assert_equal assert_string_equal"""


ndarray = public_type(np.ndarray)
poly1d = stand_in(np.poly1d, "", Calling, _made=lambda c, *rest: np.poly1d(answered(np.atleast_1d(settled(c))), *rest))
dtype, _ = stand_in(np.dtype, "", Told, _looked=without_gaps), stand_in(np.void, "", Told, _looked=answered)
iinfo, ndenumerate = (stand_in(kind, "", Told, _looked=same) for kind in (np.iinfo, np.ndenumerate))


class finfo(metaclass=Final):  # noqa: N801
    """The limits of a floating-point type. numpy shares its own objects between all who ask."""

    __slots__ = ("_real",)
    __deepcopy__ = same

    def __new__(cls, dtype: Any) -> finfo:
        return make(finfo, _real=without_gaps(np.finfo(plain(dtype))))

    def __repr__(self) -> str:
        return repr(self._real)

    def __str__(self) -> str:
        return str(self._real)


def _real_property(name: str) -> property:
    return property(lambda self: getattr(self._real, name))


_LIMITS = """bits dtype eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution
smallest_normal smallest_subnormal tiny"""
for _name in _LIMITS.split():
    type.__setattr__(finfo, _name, _real_property(_name))


class Indexer(metaclass=Final):
    """np.r_, np.mgrid and their kin: only the subscript. The real ones lead to the class of matrices."""

    __slots__ = ("_name", "_real")

    def __getitem__(self, key: Any) -> Any:
        result = self._real[key]
        return answered(np.asarray(result) if isinstance(result, np.matrix) else result)

    def __repr__(self) -> str:
        return f"<numpy.{self._name}>"


def without_objects(function: Any) -> Any:
    """The function, refusing to answer an array of Python objects, or of structures with gaps."""

    def call(*args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        if isinstance(result, np.ndarray):
            if result.dtype.hasobject:
                raise TypeError(NO_OBJECTS)
            without_gaps(result)
        return result

    return named(call, function)


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> np.ndarray:
    """An array that looks into bytes. Not into an array of objects: writing there would forge them."""
    check_buffer(memoryview(buffer))
    dtype = np.dtype(plain(dtype))
    if not is_plain(dtype):
        raise TypeError(NO_TEXT)
    without_gaps(dtype)
    return np.frombuffer(buffer, dtype=dtype, count=count, offset=offset)


def vectorize(pyfunc: Any = None, otypes: Any = None, doc: Any = None, excluded: Any = None, **options: Any) -> Any:
    """A function of numbers as one of arrays."""
    if pyfunc is None:
        return lambda function: vectorize(function, otypes, doc, excluded, **options)
    real = np.vectorize(pyfunc, plain(otypes), doc, excluded, **options)

    def call(*args: Any, **keywords: Any) -> Any:
        result = real(*map(settled, args), **{name: settled(each) for name, each in keywords.items()})
        return answered(result)

    call.__name__ = getattr(pyfunc, "__name__", "vectorize")
    return call


def _sub(name: str, make: Callable[[], dict[str, Any]]) -> Lazy:
    return Lazy(lambda: Namespace(f"numpy.{name}", make))


def plain_all(table: dict[str, Any]) -> dict[str, Any]:
    """Functions on plain integers; classes as they are."""
    return {name: value if isinstance(value, type) else plainly(value) for name, value in table.items()}


def _linalg() -> dict[str, Any]:
    table = plain_all(take(np.linalg, LINALG))
    return table | {name: batched(table[name]) for name in BATCHED.split() if name in table}


def _typing() -> dict[str, Any]:
    # The real NDArray can be called and then is ndarray's constructor.
    return {"NDArray": ndarray, "ArrayLike": Any, "DTypeLike": Any}


def _lib() -> dict[str, Any]:
    tricks = np.lib.stride_tricks
    found = {"sliding_window_view": tricks.sliding_window_view, "broadcast_to": np.broadcast_to}
    table = {name: bounded(plainly(function)) for name, function in found.items()}
    return {"stride_tricks": Namespace("numpy.lib.stride_tricks", table)}


def _exceptions() -> dict[str, Any]:
    import numpy.exceptions

    names = "AxisError ComplexWarning DTypePromotionError RankWarning TooHardError VisibleDeprecationWarning"
    return take(numpy.exceptions, names)


def numpy_table(environment: Environment) -> dict[str, Any]:
    """The names of `np` for one session."""
    from .numpy_files import numpy_files

    def random() -> dict[str, Any]:
        from .numpy_random import numpy_random

        return numpy_random(environment)

    table = numpy_ufuncs.ufuncs(UFUNCS) | take(np, TYPES) | take(np, CONSTANTS) | GUARDED | numpy_ufuncs.GUARDED
    for name in (FUNCTIONS + " " + CREATORS).split():
        if name not in table and hasattr(np, name):
            table[name] = plainly(getattr(np, name))
    table |= {name: without_objects(table[name]) for name in CREATORS.split()}
    table |= {
        name: bounded(table[name]) for name in ("broadcast_to", "broadcast_arrays", "meshgrid", *CREATORS.split())
    }
    table |= {name: counting(table[name]) for name in ("argwhere", "count_nonzero", "flatnonzero", "nonzero")}
    table |= {name: endable(table[name]) for name in LONG.split() if name in table}
    table |= {"roots": endable(table["roots"], many=1 << 8), "polyfit": fitting(table["polyfit"])}
    table["vander"] = endable(table["vander"], many=1 << 10)
    table["set_printoptions"] = silent(table["set_printoptions"])  # numpy 2.1 gives its context variable's token
    table |= {
        name: make(Indexer, _name=name, _real=getattr(np, name))
        for name in ("r_", "c_", "s_", "index_exp", "mgrid", "ogrid")
    }
    table |= numpy_files(environment.permissions)
    return table | {
        "poly1d": poly1d,
        "ndarray": ndarray,
        "ufunc": numpy_ufuncs.ufunc,
        "finfo": finfo,
        "dtype": dtype,
        "iinfo": iinfo,
        "ndenumerate": ndenumerate,
        "frombuffer": frombuffer,
        "vectorize": vectorize,
        "typecodes": dict(np.typecodes),
        "linalg": _sub("linalg", _linalg),
        "fft": _sub("fft", lambda: {name: endable(plainly(with_points(f))) for name, f in take(np.fft, FFT).items()}),
        "random": _sub("random", random),
        "testing": _sub("testing", lambda: plain_all(take(np.testing, TESTING))),
        "typing": _sub("typing", _typing),
        "lib": _sub("lib", _lib),
        "exceptions": _sub("exceptions", _exceptions),
    }
