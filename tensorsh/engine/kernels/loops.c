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

/* Whether an array is of a half type that float32's loop computes, and of few elements; which: HALF, BRAIN. */
INLINE int half_of(const Loop *loop, PyObject *object) {
    if (!loop->halves || !PyArray_CheckExact(object)) return PLAIN;
    PyArrayObject *a = (PyArrayObject *)object;
    if (PyArray_ITEMSIZE(a) != 2 || !PyArray_ISCARRAY_RO(a) || PyArray_SIZE(a) > LONG_WORK) return PLAIN;
    return PyArray_TYPE(a) == NPY_HALF ? HALF : is_bfloat16(PyArray_DESCR(a)) ? BRAIN : PLAIN;
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
    const Inner *inner = &loop->inner[FLOATS];
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

/* Arrays of one shape, of which one or both lie in steps, and a number: piece by piece they are laid side by side, for the loops of
   such arrays are many times as fast. None while calls are recorded, which have other arrays when they are called again. */
static PyObject *in_steps(const Loop *loop, PyObject *const *args) {
    if (RECORDED || !PyArray_CheckExact(args[0])) Py_RETURN_NONE;
    PyArrayObject *a = (PyArrayObject *)args[0], *b = NULL;
    const int type = PyArray_TYPE(a), kind = type == NPY_FLOAT ? FLOATS : type == NPY_DOUBLE ? DOUBLES : type == NPY_INT64 ? LONGS : -1;
    if (kind < 0 || loop->inner[kind].run == NULL) Py_RETURN_NONE;
    Number number;
    const char *from[2] = {PyArray_DATA(a), (const char *)&number};
    const size one = PyArray_ITEMSIZE(a), n = PyArray_SIZE(a);
    size apart[2] = {even_step(a), 0};
    if (apart[0] == 0) Py_RETURN_NONE;
    if (loop->inputs == 2) {
        if (PyArray_CheckExact(args[1])) {
            b = (PyArrayObject *)args[1];
            if (PyArray_TYPE(b) != type || !PyArray_SAMESHAPE(a, b) || (apart[1] = even_step(b)) == 0) Py_RETURN_NONE;
            from[1] = PyArray_DATA(b);
        } else if (!loop->numbers || !number_of(args[1], kind, &number)) {
            Py_RETURN_NONE;
        }
    }
    const Inner *inner = &loop->inner[kind];
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), inner->out);
    if (out == NULL) return NULL;
    double buffers[2][PIECE];
    const size wide = PyArray_ITEMSIZE(out);
    for (size done = 0, m; done < n; done += m) {
        m = n - done < PIECE ? n - done : PIECE;
        size steps[3] = {one, apart[1] ? one : 0, wide};
        char *at[3] = {(char *)(from[0] + done * apart[0]), (char *)(from[1] + done * apart[1]), (char *)PyArray_DATA(out) + done * wide};
        for (int k = 0; k < loop->inputs; k++) {
            if (apart[k] == 0 || apart[k] == one) continue;
            gather(at[k], apart[k], one, buffers[k], m);
            at[k] = (char *)buffers[k];
        }
        if (loop->inputs == 1) at[1] = at[2], steps[1] = wide;
        inner->run(at, &m, steps, inner->data);
    }
    return (PyObject *)out;
}

static PyObject *single(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Loop *loop = (Loop *)self;
    if (PyVectorcall_NARGS(flags) != 1 || keywords) Py_RETURN_NONE;
    int kind = kind_of(loop, args[0]), half;
    if (kind < 0) {
        if ((half = half_of(loop, args[0])) != PLAIN) return halves(loop, args, half);
        return in_steps(loop, args);
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
        if ((half = half_of(loop, args[0])) != PLAIN) return halves(loop, args, half);
        return in_steps(loop, args);
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
        if (times == 0 || (times > 1 && PyArray_SIZE(b) < 4 && PyArray_NDIM(b)) || (large && PyArray_SIZE(b) < 4)) Py_RETURN_NONE;
        second = PyArray_DATA(b);
    } else if (large || !loop->numbers || !number_of(args[1], kind, &number)) {
        return in_steps(loop, args);
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
    return (PyObject *)loop;
}

static void loop_dealloc(PyObject *self) {
    for (int k = 0; k < KINDS; k++) Py_XDECREF(((Loop *)self)->ufuncs[k]);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject LoopType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tensorsh.engine.kernels.Loop",
    .tp_doc = "The inner loops of an elementwise operator: an array, or None for what is not usual.",
    .tp_basicsize = sizeof(Loop),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Loop, call),
    .tp_call = PyVectorcall_Call,
    .tp_new = loop_new,
    .tp_dealloc = loop_dealloc,
};

int add_loops(PyObject *module) { return PyModule_AddType(module, &LoopType); }
