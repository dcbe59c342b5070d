/* A bound on the memory of arrays, and what becomes of memory that is freed.

   A ledger is what numpy asks for memory in place of its own functions, in the context where it is put. Each block begins
   with its size, so that what is given back is known whatever numpy says of it; an array keeps its ledger until it is
   freed, wherever that happens. A request that does not fit is refused before anything is allocated.

   Processes that a program starts count on its ledger: the number of bytes lies in memory that they share, and what each of
   them holds beside it, so that what one held that was killed can be given back. A child frees blocks that it inherited
   without giving anything back: its parent has them still. */
#include "common.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define LEDGER "mem_handler" /* the name that numpy expects of the capsule */
#define HEAD 16              /* the size and the process; keeps the alignment of malloc */
#define SLOTS 254            /* processes beside the first, at most */

typedef struct {
    atomic_long process;
    atomic_llong used;
} Slot;

typedef struct {
    atomic_llong used;
    Slot slots[SLOTS];
} Account; /* what processes share */

typedef struct {
    PyDataMem_Handler handler; /* first: numpy reads the capsule's memory as this */
    PyObject *below;           /* the capsule of numpy's own functions, which do the work */
    PyDataMemAllocator plain;
    atomic_llong limit;
    Account *account;
    Slot *mine; /* NULL in the process that made the ledger */
    long generation;
} Ledger;

/* How many forks lie between this process and the first: blocks of an earlier number were inherited. */
static long generation = 0;

static void after_fork(void) { generation++; }

static int watch_forks(void) {
    static int watched = 0;
    if (!watched && pthread_atfork(NULL, NULL, after_fork)) return 0;
    watched = 1;
    return 1;
}

/* The first time that a child asks for memory, it takes a slot. */
static void settle_in(Ledger *ledger) {
    if (ledger->generation == generation) return;
    ledger->generation = generation;
    ledger->mine = NULL;
    const long me = (long)getpid();
    for (int i = 0; i < SLOTS; i++) {
        long nobody = 0;
        if (atomic_compare_exchange_strong(&ledger->account->slots[i].process, &nobody, me)) {
            atomic_store(&ledger->account->slots[i].used, 0);
            ledger->mine = &ledger->account->slots[i];
            return;
        }
    }
}

static void add(Ledger *ledger, long long bytes) {
    atomic_fetch_add(&ledger->account->used, bytes);
    if (ledger->mine != NULL) atomic_fetch_add(&ledger->mine->used, bytes);
}

/* Threads may ask and give back at once, also those that have not Python's lock: what is wanted is counted first. */
static int counted(Ledger *ledger, size_t wanted) {
    if (wanted > (size_t)PY_SSIZE_T_MAX - HEAD) return 0;
    settle_in(ledger);
    const long long more = (long long)wanted;
    if (atomic_fetch_add(&ledger->account->used, more) <= ledger->limit - more) {
        if (ledger->mine != NULL) atomic_fetch_add(&ledger->mine->used, more);
        return 1;
    }
    atomic_fetch_sub(&ledger->account->used, more);
    return 0;
}

static void *entered(Ledger *ledger, void *block, size_t wanted) {
    if (block == NULL) {
        add(ledger, -(long long)wanted);
        return NULL;
    }
    ((size_t *)block)[0] = wanted;
    ((long *)block)[1] = generation;
    return (char *)block + HEAD;
}

/* The bytes to give back for a block: none for one that was inherited. */
static size_t counted_for(const char *block) {
    return ((const long *)block)[1] == generation ? ((const size_t *)block)[0] : 0;
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
    const size_t taken = ((size_t *)block)[0], back = counted_for(block);
    if (back) add(ledger, -(long long)back);
    ledger->plain.free(ledger->plain.ctx, block, taken + HEAD);
}

static void *ledger_realloc(void *context, void *given, size_t wanted) {
    if (given == NULL) return ledger_malloc(context, wanted);
    Ledger *ledger = context;
    char *block = (char *)given - HEAD;
    const size_t taken = counted_for(block), more = wanted > taken ? wanted - taken : 0;
    if (wanted > (size_t)PY_SSIZE_T_MAX - HEAD || !counted(ledger, more)) return NULL;
    char *moved = entered(ledger, ledger->plain.realloc(ledger->plain.ctx, block, wanted + HEAD), more);
    if (moved == NULL) return NULL;
    ((size_t *)(moved - HEAD))[0] = wanted;
    if (wanted < taken) add(ledger, -(long long)(taken - wanted));
    return moved;
}

static void ledger_end(PyObject *capsule) {
    Ledger *ledger = PyCapsule_GetPointer(capsule, LEDGER);
    if (ledger == NULL) return;
    Py_XDECREF(ledger->below);
    munmap(ledger->account, sizeof(Account));
    PyMem_RawFree(ledger);
}

static PyObject *ledger(PyObject *module, PyObject *limit) {
    const long long most = PyLong_AsLongLong(limit);
    if (most == -1 && PyErr_Occurred()) return NULL;
    PyObject *below = PyDataMem_DefaultHandler;
    PyDataMem_Handler *plain = PyCapsule_GetPointer(below, LEDGER);
    if (plain == NULL) return NULL;
    Account *account = mmap(NULL, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (account == MAP_FAILED || !watch_forks()) return PyErr_NoMemory();
    Ledger *made = PyMem_RawCalloc(1, sizeof(Ledger));
    if (made == NULL) {
        munmap(account, sizeof(Account));
        return PyErr_NoMemory();
    }
    made->account = account;
    made->generation = generation;
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
        munmap(account, sizeof(Account));
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
    return found == NULL ? NULL : PyLong_FromLongLong(found->account->used);
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

/* Gives back what processes held that are gone. */
static PyObject *ledger_sweep(PyObject *module, PyObject *capsule) {
    Ledger *found = opened(capsule);
    if (found == NULL) return NULL;
    for (int i = 0; i < SLOTS; i++) {
        Slot *slot = &found->account->slots[i];
        const long process = atomic_load(&slot->process);
        if (process == 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
        atomic_fetch_sub(&found->account->used, atomic_exchange(&slot->used, 0));
        atomic_store(&slot->process, 0);
    }
    Py_RETURN_NONE;
}

/* Counts shared memory, which is no block of numpy's: false where it does not fit. It is nobody's alone. */
static PyObject *ledger_charge(PyObject *module, PyObject *bytes) {
    const long long more = PyLong_AsLongLong(bytes);
    if (more == -1 && PyErr_Occurred()) return NULL;
    PyObject *capsule = PyDataMem_GetHandler();
    if (capsule == NULL) return NULL;
    Ledger *ledger = PyCapsule_GetPointer(capsule, LEDGER);
    const int is_one = ledger != NULL && ledger->handler.allocator.malloc == ledger_malloc;
    int fits = 1;
    if (is_one && atomic_fetch_add(&ledger->account->used, more) > ledger->limit - more && more > 0) {
        atomic_fetch_sub(&ledger->account->used, more);
        fits = 0;
    }
    Py_DECREF(capsule);
    return PyBool_FromLong(fits);
}

/* Adds to a number that processes share, the first eight bytes of a buffer; what it is then. */
static PyObject *shared_add(PyObject *module, PyObject *args) {
    Py_buffer buffer;
    long long more;
    if (!PyArg_ParseTuple(args, "w*L", &buffer, &more)) return NULL;
    if (buffer.len < 8) {
        PyBuffer_Release(&buffer);
        PyErr_SetString(PyExc_ValueError, "the buffer is too short");
        return NULL;
    }
    const long long found = atomic_fetch_add((atomic_llong *)buffer.buf, more) + more;
    PyBuffer_Release(&buffer);
    return PyLong_FromLongLong(found);
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

/* Until a process has freed a block of this size once, glibc hands what is freed at the heap's end back at eight megabytes or less, and
   each large temporary is cleared anew: a backward pass then takes three to five times as long. Afterwards it keeps twice as much. The
   block is never touched, and costs no memory. */
#define LARGEST ((1 << 25) - (1 << 16)) /* below which a block that is freed makes glibc keep more */
void free_large_block(void) {
#ifdef __GLIBC__
    void *volatile block = malloc(LARGEST);
    free(block);
#endif
}

/* Large blocks begin at a line of the processor's cache: elsewhere each vector of 64 bytes lies in two lines, and reading it takes twice as
   long. They are freed as others are. */
#define AT_LINES (1 << 14) /* bytes from which on it is worth the search */
#define BYTES_OF_A_LINE 64
static PyDataMemAllocator usual;
static void *at_a_line(void *context, size_t wanted) {
    void *block = NULL;
    if (wanted < AT_LINES) return usual.malloc(context, wanted);
    return posix_memalign(&block, BYTES_OF_A_LINE, wanted) == 0 ? block : NULL;
}

static PyObject *begin_at_lines(PyObject *module, PyObject *nothing) {
#ifdef __GLIBC__
    static PyDataMem_Handler handler = {"tensorsh_lines", 1, {NULL, at_a_line, NULL, NULL, NULL}};
    PyDataMem_Handler *plain = PyCapsule_GetPointer(PyDataMem_DefaultHandler, LEDGER);
    if (plain == NULL) return NULL;
    usual = handler.allocator = plain->allocator;
    handler.allocator.malloc = at_a_line;
    PyObject *capsule = PyCapsule_New(&handler, LEDGER, NULL), *before = capsule ? PyDataMem_SetHandler(capsule) : NULL;
    Py_XDECREF(capsule);
    if (before == NULL) return NULL;
    Py_DECREF(before);
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
    {"begin_at_lines", begin_at_lines, METH_NOARGS, "begin_at_lines(): large arrays that this context makes begin at a line of the cache."},
    {"give_back", give_back, METH_NOARGS, "give_back(): freed memory goes back to the system."},
    {"ledger", ledger, METH_O, "ledger(limit): what gives arrays their memory, up to a number of bytes."},
    {"ledger_use", ledger_use, METH_O, "ledger_use(ledger): arrays made in this context are its own; what gave memory before."},
    {"ledger_raise", ledger_raise, METH_VARARGS, "ledger_raise(ledger, bytes): lets it give out so much more (or less)."},
    {"ledger_used", ledger_used, METH_O, "ledger_used(ledger): the bytes of its arrays."},
    {"ledger_sweep", ledger_sweep, METH_O, "ledger_sweep(ledger): gives back what processes held that are gone."},
    {"ledger_charge", ledger_charge, METH_O, "ledger_charge(bytes): whether so much shared memory fits in; negative: gives it back."},
    {"shared_add", shared_add, METH_VARARGS, "shared_add(buffer, number): adds to the number that processes share there."},
    {NULL, NULL, 0, NULL},
};
