/* How likely sequences of labels are among all alignments with steps (connectionist temporal classification, Graves et al. 2006). */
#include "double_math.h"

#define ALIGNED(L) (2 * (L) + 1) /* labels with blanks before, between and after */
#define EDGE 2                   /* states of no likelihood before the first, and after the last */

/* What a sample's recursions need; rows have room for EDGE more states at their ends. */
typedef struct {
    double *backward, *next, *jump, *logs, *slope;
    int64_t *labels;
} Lattice;

/* log(exp(a) + exp(b) + exp(c)) + more, of states side by side. */
INLINE double joined(double a, double b, double c, double more) {
    double top = a > b ? a : b;
    top = c > top ? c : top;
    const double less = top > -INFINITY ? top : 0.0;
    return log_double(exp_double(a - less) + exp_double(b - less) + exp_double(c - less)) + less + more;
}

WIDE static void step_forward(const double *before, const double *jump, const double *logs, double *after, size states) {
    INDEPENDENT
    for (size s = 0; s < states; s++) after[s] = joined(before[s], before[s - 1], before[s - 2] + jump[s], logs[s]);
}

WIDE static void step_backward(const double *after, const double *jump, const double *logs, double *before, size states) {
    INDEPENDENT
    for (size s = 0; s < states; s++) before[s] = joined(after[s], after[s + 1], after[s + 2] + jump[s + 2], logs[s]);
}

/* The likelihoods of all states at a step, in double; they are as many as `forward` and `backward` agree on. */
WIDE static void posterior(const double *forward, const double *backward, const double *logs, double total, double *found, size states) {
    INDEPENDENT
    for (size s = 0; s < states; s++) found[s] = exp_double(forward[s] + backward[s] - logs[s] - total);
}

static void nowhere(double *row, size states) {
    for (size s = 0; s < states + 2 * EDGE; s++) row[s - EDGE] = -INFINITY;
}

/* alignments(x, targets, sizes, blank, forward): x (T, N, C) logarithms of probabilities, targets (N, S), sizes (2, N) how many steps and
   labels a sample has. Minus the log-likelihoods (N); `forward` (N * T * a row of states with an EDGE on both sides) is written.
   alignment_slopes(x, targets, sizes, blank, forward, zeros): their slopes by x (T, N, C), 0 where a sample has no step and, if `zeros`, where
   its likelihood is 0. */
static int either_plan(Call *c) {
    const Argument *x = &c->in[0], *targets = &c->in[1], *sizes = &c->in[2];
    if (x->ndim != 3 || x->count == 0 || targets->ndim != 2 || sizes->ndim != 2 || targets->shape[0] != x->shape[1]) return 0;
    if (sizes->shape[0] != 2 || sizes->shape[1] != x->shape[1] || OUTSIDE(c->in[3].whole, x->shape[2])) return 0;
    const size row = times(ALIGNED(targets->shape[1]) + 2 * EDGE, sizeof(double)), slopes = times(x->shape[2], sizeof(double));
    if (row > PTRDIFF_MAX / 16 || slopes > PTRDIFF_MAX / 16) return 0;
    if (c->in[4].count != times(times(row / (size)sizeof(double), x->shape[0]), x->shape[1])) return 0;
    c->room = 5 * row + slopes;
    c->lines = x->shape[1], c->each = times(times(x->shape[0], ALIGNED(targets->shape[1])), 32);
    return 1;
}
static int alignments_plan(Call *c) {
    if (!either_plan(c)) return 0;
    add_dimension(result(c, 0), c->in[0].shape[1]);
    return 1;
}
static int slopes_plan(Call *c) {
    if (!either_plan(c)) return 0;
    shape_as(result(c, 0), &c->in[0]);
    return 1;
}

/* The labels of a sample with blanks between, and where one may be passed over; 0 where one is no class. */
static int align(const int64_t *targets, size count, size blank, size classes, Lattice *l) {
    for (size s = 0; s < ALIGNED(count); s++) {
        const size label = s % 2 ? place_at(targets + s / 2) : blank;
        if (OUTSIDE(label, classes)) return 0;
        l->labels[s] = label;
        l->jump[s] = s > 1 && s % 2 && label != l->labels[s - 2] ? 0.0 : -INFINITY;
    }
    for (size s = ALIGNED(count); s < ALIGNED(count) + EDGE; s++) l->jump[s] = -INFINITY;
    return 1;
}

#define LATTICE(c)                                                                                                                \
    const size steps = (c)->in[0].shape[0], samples = (c)->in[0].shape[1], classes = (c)->in[0].shape[2], width = (c)->in[1].shape[1]; \
    const size row = ALIGNED(width) + 2 * EDGE, across = samples * classes;                                                       \
    double *room = (c)->scratch;                                                                                                  \
    Lattice l = {room + EDGE, room + row + EDGE, room + 2 * row + EDGE, room + 3 * row + EDGE, room + 5 * row, (int64_t *)(room + 4 * row)};

/* Of a sample: its steps m, labels and states. */
#define SAMPLE(c)                                                                                                                 \
    const size m = place_at((const int64_t *)(c)->in[2].data + n), count = place_at((const int64_t *)(c)->in[2].data + samples + n); \
    const size states = ALIGNED(count);                                                                                           \
    double *forward = (double *)(c)->in[4].data + n * steps * row + EDGE;                                                         \
    if (OUTSIDE(m, steps + 1) || OUTSIDE(count, width + 1)) return 0;                                                             \
    if (!align((const int64_t *)(c)->in[1].data + n * width, count, (c)->in[3].whole, classes, &l)) return 0;

static double likelihood(const double *last, size count) {
    return joined(last[0], count ? last[-1] : -INFINITY, -INFINITY, 0.0);
}

#define ALIGNMENTS(T, name)                                                                                                       \
    static int name(Call *c, size from, size to) {                                                                                \
        LATTICE(c)                                                                                                                \
        for (size n = from; n < to; n++) {                                                                                        \
            const T *x = (const T *)c->in[0].data + n * classes;                                                                  \
            T *loss = (T *)c->out[0].data + n;                                                                                    \
            SAMPLE(c)                                                                                                             \
            if (m == 0) *loss = count ? INFINITY : (T)-0.0;                                                                       \
            for (size t = 0; t < m; t++) {                                                                                        \
                double *now = forward + t * row;                                                                                  \
                if (ends(c, 32 * states)) return 0;                                                                               \
                nowhere(now, states);                                                                                             \
                for (size s = 0; s < states; s++) l.logs[s] = x[t * across + l.labels[s]];                                        \
                if (t) step_forward(now - row, l.jump, l.logs, now, states);                                                      \
                else for (size s = 0; s < states && s < 2; s++) now[s] = l.logs[s];                                               \
            }                                                                                                                     \
            if (m) *loss = (T)-likelihood(forward + (m - 1) * row + states - 1, count);                                           \
        }                                                                                                                         \
        return 1;                                                                                                                 \
    }                                                                                                                             \
    static int name##_slopes(Call *c, size from, size to) {                                                                       \
        LATTICE(c)                                                                                                                \
        for (size n = from; n < to; n++) {                                                                                        \
            const T *x = (const T *)c->in[0].data + n * classes;                                                                  \
            T *slopes = (T *)c->out[0].data + n * classes;                                                                        \
            SAMPLE(c)                                                                                                             \
            const double total = m ? likelihood(forward + (m - 1) * row + states - 1, count) : 0.0;                               \
            const size last = c->in[5].whole && total == -INFINITY ? 0 : m;                                                       \
            for (size t = last; t < steps; t++) memset(slopes + t * across, 0, classes * sizeof(T));                              \
            for (size t = last - 1; t >= 0; t--) {                                                                                \
                if (ends(c, 32 * states)) return 0;                                                                               \
                double *next = l.next, *now = l.backward;                                                                         \
                nowhere(now, states);                                                                                             \
                for (size s = 0; s < states; s++) l.logs[s] = x[t * across + l.labels[s]];                                        \
                if (t < m - 1) step_backward(next, l.jump, l.logs, now, states);                                                  \
                else for (size s = states - 1; s >= 0 && s > states - 3; s--) now[s] = l.logs[s];                                 \
                posterior(forward + t * row, now, l.logs, total, next, states);                                                   \
                memset(l.slope, 0, classes * sizeof(double));                                                                     \
                for (size s = 0; s < states; s++) l.slope[l.labels[s]] -= next[s];                                                \
                for (size k = 0; k < classes; k++) slopes[t * across + k] = (T)l.slope[k];                                        \
                l.next = now, l.backward = next;                                                                                  \
            }                                                                                                                     \
        }                                                                                                                         \
        return 1;                                                                                                                 \
    }
ALIGNMENTS(float, alignments_float)
ALIGNMENTS(double, alignments_double)

static int alignments(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? alignments_float : alignments_double)(c, from, to);
}
static int alignment_slopes(Call *c, size from, size to) {
    return (c->in[0].kind == FLOAT32 ? alignments_float_slopes : alignments_double_slopes)(c, from, to);
}

const Kernel alignment_kernels[] = {
    {"alignments", "r~lliD", alignments_plan, alignments, "alignments(log_probabilities, targets, sizes, blank, forward): losses"},
    {"alignment_slopes", "r~llidb", slopes_plan, alignment_slopes, "alignment_slopes(log_probabilities, targets, sizes, blank, forward, zeros)"},
    {0},
};
