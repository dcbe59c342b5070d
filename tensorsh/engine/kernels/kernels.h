/* The contract of the kernels.

   A numeric kernel is a C function over checked pointers, sizes and numbers. It sees no Python object, and nothing but the
   elements of arrays can change while it runs. binder.c makes functions for Python of the tables of kernels, and sees to this:
   - An array is exactly numpy's, of a dtype that the kernel names, aligned, in the machine's byte order, contiguous unless the
     kernel asks otherwise, and writeable where it writes. Its shape is a copy.
   - A number is a plain one: no code of a program runs to make it.
   - The caller holds references to all arguments until the kernel is done.
   - Results and scratch memory come from numpy's allocator, which counts them, with sizes that do not overflow.
   - Long work runs without the interpreter's lock, in pieces between which signals are seen to.
   - Lines that a plan says are apart are worked on by several threads, each with a copy of the call and scratch memory of its own.
   What is not for a kernel gives None, before anything was written, and the formula in Python goes on.

   Elements may change where other threads have the array, too. So a kernel checks a number of an index where it uses it, and
   reads it once for both: `place_at`. */
#ifndef TENSORSH_KERNELS_H
#define TENSORSH_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A function marked WIDE is compiled for AVX-512, for AVX2 with FMA, and for any processor; the loader takes the best, which
   it does before a sanitizer is ready. All give the same bits: no compiler fuses what is not written as fused, see OPTIONS in
   build_kernels.py. An installation from the sources compiles it for the processor at hand alone, which TENSORSH_HERE names as
   a level of x86-64, in less than half the time; on one below that the module refuses to load, see module.c. */
#ifndef TENSORSH_WIDEST
#define TENSORSH_WIDEST 4 /* tests compare with builds for less: x86-64-v3 is AVX2 */
#endif
#if !defined(__x86_64__) || defined(__clang__) || __GNUC__ < 12 || defined(__SANITIZE_ADDRESS__)
#undef TENSORSH_HERE /* these know no levels, or have one of their own */
#endif
#if !defined(__x86_64__) || !defined(__linux__) || !defined(__GLIBC__)
#define WIDE
#elif defined(__clang__)
#if __clang_major__ >= 16 && TENSORSH_WIDEST == 4 /* 14 ends in errors of its own with AVX-512 */
#define WIDE __attribute__((target_clones("avx512f", "fma", "default")))
#elif __clang_major__ >= 14
#define WIDE __attribute__((target_clones("fma", "default")))
#else
#define WIDE
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target("arch=x86-64-v3")))
#elif defined(TENSORSH_HERE) && TENSORSH_HERE == 4
#define WIDE __attribute__((target("arch=x86-64-v4")))
#elif defined(TENSORSH_HERE)
#define WIDE __attribute__((target("arch=x86-64-v3")))
#elif __GNUC__ >= 12 && TENSORSH_WIDEST == 4
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif __GNUC__ >= 12
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif
#ifdef TENSORSH_HERE
#define FOR_LEVEL(level) (TENSORSH_HERE == level) /* whether code that is written for a level is wanted */
#else
#define FOR_LEVEL(level) 1
#endif
#define INLINE static inline __attribute__((always_inline))

/* The elements of a loop do not depend on one another, also where the result is written over an argument. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define PRAGMA(text) _Pragma(#text)
#define UNROLL(times) PRAGMA(clang loop unroll_count(times))
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#define PRAGMA(text) _Pragma(#text)
#define UNROLL(times) PRAGMA(GCC unroll times)
#endif

typedef ptrdiff_t size;

/* A number of an index, read once: what is checked is what is used, also where another thread, or the kernel itself by
   writing to memory that is the index's as well, changes it meanwhile. */
INLINE size place_at(const int64_t *index) { return *(const volatile int64_t *)index; }
#define OUTSIDE(place, n) ((uint64_t)(place) >= (uint64_t)(n))

/* Work on more elements than this lets other threads run meanwhile; after so many more, signals are seen to, which takes less
   than 50 ms. */
#ifndef LONG_WORK
#define LONG_WORK 16384
#define LONG_PIECE (1 << 24)
#endif
#define SHARED_WORK (1 << 17) /* elements of work that threads share */

/* Elements that lie `step` bytes apart, laid side by side: every second one, which is usual, and one for all by vector instructions. */
typedef uint32_t __attribute__((may_alias)) Word;
typedef uint64_t __attribute__((may_alias)) LongWord;
#define GATHER(T, name)                                                                                       \
    INLINE void name(const void *from, size step, void *to, size n) {                                         \
        const T *x = (const T *)from;                                                                         \
        T *out = (T *)to;                                                                                     \
        if (step == 2 * (size)sizeof(T)) {                                                                    \
            for (size i = 0; i < n; i++) out[i] = x[2 * i];                                                   \
        } else if (step == 0) {                                                                               \
            const T one = *x;                                                                                 \
            for (size i = 0; i < n; i++) out[i] = one;                                                        \
        } else {                                                                                              \
            for (size i = 0; i < n; i++) out[i] = *(const T *)((const char *)from + i * step);                \
        }                                                                                                     \
    }
GATHER(Word, gather_words)
GATHER(LongWord, gather_long_words)
INLINE void gather(const void *from, size step, size item, void *to, size n) {
    if (item == 4) gather_words(from, step, to, n);
    else gather_long_words(from, step, to, n);
}

/* Bytes that lie elsewhere; a few vectors of them without a call. */
typedef uint64_t Quad __attribute__((vector_size(32), aligned(1), may_alias));
INLINE void copy_piece(const char *from, char *to, size bytes) {
    if (bytes > 256 || bytes % (size)sizeof(Quad)) memcpy(to, from, (size_t)bytes);
    else
        for (size k = 0; k < bytes; k += sizeof(Quad)) *(Quad *)(to + k) = *(const Quad *)(from + k);
}

/* Whether operands of `wide` bytes each and the results of a loop share memory, unless they are the same elements. */
INLINE int crosses(const char *in, size step, const char *out, size to, size n, size wide) {
    const char *low = step < 0 ? in + (n - 1) * step : in, *high = (step < 0 ? in : in + (n - 1) * step) + wide;
    const char *least = to < 0 ? out + (n - 1) * to : out, *most = (to < 0 ? out : out + (n - 1) * to) + wide;
    return (in != out || step != to) && low < most && least < high;
}

#define DIMS 64
#define MOST_ARGUMENTS 15
#define UFUNC_PLACES 5 /* of a ufunc: its operands and its result */
#define FEW_PARTS 8

typedef enum { PLAIN, FLOAT32, FLOAT64, INT64, UINT32, HALF, BRAIN, INT32, BYTES } Kind; /* PLAIN: any other bytes; BRAIN: bfloat16; BYTES: uint8 */
#define IS_SHORT(kind) ((kind) == PLAIN || (kind) == INT32 || (kind) == BYTES) /* what is told by the size of its elements alone */

/* A loop over elements that lie `steps` bytes apart, as numpy's ufuncs have them; `truths`: its results are booleans. */
typedef void (*UfuncRun)(char **places, const size *count, const size *steps, void *data);
typedef struct {
    UfuncRun run;
    void *data;
    int truths;
} UfuncLoop;

typedef struct {
    void *data; /* NULL: None, not given, or neither an array nor an integer */
    const void *dtype; /* to be compared */
    Kind kind;
    int ndim, contiguous;
    size count, item; /* elements; bytes of each */
    size shape[DIMS], strides[DIMS];
    double number;
    size whole; /* an integer, or a truth value; a list's length */
    UfuncLoop loop;
} Argument;

typedef struct {
    const char *data;
    const size *shape;
} Part; /* of a list of arrays of one dtype and number of dimensions; while Python's lock is held */

typedef struct {
    int given; /* arguments */
    Argument in[MOST_ARGUMENTS];
    const Part *parts;
    Part few[FEW_PARTS];
    /* A plan fills in the following. */
    Argument out[2]; /* ndim and shape of new arrays; `like` them: the argument that has their dtype */
    int outs, like[2];
    int answer;       /* the argument that is the function's result, where there are no new arrays; -1: True */
    size lines, each; /* the work: lines, elements of each */
    size room;        /* bytes of scratch memory */
    int apart;        /* whether lines do not depend on one another: threads may share them */
    void *scratch;
    /* The binder's own: the lock that it has released, elements of work since it saw to signals, whether these end the call. */
    void *others;
    size since;
    int ended;
} Call;

typedef struct {
    const char *name;
    /* A letter for each argument. Arrays: f float32, d float64, r either, h these or half types, l int64, u uint32, a any dtype,
       e any dtype and layout; capitals are written to. x: number, i: integer, w: its low bits, b: truth value, t: tuple of
       integers, v: list of arrays, y: dtype, n: None alone, o: ufunc of as many arrays
       as follow. ~: the one before is copied where its elements do not lie side by side, and ?: it may be None; |: those that follow need
       not be given. */
    const char *arguments;
    int (*plan)(Call *call);                      /* 0: not for this kernel */
    int (*run)(Call *call, size from, size to);   /* lines from..to; 0: it is not done */
    const char *help;
} Kernel;

extern const Kernel alignment_kernels[], attention_kernels[], batch_norm_kernels[], choices_kernels[], complex_kernels[], convolution_kernels[], counting_kernels[], distance_kernels[], distribution_kernels[], extremes_kernels[], factor_kernels[], fourier_kernels[], gamma_kernels[], gemm_kernels[],
    group_norm_kernels[], halves_kernels[], layer_norm_kernels[], losses_kernels[], optimizer_kernels[], order_kernels[], pieces_kernels[], places_kernels[], pooling_kernels[],
    random_kernels[], recurrent_kernels[], region_kernels[], resizing_kernels[], sampling_kernels[], scan_kernels[], series_kernels[], softmax_kernels[], squares_kernels[], sums_kernels[], tapped_kernels[], triangle_kernels[], whole_kernels[], window_kernels[];

/* Ufuncs of arrays of one dtype, by their names and numbers of arguments: the loops for float32 and, perhaps, float64, or for
   their complex numbers. */
typedef struct {
    const char *name;
    int arguments;
    UfuncRun runs[2];
    int of_complex;
} Ufunc;
/* The loop of a ufunc for a function of elements that lie side by side; others go through buffers, piece by piece. It computes whole
   vectors, so that the compiler makes its formula once: what is left over stands in a buffer with its last element repeated. The last
   operands may be `numbers`, each the same for all elements. */
typedef void (*Flat)(const void *const *in, void *out, size n);
void in_pieces_of(Flat flat, char **args, size n, const size *steps, int count_in, int numbers, size one);
#define ABREAST 16
INLINE size whole(size n) { return n & -(size)ABREAST; }
extern Ufunc bessel_ufuncs[], complex_ufuncs[], elementwise_ufuncs[], fused_ufuncs[], gamma_ufuncs[], library_ufuncs[], rectifier_ufuncs[], series_ufuncs[];

/* Whether a signal ends the call: to be asked between pieces of a line that may be long, after so many elements of work. */
int see_signals(Call *call);
INLINE int ends(Call *call, size work) {
    call->since += work;
    return call->since >= LONG_PIECE ? see_signals(call) : call->ended;
}

/* Threads share work, see sharing.c: pieces of a job, which are numbered, and so are the threads, from 0, the one that asks. */
typedef void (*PieceOfWork)(void *data, size piece, int thread);
void share_pieces(PieceOfWork run, void *data, size pieces);
void share_elements(UfuncRun run, void *data, char **places, const size *count, const size *steps, int operands);
/* So many threads share work of at least so many elements. */
void share_among(int threads, size least);
int sharers(void);
int stay_alone(int on); /* of the thread that calls: its kernels share nothing; whether that was so before */
size least_shared(void);

/* A new array, its shape to be filled in; `like`: the argument whose dtype it has, or one of these. */
enum { NEW_INT64 = -1, NEW_UINT32 = -2, NEW_FLOAT32 = -3, NEW_TRUTHS = -4, NEW_COMPLEX64 = -5, NEW_COMPLEX128 = -6 };
INLINE Argument *result(Call *call, int like) {
    Argument *made = &call->out[call->outs];
    call->like[call->outs++] = like;
    made->ndim = 0;
    return made;
}
INLINE void add_dimension(Argument *made, size n) { made->shape[made->ndim++] = n; }
INLINE void shape_as(Argument *made, const Argument *x) {
    made->ndim = x->ndim;
    memcpy(made->shape, x->shape, 4 * sizeof *x->shape); /* of a fixed size, which takes no loop */
    if (x->ndim > 4) memcpy(made->shape, x->shape, x->ndim * sizeof *x->shape);
}

/* An amount of work, which may be beyond all numbers. */
INLINE size times(size a, size b) {
    size product;
    return __builtin_mul_overflow(a, b, &product) ? PTRDIFF_MAX : product;
}

/* (outer, n, inner) around an axis, which may count from the end; 0 where there is no such axis. */
typedef struct { size axis, outer, n, inner; } Axis;
INLINE int around_axis(const Argument *x, size axis, Axis *found) {
    if (axis < 0) axis += x->ndim;
    if (axis < 0 || axis >= x->ndim) return 0;
    *found = (Axis){axis, 1, x->shape[axis], 1};
    for (size k = 0; k < axis; k++) found->outer *= x->shape[k];
    for (size k = axis + 1; k < x->ndim; k++) found->inner *= x->shape[k];
    return 1;
}

/* A plan of a result without an axis (the first argument's, which the second one names): the dimensions behind it lie side by side, and so
   do the elements along it where it is the last. */
INLINE int along_axis(Call *c, int like) {
    const Argument *x = &c->in[0];
    Axis axis;
    if (x->count == 0 || (uintptr_t)x->data % (uintptr_t)x->item || !around_axis(x, c->in[1].whole, &axis)) return 0;
    Argument *out = result(c, like);
    size step = x->item;
    for (int k = x->ndim - 1; k >= 0; step = times(step, x->shape[k--])) {
        const int close = k > axis.axis || (k == axis.axis && axis.inner == 1);
        if (x->strides[k] % x->item || (close && x->shape[k] > 1 && x->strides[k] != step)) return 0;
    }
    for (int k = 0; k < x->ndim; k++)
        if (k != axis.axis) add_dimension(out, x->shape[k]);
    c->in[1].whole = axis.axis, c->in[1].count = axis.inner;
    c->lines = axis.outer, c->each = axis.n * axis.inner;
    return 1;
}

/* The dimensions of an array in steps before one of them, neighbours as one where they lie so: what its lines are numbered by. */
typedef struct { int ndim; size shape[DIMS], strides[DIMS]; } Ranks;
INLINE void ranks_of(const Argument *x, int end, int without, Ranks *lines) {
    lines->ndim = 0;
    for (int k = 0; k < end; k++) {
        const int last = lines->ndim - 1;
        if (k == without || x->shape[k] == 1) continue;
        if (last >= 0 && lines->strides[last] == x->shape[k] * x->strides[k]) {
            lines->shape[last] *= x->shape[k], lines->strides[last] = x->strides[k];
            continue;
        }
        lines->shape[last + 1] = x->shape[k], lines->strides[last + 1] = x->strides[k];
        lines->ndim++;
    }
}
/* Where a line begins; how many more follow it in equal steps, and in which. */
INLINE size line_at(const Ranks *lines, size line, size *more, size *step) {
    size at = 0;
    const int last = lines->ndim - 1;
    *step = last < 0 ? 0 : lines->strides[last], *more = last < 0 ? 0 : lines->shape[last] - 1 - line % lines->shape[last];
    for (int k = last; k >= 0; line /= lines->shape[k--]) at += line % lines->shape[k] * lines->strides[k];
    return at;
}

/* Whether all elements of an array lie in equal steps, which are then its `whole` number. */
INLINE int in_equal_steps(Argument *x) {
    Ranks ranks;
    ranks_of(x, x->ndim, -1, &ranks);
    x->whole = ranks.ndim ? ranks.strides[0] : x->ndim ? x->item : 0;
    return ranks.ndim < 2;
}

/* Whether those of the arguments first..last that are arrays have so many elements. */
INLINE int have(const Call *call, int first, int last, size elements) {
    int good = 1;
    for (int k = first; k <= last; k++) good &= call->in[k].data == NULL || call->in[k].count == elements;
    return good;
}

/* Whether those of the arguments first..last that are arrays have the first argument's kind. */
INLINE int of_one_kind(const Call *call, int first, int last) {
    int good = 1;
    for (int k = first; k <= last; k++) good &= call->in[k].data == NULL || call->in[k].kind == call->in[0].kind;
    return good;
}

/* Whether an array has a shape. */
INLINE int has_shape(const Argument *x, int ndim, const size *shape) {
    int good = x->ndim == ndim;
    for (int k = 0; good && k < ndim; k++) good = x->shape[k] == shape[k];
    return good;
}

#endif
