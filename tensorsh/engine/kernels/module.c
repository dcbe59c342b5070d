/* The module: ufuncs and functions on numpy arrays. A function that is handed what it is not made for gives None. */
#define TENSORSH_MODULE
#include "common.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "compiled", .m_doc = "Kernels on numpy arrays.", .m_size = -1, .m_methods = memory_methods};

/* Whether this processor has what WIDE functions were compiled for. */
static int runs_here(void) {
#ifndef TENSORSH_HERE
    return 1;
#elif TENSORSH_HERE == 4
    return __builtin_cpu_supports("x86-64-v4");
#else
    return __builtin_cpu_supports("x86-64-v3");
#endif
}

PyMODINIT_FUNC PyInit_compiled(void) {
    if (!runs_here()) {
        PyErr_SetString(PyExc_ImportError, "tensorsh is slow here: its kernels were compiled for another processor. Install it anew, or with "
                                           "TENSORSH_BUILD=strict in the environment for all processors");
        return NULL;
    }
    free_large_block();
    import_array();
    import_umath();
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddFunctions(module, half_methods) == 0 && PyModule_AddFunctions(module, step_methods) == 0 && add_loops(module) == 0 &&
        add_chains(module) == 0 && add_programs(module) == 0 && add_patience(module) == 0 && add_walks(module) == 0 && add_kernels(module) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
