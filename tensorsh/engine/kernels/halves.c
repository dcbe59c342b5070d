/* Half types: arrays converted, and float32's own loops run on them, a piece at a time that stays in the first cache.

   Each conversion is exact or rounds to the nearest, a tie to the even number, in integer arithmetic that compilers turn into
   vector instructions. */
#include "halves.h"

#define PIECE 2048

WIDE void halves_to_floats(int brain, const uint16_t *x, float *out, size n) {
    uint32_t *bits = (uint32_t *)out;
    if (brain) {
        INDEPENDENT
        for (size i = 0; i < n; i++) bits[i] = (uint32_t)x[i] << 16;
        return;
    }
    INDEPENDENT
    for (size i = 0; i < n; i++) {
        const uint32_t size_of = (uint32_t)(x[i] & 0x7fff) << 13, sign = (uint32_t)(x[i] & 0x8000) << 16;
        uint32_t made = size_of + (112u << 23);
        made = size_of >= 0x0f800000 ? made + (112u << 23) : made;
        made = size_of < 0x00800000 ? single_bits(as_single(size_of + (113u << 23)) - 0x1p-14f) : made;
        bits[i] = made | sign;
    }
}

WIDE void floats_to_halves(int brain, const float *x, uint16_t *out, size n) {
    const uint32_t *bits = (const uint32_t *)x;
    if (brain) {
        INDEPENDENT
        for (size i = 0; i < n; i++) {
            const uint32_t b = bits[i], rounded = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
            out[i] = (uint16_t)((b & 0x7fffffff) > 0x7f800000 ? (b >> 16 & 0x8000) | 0x7fc0 : rounded);
        }
        return;
    }
    INDEPENDENT
    for (size i = 0; i < n; i++) {
        const uint32_t b = bits[i] & 0x7fffffff, sign = bits[i] >> 16 & 0x8000;
        uint32_t made = (b - (112u << 23) + 0xfff + (b >> 13 & 1)) >> 13;
        made = b < (113u << 23) ? single_bits(as_single(b) + 0.5f) - (126u << 23) : made;
        made = b >= 0x477ff000 ? 0x7c00 : made;
        made = b > 0x7f800000 ? 0x7e00 | (b >> 13 & 0x3ff) : made;
        out[i] = (uint16_t)(made | sign);
    }
}

/* Which half type a dtype is: -1 for none of them. bfloat16 is a type that is registered with numpy. */
int half_type(PyArray_Descr *dtype) {
    static PyTypeObject *brain;
    if (dtype->type_num == NPY_HALF) return 0;
    if (!PyTypeNum_ISUSERDEF(dtype->type_num)) return -1;
    if (dtype->typeobj == brain) return 1;
    if (strstr(dtype->typeobj->tp_name, "bfloat16") == NULL) return -1;
    brain = dtype->typeobj;
    return 1;
}

PyArrayObject *half_array(PyObject *object, int *brain) {
    if (!PyArray_CheckExact(object)) return NULL;
    PyArrayObject *a = (PyArrayObject *)object;
    return PyArray_ISCARRAY_RO(a) && (*brain = half_type(PyArray_DESCR(a))) >= 0 ? a : NULL;
}

static PyObject *half_widened(PyObject *self, PyObject *object) {
    int brain;
    PyArrayObject *a = half_array(object, &brain), *out;
    if (a == NULL) Py_RETURN_NONE;
    if ((out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), NPY_FLOAT)) == NULL) return NULL;
    RELEASED(PyArray_SIZE(a), halves_to_floats(brain, PyArray_DATA(a), PyArray_DATA(out), PyArray_SIZE(a)));
    return (PyObject *)out;
}

/* half_narrowed(x, dtype) */
static PyObject *half_narrowed(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    PyArrayObject *a = count == 2 ? contiguous(args[0], NPY_FLOAT) : NULL, *out;
    const int brain = a && PyArray_DescrCheck(args[1]) ? half_type((PyArray_Descr *)args[1]) : -1;
    if (brain < 0) Py_RETURN_NONE;
    Py_INCREF(args[1]);
    out = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(a), PyArray_DIMS(a), (PyArray_Descr *)args[1]);
    if (out == NULL) return NULL;
    RELEASED(PyArray_SIZE(a), floats_to_halves(brain, PyArray_DATA(a), PyArray_DATA(out), PyArray_SIZE(a)));
    return (PyObject *)out;
}

typedef struct {
    PyUFuncGenericFunction run;
    void *data;
    int truth; /* whether the results are booleans */
} Single;

static int single_of(PyObject *object, int inputs, Single *found) {
    if (!PyObject_TypeCheck(object, &PyUFunc_Type)) return 0;
    PyUFuncObject *ufunc = (PyUFuncObject *)object;
    if (ufunc->nin != inputs || ufunc->nout != 1 || ufunc->core_enabled) return 0;
    for (int i = 0; i < ufunc->ntypes; i++) {
        const char *types = ufunc->types + i * ufunc->nargs;
        if (types[0] != NPY_FLOAT || types[inputs - 1] != NPY_FLOAT || !ufunc->functions[i]) continue;
        if (types[inputs] != NPY_FLOAT && types[inputs] != NPY_BOOL) continue;
        *found = (Single){ufunc->functions[i], ufunc->data ? ((void **)ufunc->data)[i] : NULL, types[inputs] == NPY_BOOL};
        return 1;
    }
    return 0;
}

typedef struct {
    const uint16_t *from; /* NULL for a number, which fills `wide` */
    float wide[PIECE];
} Operand;

static void run_single(const Single *loop, int brain, int inputs, Operand *x, char *out, size n) {
    float result[PIECE];
    for (size done = 0, m; done < n; done += m) {
        m = n - done < PIECE ? n - done : PIECE;
        char *places[3];
        size steps[3] = {sizeof(float), sizeof(float), sizeof(float)};
        for (int k = 0; k < inputs; k++) {
            if (x[k].from) halves_to_floats(brain, x[k].from + done, x[k].wide, m);
            places[k] = (char *)x[k].wide;
        }
        places[inputs] = loop->truth ? out + done : (char *)result;
        if (loop->truth) steps[inputs] = 1;
        loop->run(places, &m, steps, loop->data);
        if (!loop->truth) floats_to_halves(brain, result, (uint16_t *)out + done, m);
    }
}

/* half_computed(ufunc, x) or (ufunc, x, y): y has the shape of x, or is one element, of x's type or float32. */
static PyObject *half_computed(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Single loop;
    Operand *x = NULL;
    int brain, other = 0, inputs = (int)count - 1;
    if (inputs < 1 || inputs > 2) Py_RETURN_NONE;
    PyArrayObject *a = half_array(args[1], &brain), *b = NULL, *out;
    if (a == NULL || !single_of(args[0], inputs, &loop)) Py_RETURN_NONE;
    float number = 0;
    if (inputs == 2) {
        if ((b = half_array(args[2], &other)) == NULL && (b = contiguous(args[2], NPY_FLOAT)) == NULL) Py_RETURN_NONE;
        const int one = PyArray_NDIM(b) == 0, wide = PyArray_TYPE(b) == NPY_FLOAT;
        if (wide ? !one : PyArray_TYPE(a) != PyArray_TYPE(b) || (!one && !PyArray_SAMESHAPE(a, b))) Py_RETURN_NONE;
        if (one && wide) number = *(const float *)PyArray_DATA(b);
        else if (one) halves_to_floats(brain, PyArray_DATA(b), &number, 1);
    }
    if (loop.truth) {
        out = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), NPY_BOOL);
    } else {
        Py_INCREF(PyArray_DESCR(a));
        out = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(a), PyArray_DIMS(a), PyArray_DESCR(a));
    }
    if (out == NULL || (x = PyMem_Malloc(inputs * sizeof *x)) == NULL) {
        Py_XDECREF(out);
        return PyErr_NoMemory();
    }
    x[0].from = PyArray_DATA(a);
    if (inputs == 2) {
        x[1].from = PyArray_NDIM(b) ? PyArray_DATA(b) : NULL;
        for (size i = 0; x[1].from == NULL && i < PIECE; i++) x[1].wide[i] = number;
    }
    RELEASED(PyArray_SIZE(a), run_single(&loop, brain, inputs, x, PyArray_DATA(out), PyArray_SIZE(a)));
    PyMem_Free(x);
    return (PyObject *)out;
}

PyMethodDef halves_methods[] = {
    {"half_widened", half_widened, METH_O, "half_widened(x): as float32"},
    FUNCTION(half_narrowed, "half_narrowed(x, dtype): float32 as a half type"),
    FUNCTION(half_computed, "half_computed(ufunc, x, y=None): in float32, and rounded"),
    {NULL, NULL, 0, NULL},
};
