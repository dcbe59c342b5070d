/* The general way of an operator's call as far as it needs no thought: arguments of types that are known to fit, bound to the
   parameters; tensors replaced by their arrays; the kernel called; the result made a tensor, recorded where that is wanted.

   It is `Operator.call` of operator.py step by step. Whatever is not usual is handed to that method, before anything was done. */
#include "general.h"
#include <stddef.h>
#include <structmember.h>

static PyObject *name_compute, *name_record, *name_wrapped, *name_reworded, *name_differentiable, *name_kernel, *name_check,
    *name_check_shapes, *name_takes_floats, *name_qualname, *name_dtype, *name_run;
PyArray_Descr *float32, *float64;

INLINE int is_list(PyObject *x) { return PyTuple_Check(x) || PyList_Check(x); }
INLINE int is_number(PyObject *x) {
    return PyFloat_CheckExact(x) || PyLong_CheckExact(x) || PyBool_Check(x) || PyComplex_CheckExact(x);
}

/* The types of the arguments, and of the elements of short lists among them. */
static PyObject *types_of(PyObject *const *args, Py_ssize_t n, PyObject *names) {
    Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0, size = n + 2 * named;
    int lists = 0;
    for (Py_ssize_t i = 0; i < n + named; i++) lists |= PyTuple_CheckExact(args[i]) || PyList_CheckExact(args[i]);
    if (lists)
        for (Py_ssize_t i = 0; i < n + named; i++)
            if (is_list(args[i]) && PySequence_Fast_GET_SIZE(args[i]) <= MOST) size += PySequence_Fast_GET_SIZE(args[i]);
    PyObject *types = PyTuple_New(size);
    if (types == NULL) return NULL;
    Py_ssize_t at = 0;
    for (Py_ssize_t i = 0; i < n; i++) PyTuple_SET_ITEM(types, at++, Py_NewRef((PyObject *)Py_TYPE(args[i])));
    for (Py_ssize_t i = 0; i < named; i++) PyTuple_SET_ITEM(types, at++, Py_NewRef(PyTuple_GET_ITEM(names, i)));
    for (Py_ssize_t i = n; i < n + named; i++) PyTuple_SET_ITEM(types, at++, Py_NewRef((PyObject *)Py_TYPE(args[i])));
    for (Py_ssize_t i = 0; lists && i < n + named; i++) {
        if (!is_list(args[i]) || PySequence_Fast_GET_SIZE(args[i]) > MOST) continue;
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(args[i]); k++)
            PyTuple_SET_ITEM(types, at++, Py_NewRef((PyObject *)Py_TYPE(PySequence_Fast_GET_ITEM(args[i], k))));
    }
    return types;
}

/* Whether the types are known to fit the operator, or the function under the title of the frame that calls. */
static int fits(General *it, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    PyObject *types = types_of(args, n, names);
    int found = types ? PySet_Contains(it->fitting, types) : -1;
    PyFrameObject *frame = found == 0 ? PyEval_GetFrame() : NULL;
    if (frame) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyObject *title = PyObject_GetAttr((PyObject *)code, name_qualname), *key = title ? PyTuple_Pack(2, types, title) : NULL;
        found = key ? PySet_Contains(it->fitting, key) : -1;
        Py_XDECREF(key);
        Py_XDECREF(title);
        Py_DECREF(code);
    }
    Py_XDECREF(types);
    return found;
}

/* The arguments in the order of the parameters, with new references, defaults filled in; 0 for what is not usual. */
static int bound(General *it, PyObject **values, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    if (n > it->positional || PyList_GET_SIZE(it->defaults) != it->count) return 0;
    if (it->packed >= 0 && n > it->packed && (n > it->packed + 1 || !is_list(args[it->packed]))) return 0;
    for (Py_ssize_t i = 0; i < n; i++) values[i] = args[i];
    for (Py_ssize_t i = n; i < it->count; i++) values[i] = PyList_GET_ITEM(it->defaults, i);
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *place = PyDict_GetItemWithError(it->index, name);
        if (place == NULL || (args[n + k] != Py_None && PyUnicode_Compare(name, name_dtype) == 0)) {
            PyErr_Clear();
            return 0;
        }
        Py_ssize_t i = PyLong_AsSsize_t(place);
        if (i < n || i >= it->count) return 0;
        values[i] = args[n + k];
    }
    for (Py_ssize_t i = 0; i < it->count; i++)
        if (values[i] == it->required) return 0;
    for (Py_ssize_t i = 0; i < it->count; i++) Py_INCREF(values[i]);
    return 1;
}

/* Whether the promoted operands are float arrays of one dtype and numbers, which become numbers of that dtype. */
static int alike(General *it, PyObject **values) {
    PyArray_Descr *common = NULL;
    int numbers = 0;
    for (Py_ssize_t k = 0; k < it->arrays; k++) {
        PyObject *x = values[it->places[k]];
        if (PyArray_CheckExact(x)) {
            PyArray_Descr *own = PyArray_DESCR((PyArrayObject *)x);
            if (own == common) continue;
            if (common || (own != float32 && own != float64)) return 0;
            common = own;
        } else if (PyFloat_CheckExact(x) || PyLong_CheckExact(x)) {
            numbers = 1;
        } else {
            return 0;
        }
    }
    if (common == NULL) return 0;
    for (Py_ssize_t k = 0; numbers && k < it->arrays; k++) {
        PyObject **x = &values[it->places[k]];
        if (PyArray_CheckExact(*x)) continue;
        PyObject *number = PyObject_CallOneArg((PyObject *)common->typeobj, *x);
        if (number == NULL) return -1;
        Py_SETREF(*x, number);
    }
    return 1;
}

/* Whether arrays go to the kernel as they are: numpy's, none of half precision, the first of floats that PyTorch has. */
static int plain(General *it, PyObject **values) {
    for (Py_ssize_t k = 0; k < it->arrays; k++) {
        PyObject *x = values[it->places[k]];
        if (x == Py_None && it->places[k] != it->first) continue;
        if (!PyArray_CheckExact(x)) return 0;
        PyArray_Descr *own = PyArray_DESCR((PyArrayObject *)x);
        if (own->kind == 'V' || (own->kind == 'f' && own != float32 && own != float64)) return 0;
        if (it->places[k] == it->first && own->kind != 'f') return 0;
    }
    return 1;
}

static PyObject *list_of(PyObject **values, Py_ssize_t n) {
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) PyList_SET_ITEM(list, i, Py_NewRef(values[i]));
    return list;
}

/* An error that was fetched is raised again, but where what was asked meanwhile (its answer: `said`) raised another one. */
static void stays_unless_raised(PyObject *said, PyObject *type, PyObject *error, PyObject *trace) {
    if (said) {
        Py_DECREF(said);
        PyErr_Restore(type, error, trace);
    } else {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(trace);
    }
}

/* The kernel on arrays (`values` with one place free before them), checked as `Operator.compute` does. */
static PyObject *computed(General *it, PyObject **values) {
    PyObject *check = PyObject_GetAttr(it->owner, name_check), *kernel = NULL, *result = NULL, *list = NULL;
    if (check == NULL) return NULL;
    int usual = it->unmixed ? alike(it, values) : it->promotes ? 0 : plain(it, values);
    if (usual < 0) goto done;
    if (!usual) {
        list = list_of(values, it->count);
        result = method(it->owner, name_compute, list, NULL);
        goto done;
    }
    if (check != Py_None) {
        PyObject *takes = NULL;
        if (it->unmixed && (takes = PyObject_GetAttr(check, name_takes_floats)) == NULL) PyErr_Clear();
        PyObject *said = takes ? takes : PyObject_Vectorcall(check, values, it->count, NULL);
        if (said == NULL) goto shapes;
        Py_DECREF(said);
    }
    if ((kernel = PyObject_GetAttr(it->owner, name_kernel)) == NULL) goto done;
    values[-1] = it->module;
    result = PyObject_Vectorcall(kernel, values - 1, 1 + it->positional, it->keywords);
shapes:
    if (result == NULL && (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_NotImplementedError))) {
        PyObject *type, *error, *trace;
        PyErr_Fetch(&type, &error, &trace);
        list = list_of(values, it->count);
        PyObject *said = method(it->owner, name_check_shapes, list, NULL);
        stays_unless_raised(said, type, error, trace);
    }
done:
    Py_XDECREF(check);
    Py_XDECREF(kernel);
    Py_XDECREF(list);
    return result;
}

/* The result as the program gets it. */
static PyObject *delivered(General *it, PyObject *values, PyObject *result, int tracked) {
    if (tracked && setting(name_grad_enabled) == Py_True) {
        PyObject *differentiable = PyObject_GetAttr(it->owner, name_differentiable);
        int wanted = differentiable ? PyObject_IsTrue(differentiable) : -1;
        Py_XDECREF(differentiable);
        if (wanted < 0) return NULL;
        if (wanted) {
            PyObject *t = recorded(it, values, result);
            return t || PyErr_Occurred() ? t : method(it->owner, name_record, values, result);
        }
    }
    if (PyArray_CheckExact(result) && !it->view && tensor_class) return tensor_of(Py_NewRef(result));
    return method(it->owner, name_wrapped, values, result);
}

/* An error in PyTorch's words: `Operator.reworded` raises another one, or nothing where this one stays. */
static void reworded(General *it, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    PyObject *type, *error, *trace, *said = NULL;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (trace) PyException_SetTraceback(error, trace);
    PyObject *given = PyTuple_New(n), *named = PyDict_New();
    for (Py_ssize_t i = 0; given && i < n; i++) PyTuple_SET_ITEM(given, i, Py_NewRef(args[i]));
    for (Py_ssize_t k = 0; named && names && k < PyTuple_GET_SIZE(names); k++)
        if (PyDict_SetItem(named, PyTuple_GET_ITEM(names, k), args[n + k]) < 0) Py_CLEAR(named);
    if (given && named) {
        PyObject *all[4] = {it->owner, given, named, error};
        said = PyObject_VectorcallMethod(name_reworded, all, 4, NULL);
    }
    Py_XDECREF(given);
    Py_XDECREF(named);
    stays_unless_raised(said, type, error, trace);
}

/* The answer to arguments in the order of the parameters, whose references it takes; NULL without an error: not usual. */
static PyObject *carried_out(General *it, PyObject **values) {
    PyObject *list = list_of(values, it->count), *result = NULL, *answer = NULL;
    int tracked = 0;
    if (list == NULL) goto done;
    for (Py_ssize_t k = 0; k < it->arrays; k++) {
        Py_ssize_t i = it->places[k];
        PyObject *x = values[i];
        if (IS_TENSOR(x) && FIELDS(x)->array) {
            tracked |= !UNSET(FIELDS(x)->node);
            values[i] = Py_NewRef(FIELDS(x)->array);
            Py_DECREF(x);
        } else if (x == Py_None ? PyList_GET_ITEM(it->defaults, i) != Py_None : !(it->numbers && is_number(x))) {
            goto done;
        }
    }
    result = computed(it, values);
    answer = result ? delivered(it, list, result, tracked) : NULL;
done:
    Py_XDECREF(list);
    Py_XDECREF(result);
    for (Py_ssize_t i = 0; i < it->count; i++) Py_DECREF(values[i]);
    return answer;
}

static PyObject *general(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
    General *it = (General *)self;
    Py_ssize_t n = PyVectorcall_NARGS(flags);
    PyObject *space[2 * MOST + 1];
    int known = it->count <= 2 * MOST ? fits(it, args, n, names) : 0;
    if (known < 0) return NULL;
    PyObject *answer = known && bound(it, space + 1, args, n, names) ? carried_out(it, space + 1) : NULL;
    if (answer) return answer;
    if (!PyErr_Occurred()) return PyObject_Vectorcall(it->otherwise, args, flags, names);
    if (PyErr_ExceptionMatches(PyExc_Exception)) reworded(it, args, n, names);
    return NULL;
}

/* run(values): the same for arguments in the order of the parameters, an error as it is. */
static PyObject *run(PyObject *self, PyObject *list) {
    General *it = (General *)self;
    PyObject *space[2 * MOST + 1], *answer = NULL;
    if (PyList_CheckExact(list) && PyList_GET_SIZE(list) == it->count && it->count <= 2 * MOST) {
        for (Py_ssize_t i = 0; i < it->count; i++) space[i + 1] = Py_NewRef(PyList_GET_ITEM(list, i));
        answer = carried_out(it, space + 1);
    }
    return answer || PyErr_Occurred() ? answer : method(it->owner, name_run, list, NULL);
}

static void general_dealloc(PyObject *self) {
    General *it = (General *)self;
    Py_XDECREF(it->owner);
    Py_XDECREF(it->otherwise);
    Py_XDECREF(it->fitting);
    Py_XDECREF(it->defaults);
    Py_XDECREF(it->required);
    Py_XDECREF(it->index);
    Py_XDECREF(it->keywords);
    Py_XDECREF(it->module);
    Py_XDECREF(it->plans);
    Py_TYPE(self)->tp_free(self);
}

/* General(operator, its call in Python, fitting, defaults, what stands for no default, {name: place}, names by keyword,
   numpy, how many by position, packed, numbers, view, unmixed, promotes, places of the tensors, the first of them) */
static PyObject *general_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *o[8], *places;
    Py_ssize_t positional, packed, first;
    int numbers, view, unmixed, promotes;
    if (!PyArg_ParseTuple(args, "OOO!O!OO!O!OnnppppO!n", &o[0], &o[1], &PySet_Type, &o[2], &PyList_Type, &o[3], &o[4],
                          &PyDict_Type, &o[5], &PyTuple_Type, &o[6], &o[7], &positional, &packed, &numbers, &view, &unmixed,
                          &promotes, &PyTuple_Type, &places, &first))
        return NULL;
    if (PyTuple_GET_SIZE(places) > MOST) return PyErr_Format(PyExc_TypeError, "General(): too many tensors");
    General *it = (General *)type->tp_alloc(type, 0);
    if (it == NULL) return NULL;
    it->call = general;
    it->plans = PyDict_New();
    it->owner = Py_NewRef(o[0]);
    it->otherwise = Py_NewRef(o[1]);
    it->fitting = Py_NewRef(o[2]);
    it->defaults = Py_NewRef(o[3]);
    it->required = Py_NewRef(o[4]);
    it->index = Py_NewRef(o[5]);
    it->keywords = PyTuple_GET_SIZE(o[6]) ? Py_NewRef(o[6]) : NULL;
    it->module = Py_NewRef(o[7]);
    it->count = PyList_GET_SIZE(o[3]);
    it->positional = positional;
    it->packed = packed;
    it->numbers = numbers;
    it->view = view;
    it->unmixed = unmixed;
    it->promotes = promotes;
    it->first = first;
    it->arrays = PyTuple_GET_SIZE(places);
    for (Py_ssize_t k = 0; k < it->arrays; k++) {
        it->places[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(places, k));
        if (it->places[k] < 0 || it->places[k] >= it->count) {
            Py_DECREF(it);
            return PyErr_Format(PyExc_TypeError, "General(): the places of the tensors");
        }
    }
    return (PyObject *)it;
}

static PyMemberDef general_members[] = {{"__self__", T_OBJECT, offsetof(General, owner), READONLY, "the operator"}, {NULL}};

static PyMethodDef general_methods[] = {{"run", run, METH_O, "run(values): the operator's answer"}, {NULL}};

static PyTypeObject GeneralType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tensorsh.engine.kernels.General",
    .tp_doc = "The call of an operator.",
    .tp_basicsize = sizeof(General),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(General, call),
    .tp_call = PyVectorcall_Call,
    .tp_new = general_new,
    .tp_dealloc = general_dealloc,
    .tp_members = general_members,
    .tp_methods = general_methods,
};

int add_general(PyObject *module) {
    struct {
        PyObject **to;
        const char *text;
    } names[] = {
        {&name_compute, "compute"},
        {&name_record, "record"},
        {&name_wrapped, "wrapped"},
        {&name_reworded, "reworded"},
        {&name_differentiable, "differentiable"},
        {&name_kernel, "kernel"},
        {&name_check, "check"},
        {&name_check_shapes, "check_shapes"},
        {&name_takes_floats, "takes_floats"},
        {&name_qualname, "co_qualname"},
        {&name_dtype, "dtype"},
        {&name_run, "run_anyhow"},
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if ((*names[i].to = PyUnicode_InternFromString(names[i].text)) == NULL) return -1;
    float32 = PyArray_DescrFromType(NPY_FLOAT);
    float64 = PyArray_DescrFromType(NPY_DOUBLE);
    return add_recording() < 0 ? -1 : PyModule_AddType(module, &GeneralType);
}
