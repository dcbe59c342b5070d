/* Methods and properties that work for objects of one class alone, as Python's compiled ones do.

   `owned.property` is Python's `property` with a place for a class. Read, set or deleted for an object of another class, it asks a hook
   first, which raises where a program is about to. Classes whose metaclass is derived from `owned.type`, and `owned.super`, give a
   function that they keep in a form for objects of its class, which another hook makes once; objects themselves read it as it is. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

static PyObject *hook; /* hook(property, object) */
static PyObject *maker; /* maker(class, name, function) */
static PyObject *mark, *guard; /* among the builtins of a program's functions; in the `__dict__` of others: (form, class, function) */
static Py_ssize_t place; /* of the class and the docstring, behind what a property has */

#define OWNER(self) (*(PyObject **)((char *)(self) + place))
#define TEXT(self) (*(PyObject **)((char *)(self) + place + (Py_ssize_t)sizeof(PyObject *)))

static int is_refused(PyObject *self, PyObject *object) {
    PyObject *owner = OWNER(self);
    if (owner == NULL || !PyType_Check(owner) || PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)owner) || hook == NULL) return 0;
    PyObject *answer = PyObject_CallFunctionObjArgs(hook, self, object, NULL);
    Py_XDECREF(answer);
    return answer == NULL;
}

static PyObject *get(PyObject *self, PyObject *object, PyObject *kind) {
    if (object != NULL && object != Py_None && is_refused(self, object)) return NULL;
    return PyProperty_Type.tp_descr_get(self, object, kind);
}

static int set(PyObject *self, PyObject *object, PyObject *value) {
    return is_refused(self, object) ? -1 : PyProperty_Type.tp_descr_set(self, object, value);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(OWNER(self));
    Py_VISIT(TEXT(self));
    return PyProperty_Type.tp_traverse(self, visit, arg);
}

static void dealloc(PyObject *self) {
    PyTypeObject *kind = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(OWNER(self));
    Py_CLEAR(TEXT(self));
    PyObject_GC_Track(self); /* which Python's own begins with */
    PyProperty_Type.tp_dealloc(self);
    Py_DECREF(kind);
}

/* `getter`, `setter`, `deleter`: a copy is the same class's. */
static PyObject *copied(PyObject *self, const char *name, PyObject *function) {
    PyObject *method = PyObject_GetAttrString((PyObject *)&PyProperty_Type, name);
    PyObject *made = method == NULL ? NULL : PyObject_CallFunctionObjArgs(method, self, function, NULL);
    Py_XDECREF(method);
    if (made != NULL && Py_IS_TYPE(made, Py_TYPE(self))) Py_XSETREF(OWNER(made), Py_XNewRef(OWNER(self)));
    return made;
}
static PyObject *with_getter(PyObject *self, PyObject *function) { return copied(self, "getter", function); }
static PyObject *with_setter(PyObject *self, PyObject *function) { return copied(self, "setter", function); }
static PyObject *with_deleter(PyObject *self, PyObject *function) { return copied(self, "deleter", function); }

static PyMethodDef methods[] = {{"getter", with_getter, METH_O, "Descriptor to obtain a copy of the property with a different getter."},
                                {"setter", with_setter, METH_O, "Descriptor to obtain a copy of the property with a different setter."},
                                {"deleter", with_deleter, METH_O, "Descriptor to obtain a copy of the property with a different deleter."},
                                {0}};

static PyMemberDef members[] = {{"_owner", T_OBJECT, 0, 0, NULL}, {"__doc__", T_OBJECT, 0, 0, NULL}, {0}};

static PyType_Slot slots[] = {{Py_tp_descr_get, get},     {Py_tp_descr_set, set},     {Py_tp_traverse, traverse}, {Py_tp_dealloc, dealloc},
                              {Py_tp_members, members}, {Py_tp_methods, methods}, {0}};

static PyType_Spec spec = {
    .name = "tensorsh.sandbox.owned.property", .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, .slots = slots};

static PyObject *taken(PyObject *kind, PyObject *name, PyObject *found) {
    if (found == NULL || !PyFunction_Check(found) || maker == NULL || !PyUnicode_Check(name)) return found;
    if (PyUnicode_GET_LENGTH(name) && PyUnicode_READ_CHAR(name, 0) == '_') return found;
    PyObject *own = ((PyFunctionObject *)found)->func_dict;
    PyObject *known = own == NULL ? NULL : PyDict_GetItemWithError(own, guard);
    if (known != NULL && PyTuple_Check(known) && PyTuple_GET_SIZE(known) == 3 && PyTuple_GET_ITEM(known, 2) == found) {
        PyObject *form = Py_NewRef(PyTuple_GET_ITEM(known, 0));
        Py_DECREF(found);
        return form;
    }
    const int is_program = PyErr_Occurred() ? -1 : PyDict_Contains(((PyFunctionObject *)found)->func_builtins, mark);
    PyObject *form = is_program ? (is_program < 0 ? NULL : Py_NewRef(found)) : PyObject_CallFunctionObjArgs(maker, kind, name, found, NULL);
    Py_DECREF(found);
    return form;
}

static PyObject *of_class(PyObject *kind, PyObject *name) { return taken(kind, name, PyType_Type.tp_getattro(kind, name)); }

static PyObject *of_super(PyObject *self, PyObject *name) {
    PyObject *found = PySuper_Type.tp_getattro(self, name);
    if (found == NULL || !PyFunction_Check(found)) return found;
    PyObject *kind = PyObject_GetAttrString(self, "__self_class__");
    if (kind == NULL) Py_CLEAR(found);
    found = taken(kind, name, found);
    Py_XDECREF(kind);
    return found;
}

static PyType_Slot type_slots[] = {{Py_tp_getattro, of_class}, {0}};
static PyType_Spec type_spec = {.name = "tensorsh.sandbox.owned.type", .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, .slots = type_slots};
static PyType_Slot super_slots[] = {{Py_tp_getattro, of_super}, {0}};
static PyType_Spec super_spec = {.name = "builtins.super", .flags = Py_TPFLAGS_DEFAULT, .slots = super_slots};

static PyObject *ask(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *told, *making, *text;
    if (!PyArg_ParseTuple(args, "OOU", &told, &making, &text)) return NULL;
    Py_XSETREF(hook, Py_NewRef(told));
    Py_XSETREF(maker, Py_NewRef(making));
    Py_XSETREF(mark, Py_NewRef(text));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"ask", ask, METH_VARARGS,
     "ask(hook, maker, mark): properties call hook(property, object) for objects of other classes, classes call maker(class, name, function) "
     "for the form of a function, but for those that have the mark among their builtins."},
    {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "owned", .m_doc = "Properties of one class.", .m_size = -1, .m_methods = functions};

static int offer(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject *base) {
    PyObject *kind = PyType_FromSpecWithBases(spec, (PyObject *)base);
    const int failed = kind == NULL || PyModule_AddObjectRef(module, name, kind) < 0;
    Py_XDECREF(kind);
    return failed;
}

PyMODINIT_FUNC PyInit_owned(void) {
    PyObject *module = PyModule_Create(&definition);
    place = PyProperty_Type.tp_basicsize;
    for (int k = 0; k < 2; k++) members[k].offset = place + k * (Py_ssize_t)sizeof(PyObject *);
    spec.basicsize = (int)(place + 2 * (Py_ssize_t)sizeof(PyObject *));
    if (module == NULL || (guard = PyUnicode_InternFromString("_guard")) == NULL || offer(module, "property", &spec, &PyProperty_Type)
        || offer(module, "type", &type_spec, &PyType_Type) || offer(module, "super", &super_spec, &PySuper_Type))
        Py_CLEAR(module);
    return module;
}
