cimport cython
from ..arrays.switches cimport Holder, add_members, inferring, noting, transform

cdef extern from *:
    """
    static CYTHON_INLINE PyObject *tensorsh_allocated(PyObject *kind, PyObject *base) {
        static PyObject *nothing = NULL;
        if (nothing == NULL && (nothing = PyTuple_New(0)) == NULL) return NULL;
        PyTypeObject *type = (PyTypeObject *)kind;
        /* Who has the base's own function that makes objects derives from it; with one of its own it is to be looked for. */
        if (!PyType_Check(kind) || (type->tp_new != ((PyTypeObject *)base)->tp_new && !PyType_IsSubtype(type, (PyTypeObject *)base))) {
            PyErr_SetString(PyExc_TypeError, "neither a tensor's class nor a node's");
            return NULL;
        }
        return ((PyTypeObject *)base)->tp_new(type, nothing, NULL);
    }
    """
    object allocated "tensorsh_allocated"(object kind, object base)

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
    #include <numpy/ndarraytypes.h>
    static CYTHON_INLINE int tensorsh_holds_numbers(PyObject *array) {
        int kind = PyArray_TYPE((PyArrayObject *)array);
        return kind < NPY_OBJECT || kind == NPY_HALF || (kind >= NPY_USERDEF && kind < NPY_VSTRING);
    }
    """
    bint holds_numbers "tensorsh_holds_numbers"(object array)

cdef extern from *:
    """
    #define TENSORSH_PLACE(of, name) offsetof(struct __pyx_obj_8tensorsh_6engine_5graph_6fields_##of, name)
    #define TENSORSH_MEMBER(of, name) {#name, T_OBJECT_EX, TENSORSH_PLACE(of, name), 0, NULL}
    #define TENSORSH_FLAG(of, name) {#name, T_BOOL, TENSORSH_PLACE(of, name), 0, NULL}
    #define tensorsh_as_members(fields, step)                                                                  \
        (tensorsh_add_members(fields, (const PyMemberDef[]){TENSORSH_MEMBER(Fields, _array), TENSORSH_MEMBER(Fields, _node), \
            TENSORSH_MEMBER(Fields, _grad), TENSORSH_MEMBER(Fields, _root), TENSORSH_MEMBER(Fields, _cell),             \
            TENSORSH_MEMBER(Fields, _views), TENSORSH_MEMBER(Fields, _origin), TENSORSH_FLAG(Fields, _inference)}, 8) | \
         tensorsh_add_members(step, (const PyMemberDef[]){TENSORSH_MEMBER(Step, _edges), TENSORSH_MEMBER(Step, _saved),  \
            TENSORSH_MEMBER(Step, _metas)}, 3))
    """
    int as_members "tensorsh_as_members"(object fields, object step) except -1


cdef class Fields:
    cdef object __weakref__
    cdef public object _array, _node, _grad, _root, _cell, _views, _origin
    cdef public char _inference
    cdef public long long _born

cdef class Step:
    cdef object __weakref__
    cdef public object _edges, _saved, _metas
    cdef public long long _sequence

cdef class Version:
    cdef public long long count, last
    cdef public object stamps, _place
    cpdef bump(self)
    cpdef at(self, long long sequence)

cdef class Saved(Version):
    cdef public object _array, other
    cdef public long long _number

cdef class Wrapped:
    cdef public object value

cdef Holder threads
cdef object ndarray, generic
cdef object tensor_class
cdef long long count

cpdef object new(object kind)
cpdef long long tick()
@cython.locals(t=Fields)
cpdef Fields wrap(object array)
@cython.locals(t=Fields)
cpdef Fields fresh(object array, object node=*)
@cython.locals(node=Step)
cpdef Step link(object kind, object edges, object saved=*, object metas=*)
cpdef Fields detached(Fields t)
@cython.locals(saved=Saved, t=Fields)
cpdef Saved keep_result(object t, long long number=*)
cpdef Wrapped wrapped(object value)
