/* Convolution of planes in steps of one, and the gradient of its weight, by sums of shifted lines held in registers. */
#include "common.h"

/* `run` makes `width` results of `outs` channels; `cost` is that of one multiplication, compared with the best. */
struct sums {
    int outs, width;
    float cost;
    void (*run)(const float *x, const size *offsets, size taps, const float *w, const float *bias, float *to);
};
typedef void (*dots)(const float *const *x, const float *const *g, size count, size samples, const size *apart, float *to,
                     size step);
struct machine {
    const struct sums *sums;
    dots dots[4]; /* for one to four channels */
    int taps, lanes;
};

#if defined(__x86_64__) && defined(__GNUC__)
#define TARGET __attribute__((target("avx512f,fma,prefer-vector-width=512")))
#define NAME(name) name##_512
#define LANES 16
#define VECTORS_8 3
#define COST_8 1.0f
#define VECTORS_6 4
#define VECTORS_4 6
#define VECTORS_2 8
#define VECTORS_1 8
#define TAPS 5
#include "shifted_lines.h"
#define TARGET __attribute__((target("avx2,fma")))
#define NAME(name) name##_256
#define LANES 8
#define VECTORS_8 1
#define COST_8 1.6f
#define VECTORS_6 2
#define VECTORS_4 3
#define VECTORS_2 6
#define VECTORS_1 8
#define TAPS 3
#include "shifted_lines.h"
static const struct machine *machine(void) {
    if (__builtin_cpu_supports("avx512f")) return &machine_512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &machine_256 : NULL;
}
#elif defined(__aarch64__) && defined(__GNUC__)
#define TARGET
#define NAME(name) name##_128
#define LANES 4
#define VECTORS_8 3
#define COST_8 1.0f
#define VECTORS_6 4
#define VECTORS_4 6
#define VECTORS_2 8
#define VECTORS_1 8
#define TAPS 5
#include "shifted_lines.h"
static const struct machine *machine(void) { return &machine_128; }
#else
static const struct machine *machine(void) { return NULL; }
#endif

#define KINDS 5          /* of sums */
#define WIDEST 128       /* places that any of them makes at a time */
#define LINE 4096        /* places of a line that are multiplied before the next channels take their turn */

/* The shapes of a convolution: [n, c, h, w] with a border of ph and pw, weight [o, c / groups, kh, kw]. */
struct shapes {
    size n, c, h, w, o, kh, kw, ph, pw, groups;
    size wide, plane, oh, ow; /* with the border: width and size of a plane; the result's height and width */
    size line, taps;          /* places of the result in a line of planes as wide as that; weights of a channel */
};

static int shapes_of(struct shapes *s, PyArrayObject *x, PyArrayObject *w, PyArrayObject *y, PyObject *const *numbers) {
    if (x == NULL || w == NULL || y == NULL || machine() == NULL) return 0;
    if (PyArray_NDIM(x) != 4 || PyArray_NDIM(w) != 4 || PyArray_NDIM(y) != 4) return 0;
    size given[3];
    for (int k = 0; k < 3; k++) {
        given[k] = PyNumber_AsSsize_t(numbers[k], PyExc_OverflowError);
        if (PyErr_Occurred() || given[k] < 0 || given[k] > 1 << 20) return 0;
    }
    const size *d = PyArray_DIMS(x), *k = PyArray_DIMS(w), *r = PyArray_DIMS(y);
    *s = (struct shapes){d[0], d[1], d[2], d[3], k[0], k[2], k[3], given[0], given[1], given[2]};
    s->wide = s->w + 2 * s->pw;
    s->oh = s->h + 2 * s->ph - s->kh + 1;
    s->ow = s->wide - s->kw + 1;
    s->plane = s->wide * (s->h + 2 * s->ph);
    s->line = (s->oh - 1) * s->wide + s->ow;
    s->taps = k[1] * s->kh * s->kw;
    if (s->groups < 1 || s->o % s->groups || k[1] * s->groups != s->c) return 0;
    if (s->oh < 1 || s->ow < 1 || r[0] != s->n || r[1] != s->o || r[2] != s->oh || r[3] != s->ow) return 0;
    return PyArray_SIZE(x) > 0 && PyArray_SIZE(w) > 0 && (double)s->c * (double)s->plane < 1e9;
}

/* A sample's planes with their borders; `to` begins as zeros, so that the borders need no writing. */
static void surround(const float *x, float *to, const struct shapes *s) {
    for (size c = 0; c < s->c; c++)
        for (size row = 0; row < s->h; row++)
            memcpy(to + c * s->plane + (row + s->ph) * s->wide + s->pw, x + (c * s->h + row) * s->w, s->w * 4);
}

/* How far from a result's place in the first plane the elements of its window lie. */
static void distances(size *offsets, const struct shapes *s) {
    for (size t = 0; t < s->taps; t++) {
        size place = t % (s->kh * s->kw);
        offsets[t] = t / (s->kh * s->kw) * s->plane + place / s->kw * s->wide + place % s->kw;
    }
}

/* The cheapest way to make the results of `outs` channels. */
static const struct sums *cheapest(const struct sums *kinds, size outs, size line) {
    const struct sums *best = kinds;
    double least = 1e300;
    for (const struct sums *kind = kinds; kind < kinds + KINDS; kind++) {
        double padded = (double)((outs + kind->outs - 1) / kind->outs * kind->outs);
        double cost = kind->cost * padded * (double)((line + kind->width - 1) / kind->width * kind->width);
        if (cost < least) least = cost, best = kind;
    }
    return best;
}

/* Places `first` to `end` of a channel's line without those around an edge. */
INLINE void write_out(const float *from, float *y, size first, size end, const struct shapes *s) {
    for (size at = first, next; at < end; at = next) {
        size row = at / s->wide, column = at % s->wide, some = s->ow - column;
        next = (row + 1) * s->wide < end ? (row + 1) * s->wide : end;
        some = next - at < some ? next - at : some;
        if (some > 0) memcpy(y + row * s->ow + column, from + (at - first), some * 4);
    }
}

static int forward(const float *x, const float *w, const float *bias, float *y, const struct shapes *s) {
    const size outs = s->o / s->groups, inner = s->c / s->groups * s->plane;
    const struct sums *kind = cheapest(machine()->sums, outs, s->line);
    const size blocks = (outs + kind->outs - 1) / kind->outs, packed = blocks * kind->outs;
    float *planes = calloc(s->c * s->plane + WIDEST, 4);
    float *weights = calloc(s->groups * packed * (s->taps + 1), 4), *biases = weights + s->groups * packed * s->taps;
    size *offsets = malloc(s->taps * sizeof(size));
    float made[8 * WIDEST];
    int done = planes && weights && offsets;
    if (done) {
        distances(offsets, s);
        for (size o = 0; o < s->o; o++) {
            size at = o / outs * packed + o % outs;
            float *to = weights + at / kind->outs * kind->outs * s->taps + at % kind->outs;
            for (size t = 0; t < s->taps; t++) to[t * kind->outs] = w[o * s->taps + t];
            if (bias) biases[at] = bias[o];
        }
    }
    for (size sample = 0; done && sample < s->n; sample++) {
        surround(x + sample * s->c * s->h * s->w, planes, s);
        for (size group = 0; group < s->groups; group++)
            for (size first = 0; first < s->line; first += kind->width) {
                size end = first + kind->width < s->line ? first + kind->width : s->line;
                for (size b = 0; b < blocks; b++) {
                    size top = b * kind->outs, at = group * packed + top;
                    kind->run(planes + group * inner + first, offsets, s->taps, weights + at * s->taps, biases + at, made);
                    for (size o = top; o < outs && o < top + kind->outs; o++)
                        write_out(made + (o - top) * kind->width, y + ((sample * s->o) + group * outs + o) * s->oh * s->ow,
                                  first, end, s);
                }
            }
    }
    free(planes), free(weights), free(offsets);
    return done;
}

#define TOGETHER 262144 /* elements of the samples whose gradients are added up together */

static int weight_gradient(const float *x, const float *g, float *w, const struct shapes *s) {
    const struct machine *m = machine();
    const size outs = s->o / s->groups, inner = s->c / s->groups * s->plane;
    const size padded = (s->taps + m->taps - 1) / m->taps * m->taps, blocks = (outs + 3) / 4;
    const size whole = (s->line + m->lanes - 1) / m->lanes * m->lanes;
    const size apart[2] = {s->c * s->plane, s->o * whole};
    size together = TOGETHER / (apart[0] + apart[1]);
    together = together < 1 ? 1 : together > s->n ? s->n : together;
    float *planes = calloc(together * apart[0] + WIDEST, 4), *lines = calloc(together * apart[1], 4);
    float *sums = calloc(s->o * padded, 4);
    size *offsets = malloc(s->taps * sizeof(size));
    int done = planes && lines && sums && offsets;
    if (done) distances(offsets, s);
    for (size sample = 0, samples; done && sample < s->n; sample += samples) {
        samples = s->n - sample < together ? s->n - sample : together;
        for (size n = 0; n < samples; n++) {
            surround(x + (sample + n) * s->c * s->h * s->w, planes + n * apart[0], s);
            const float *from = g + (sample + n) * s->o * s->oh * s->ow;
            for (size o = 0; o < s->o; o++)
                for (size row = 0; row < s->oh; row++, from += s->ow)
                    memcpy(lines + n * apart[1] + o * whole + row * s->wide, from, s->ow * 4);
        }
        for (size group = 0; group < s->groups; group++)
            for (size first = 0; first < whole; first += LINE) {
                size count = whole - first < LINE ? whole - first : LINE;
                for (size b = 0; b < blocks; b++) {
                    size top = group * outs + b * outs / blocks, some = group * outs + (b + 1) * outs / blocks - top;
                    const float *from[8], *grads[4];
                    for (size o = 0; o < some; o++) grads[o] = lines + (top + o) * whole + first;
                    for (size t = 0; t < padded; t += m->taps) {
                        for (int k = 0; k < m->taps; k++) {
                            size tap = t + k < s->taps ? t + k : s->taps - 1;
                            from[k] = planes + group * inner + first + offsets[tap];
                        }
                        m->dots[some - 1](from, grads, count, samples, apart, sums + top * padded + t, padded);
                    }
                }
            }
    }
    /* Around an edge zeros met elements of other windows: that changes nothing unless these are infinite or NaN. */
    for (size i = 0; done && i < s->o * padded; i++) done = isfinite(sums[i]);
    for (size o = 0; done && o < s->o; o++) memcpy(w + o * s->taps, sums + o * padded, s->taps * 4);
    free(planes), free(lines), free(sums), free(offsets);
    return done;
}

static PyObject *convolution(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 7) Py_RETURN_NONE;
    PyArrayObject *x = contiguous(args[0], NPY_FLOAT), *w = contiguous(args[1], NPY_FLOAT), *bias = NULL;
    PyArrayObject *y = writeable(args[3], NPY_FLOAT);
    struct shapes s;
    if (!shapes_of(&s, x, w, y, args + 4)) NONE_UNLESS_ERROR;
    if (args[2] != Py_None && ((bias = contiguous(args[2], NPY_FLOAT)) == NULL || PyArray_SIZE(bias) != s.o)) Py_RETURN_NONE;
    int done;
    RELEASED(s.n * s.o * s.line * s.taps,
             done = forward(PyArray_DATA(x), PyArray_DATA(w), bias ? PyArray_DATA(bias) : NULL, PyArray_DATA(y), &s));
    return done ? Py_NewRef(y) : Py_NewRef(Py_None);
}

static PyObject *convolution_weight(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 6) Py_RETURN_NONE;
    PyArrayObject *x = contiguous(args[0], NPY_FLOAT), *g = contiguous(args[1], NPY_FLOAT), *w = writeable(args[2], NPY_FLOAT);
    struct shapes s;
    if (!shapes_of(&s, x, w, g, args + 3)) NONE_UNLESS_ERROR;
    int done;
    RELEASED(s.n * s.o * s.line * s.taps, done = weight_gradient(PyArray_DATA(x), PyArray_DATA(g), PyArray_DATA(w), &s));
    return done ? Py_NewRef(w) : Py_NewRef(Py_None);
}

PyMethodDef convolution_methods[] = {
    FUNCTION(convolution, "convolution(x, weight, bias or None, out, border above, border left, groups)"),
    FUNCTION(convolution_weight, "convolution_weight(x, gradient, out, border above, border left, groups)"),
    {NULL, NULL, 0, NULL},
};
