/* Tensors and the nodes of the tape as C sees them: what the engine's classes keep in fixed places. */
#ifndef TENSORSH_TENSORS_H
#define TENSORSH_TENSORS_H

#include "common.h"

/* What Tensor is derived from. A field may be NULL: it was never set, or deleted. */
typedef struct {
    PyObject_HEAD
    PyObject *array, *node, *grad, *root, *cell, *views, *origin, *inference;
} Fields;

/* What Node is derived from. */
typedef struct {
    PyObject_HEAD
    PyObject *edges, *saved, *metas;
    PyObject *plain; /* borrowed: `saved`, if nothing in it can be part of a cycle */
    long long sequence;
} Step;

extern PyTypeObject FieldsType, StepType;

/* What the engine tells the kernels of itself once: see `bind`. */
extern PyTypeObject *tensor_class;
extern PyObject *settings, *saved_class, *wrapped_class;

#define IS_TENSOR(x) PyObject_TypeCheck(x, &FieldsType)
#define FIELDS(x) ((Fields *)(x))
#define UNSET(x) ((x) == NULL || (x) == Py_None)

/* A setting of the session (a borrowed reference; None where there is none of that name). */
extern PyObject *name_grad_enabled, *name_inference, *name_places, *name_array, *name_value;
INLINE PyObject *setting(PyObject *name) {
    PyObject *value = settings ? PyDict_GetItemWithError(settings, name) : NULL;
    return value ? value : Py_None;
}

/* A tensor on an array, whose reference it takes (NULL gives NULL); inference tensors while the session makes such. */
PyObject *tensor_of(PyObject *array);

/* An array's shape as a tuple. */
PyObject *shape_of(PyArrayObject *a);

/* A node of a class derived from Step, with its place on the clock and in the program; it takes the references. */
PyObject *node_of(PyTypeObject *type, PyObject *edges, PyObject *saved, PyObject *metas);

#endif
