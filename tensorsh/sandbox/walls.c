/* Files, ports and signals that a process gives up for good, with all that it starts, by Linux's landlock.

   What a landlock domain refuses it refuses to whatever runs in it, also to machine code that a program has brought in. The numbers
   are those of linux/landlock.h, which older systems lack; a kernel without landlock says so, and version 0 is the answer. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__linux__)
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF }; /* the same on all machines */
enum { ASK_VERSION = 1, BENEATH = 1, LISTEN_AND_CONNECT = 3, SIGNALS = 2 };
#define ON_FILES (1 | 2 | 4 | 1 << 14 | 1 << 15) /* the rights that a file has, and not a folder alone */

typedef struct {
    uint64_t files, ports, scopes;
} Refused;
typedef struct __attribute__((packed)) {
    uint64_t allowed;
    int32_t place;
} Allowed;

static PyObject *version(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    const long found = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    return PyLong_FromLong(found < 0 ? 0 : found);
}

static int allow(int rules, const char *path, uint64_t rights) {
    struct stat kind;
    Allowed rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.place < 0) return 0; /* it is not there, and stays refused */
    int failed = fstat(rule.place, &kind);
    if (!failed && !S_ISDIR(kind.st_mode)) rule.allowed &= ON_FILES;
    if (!failed && rule.allowed) failed = (int)syscall(ADD_RULE, rules, BENEATH, &rule, 0);
    close(rule.place);
    return failed;
}

static PyObject *restrict_files(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *places;
    unsigned long long rights;
    int ports, signals;
    if (!PyArg_ParseTuple(args, "KppO!", &rights, &ports, &signals, &PyTuple_Type, &places)) return NULL;
    const Refused refused = {rights, ports ? LISTEN_AND_CONNECT : 0, signals ? SIGNALS : 0};
    const size_t size = signals ? sizeof refused : ports ? offsetof(Refused, scopes) : sizeof rights; /* older kernels know less */
    const int rules = (int)syscall(CREATE_RULESET, &refused, size, 0);
    if (rules < 0) return PyErr_SetFromErrno(PyExc_OSError);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(places); k++) {
        const char *path;
        unsigned long long allowed;
        PyObject *place = PyTuple_GET_ITEM(places, k);
        if (!PyTuple_CheckExact(place) || !PyArg_ParseTuple(place, "yK", &path, &allowed)) goto fail;
        if (allow(rules, path, allowed & rights)) {
            PyErr_SetFromErrno(PyExc_OSError);
            goto fail;
        }
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(RESTRICT_SELF, rules, 0)) {
        PyErr_SetFromErrno(PyExc_OSError);
        goto fail;
    }
    close(rules);
    Py_RETURN_NONE;
fail:
    close(rules);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a place is a path as bytes and its rights");
    return NULL;
}
#else
static PyObject *version(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    return PyLong_FromLong(0);
}
static PyObject *restrict_files(PyObject *self, PyObject *args) {
    (void)self, (void)args;
    return PyErr_Format(PyExc_OSError, "landlock is Linux's");
}
#endif

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "version(): that of the kernel's landlock, 0 where there is none."},
    {"restrict", restrict_files, METH_VARARGS,
     "restrict(rights, ports, signals, ((path, allowed), ...)): gives up these rights for all files but those beneath places that have "
     "them, connections by TCP, signals to processes that have not done the same. For good. Raises OSError."},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "walls", .m_doc = "Files that a process gives up.", .m_size = 0, .m_methods = functions};

PyMODINIT_FUNC PyInit_walls(void) { return PyModule_Create(&definition); }
