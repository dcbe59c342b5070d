/* Programs: kernels and elementwise loops one after another, on memory that is told once.

   A Program is made of steps whose arguments were looked at when it was made: a kernel's plan stands, with shapes, strides and
   numbers, and so does the place of each array, a region and an offset in bytes, which lie within the region. A call hands over
   an array for each region; it answers None, before anything was written, unless each is exactly numpy's, of the region's dtype
   and size, in row order, aligned and writeable where a step writes. So no step can reach beyond the arrays of its call. */
#include "loops.h"

#define PIECE 2048 /* elements that long loops take at a time, one step after another */
#define MOST_REGIONS 4096
#define MOST_STEPS (1 << 18)
#define FAR ((size)1 << 40)

typedef struct {
    int type, written;
    size bytes;
} Region;

/* region < 0: the constant of that number, counted from the end. step: bytes from one element to the next, row: from one row to the
   next; advance: how far the place of a piece is from that of the one before, in bytes for each element. */
typedef struct {
    int region;
    size offset, step, row, advance;
} Place;

typedef struct {
    const Kernel *kernel;
    Call *call;
    unsigned arrays, writes;
} Template;

typedef struct {
    const Template *template; /* NULL: a loop */
    Inner inner;
    int inputs, group; /* group: so many long loops from here on go piece by piece together */
    size count, rows;
    Place place[3];
    int first; /* of a kernel's places, those of its arrays and its results */
} Step;

typedef struct {
    int region;
    size offset;
} Spot;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    int regions, count, templates, spots, busy;
    size room;
    Region *region;
    Step *steps;
    Template *template;
    Spot *spot;
    Number *constants;
    PyObject *held; /* what the templates and loops are of */
} Program;

static size item_of(int type) {
    PyArray_Descr *dtype = PyArray_DescrFromType(type);
    size item = dtype ? PyDataType_ELSIZE(dtype) : 0;
    Py_XDECREF(dtype);
    return item;
}

/* Steps */

INLINE char *at_place(const Program *p, char **memory, const Place *place) {
    return place->region < 0 ? (char *)&p->constants[~place->region] : memory[place->region] + place->offset;
}

static void run_loop(const Program *p, char **memory, const Step *step) {
    char *at[3];
    size steps[3];
    const int n = step->inputs + 1;
    for (int k = 0; k < n; k++) at[k] = at_place(p, memory, &step->place[k]), steps[k] = step->place[k].step;
    for (size row = 0; row < step->rows; row++) {
        size count = step->count;
        char *here[3] = {at[0], at[1], n > 2 ? at[2] : NULL};
        step->inner.run(here, &count, steps, step->inner.data);
        for (int k = 0; k < n; k++) at[k] += step->place[k].row;
    }
}

/* A group of long loops; 0 where a signal ends it. */
static int run_group(const Program *p, char **memory, const Step *from) {
    const Step *const to = from + from->group;
    size since = 0;
    int good = 1;
    PyThreadState *others = PyEval_SaveThread();
    for (size done = 0; good && done < from->count; done += PIECE) {
        size left = from->count - done, m = left < PIECE ? left : PIECE;
        for (const Step *step = from; step < to; step++) {
            char *at[3];
            size steps[3], count = m;
            for (int k = 0; k <= step->inputs; k++) {
                at[k] = at_place(p, memory, &step->place[k]) + done * step->place[k].advance;
                steps[k] = step->place[k].step;
            }
            step->inner.run(at, &count, steps, step->inner.data);
        }
        since += m * from->group;
        if (since >= LONG_PIECE) {
            since = 0;
            PyEval_RestoreThread(others);
            good = !is_interrupted();
            others = PyEval_SaveThread();
        }
    }
    PyEval_RestoreThread(others);
    return good;
}

/* 1: done; 0: not for this kernel; -1: an error. */
static int run_kernel(const Program *p, char **memory, const Step *step, void *scratch) {
    const Template *t = step->template;
    Call *call = t->call;
    const Spot *spot = p->spot + step->first;
    for (unsigned k = 0, left = t->arrays; left; k++, left >>= 1)
        if (left & 1) call->in[k].data = memory[spot->region] + spot->offset, spot++;
    for (int k = 0; k < call->outs; k++, spot++) call->out[k].data = memory[spot->region] + spot->offset;
    call->scratch = scratch, call->others = NULL, call->since = 0, call->ended = 0;
    return kernel_work(t->kernel, call);
}

static int usual(const Region *region, PyObject *object) {
    if (!PyArray_CheckExact(object)) return 0;
    PyArrayObject *a = (PyArrayObject *)object;
    if (PyArray_TYPE(a) != region->type || PyArray_NBYTES(a) != region->bytes) return 0;
    if ((uintptr_t)PyArray_DATA(a) % (region->type == NPY_UBYTE ? 16 : 1)) return 0;
    return region->written ? PyArray_ISCARRAY(a) : PyArray_ISCARRAY_RO(a);
}

/* program(*arrays): True, or None for what is not usual, or where a kernel has no answer. */
static PyObject *answer(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Program *p = (Program *)self;
    if (keywords || PyVectorcall_NARGS(flags) != p->regions || p->busy) Py_RETURN_NONE;
    char *few[64], **memory = p->regions <= 64 ? few : PyMem_Malloc(p->regions * sizeof *memory);
    if (memory == NULL) return PyErr_NoMemory();
    int good = 1;
    for (int k = 0; good && k < p->regions; k++)
        if ((good = usual(&p->region[k], args[k]))) memory[k] = PyArray_DATA((PyArrayObject *)args[k]);
    void *scratch = NULL;
    if (good && p->room && (scratch = PyMem_RawMalloc(p->room + 64)) == NULL) {
        if (memory != few) PyMem_Free(memory);
        return PyErr_NoMemory();
    }
    void *const aligned = scratch ? (void *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63) : NULL;
    int done = good;
    p->busy = 1;
    Py_INCREF(self);
    for (int k = 0; done == 1 && k < p->count; k++) {
        const Step *step = &p->steps[k];
        if (step->template) done = run_kernel(p, memory, step, aligned);
        else if (step->group) done = run_group(p, memory, step) ? 1 : -1, k += step->group - 1;
        else run_loop(p, memory, step);
    }
    p->busy = 0;
    Py_DECREF(self);
    PyMem_RawFree(scratch);
    if (memory != few) PyMem_Free(memory);
    if (done < 0 || PyErr_Occurred()) return NULL;
    if (done) Py_RETURN_TRUE;
    Py_RETURN_NONE;
}

/* Making */

static int within(const Program *p, int region, size offset, size bytes) {
    return region >= 0 && region < p->regions && offset >= 0 && bytes >= 0 && offset < FAR && bytes < FAR &&
           offset + bytes <= p->region[region].bytes;
}

static int refused(const char *what) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "Program(): %s", what);
    return 0;
}

/* The bytes from an array's first to its last; -1 for strides that go backwards. */
static size extent(const Argument *x) {
    if (x->count == 0) return 0;
    if (x->contiguous) return times(x->count, x->item);
    size bytes = x->item;
    for (int k = 0; k < x->ndim; k++) {
        if (x->strides[k] < 0) return -1;
        size more = times(x->shape[k] - 1, x->strides[k]);
        if (more >= FAR || bytes >= FAR) return -1;
        bytes += more;
    }
    return bytes;
}

/* The kernels whose plans look at no element, so that they hold for other elements as well. */
static int is_planned(const Kernel *kernel) {
    static const char *const names[] = {
        "product", "products", "sum", "mean", "softmax", "softmax_backward", "log_softmax", "log_softmax_backward", "layer_norm",
        "layer_norm_backward", "group_norm", "group_norm_backward", "group_norm_weights", "nll", "nll_backward", "convolution",
        "convolution_weight", "attention_weights", "attention_scores_backward",
    };
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], kernel->name) == 0) return 1;
    return 0;
}

static int template_of(Program *p, PyObject *told, Template *to) {
    PyObject *function, *args;
    if (!PyTuple_Check(told) || !PyArg_ParseTuple(told, "OO!", &function, &PyTuple_Type, &args)) return 0;
    to->call = PyMem_RawCalloc(1, sizeof(Call));
    if (to->call == NULL) return PyErr_NoMemory(), 0;
    int good = kernel_bound(function, args, to->call, &to->kernel, &to->arrays, &to->writes);
    if (!good || !is_planned(to->kernel)) return refused("not for a kernel");
    if (to->call->room > p->room) p->room = to->call->room;
    return 1;
}

/* A kernel's step: (number of the template, (region, offset) of each array and result). */
static int kernel_step(Program *p, PyObject *told, Step *step, int number, PyObject *spots) {
    (void)told;
    if (number < 0 || number >= p->templates) return refused("no such template");
    const Template *t = step->template = &p->template[number];
    const Call *call = t->call;
    int arrays = __builtin_popcount(t->arrays);
    if (PyTuple_GET_SIZE(spots) != arrays + call->outs) return refused("a kernel has other arrays");
    step->first = p->spots;
    Spot *grown = PyMem_RawRealloc(p->spot, (p->spots + arrays + call->outs + 1) * sizeof(Spot));
    if (grown == NULL) return PyErr_NoMemory(), 0;
    p->spot = grown;
    unsigned at = 0;
    for (int k = 0; k < arrays + call->outs; k++, at++) {
        Spot *spot = &p->spot[p->spots++];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(spots, k), "in", &spot->region, &spot->offset)) return 0;
        const int out = k >= arrays;
        while (!out && !(t->arrays >> at & 1)) at++;
        const Argument *x = out ? &call->out[k - arrays] : &call->in[at];
        size bytes = extent(x);
        if (bytes < 0 || !within(p, spot->region, spot->offset, bytes) || spot->offset % (x->item ? x->item : 1))
            return refused("a kernel's array is not within its region");
        if (out || t->writes >> at & 1) p->region[spot->region].written = 1;
    }
    return 1;
}

static int place_of(Program *p, PyObject *told, const Step *step, Place *to, size item, int numbers, int written) {
    if (!PyTuple_Check(told) || !PyArg_ParseTuple(told, "innnn", &to->region, &to->offset, &to->step, &to->row, &to->advance)) return 0;
    if (to->region < 0) {
        if (written || ~to->region >= numbers || to->step || to->row || to->advance || to->offset) return refused("no such constant");
        return 1;
    }
    if ((to->step != 0 && to->step != item) || (written && to->step == 0) || to->row < 0 || to->offset % item || to->row % item ||
        (to->advance != 0 && to->advance != to->step))
        return refused("unusual steps");
    size n = to->advance || step->count < PIECE || step->rows > 1 ? step->count : PIECE;
    size row = times(step->rows - 1, to->row);
    if (row >= FAR || times(n, item) >= FAR || !within(p, to->region, to->offset, row + (n - 1) * to->step + item))
        return refused("a loop's array is not within its region");
    if (written) p->region[to->region].written = 1;
    return 1;
}

static const int types[KINDS] = {NPY_FLOAT, NPY_DOUBLE, NPY_INT64};

/* A loop's step: (Loop, kind, elements of a row, rows, places of operands and result). */
static int loop_step(Program *p, PyObject *told, Step *step, int numbers) {
    Loop *loop;
    int kind;
    PyObject *places;
    if (!PyArg_ParseTuple(told, "O!innO!", &LoopType, &loop, &kind, &step->count, &step->rows, &PyTuple_Type, &places)) return 0;
    if (kind < 0 || kind >= KINDS || step->count < 1 || step->rows < 1) return refused("no such loop");
    step->inputs = loop->inputs;
    step->inner = loop->inner[kind];
    if (step->inner.run == NULL || step->inputs > 2 || PyTuple_GET_SIZE(places) != step->inputs + 1) return refused("no such loop");
    size item = item_of(types[kind]), made = item_of(step->inner.out);
    if (item == 0 || made == 0) return refused("no such loop");
    for (int k = 0; k <= step->inputs; k++)
        if (!place_of(p, PyTuple_GET_ITEM(places, k), step, &step->place[k], k < step->inputs ? item : made, numbers, k == step->inputs))
            return 0;
    return 1;
}

/* Long loops that follow one another with as many elements go piece by piece. */
static int grouped(Program *p) {
    for (int k = 0; k < p->count;) {
        Step *first = &p->steps[k];
        int n = 0;
        while (k + n < p->count && first->template == NULL && p->steps[k + n].template == NULL && first->rows == 1 &&
               p->steps[k + n].rows == 1 && first->count > PIECE && p->steps[k + n].count == first->count)
            n++;
        first->group = n;
        k += n ? n : 1;
    }
    return 1;
}

/* Program(regions, templates, constants, steps): regions: (number of numpy's dtype, bytes) of each; templates: (kernel, arguments,
   whose arrays show dtypes, shapes and strides) of each; constants: (number, whether of double precision) of each. */
static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *regions, *templates, *constants, *steps;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyTuple_Type, &regions, &PyTuple_Type, &templates, &PyTuple_Type, &constants, &PyTuple_Type, &steps))
        return NULL;
    if (PyTuple_GET_SIZE(regions) > MOST_REGIONS || PyTuple_GET_SIZE(steps) > MOST_STEPS || PyTuple_GET_SIZE(templates) > MOST_STEPS ||
        PyTuple_GET_SIZE(constants) > MOST_STEPS)
        return PyErr_Format(PyExc_ValueError, "Program(): too many steps");
    Program *p = (Program *)type->tp_alloc(type, 0);
    if (p == NULL) return NULL;
    const int numbers = (int)PyTuple_GET_SIZE(constants);
    p->call = answer;
    p->held = PyTuple_Pack(2, templates, steps);
    p->regions = (int)PyTuple_GET_SIZE(regions);
    p->region = PyMem_RawCalloc(p->regions + 1, sizeof(Region));
    p->template = PyMem_RawCalloc(PyTuple_GET_SIZE(templates) + 1, sizeof(Template));
    p->constants = PyMem_RawCalloc(numbers + 1, sizeof(Number));
    p->steps = PyMem_RawCalloc(PyTuple_GET_SIZE(steps) + 1, sizeof(Step));
    int good = p->held && p->region && p->template && p->constants && p->steps;
    if (!good) PyErr_NoMemory();
    for (int k = 0; good && k < p->regions; k++) {
        PyObject *told = PyTuple_GET_ITEM(regions, k);
        good = PyTuple_Check(told) && PyArg_ParseTuple(told, "in", &p->region[k].type, &p->region[k].bytes) && p->region[k].bytes >= 0;
    }
    for (int k = 0; good && k < numbers; k++) {
        double value;
        int twice;
        good = PyTuple_Check(PyTuple_GET_ITEM(constants, k)) && PyArg_ParseTuple(PyTuple_GET_ITEM(constants, k), "dp", &value, &twice);
        if (good && twice) p->constants[k].d = value;
        else if (good) p->constants[k].f = (float)value;
    }
    for (int k = 0; good && k < PyTuple_GET_SIZE(templates); k++) {
        good = template_of(p, PyTuple_GET_ITEM(templates, k), &p->template[k]);
        p->templates = k + 1;
    }
    for (int k = 0; good && k < PyTuple_GET_SIZE(steps); k++) {
        PyObject *told = PyTuple_GET_ITEM(steps, k), *spots;
        int number;
        p->count = k + 1;
        if (!PyTuple_Check(told)) good = 0;
        else if (PyTuple_GET_SIZE(told) != 2) good = loop_step(p, told, &p->steps[k], numbers);
        else good = PyArg_ParseTuple(told, "iO!", &number, &PyTuple_Type, &spots) && kernel_step(p, told, &p->steps[k], number, spots);
    }
    if (good && grouped(p)) return (PyObject *)p;
    refused("no such step");
    Py_DECREF(p);
    return NULL;
}

static void program_dealloc(PyObject *self) {
    Program *p = (Program *)self;
    for (int k = 0; k < p->templates; k++) PyMem_RawFree(p->template[k].call);
    PyMem_RawFree(p->region);
    PyMem_RawFree(p->template);
    PyMem_RawFree(p->constants);
    PyMem_RawFree(p->steps);
    PyMem_RawFree(p->spot);
    Py_XDECREF(p->held);
    Py_TYPE(self)->tp_free(self);
}

static CALLABLE(Program, program_new, program_dealloc, "Kernels and loops one after another: True, or None for what is not usual.")

int add_programs(PyObject *module) { return PyModule_AddType(module, &ProgramType); }
