/* The text of UnicodeDecodeError and its kin, within bounds.

   Until Python 3.14 they read the character that they tell of at whatever place a program has written into them, in whatever
   object: `UnicodeDecodeError("utf8", b"", -10**9, -10**9 + 1, "")` reads the process's memory, `e.object = 1` an object as
   another. Importing this module puts functions in the place of Python's own that look first. */
#include <Python.h>

static PyObject *text(PyObject *value) { return value == NULL ? PyUnicode_FromString("") : PyObject_Str(value); }

/* What an error says, `verb` being "encode" and so on; `one` is the character or byte that it is about. */
static PyObject *told(PyUnicodeErrorObject *error, const char *verb, const char *many, int named) {
    if (error->object == NULL) return PyUnicode_FromString("");
    PyObject *reason = text(error->reason), *encoding = named ? text(error->encoding) : PyUnicode_FromString("");
    PyObject *object = Py_NewRef(error->object), *result = NULL; /* a program's __str__ may have changed it */
    Py_ssize_t start = error->start, end = error->end, length = -1;
    if (reason == NULL || encoding == NULL) goto done;
    if (PyUnicode_Check(object)) length = PyUnicode_GET_LENGTH(object);
    if (PyBytes_Check(object)) length = PyBytes_GET_SIZE(object);
    const char *codec = named ? "'%U' codec " : "%U";
    char format[96], one[40];
    if (start >= 0 && start < length && end == start + 1) {
        if (PyBytes_Check(object)) {
            snprintf(one, sizeof one, "byte 0x%02x", (unsigned char)PyBytes_AS_STRING(object)[start]);
        } else {
            Py_UCS4 c = PyUnicode_READ_CHAR(object, start);
            snprintf(one, sizeof one, c <= 0xff ? "character '\\x%02x'" : c <= 0xffff ? "character '\\u%04x'" : "character '\\U%08x'",
                     (unsigned)c);
        }
        snprintf(format, sizeof format, "%scan't %s %s in position %%zd: %%U", codec, verb, one);
        result = PyUnicode_FromFormat(format, encoding, start, reason);
    } else {
        snprintf(format, sizeof format, "%scan't %s %s in position %%zd-%%zd: %%U", codec, verb, many);
        /* as Python counts, without an overflow */
        result = PyUnicode_FromFormat(format, encoding, start, end == PY_SSIZE_T_MIN ? end : end - 1, reason);
    }
done:
    Py_XDECREF(reason);
    Py_XDECREF(encoding);
    Py_DECREF(object);
    return result;
}

static PyObject *decode_text(PyObject *self) { return told((PyUnicodeErrorObject *)self, "decode", "bytes", 1); }
static PyObject *encode_text(PyObject *self) { return told((PyUnicodeErrorObject *)self, "encode", "characters", 1); }
static PyObject *translate_text(PyObject *self) { return told((PyUnicodeErrorObject *)self, "translate", "characters", 0); }

/* Gives a class and those derived from it another function for their text, `str(e)` and `Class.__str__(e)` alike. */
static int replace(PyObject *class, reprfunc function) {
    PyTypeObject *type = (PyTypeObject *)class;
    reprfunc before = type->tp_str;
    PyObject *method = PyObject_GetAttrString(class, "__str__");
    if (method == NULL) return -1;
    if (Py_IS_TYPE(method, &PyWrapperDescr_Type)) ((PyWrapperDescrObject *)method)->d_wrapped = (void *)function;
    Py_DECREF(method);
    PyObject *derived = PyObject_CallMethod(class, "__subclasses__", NULL);
    if (derived == NULL) return -1;
    int failed = 0;
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(derived) && !failed; k++) {
        PyObject *each = PyList_GET_ITEM(derived, k);
        if (((PyTypeObject *)each)->tp_str == before) failed = replace(each, function);
    }
    Py_DECREF(derived);
    type->tp_str = function;
    PyType_Modified(type);
    return failed;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "unicode_errors", .m_doc = "Texts of Unicode's errors, within bounds.", .m_size = -1};

PyMODINIT_FUNC PyInit_unicode_errors(void) {
    if (PY_VERSION_HEX < 0x030e0000 &&
        (replace(PyExc_UnicodeDecodeError, decode_text) || replace(PyExc_UnicodeEncodeError, encode_text) ||
         replace(PyExc_UnicodeTranslateError, translate_text)))
        return NULL;
    return PyModule_Create(&definition);
}
