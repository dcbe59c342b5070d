/* The module: ufuncs and functions on numpy arrays. A function that is handed what it is not made for gives None. */
#define TENSORSH_MODULE
#include "common.h"

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "compiled", "Kernels on numpy arrays.", -1, NULL};

PyMODINIT_FUNC PyInit_compiled(void) {
    import_array();
    import_umath();
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    if (add_ufuncs(module) < 0 || PyModule_AddFunctions(module, random_methods) < 0 ||
        PyModule_AddFunctions(module, rows_methods) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
