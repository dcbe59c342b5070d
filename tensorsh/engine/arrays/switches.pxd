cimport cython
from cpython.object cimport PyObject

cdef extern from *:
    """
    #include <structmember.h>
    static CYTHON_INLINE unsigned long long tensorsh_current(void) { return PyThreadState_Get()->id; }
    /* Python reads and writes a member with fewer steps than a property. Nothing deletes one: compiled code takes each for
       an object (tests/test_house.py looks for it; no program reaches these names). */
    static CYTHON_UNUSED int tensorsh_add_members(PyObject *kind, const PyMemberDef *members, int count) {
        PyMemberDef *own = PyMem_Malloc(count * sizeof *own);
        if (own == NULL) return PyErr_NoMemory(), -1;
        memcpy(own, members, count * sizeof *own);
        for (int k = 0; k < count; k++) {
            PyObject *member = PyDescr_NewMember((PyTypeObject *)kind, own + k);
            int failed = member == NULL || PyDict_SetItemString(((PyTypeObject *)kind)->tp_dict, own[k].name, member) < 0;
            Py_XDECREF(member);
            if (failed) return -1;
        }
        PyType_Modified((PyTypeObject *)kind);
        return 0;
    }
    #define TENSORSH_MODE(name, type) {#name, type, offsetof(struct __pyx_obj_8tensorsh_6engine_6arrays_8switches_Switches, name), 0, NULL}
    #define tensorsh_modes_as_members(kind) tensorsh_add_members(kind, (const PyMemberDef[]){                      \
            TENSORSH_MODE(grad_enabled, T_BOOL), TENSORSH_MODE(inference, T_BOOL), TENSORSH_MODE(outermost, T_BOOL),    \
            TENSORSH_MODE(pushing, T_BOOL), TENSORSH_MODE(door, T_INT), TENSORSH_MODE(tangents, T_INT),               \
            TENSORSH_MODE(dual_level, T_INT), TENSORSH_MODE(transforms, T_INT), TENSORSH_MODE(born, T_INT),           \
            TENSORSH_MODE(places, T_OBJECT_EX), TENSORSH_MODE(autocast, T_OBJECT_EX), TENSORSH_MODE(passing, T_OBJECT_EX), \
            TENSORSH_MODE(profile, T_OBJECT_EX), TENSORSH_MODE(walk, T_OBJECT_EX), TENSORSH_MODE(packing, T_OBJECT_EX), \
            TENSORSH_MODE(listening, T_OBJECT_EX), TENSORSH_MODE(function_modes, T_OBJECT_EX),                        \
            TENSORSH_MODE(default_device, T_OBJECT_EX)}, 18)
    """
    unsigned long long current "tensorsh_current"()
    int modes_as_members "tensorsh_modes_as_members"(object kind) except -1
    ctypedef struct PyMemberDef: pass
    int add_members "tensorsh_add_members"(object kind, const PyMemberDef *members, int count) except -1

cdef class Switches:
    cdef public char grad_enabled, inference, outermost, pushing
    cdef public int door, tangents, dual_level, transforms, born
    cdef public object places, autocast, passing, profile, walk, packing, listening, function_modes, default_device

cdef class Holder:
    cdef public object make
    cdef object threads
    cdef Switches own
    cdef unsigned long long thread
    cdef bint marked
    cpdef mark(self)
    cpdef Switches enter(self)
    cpdef use(self, Switches modes)
    cdef Switches put(self, Switches modes)

cdef inline Switches modes_of(Holder holder):
    return holder.own if holder.thread == current() else holder.enter()

# As fields of `modes_of`, without a reference to them between.
cdef inline bint recording(Holder holder) except -1:
    if holder.thread != current(): holder.enter()
    return holder.own.grad_enabled

# Whether calls look at all; the modes at hand are the thread's then.
cdef inline bint looks(Holder holder) except -1:
    if not holder.marked: return False
    if holder.thread != current(): holder.enter()
    return True

cdef inline bint inferring(Holder holder) except -1: return looks(holder) and holder.own.inference
cdef inline int opened(Holder holder) except -1: return holder.own.door if looks(holder) else 0
cdef inline object noting(Holder holder): return holder.own.places if looks(holder) else False
cdef inline int transform(Holder holder) except -1: return holder.own.born if looks(holder) else 0

cdef class Here:
    pass

cdef Holder threads
@cython.locals(own=Switches)
cpdef record(bint on, object inference=*)
