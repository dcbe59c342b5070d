/* A bound on the memory of arrays, and what becomes of memory that is freed.

   A ledger is what numpy asks for memory in place of its own functions, in the context where it is put. Each block begins
   with its size, so that what is given back is known whatever numpy says of it; an array keeps its ledger until it is
   freed, wherever that happens. A request that does not fit is refused before anything is allocated. */
#include "common.h"

#include <limits.h>
#include <stdatomic.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define LEDGER "mem_handler" /* the name that numpy expects of the capsule */
#define HEAD 16              /* keeps the alignment of malloc */

typedef struct {
    PyDataMem_Handler handler; /* first: numpy reads the capsule's memory as this */
    PyObject *below;           /* the capsule of numpy's own functions, which do the work */
    PyDataMemAllocator plain;
    atomic_llong limit, used;
} Ledger;

/* Threads may ask and give back at once, also those that have not Python's lock: what is wanted is counted first. */
static int counted(Ledger *ledger, size_t wanted) {
    if (wanted > (size_t)PY_SSIZE_T_MAX - HEAD) return 0;
    const long long more = (long long)wanted;
    if (atomic_fetch_add(&ledger->used, more) <= ledger->limit - more) return 1;
    atomic_fetch_sub(&ledger->used, more);
    return 0;
}

static void *entered(Ledger *ledger, void *block, size_t wanted) {
    if (block == NULL) {
        atomic_fetch_sub(&ledger->used, (long long)wanted);
        return NULL;
    }
    *(size_t *)block = wanted;
    return (char *)block + HEAD;
}

static void *ledger_malloc(void *context, size_t wanted) {
    Ledger *ledger = context;
    if (!counted(ledger, wanted)) return NULL;
    return entered(ledger, ledger->plain.malloc(ledger->plain.ctx, wanted + HEAD), wanted);
}

static void *ledger_calloc(void *context, size_t count, size_t each) {
    Ledger *ledger = context;
    size_t wanted;
    if (__builtin_mul_overflow(count, each, &wanted) || !counted(ledger, wanted)) return NULL;
    return entered(ledger, ledger->plain.calloc(ledger->plain.ctx, 1, wanted + HEAD), wanted);
}

static void ledger_free(void *context, void *given, size_t said) {
    (void)said;
    if (given == NULL) return;
    Ledger *ledger = context;
    char *block = (char *)given - HEAD;
    const size_t taken = *(size_t *)block;
    atomic_fetch_sub(&ledger->used, (long long)taken);
    ledger->plain.free(ledger->plain.ctx, block, taken + HEAD);
}

static void *ledger_realloc(void *context, void *given, size_t wanted) {
    if (given == NULL) return ledger_malloc(context, wanted);
    Ledger *ledger = context;
    char *block = (char *)given - HEAD;
    const size_t taken = *(size_t *)block, more = wanted > taken ? wanted - taken : 0;
    if (wanted > (size_t)PY_SSIZE_T_MAX - HEAD || !counted(ledger, more)) return NULL;
    char *moved = entered(ledger, ledger->plain.realloc(ledger->plain.ctx, block, wanted + HEAD), more);
    if (moved == NULL) return NULL;
    *(size_t *)(moved - HEAD) = wanted;
    if (wanted < taken) atomic_fetch_sub(&ledger->used, (long long)(taken - wanted));
    return moved;
}

static void ledger_end(PyObject *capsule) {
    Ledger *ledger = PyCapsule_GetPointer(capsule, LEDGER);
    if (ledger == NULL) return;
    Py_XDECREF(ledger->below);
    PyMem_RawFree(ledger);
}

static PyObject *ledger(PyObject *module, PyObject *limit) {
    const long long most = PyLong_AsLongLong(limit);
    if (most == -1 && PyErr_Occurred()) return NULL;
    PyObject *below = PyDataMem_DefaultHandler;
    PyDataMem_Handler *plain = PyCapsule_GetPointer(below, LEDGER);
    if (plain == NULL) return NULL;
    Ledger *made = PyMem_RawCalloc(1, sizeof(Ledger));
    if (made == NULL) return PyErr_NoMemory();
    strcpy(made->handler.name, "tensorsh_ledger");
    made->handler.version = 1;
    made->handler.allocator =
        (PyDataMemAllocator){made, ledger_malloc, ledger_calloc, ledger_realloc, ledger_free};
    Py_INCREF(below);
    made->below = below;
    made->plain = plain->allocator;
    made->limit = most;
    PyObject *capsule = PyCapsule_New(made, LEDGER, ledger_end);
    if (capsule == NULL) {
        Py_DECREF(below);
        PyMem_RawFree(made);
    }
    return capsule;
}

static PyObject *ledger_use(PyObject *module, PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, LEDGER)) {
        PyErr_SetString(PyExc_TypeError, "not a ledger");
        return NULL;
    }
    return PyDataMem_SetHandler(capsule);
}

static Ledger *opened(PyObject *capsule) {
    Ledger *found = PyCapsule_GetPointer(capsule, LEDGER);
    if (found != NULL && found->handler.allocator.malloc == ledger_malloc) return found;
    PyErr_SetString(PyExc_TypeError, "not a ledger");
    return NULL;
}

static PyObject *ledger_used(PyObject *module, PyObject *capsule) {
    const Ledger *found = opened(capsule);
    return found == NULL ? NULL : PyLong_FromLongLong(found->used);
}

static PyObject *ledger_raise(PyObject *module, PyObject *args) {
    PyObject *capsule;
    long long more;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &more)) return NULL;
    Ledger *found = opened(capsule);
    if (found == NULL) return NULL;
    found->limit += more;
    Py_RETURN_NONE;
}

/* The system hands out pages that it has cleared, one by one: for a large result this takes as long as the computation. So
   memory that is freed is kept for the next result, up to a number of bytes at the heap's end; 0: as the system has it. */
static PyObject *keep_freed(PyObject *module, PyObject *bytes) {
    const long most = PyLong_AsLong(bytes);
    if (most == -1 && PyErr_Occurred()) return NULL;
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, most ? 0 : 65536);
    mallopt(M_TRIM_THRESHOLD, most > INT_MAX ? INT_MAX : most ? (int)most : 128 * 1024);
#endif
    Py_RETURN_NONE;
}

static PyObject *give_back(PyObject *module, PyObject *nothing) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    Py_RETURN_NONE;
}

PyMethodDef memory_methods[] = {
    {"keep_freed", keep_freed, METH_O, "keep_freed(bytes): how much freed memory the process keeps; 0: what the system keeps."},
    {"give_back", give_back, METH_NOARGS, "give_back(): freed memory goes back to the system."},
    {"ledger", ledger, METH_O, "ledger(limit): what gives arrays their memory, up to a number of bytes."},
    {"ledger_use", ledger_use, METH_O, "ledger_use(ledger): arrays made in this context are its own; what gave memory before."},
    {"ledger_raise", ledger_raise, METH_VARARGS, "ledger_raise(ledger, bytes): lets it give out so much more (or less)."},
    {"ledger_used", ledger_used, METH_O, "ledger_used(ledger): the bytes of its arrays."},
    {NULL, NULL, 0, NULL},
};
