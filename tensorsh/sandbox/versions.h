/* Classes whose states Python can tell from one another.

   Before 3.11.8 and 3.12.2 Python knows a class by a number of 32 bits, a new one after each change. When there are none left, all classes have
   the number 0, and what is an attribute of one is read at the same place of another. A program that changes and reads its classes
   is there within minutes: near the end it changes and makes no more. */
#ifndef TENSORSH_VERSIONS
#define TENSORSH_VERSIONS
#include "caches.h"
#include <time.h>

static unsigned last_version;
static setattrofunc change_before;

static unsigned current_version(void) {
    PyType_Modified(&TokenType);
    const int found = PyObject_HasAttrString((PyObject *)&TokenType, "__hash__");
    return found ? TokenType.tp_version_tag : 0;
}

/* Whether the numbers have come near to their end; looked at once a second, in which nobody uses a tenth of what is left. */
static int is_near_end(void) {
    static time_t last;
    static int near_end;
    const time_t now = time(NULL);
    if (now != last) {
        last = now;
        const unsigned version = current_version();
        near_end = version == 0 || version >= last_version;
    }
    if (near_end) PyErr_SetString(PyExc_RuntimeError, "classes were changed more often than Python can tell: start a new process");
    return near_end;
}

static int change_class(PyObject *type, PyObject *name, PyObject *value) {
    if (classes != NULL && is_made_by_program((PyTypeObject *)type) && is_near_end()) return -1;
    return change_before(type, name, value);
}

static void mend_change(PyTypeObject *type) {
    if (type->tp_setattro == change_before) type->tp_setattro = change_class;
}

/* tell_apart(last): of this many states at most. */
static PyObject *tell_apart(PyObject *self, PyObject *last) {
    (void)self;
    const unsigned long given = PyLong_AsUnsignedLong(last);
    if (PyErr_Occurred()) return NULL;
    last_version = (unsigned)given;
    if (change_before != NULL || Py_Version >= 0x030c0200 || (Py_Version >= 0x030b0800 && Py_Version < 0x030c0000)) Py_RETURN_NONE;
    change_before = PyType_Type.tp_setattro;
    if (redirect(&PyType_Type, "__setattr__", (void *)change_before, (void *)change_class) ||
        redirect(&PyType_Type, "__delattr__", (void *)change_before, (void *)change_class) || spread(&PyType_Type, mend_change))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *can_tell(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    return change_before != NULL && is_near_end() ? NULL : Py_NewRef(Py_None);
}
#endif
