/* The module: ufuncs and functions on numpy arrays. A function that is handed what it is not made for gives None. */
#define TENSORSH_MODULE
#include "common.h"

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "compiled", "Kernels on numpy arrays.", -1, NULL};

static PyMethodDef *const tables[] = {
    attention_methods,
    batch_norm_methods,
    convolution_methods,
    gemm_methods,
    group_norm_methods,
    halves_methods,
    losses_methods,
    memory_methods,
    norm_methods,
    recurrent_methods,
    scan_methods,
    optimizer_methods,
    pieces_methods,
    places_methods,
    random_methods,
    rows_methods,
    sums_methods,
    tensors_methods,
};

PyMODINIT_FUNC PyInit_compiled(void) {
    import_array();
    import_umath();
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    int failed = add_ufuncs(module) | add_fused(module) | add_tensors(module) | add_quick(module) | add_general(module);
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) failed |= PyModule_AddFunctions(module, tables[i]);
    if (failed) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
