/* The inner loops of elementwise ufuncs on small contiguous arrays.

   numpy takes most of the time of a ufunc on a few elements to find out what is asked of it. A Loop has found that out
   before: it has its ufuncs' loops for three dtypes, and answers None to whatever is not usual. It runs the loop that numpy
   would run, so the numbers are the same. Its arguments are arrays of numpy and Python numbers, which no program changes
   meanwhile: nothing but the result's allocation happens between the look at an array and its use, and the caller holds it. */
#include "loops.h"
#include "conversions.h"

static const int kinds[KINDS] = {NPY_FLOAT, NPY_DOUBLE, NPY_INT64};

static int inner_of(PyObject *object, int inputs, int type, int exact, Inner *found) {
    found->run = NULL;
    if (object == Py_None) return 0;
    if (!PyObject_TypeCheck(object, &PyUFunc_Type)) return -1;
    PyUFuncObject *ufunc = (PyUFuncObject *)object;
    if (ufunc->nin != inputs || ufunc->nout != 1 || ufunc->core_enabled) return -1;
    for (int i = 0; i < ufunc->ntypes; i++) {
        const char *types = ufunc->types + i * ufunc->nargs;
        int alike = ufunc->functions[i] != NULL;
        for (int k = 0; k < inputs; k++) alike &= types[k] == type;
        if (!alike) continue;
        *found = (Inner){ufunc->functions[i], ufunc->data ? ((void **)ufunc->data)[i] : NULL, types[inputs]};
        UfuncRun own = exact && type != NPY_INT64 ? exact_loop(ufunc->name, type == NPY_DOUBLE) : NULL;
        if (own && types[inputs] == type) found->run = (PyUFuncGenericFunction)own;
        return 0;
    }
    return 0;
}

/* The kind of an array that has a loop and at most so many elements, or -1. */
INLINE int kind_within(const Loop *loop, PyObject *object, size most) {
    if (!PyArray_CheckExact(object)) return -1;
    PyArrayObject *a = (PyArrayObject *)object;
    if (!PyArray_ISCARRAY_RO(a) || PyArray_SIZE(a) > most) return -1;
    int type = PyArray_TYPE(a);
    int kind = type == NPY_FLOAT ? FLOATS : type == NPY_DOUBLE ? DOUBLES : type == NPY_INT64 ? LONGS : -1;
    return kind < 0 || loop->inner[kind].run == NULL ? -1 : kind;
}
INLINE int kind_of(const Loop *loop, PyObject *object) { return kind_within(loop, object, LONG_WORK); }

/* A Python number as an element of a kind; 0 for what is not usual. */
static int number_of(PyObject *object, int kind, Number *number) {
    if (PyFloat_CheckExact(object) && kind != LONGS) {
        double value = PyFloat_AS_DOUBLE(object);
        if (kind == FLOATS) number->f = (float)value;
        else number->d = value;
        return 1;
    }
    if (!PyLong_CheckExact(object)) return 0;
    int overflow = 0;
    long long whole = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow || whole > 0x7fffffff || whole < -0x80000000LL) return 0;
    if (kind == FLOATS) number->f = (float)whole;
    else if (kind == DOUBLES) number->d = (double)whole;
    else number->i = whole;
    return 1;
}

#define PIECE 2048

/* Whether an array is of a half type that float32's loop computes; which: HALF, BRAIN. */
INLINE int half_type(const Loop *loop, PyArrayObject *a) {
    if (!loop->halves || PyArray_ITEMSIZE(a) != 2) return PLAIN;
    return PyArray_TYPE(a) == NPY_HALF ? HALF : is_bfloat16(PyArray_DESCR(a)) ? BRAIN : PLAIN;
}
/* The same, of few elements that lie side by side. */
INLINE int half_of(const Loop *loop, PyObject *object) {
    if (!loop->halves || !PyArray_CheckExact(object)) return PLAIN;
    PyArrayObject *a = (PyArrayObject *)object;
    return PyArray_ISCARRAY_RO(a) && PyArray_SIZE(a) <= LONG_WORK ? half_type(loop, a) : PLAIN;
}

/* How often the second operand repeats along the first: 0 where it is not its last dimensions, or all of them. */
static size repeats(PyArrayObject *a, PyArrayObject *b) {
    int more = PyArray_NDIM(a) - PyArray_NDIM(b);
    size times = 1;
    if (more < 0) return 0;
    for (int k = 0; k < more; k++) times *= PyArray_DIM(a, k);
    for (int k = more; k < PyArray_NDIM(a); k++)
        if (PyArray_DIM(a, k) != PyArray_DIM(b, k - more)) return 0;
    return PyArray_SIZE(b) ? times : more ? 0 : 1;
}

/* A Python number as an operand of halves: rounded once, to their type, unless it stays as exact as the computation. */
static int half_number(const Loop *loop, PyObject *object, int brain, float *to) {
    Number number;
    double exact = PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : 0;
    uint16_t rounded;
    if (!number_of(object, FLOATS, &number)) return 0;
    *to = number.f;
    if (loop->halves == 2) return 1;
    if (PyFloat_CheckExact(object) ? (double)number.f != exact : number.f > 0x1p24f || number.f < -0x1p24f) return 0;
    floats_to_halves(brain, to, &rounded, 1);
    halves_to_floats(brain, &rounded, to, 1);
    return 1;
}

/* The step of an array whose elements lie evenly apart, in order, and are few; 0 where they do not. */
static size even_step(PyArrayObject *a) {
    size next = 0, step = 0;
    if (!PyArray_ISBEHAVED_RO(a) || PyArray_SIZE(a) > LONG_WORK || PyArray_SIZE(a) == 0) return 0;
    for (int k = PyArray_NDIM(a) - 1; k >= 0; k--) {
        const size n = PyArray_DIM(a, k), stride = PyArray_STRIDE(a, k);
        if (n == 1) continue;
        if (stride <= 0 || (step && stride != next)) return 0;
        if (step == 0) step = stride;
        next = n * stride;
    }
    return step;
}

/* How many elements of the first operand meet each of the second in turn, whose first dimensions are the first's and whose others
   are 1, as a column's are, and how far apart these lie; 0 for others, and where these are too few for a loop of their own. */
static size meeting(PyArrayObject *a, PyObject *second, size *apart) {
    const int ndim = PyArray_NDIM(a);
    PyArrayObject *b = (PyArrayObject *)second;
    size each = 1;
    int k = ndim;
    if (!PyArray_CheckExact(second) || PyArray_DESCR(b) != PyArray_DESCR(a) || ndim != PyArray_NDIM(b)) return 0;
    if (ndim == 0 || PyArray_DIM(b, ndim - 1) != 1 || PyArray_SIZE(a) == 0) return 0;
    while (k && PyArray_DIM(b, k - 1) == 1) each *= PyArray_DIM(a, --k);
    while (k && PyArray_DIM(a, k - 1) == PyArray_DIM(b, k - 1)) k--;
    if (k || each < 8 || (*apart = even_step(b)) == 0 || (RECORDED && !PyArray_ISCARRAY_RO(b))) return 0;
    return each;
}

/* The result of float32's loop on halves, piece by piece: of one array, of two, the second of which may be one element, the first's
   last dimensions or a column, of an array and a number. None for others. */
static PyObject *halves(const Loop *loop, PyObject *const *args, int half) {
    PyArrayObject *a = (PyArrayObject *)args[0], *b = NULL;
    const Inner *inner = &loop->single;
    const int brain = half == BRAIN, truths = inner->out == NPY_BOOL;
    const size n = PyArray_SIZE(a);
    size steps[3] = {sizeof(float), sizeof(float), sizeof(float)}, piece = PIECE, near = 0, each = 0; /* the second operand's elements, if they stay */
    float wide[2][PIECE], made[PIECE];
    if (inner->run == NULL || (inner->out != NPY_FLOAT && !truths)) Py_RETURN_NONE;
    if (loop->inputs == 2) {
        size apart;
        if ((each = meeting(a, args[1], &apart)) != 0) {
            const size m = n / each;
            const char *from = PyArray_DATA((PyArrayObject *)args[1]);
            uint16_t gathered[PIECE];
            if (m > PIECE) Py_RETURN_NONE;
            for (size i = 0; i < m; i++) gathered[i] = *(const uint16_t *)(from + i * apart);
            halves_to_floats(brain, gathered, wide[1], m);
        } else if (half_of(loop, args[1]) == half) {
            b = (PyArrayObject *)args[1];
            const size times = repeats(a, b), m = PyArray_SIZE(b);
            if (times == 0 || (times > 1 && m > PIECE)) Py_RETURN_NONE;
            if (times > 1 || PyArray_NDIM(b) == 0) near = m;
            if (near) halves_to_floats(brain, PyArray_DATA(b), wide[1], near);
        } else if (!loop->numbers || !half_number(loop, args[1], brain, wide[1])) {
            Py_RETURN_NONE;
        } else {
            near = 1;
        }
        if (near == 1 || each) {
            steps[1] = 0;
        } else if (near) {
            piece = PIECE / near * near;
            for (size i = near; i < piece && i < n; i++) wide[1][i] = wide[1][i - near];
        }
    }
    PyArrayObject *out;
    if (truths) {
        out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), NPY_BOOL);
    } else {
        Py_INCREF(PyArray_DESCR(a));
        out = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(a), PyArray_NDIM(a), PyArray_DIMS(a), NULL, NULL, 0, NULL);
    }
    if (out == NULL) return NULL;
    steps[loop->inputs] = truths ? 1 : sizeof(float);
    for (size done = 0, m; done < n; done += m) {
        m = n - done < piece ? n - done : piece;
        if (each && m > each - done % each) m = each - done % each;
        char *places[3] = {(char *)wide[0], (char *)(wide[1] + (each ? done / each : 0)), (char *)made};
        if (truths) places[loop->inputs] = (char *)PyArray_DATA(out) + done;
        else places[loop->inputs] = (char *)made;
        halves_to_floats(brain, (const uint16_t *)PyArray_DATA(a) + done, wide[0], m);
        if (b && !near) halves_to_floats(brain, (const uint16_t *)PyArray_DATA(b) + done, wide[1], m);
        inner->run(places, &m, steps, inner->data);
        if (!truths) floats_to_halves(brain, made, (uint16_t *)PyArray_DATA(out) + done, m);
    }
    return (PyObject *)out;
}

/* One operand or two as lines of elements: dimensions that lie evenly in each are one, of which the last is a line. */
typedef struct {
    int whole, ndim, lying; /* the result's dimensions, those left; lying: one line, whose elements lie side by side or are one */
    size result[NPY_MAXDIMS], shape[NPY_MAXDIMS], steps[MOST_OPERANDS - 1][NPY_MAXDIMS];
} Lines;

#define HALF_NUMBERS (1 << 16)
#define FEW 8 /* elements of a line, below which numpy's way is as quick */

/* The lines of arrays of one dtype whose shapes meet; 0 where they do not, or where elements lie in another order than that of a new
   array: numpy would give the result an order like theirs. */
static int lines_of(PyArrayObject *const *arrays, int inputs, Lines *found) {
    size *shape = found->result, steps[MOST_OPERANDS - 1][NPY_MAXDIMS];
    int ndim = PyArray_NDIM(arrays[0]);
    if (arrays[1] && PyArray_NDIM(arrays[1]) > ndim) ndim = PyArray_NDIM(arrays[1]);
    found->whole = ndim;
    for (int d = 0; d < ndim; d++) shape[d] = 1;
    for (int k = 0; k < inputs; k++) {
        const int more = arrays[k] ? ndim - PyArray_NDIM(arrays[k]) : ndim;
        for (int d = 0; d < ndim; d++) {
            const size n = d < more ? 1 : PyArray_DIM(arrays[k], d - more);
            if (n != 1 && shape[d] != 1 && n != shape[d]) return 0;
            shape[d] = n == 1 ? shape[d] : n;
            steps[k][d] = n == 1 ? 0 : PyArray_STRIDE(arrays[k], d - more);
        }
    }
    for (int k = 0; k < inputs; k++)
        for (size d = ndim - 1, least = 0; d >= 0; d--) {
            if (steps[k][d] < least && steps[k][d] != 0) return 0;
            if (steps[k][d] != 0) least = steps[k][d];
        }
    found->ndim = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 0) return 0;
        if (shape[d] == 1) continue;
        const int last = found->ndim - 1;
        int even = last >= 0;
        for (int k = 0; even && k < inputs; k++) even = found->steps[k][last] == shape[d] * steps[k][d];
        const int at = even ? last : found->ndim++;
        found->shape[at] = even ? found->shape[at] * shape[d] : shape[d];
        for (int k = 0; k < inputs; k++) found->steps[k][at] = steps[k][d];
    }
    if (found->ndim == 0) found->shape[0] = 1, found->steps[0][0] = found->steps[1][0] = 0, found->ndim = 1;
    found->lying = found->ndim == 1;
    for (int k = 0; k < inputs; k++)
        found->lying &= arrays[k] == NULL || found->steps[k][0] == 0 || found->steps[k][0] == PyArray_ITEMSIZE(arrays[k]);
    return found->ndim == 1 || found->shape[found->ndim - 1] >= FEW;
}

/* A line, piece by piece: elements that lie in steps are laid side by side, for the loops of such elements are many times as fast. */
static void line_of(const Loop *loop, const Inner *inner, const char *const *from, const size *apart, size one, char *to, size wide, size n) {
    double buffers[MOST_OPERANDS - 1][PIECE];
    int laid = 0;
    for (int k = 0; k < loop->inputs; k++) laid |= apart[k] != 0 && apart[k] != one;
    for (size done = 0, m, most = laid ? PIECE : n; done < n; done += m) {
        m = n - done < most ? n - done : most;
        char *at[MOST_OPERANDS];
        size steps[MOST_OPERANDS];
        for (int k = 0; k < loop->inputs; k++) {
            at[k] = (char *)from[k] + done * apart[k], steps[k] = apart[k] ? one : 0;
            if (steps[k] == apart[k]) continue;
            gather(at[k], apart[k], one, buffers[k], m);
            at[k] = (char *)buffers[k];
        }
        at[loop->inputs] = to + done * wide, steps[loop->inputs] = wide;
        inner->run(at, &m, steps, inner->data);
    }
}

#define SHORT_LINE 256

/* A line's elements laid side by side. */
WIDE static void line_taken(const char *from, size apart, size one, char *to, size n) {
    if (apart == one) copy_piece(from, to, n * one);
    else gather(from, apart, one, to, n);
}

WIDE static void signs_changed(const uint16_t *x, uint16_t kept, uint16_t turned, uint16_t *out, size n) {
    INDEPENDENT
    for (size i = 0; i < n; i++) out[i] = (x[i] & kept) ^ turned;
}

#define SHORT_PIECE 512 /* of which three fit in the first cache beside what is read and written */

/* A line of halves: widened, computed in float32 and rounded. A number is a float already. */
static void line_of_halves(const Loop *loop, int brain, const char *const *from, const size *apart, const float *number, char *to, size n) {
    const Inner *inner = &loop->single;
    const int truths = inner->out == NPY_BOOL;
    float wide[MOST_OPERANDS - 1][SHORT_PIECE], made[SHORT_PIECE];
    uint16_t near[SHORT_PIECE];
    size steps[MOST_OPERANDS];
    for (int k = 0; k < loop->inputs; k++) {
        steps[k] = apart[k] ? sizeof(float) : 0;
        if (k && number) wide[k][0] = *number;
        else if (apart[k] == 0) halves_to_floats(brain, (const uint16_t *)from[k], wide[k], 1);
    }
    steps[loop->inputs] = truths ? 1 : sizeof(float);
    for (size done = 0, m; done < n; done += m) {
        m = n - done < SHORT_PIECE ? n - done : SHORT_PIECE;
        uint16_t *out = (uint16_t *)to + done;
        char *at[MOST_OPERANDS];
        for (int k = 0; k < loop->inputs; k++) {
            const char *x = from[k] + done * apart[k];
            at[k] = (char *)wide[k];
            if (apart[k] == 0 && !loop->kept) continue;
            for (size i = 0; apart[k] != sizeof(uint16_t) && i < m; i++) near[i] = *(const uint16_t *)(x + i * apart[k]);
            const uint16_t *halves = apart[k] == sizeof(uint16_t) ? (const uint16_t *)x : near;
            if (!loop->kept) halves_to_floats(brain, halves, wide[k], m);
            else signs_changed(halves, loop->kept, loop->turned, out, m);
        }
        if (loop->kept) continue;
        at[loop->inputs] = truths ? to + done : (char *)made;
        inner->run(at, &m, steps, inner->data);
        if (!truths) floats_to_halves(brain, made, out, m);
    }
}

/* Arrays whose shapes meet, and a number, line by line, where numpy would lay its operands in a buffer. None for large ones that are
   one line, which are numpy's unless they are halves, and of more halves than a table of all of them has; and while calls are recorded, which have other arrays when they are called again. */
static PyObject *in_lines(const Loop *loop, PyObject *const *args) {
    if (RECORDED || !PyArray_CheckExact(args[0])) Py_RETURN_NONE;
    PyArrayObject *arrays[MOST_OPERANDS - 1] = {(PyArrayObject *)args[0], NULL};
    const int type = PyArray_TYPE(arrays[0]), half = half_type(loop, arrays[0]);
    const int kind = type == NPY_FLOAT || half ? FLOATS : type == NPY_DOUBLE ? DOUBLES : type == NPY_INT64 ? LONGS : -1;
    if (kind < 0 || loop->inner[kind].run == NULL || (half && loop->single.out != NPY_FLOAT && loop->single.out != NPY_BOOL)) Py_RETURN_NONE;
    Number number;
    const char *from[MOST_OPERANDS - 1] = {PyArray_DATA(arrays[0]), (const char *)&number};
    if (loop->inputs == 2) {
        if (PyArray_CheckExact(args[1])) {
            arrays[1] = (PyArrayObject *)args[1];
            from[1] = PyArray_DATA(arrays[1]);
            if (PyArray_TYPE(arrays[1]) != type) Py_RETURN_NONE;
        } else if (!loop->numbers || !(half ? half_number(loop, args[1], half == BRAIN, &number.f) : number_of(args[1], kind, &number))) {
            Py_RETURN_NONE;
        }
    }
    for (int k = 0; k < loop->inputs; k++)
        if (arrays[k] && !PyArray_ISBEHAVED_RO(arrays[k])) Py_RETURN_NONE;
    Lines lines;
    if (!lines_of(arrays, loop->inputs, &lines)) Py_RETURN_NONE;
    const Inner *inner = &loop->inner[kind];
    const int last = lines.ndim - 1;
    const size n = lines.shape[last], one = PyArray_ITEMSIZE(arrays[0]);
    size many = 1;
    for (int d = 0; d < last; d++) many = times(many, lines.shape[d]);
    const size work = times(many, n);
    const size most = !half ? LONG_WORK : loop->inputs == 1 && !loop->kept ? HALF_NUMBERS : LONG_PIECE;
    if (work > LONG_PIECE || (lines.lying && work > most)) Py_RETURN_NONE;
    PyArrayObject *out;
    if (half && inner->out == NPY_FLOAT) {
        Py_INCREF(PyArray_DESCR(arrays[0]));
        out = (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(arrays[0]), lines.whole, lines.result, NULL, NULL, 0, NULL);
    } else {
        out = (PyArrayObject *)PyArray_SimpleNew(lines.whole, lines.result, inner->out);
    }
    if (out == NULL) return NULL;
    PyObject *held[2] = {Py_NewRef(args[0]), Py_XNewRef(arrays[1])}; /* while other threads run */
    PyThreadState *others = work > LONG_WORK ? PyEval_SaveThread() : NULL;
    const size wide = PyArray_ITEMSIZE(out);
    char *to = PyArray_DATA(out);
    size place[NPY_MAXDIMS] = {0}, apart[MOST_OPERANDS - 1] = {0};
    for (int k = 0; k < loop->inputs; k++) apart[k] = lines.steps[k][last];
    /* Short lines are laid side by side first, several for a call of their loop. */
    size block = n; /* of a dimension along which all repeat, the innermost one: results are copied */
    int again = last;
    while (again-- > 0) {
        int moves = 0;
        for (int k = 0; k < loop->inputs; k++) moves |= lines.steps[k][again] != 0;
        if (!moves) break;
        block *= lines.shape[again];
    }
    const size together = half || again >= 0 || n > SHORT_LINE ? 1 : PIECE / n;
    double near[MOST_OPERANDS - 1][PIECE];
    for (size row = 0, held_lines = 0; row < many; row++) {
        if (together > 1) {
            for (int k = 0; k < loop->inputs; k++)
                if (arrays[k]) line_taken(from[k], apart[k], one, (char *)near[k] + held_lines * n * one, n);
            if (++held_lines == together || row + 1 == many) {
                const size steps[MOST_OPERANDS] = {one, loop->inputs == 1 ? wide : arrays[1] ? one : 0, wide};
                char *at[MOST_OPERANDS] = {(char *)near[0], loop->inputs == 1 ? to : arrays[1] ? (char *)near[1] : (char *)&number, to};
                const size some = held_lines * n;
                inner->run(at, &some, steps, inner->data);
                to += some * wide, held_lines = 0;
            }
        } else {
            if (half) line_of_halves(loop, half == BRAIN, from, apart, arrays[1] ? NULL : &number.f, to, n);
            else line_of(loop, inner, from, apart, one, to, wide, n);
            to += n * wide;
        }
        for (int d = last - 1; d >= 0; d--) {
            for (int k = 0; k < loop->inputs; k++) from[k] += lines.steps[k][d];
            place[d]++;
            for (; d == again && place[d] < lines.shape[d]; place[d]++, row += block / n, to += block * wide) memcpy(to, to - block * wide, block * wide);
            if (place[d] < lines.shape[d]) break;
            for (int k = 0; k < loop->inputs; k++) from[k] -= lines.shape[d] * lines.steps[k][d];
            place[d] = 0;
        }
    }
    if (others) PyEval_RestoreThread(others);
    Py_DECREF(held[0]);
    Py_XDECREF(held[1]);
    return (PyObject *)out;
}

static PyObject *single(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Loop *loop = (Loop *)self;
    if (PyVectorcall_NARGS(flags) != 1 || keywords) Py_RETURN_NONE;
    int kind = kind_of(loop, args[0]), half;
    if (kind < 0) {
        if (!loop->kept && (half = half_of(loop, args[0])) != PLAIN) return halves(loop, args, half);
        return in_lines(loop, args);
    }
    PyArrayObject *a = (PyArrayObject *)args[0];
    const Inner *inner = &loop->inner[kind];
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), inner->out);
    if (out == NULL) return NULL;
    char *places[2] = {PyArray_DATA(a), PyArray_DATA(out)};
    size n = PyArray_SIZE(a), steps[2] = {PyArray_ITEMSIZE(a), PyArray_ITEMSIZE(out)};
    inner->run(places, &n, steps, inner->data);
    if (RECORDED) record_call(self, args, 1, (PyObject *)out);
    return (PyObject *)out;
}

/* Of three operands: for steps of chains alone. */
static PyObject *unanswered(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    (void)self, (void)args, (void)flags, (void)keywords;
    Py_RETURN_NONE;
}

/* Large arrays are numpy's but for those that meet a row or a column: from line to line it takes as long as for a short line. */
static PyObject *pair(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Loop *loop = (Loop *)self;
    if (PyVectorcall_NARGS(flags) != 2 || keywords) Py_RETURN_NONE;
    int kind = kind_within(loop, args[0], RECORDED ? LONG_WORK : LONG_PIECE), half;
    if (kind < 0) {
        PyObject *found = (half = half_of(loop, args[0])) != PLAIN ? halves(loop, args, half) : NULL;
        if (half == PLAIN || found == Py_None) return in_lines(loop, args);
        return found;
    }
    PyArrayObject *a = (PyArrayObject *)args[0], *b = NULL;
    Number number;
    char *second = (char *)&number;
    size one = PyArray_ITEMSIZE(a), n = PyArray_SIZE(a), times = 1, each, apart = 0;
    const int large = n > LONG_WORK;
    if ((each = meeting(a, args[1], &apart)) != 0) {
        second = PyArray_DATA((PyArrayObject *)args[1]);
    } else if (kind_of(loop, args[1]) == kind) {
        b = (PyArrayObject *)args[1];
        times = repeats(a, b);
        if (times == 0 || (times > 1 && PyArray_SIZE(b) < 4 && PyArray_NDIM(b)) || (large && PyArray_SIZE(b) < 4)) return in_lines(loop, args);
        second = PyArray_DATA(b);
    } else if (large || !loop->numbers || !number_of(args[1], kind, &number)) {
        return in_lines(loop, args);
    }
    const Inner *inner = &loop->inner[kind];
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), inner->out);
    if (out == NULL) return NULL;
    PyObject *held[2] = {Py_NewRef(args[0]), Py_NewRef(args[1])}; /* while other threads run */
    PyThreadState *others = large ? PyEval_SaveThread() : NULL;
    size near = b == NULL || PyArray_NDIM(b) == 0 ? 0 : one;
    size steps[3] = {one, near, PyArray_ITEMSIZE(out)}, m = each ? each : near && times > 1 ? n / times : n;
    for (size row = 0; row < (each ? n / each : m == n ? 1 : times); row++) {
        char *at[3] = {(char *)PyArray_DATA(a) + row * m * one, second + row * apart, (char *)PyArray_DATA(out) + row * m * steps[2]};
        inner->run(at, &m, steps, inner->data);
    }
    if (others) PyEval_RestoreThread(others);
    if (RECORDED) record_call(self, args, 2, (PyObject *)out);
    Py_DECREF(held[0]);
    Py_DECREF(held[1]);
    return (PyObject *)out;
}

/* Loop(inputs, ufunc of float32, ufunc of float64, ufunc of int64, numbers, halves=0, exact=False): None for a dtype that has no loop. exact:
   exact.c's in place of numpy's, which give other bits only where two NaNs meet. */
static PyObject *loop_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    int inputs, numbers, halves = 0, exact = 0;
    PyObject *ufuncs[KINDS];
    (void)keywords;
    if (!PyArg_ParseTuple(args, "iOOOp|ip", &inputs, &ufuncs[0], &ufuncs[1], &ufuncs[2], &numbers, &halves, &exact)) return NULL;
    Loop *loop = (Loop *)type->tp_alloc(type, 0);
    if (loop == NULL) return NULL;
    loop->call = inputs == 1 ? single : inputs == 2 ? pair : unanswered;
    loop->numbers = numbers;
    loop->halves = halves;
    loop->inputs = inputs;
    for (int k = 0; k < KINDS; k++) loop->ufuncs[k] = Py_NewRef(ufuncs[k]);
    for (int k = 0; k < KINDS; k++)
        if (inputs < 1 || inputs > MOST_OPERANDS || inner_of(ufuncs[k], inputs, kinds[k], exact, &loop->inner[k]) < 0) {
            Py_DECREF(loop);
            return PyErr_Format(PyExc_TypeError, "Loop(): no ufunc of so many arguments");
        }
    loop->single = loop->inner[FLOATS];
    if (halves && inputs == 1 && loop->single.run != NULL) {
        const char *name = ((PyUFuncObject *)ufuncs[0])->name;
        inner_of(ufuncs[0], inputs, NPY_FLOAT, 1, &loop->single);
        if (strcmp(name, "negative") == 0) loop->kept = 0xffff, loop->turned = 0x8000;
        if (strcmp(name, "absolute") == 0) loop->kept = 0x7fff;
    }
    return (PyObject *)loop;
}

static void loop_dealloc(PyObject *self) {
    for (int k = 0; k < KINDS; k++) Py_XDECREF(((Loop *)self)->ufuncs[k]);
    Py_TYPE(self)->tp_free(self);
}

CALLABLE(Loop, loop_new, loop_dealloc, "The inner loops of an elementwise operator: an array, or None for what is not usual.")

int add_loops(PyObject *module) { return PyModule_AddType(module, &LoopType); }
