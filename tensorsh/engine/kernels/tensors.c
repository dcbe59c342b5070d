/* The classes that Tensor and Node are derived from: their fields have fixed places, which kernels read and fill directly. */
#include "tensors.h"
#include <structmember.h>

PyTypeObject *tensor_class;
PyObject *settings, *saved_class, *wrapped_class, *name_grad_enabled, *name_inference, *name_places, *name_array, *name_value;
static PyObject *name_place;
static long long clock_now = 0;

#define EACH_FIELD(f) f(array) f(node) f(grad) f(root) f(cell) f(views) f(origin) f(inference)
#define EACH_STEP(f) f(edges) f(saved) f(metas)
#define VISIT(name)                                            \
    if (it->name != skipped) {                                 \
        int stop = visited(it->name, visit, arg);              \
        if (stop) return stop;                                 \
    }
#define CLEAR(name) Py_CLEAR(it->name);
#define MEMBER(name) {"_" #name, T_OBJECT_EX, offsetof(OF, name), 0, NULL},

/* Python's collector goes over all that it tracks, again and again while a graph grows. So what only one node holds is not
   tracked by itself (see `untracked`): the node shows what is in it. A tuple that somebody else holds, too, is not shown,
   which keeps its content alive. */
static int visited(PyObject *field, visitproc visit, void *arg) {
    if (field == NULL || !PyTuple_CheckExact(field) || PyObject_GC_IsTracked(field)) {
        Py_VISIT(field);
        return 0;
    }
    if (Py_REFCNT(field) == 1)
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(field); i++) Py_VISIT(PyTuple_GET_ITEM(field, i));
    return 0;
}

static void untracked(PyObject *tuple) {
    if (PyTuple_CheckExact(tuple) && Py_REFCNT(tuple) == 1 && PyObject_GC_IsTracked(tuple)) PyObject_GC_UnTrack(tuple);
}

static int is_plain(PyObject *tuple) {
    if (!PyTuple_CheckExact(tuple)) return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
        if (PyObject_GC_IsTracked(PyTuple_GET_ITEM(tuple, i))) return 0;
    return 1;
}

/* The parts of a garbage-collected type that are the same for both; freeing needs no recursion of our own: the classes
   derived from these bring Python's trashcan. */
#define COLLECTED(type, prefix, each, plain)                                                \
    static int prefix##_traverse(PyObject *self, visitproc visit, void *arg) {              \
        type *it = (type *)self;                                                            \
        PyObject *skipped = plain;                                                          \
        each(VISIT) return 0;                                                               \
    }                                                                                       \
    static int prefix##_clear(PyObject *self) {                                             \
        type *it = (type *)self;                                                            \
        each(CLEAR) return 0;                                                               \
    }                                                                                       \
    static void prefix##_dealloc(PyObject *self) {                                          \
        PyObject_GC_UnTrack(self);                                                          \
        Py_TRASHCAN_BEGIN(self, prefix##_dealloc)                                           \
        prefix##_clear(self);                                                               \
        Py_TYPE(self)->tp_free(self);                                                       \
        Py_TRASHCAN_END                                                                     \
    }
COLLECTED(Fields, fields, EACH_FIELD, NULL)
COLLECTED(Step, step, EACH_STEP, it->plain)

static PyObject *fields_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    Fields *t = (Fields *)type->tp_alloc(type, 0);
    if (t == NULL) return NULL;
    t->node = Py_NewRef(Py_None);
    t->grad = Py_NewRef(Py_None);
    t->root = Py_NewRef(Py_None);
    t->cell = Py_NewRef(Py_None);
    t->views = Py_NewRef(Py_None);
    t->origin = Py_NewRef(Py_None);
    t->inference = Py_NewRef(Py_False);
    return (PyObject *)t;
}

static PyObject *nothing; /* the empty tuple */

static PyObject *step_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    Step *node = (Step *)type->tp_alloc(type, 0);
    if (node == NULL) return NULL;
    node->edges = Py_NewRef(nothing);
    node->saved = Py_NewRef(nothing);
    node->metas = Py_NewRef(Py_None);
    return (PyObject *)node;
}

#define OF Fields
static PyMemberDef fields_members[] = {EACH_FIELD(MEMBER){NULL}};
#undef OF
#define OF Step
static PyMemberDef step_members[] = {EACH_STEP(MEMBER){"_sequence", T_LONGLONG, offsetof(Step, sequence), 0, NULL}, {NULL}};

#define TYPE(type, prefix, title, text)                                                                 \
    PyTypeObject type##Type = {                                                                         \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = title, .tp_doc = text, .tp_basicsize = sizeof(type),   \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, .tp_new = prefix##_new, \
        .tp_dealloc = prefix##_dealloc, .tp_traverse = prefix##_traverse, .tp_clear = prefix##_clear,   \
        .tp_members = prefix##_members,                                                                 \
    };
TYPE(Fields, fields, "tensorsh.engine.kernels.Fields", "The fields of a tensor.")
TYPE(Step, step, "tensorsh.engine.kernels.Step", "The fields of a node of the tape.")

PyObject *shape_of(PyArrayObject *a) {
    PyObject *shape = PyTuple_New(PyArray_NDIM(a));
    for (int k = 0; shape && k < PyArray_NDIM(a); k++) PyTuple_SET_ITEM(shape, k, PyLong_FromSsize_t(PyArray_DIM(a, k)));
    return shape;
}

PyObject *tensor_of(PyObject *array) {
    Fields *t = array ? (Fields *)fields_new(tensor_class, NULL, NULL) : NULL;
    if (t == NULL) {
        Py_XDECREF(array);
        return NULL;
    }
    t->array = array;
    if (setting(name_inference) == Py_True) {
        Py_SETREF(t->inference, Py_NewRef(Py_True));
    }
    return (PyObject *)t;
}

PyObject *node_of(PyTypeObject *type, PyObject *edges, PyObject *saved, PyObject *metas) {
    Step *node = edges && saved && metas ? (Step *)type->tp_alloc(type, 0) : NULL;
    if (node == NULL) {
        Py_XDECREF(edges);
        Py_XDECREF(saved);
        Py_XDECREF(metas);
        return NULL;
    }
    untracked(edges);
    untracked(saved);
    node->edges = edges;
    node->saved = saved;
    node->metas = metas;
    node->plain = is_plain(saved) ? saved : NULL;
    node->sequence = ++clock_now;
    PyObject *places = setting(name_places);
    if (places != Py_False && places != Py_None) {
        PyObject *place = PyObject_CallNoArgs(places);
        if (place == NULL || PyObject_SetAttr((PyObject *)node, name_place, place) < 0) {
            Py_XDECREF(place);
            Py_DECREF(node);
            return NULL;
        }
        Py_DECREF(place);
    }
    return (PyObject *)node;
}

static PyObject *new(PyObject *self, PyObject *class) {
    if (PyType_Check(class)) {
        PyTypeObject *type = (PyTypeObject *)class;
        if (PyType_IsSubtype(type, &FieldsType)) return fields_new(type, NULL, NULL);
        if (PyType_IsSubtype(type, &StepType)) return step_new(type, NULL, NULL);
    }
    return PyErr_Format(PyExc_TypeError, "new(): neither a tensor's class nor a node's");
}

static PyObject *tick(PyObject *self, PyObject *unused) { return PyLong_FromLongLong(++clock_now); }

static PyObject *bind(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 4 || !PyType_Check(args[0]) || !PyType_IsSubtype((PyTypeObject *)args[0], &FieldsType) ||
        !PyDict_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "bind(): a class of tensors, the settings, the classes of what is kept");
    Py_XSETREF(tensor_class, (PyTypeObject *)Py_NewRef(args[0]));
    Py_XSETREF(settings, Py_NewRef(args[1]));
    Py_XSETREF(saved_class, Py_NewRef(args[2]));
    Py_XSETREF(wrapped_class, Py_NewRef(args[3]));
    Py_RETURN_NONE;
}

/* A tensor without history on an array; numpy's scalars become arrays. */
static PyObject *wrap(PyObject *self, PyObject *array) {
    PyObject *own = PyArray_CheckExact(array) || !PyArray_CheckScalar(array) ? Py_NewRef(array) : PyArray_FromScalar(array, NULL);
    Fields *t = own && tensor_class ? (Fields *)fields_new(tensor_class, NULL, NULL) : NULL;
    if (t == NULL) {
        Py_XDECREF(own);
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_RuntimeError, "wrap(): there are no tensors yet");
    }
    t->array = own;
    return (PyObject *)t;
}

static PyObject *version_class, *attach_otherwise;

static PyObject *attaching(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 2) return PyErr_Format(PyExc_TypeError, "attaching(): the class of version counters, the usual function");
    Py_XSETREF(version_class, Py_NewRef(args[0]));
    Py_XSETREF(attach_otherwise, Py_NewRef(args[1]));
    Py_RETURN_NONE;
}

/* The views of a base that still live. */
static int swept(PyObject *views) {
    PyObject *living = PyList_New(0);
    if (living == NULL) return -1;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(views); k++) {
        PyObject *reference = PyList_GET_ITEM(views, k);
        if (PyWeakref_Check(reference) && PyWeakref_GetObject(reference) != Py_None && PyList_Append(living, reference) < 0) break;
    }
    int failed = PyErr_Occurred() || PyList_SetSlice(views, 0, PyList_GET_SIZE(views), living) < 0;
    Py_DECREF(living);
    return failed ? -1 : 0;
}

/* attach(t, source, origin=None) as record.py has it, while gradients are recorded; otherwise that one is called. */
static PyObject *attach(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Fields *t = count >= 2 && IS_TENSOR(args[0]) ? FIELDS(args[0]) : NULL, *source = t && IS_TENSOR(args[1]) ? FIELDS(args[1]) : NULL;
    if (source == NULL || count > 3 || setting(name_grad_enabled) != Py_True || source->inference != Py_False ||
        (!UNSET(source->root) && !IS_TENSOR(source->root)))
        return attach_otherwise ? PyObject_Vectorcall(attach_otherwise, args, count, NULL) : Py_NewRef(Py_None);
    Fields *root = UNSET(source->root) ? source : FIELDS(source->root);
    PyObject *origin = count == 3 ? args[2] : Py_None;
    if (t == root) Py_RETURN_NONE;
    if (UNSET(source->cell)) {
        PyObject *cell = PyObject_CallNoArgs(version_class);
        if (cell == NULL) return NULL;
        if (root != source && UNSET(root->cell)) Py_XSETREF(root->cell, Py_NewRef(cell));
        Py_XSETREF(source->cell, cell);
    }
    if (origin == Py_None && root != source && source->origin) origin = source->origin;
    PyObject *reference = PyWeakref_NewRef((PyObject *)t, NULL);
    if (reference == NULL) return NULL;
    if (root->views == NULL || !PyList_CheckExact(root->views)) {
        PyObject *views = PyList_New(1);
        if (views == NULL) {
            Py_DECREF(reference);
            return NULL;
        }
        PyList_SET_ITEM(views, 0, reference);
        Py_XSETREF(root->views, views);
    } else {
        Py_ssize_t n = PyList_GET_SIZE(root->views);
        int failed = (n >= 32 && !(n & (n - 1)) && swept(root->views) < 0) || PyList_Append(root->views, reference) < 0;
        Py_DECREF(reference);
        if (failed) return NULL;
    }
    Py_XSETREF(t->root, Py_NewRef((PyObject *)root));
    Py_XSETREF(t->cell, Py_NewRef(source->cell));
    if (origin != Py_None) Py_XSETREF(t->origin, Py_NewRef(origin));
    Py_RETURN_NONE;
}

/* A node, filled in: link(class, edges, saved=(), metas=None). */
static PyObject *linked(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count < 2 || count > 4 || !PyType_Check(args[0]) || !PyType_IsSubtype((PyTypeObject *)args[0], &StepType))
        return PyErr_Format(PyExc_TypeError, "link(): a class of nodes, edges, what is saved");
    untracked(args[1]); /* now, while the caller's is the only reference */
    if (count > 2) untracked(args[2]);
    return node_of((PyTypeObject *)args[0], Py_NewRef(args[1]), Py_NewRef(count > 2 ? args[2] : nothing),
                   Py_NewRef(count > 3 ? args[3] : Py_None));
}

/* A tensor on a new array: fresh(array, node=None). */
static PyObject *fresh(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count < 1 || count > 2 || !tensor_class) return PyErr_Format(PyExc_TypeError, "fresh(): an array, a node");
    PyObject *own = PyArray_CheckExact(args[0]) || !PyArray_CheckScalar(args[0]) ? Py_NewRef(args[0]) : PyArray_FromScalar(args[0], NULL);
    PyObject *t = tensor_of(own);
    if (t && count == 2) Py_SETREF(FIELDS(t)->node, Py_NewRef(args[1]));
    return t;
}

int add_tensors(PyObject *module) {
    name_grad_enabled = PyUnicode_InternFromString("grad_enabled");
    name_inference = PyUnicode_InternFromString("inference");
    name_places = PyUnicode_InternFromString("places");
    name_place = PyUnicode_InternFromString("_place");
    name_array = PyUnicode_InternFromString("_array");
    name_value = PyUnicode_InternFromString("value");
    nothing = PyTuple_New(0);
    if (!name_grad_enabled || !name_inference || !name_places || !name_place || !name_array || !name_value || !nothing) return -1;
    return PyModule_AddType(module, &FieldsType) < 0 || PyModule_AddType(module, &StepType) < 0 ? -1 : 0;
}

PyMethodDef tensors_methods[] = {
    {"new", new, METH_O, "new(class): an object of a class of tensors or nodes, its fields at their defaults"},
    {"tick", tick, METH_NOARGS, "tick(): the clock of the tape"},
    {"wrap", wrap, METH_O, "wrap(array): a tensor without history"},
    FUNCTION(attach, "attach(t, source, origin=None): makes t a view of the source's memory"),
    FUNCTION(attaching, "attaching(Version, attach): what `attach` has of the engine"),
    FUNCTION(fresh, "fresh(array, node=None): a tensor on a new array"),
    {"link", (PyCFunction)(void (*)(void))linked, METH_FASTCALL, "link(class, edges, saved=(), metas=None): a node"},
    FUNCTION(bind, "bind(Tensor, settings, Saved, Wrapped): what the engine has"),
    {NULL, NULL, 0, NULL},
};
