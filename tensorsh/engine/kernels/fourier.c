/* Fourier transforms of the lines of an array along any of its dimensions, several lines at a time in the lanes of vectors, and the
   second halves of real signals' transforms. */
#include "fourier_along.h"

/* Complex numbers to such; real ones to the first half, or the whole, of their transform; such a half to real ones. */
enum { COMPLEX, HALF_OF_REAL, WHOLE_OF_REAL, TO_REAL };
enum { IN, OUT };
#define MOST_LANES 16
#define FEW 2          /* so many columns, or fewer, wait for those of other rows */
#define ROOM 72        /* bytes for a number of all lines, or of one more of doubles */
#define NEAR (1 << 12) /* lines are taken together until a part of them has so many bytes: it and three more lie in the nearest cache */
#define LONGEST (1 << 12)

/* Some lines: where each begins, in what is read and in what is written, counted in numbers, complex ones as one. */
typedef struct {
    int count;
    size at[2][MOST_LANES];
} Lines;

/* What is done to a line. `packed`: a real one is transformed as half as many complex numbers, see `turns` in the table; `own`: real
   numbers stand as complex ones, and zeros lose their sign; `negative`: the element whose imaginary part, where it is zero, is a negative
   sum in the library's ways: of six numbers where no two parts cancel, of ten where they do, otherwise always. The numbers of a line, in
   what is read and in what is written, stand `step` apart, in `width` elements each, of which two `parts` are taken where they are
   complex; of real ones two may be taken as one. A line has `have` of them. `together`: lines that stand one behind the other are
   transformed along their numbers; `pairs`: two lines at once. */
typedef struct {
    Steps steps;
    int kind, backward, packed, own, negative, together, pairs;
    int parts[2], width[2];
    size n, step[2], have[2], end[2], turns, numbers;
    double early, halfway, late;
} Way;

/* The room for so many elements: such rooms, one behind the other, begin in different parts of the processor's nearest cache, where
   numbers that are a power of two apart lie in the same places. */
INLINE size room_for(size numbers, size item) { return ((numbers * item + 1023) / 1024 | 1) * 1024 / item; }

#define LINES(T, R, name)                                                                                              \
    /* Numbers into lanes and out of them; `second`: the second parts. */                                              \
    INLINE void name##_moved(int out, const Way *way, const Lines *lines, R *array, T *first, T *second) {             \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size width = way->width[out], step = width * way->step[out], next = width == 1 && second ? 2 * step : step; \
        const size other = width == 1 ? step : 1, have = way->have[out];                                               \
        const size *const place = lines->at[out];                                                                      \
        size at[LANES], adjacent = !way->own || out;                                                                   \
        for (int l = 1; l < lines->count; l++) adjacent &= place[l] == place[0] + l;                                   \
        if (way->step[out] == 1 || !adjacent)                                                                          \
            for (int l = 0; l < LANES; l++) at[l] = width * place[l < lines->count ? l : 0];                           \
        if (way->step[out] == 1 && (!way->own || out)) {                                                               \
            if (second && name##_rows(out, first, second, array, at, lines->count, have, way->end[out])) return;       \
            if (!second && name##_rows(out, first, NULL, array, at, lines->count, have, way->end[out])) return;        \
        }                                                                                                              \
        R *const start = array + width * place[0];                                                                     \
        if (adjacent && width == 1) {                                                                                  \
            name##_columns(out, first, NULL, start, next, have, lines->count);                                         \
            if (second) name##_columns(out, second, NULL, start + step, next, have, lines->count);                     \
        } else if (adjacent && second)                                                                                 \
            name##_columns(out, first, second, start, step, have, lines->count);                                       \
        else                                                                                                           \
            for (size j = 0; j < have; j++)                                                                            \
                for (int l = 0; l < (out ? lines->count : LANES); l++) {                                               \
                    R *const place = array + at[l] + j * next;                                                         \
                    *(out ? place : (R *)&first[j] + l) = *(out ? (R *)&first[j] + l : place);                         \
                    if (second) *(out ? place + other : (R *)&second[j] + l) = *(out ? (R *)&second[j] + l : place + other); \
                }                                                                                                      \
    }                                                                                                                  \
    /* What is in the first two parts of `room` transformed; `found`: where the parts of the result are. */            \
    INLINE void name##_worked(const Way *way, int count, const R *table, T *room, T **found) {                         \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size n = way->n, m = way->steps.n, half = n / 2 + 1;                                                     \
        const int real = way->kind == HALF_OF_REAL || way->kind == WHOLE_OF_REAL, to_real = way->kind == TO_REAL;      \
        const int turned = way->backward || to_real; /* real and imaginary parts change places, before and after */    \
        const size each = room_for(way->numbers, sizeof(T));                                                           \
        T *re = room, *im = re + each, *x = im + each, *y = x + each;                                                  \
        const R *const turns = table + way->turns;                                                                     \
        if (real)                                                                                                      \
            for (size k = 0; !way->packed && k < n; k++) im[k] = EACH(T, (R)0);                                        \
        else if (to_real && way->packed)                                                                               \
            name##_paired(m, turns, re, im);                                                                           \
        else if (to_real) {                                                                                            \
            for (size k = half; k < n; k++) re[k] = re[n - k], im[k] = -im[n - k];                                     \
            im[0] = EACH(T, (R)0);                                                                                     \
            if (n % 2 == 0) im[n / 2] = EACH(T, (R)0);                                                                 \
        }                                                                                                              \
        if (turned) re = im, im = room;                                                                                \
        if (name##_transform(&way->steps, table, (R)way->early, (R)way->halfway, 1, re, im, x, y)) x = re, y = im;     \
        if (real && way->packed) name##_halved(m, turns, x, y);                                                        \
        for (int l = 0, k = way->negative; k && l < count; l++) {                                                      \
            R *zero = (R *)&y[k] + l;                                                                                  \
            const R *of = (const R *)room + l; /* the signal */                                                        \
            if (*zero != 0 || (n == 6 && of[2 * LANES] != of[4 * LANES])) continue;                                    \
            if (n == 10 && of[2 * LANES] == of[8 * LANES] && of[4 * LANES] == of[6 * LANES]) continue;                 \
            *zero = -(R)0;                                                                                             \
        }                                                                                                              \
        T *const first = turned ? y : x, *const second = turned ? x : y;                                               \
        const T zero = EACH(T, (R)0);                                                                                  \
        const size made = real ? half : m;                                                                             \
        if (way->late != 1) name##_times(first, second, made, (R)way->late);                                           \
        for (size k = 0; way->own && k < made; k++) first[k] += zero, second[k] += zero;                               \
        if (way->kind == WHOLE_OF_REAL) name##_completed(first, second, n);                                            \
        for (size k = half; way->own && k < n; k++) second[k] += zero;                                                 \
        found[0] = first, found[1] = second;                                                                           \
    }

#define WORK(T, R, name, FOR)                                                                                          \
    FOR static void name##_lines(const Way *way, const Lines *lines, const void *table, void *in, void *out, void *room) { \
        T *found[2], *const second = (T *)room + room_for(way->numbers, sizeof(T));                                    \
        name##_moved(IN, way, lines, in, room, way->parts[IN] == 2 ? second : NULL);                                   \
        name##_worked(way, lines->count, table, room, found);                                                          \
        name##_moved(OUT, way, lines, out, found[0], way->parts[OUT] == 2 ? found[1] : NULL);                          \
    }

/* Lines that stand one behind the other, each transformed along its numbers. */
#define ROWS(R, one, FOR)                                                                                              \
    FOR static void one##_together(const Way *way, int lines, const void *given, void *in, void *out, void *room) {    \
        const size m = way->steps.n, n = way->n, none = 0;                                                             \
        const int odd = way->pairs && lines % 2, all = lines + odd, kind = way->kind, turned = way->backward || kind == TO_REAL; \
        const size have = way->have[IN], makes = way->have[OUT], each = room_for(way->numbers * all, sizeof(R));       \
        const R *const table = given, *const turns = table + way->turns;                                               \
        R *re = room, *im = re + each, *x = im + each, *y = x + each;                                                  \
        one##_rows(IN, re, im, in, &none, 1, have * lines, have * lines);                                              \
        if (kind == TO_REAL)                                                                                           \
            for (int l = 0; l < lines; l++) one##_back_to_pairs(m, turns, re + l * have, im + l * have, x + l * m, y + l * m); \
        if (kind == TO_REAL) re = x, im = y, x = room, y = x + each;                                                   \
        if (odd) {                                                                                                     \
            memcpy(re + lines * m, re + (lines - 1) * m, m * sizeof *re);                                              \
            memcpy(im + lines * m, im + (lines - 1) * m, m * sizeof *im);                                              \
        }                                                                                                              \
        R *from[2] = {turned ? im : re, turned ? re : im}, *to[2] = {x, y};                                            \
        if (one##_transform(&way->steps, table, 1, 1, all, from[0], from[1], to[0], to[1]))                            \
            x = from[0], y = from[1], from[0] = to[0], from[1] = to[1];                                                \
        if (kind == HALF_OF_REAL || kind == WHOLE_OF_REAL) {                                                           \
            for (int l = 0; l < lines; l++) one##_from_pairs(m, turns, x + l * m, y + l * m, from[0] + l * makes, from[1] + l * makes); \
            x = from[0], y = from[1];                                                                                  \
        }                                                                                                              \
        if (way->late != 1 && kind != WHOLE_OF_REAL) one##_scaled(x, y, lines * makes, (R)way->late);                  \
        for (int l = 0; kind == WHOLE_OF_REAL && l < lines; l++) {                                                     \
            if (way->late != 1) one##_scaled(x + l * n, y + l * n, n / 2 + 1, (R)way->late);                           \
            one##_mirrored(x + l * n, y + l * n, n);                                                                   \
        }                                                                                                              \
        one##_rows(OUT, turned ? y : x, turned ? x : y, out, &none, 1, makes * lines, makes * lines);                  \
    }

/* Several lines at once, each in its lane. */
#define TILE(T, R, name, FOR)                                                                                          \
    STEPS(T, R, name, FOR)                                                                                             \
    TILES(T, R, name)                                                                                                  \
    HALVES(T, R, name)                                                                                                 \
    TRANSFORM(T, R, name, name, name##_pass, FOR)                                                                      \
    LINES(T, R, name)                                                                                                  \
    WORK(T, R, name, FOR)
/* Several numbers of a line at once. */
#define LINE(T, R, name, one, plain, FOR)                                                                              \
    ROW(T, R, name, one)                                                                                               \
    ALONG(T, R, name, one, plain)                                                                                      \
    HALVES_ALONG(T, R, name, one, plain)                                                                               \
    TRANSFORM(R, R, one, plain, one##_along, FOR)                                                                      \
    ROWS(R, one, FOR)
STEPS(float, float, single, WIDE)
STEPS(double, double, lone, WIDE)
HALVES(float, float, single)
HALVES(double, double, lone)
TILE(vectors, float, singles, WIDE)
TILE(wide_vectors, double, doubles, WIDE)
#ifdef BROAD
TILE(broad_vectors, float, broad_singles, BROAD)
TILE(broad_wide_vectors, double, broad_doubles, BROAD)
#endif
#if !defined(BROAD) || FOR_LEVEL(3)
LINE(vectors, float, singles, single, single, WIDE)
LINE(wide_vectors, double, doubles, lone, lone, WIDE)
#ifdef BROAD
LINE(broad_vectors, float, broad_singles, broad_single, single, BROAD)
LINE(broad_wide_vectors, double, broad_doubles, broad_lone, lone, BROAD)
#endif
#else /* for the processor at hand */
LINE(broad_vectors, float, broad_singles, single, single, WIDE)
LINE(broad_wide_vectors, double, broad_doubles, lone, lone, WIDE)
#define broad_single_together single_together
#define broad_single_suits single_suits
#define broad_lone_together lone_together
#define broad_lone_suits lone_suits
#endif
LINES(float, float, single)
LINES(double, double, lone)
WORK(float, float, single, WIDE)
WORK(double, double, lone, WIDE)

/* What works on lines: `most` in the lanes of vectors, or those that stand one behind the other, where they suit. */
typedef struct {
    int most;
    void (*lines)(const Way *way, const Lines *lines, const void *table, void *in, void *out, void *room);
    void (*together)(const Way *way, int lines, const void *table, void *in, void *out, void *room);
    int (*suits)(const Steps *of, int *pairs);
} Width;
static const Width NARROW[2] = {{4, doubles_lines, lone_together, lone_suits}, {8, singles_lines, single_together, single_suits}};
static const Width *widest(int single) {
#ifdef BROAD
    static const Width broad[2] = {{8, broad_doubles_lines, broad_lone_together, broad_lone_suits}, {16, broad_singles_lines, broad_single_together, broad_single_suits}};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma")) return &broad[single];
#endif
    return &NARROW[single];
}

/* fourier(x, table, factors, axis, n, kind, forward, order, place, scale, last, alone, whole, own_order): `last`: the results'
   dimension comes behind the others; `alone`: x is real, and transformed along this dimension only; `whole`: x is the transform of so
   many real numbers along its last dimensions, its half along the last one, see `twin`. */
enum { X, TABLE, FACTORS, AXIS, LENGTH, KIND, FORWARD, ORDER, PLACE, SCALE, LAST, ALONE, WHOLE, OWN_ORDER };
static const int NEGATIVE[SHORT] = {[3] = 1, [5] = 1, [6] = 1, [8] = 1, [10] = 4, [12] = 5};

static int way_of(const Call *c, Way *way, size *table) {
    const Argument *factors = &c->in[FACTORS];
    const size n = c->in[LENGTH].whole, kind = c->in[KIND].whole;
    if (n < 1 || n > LONGEST || kind < COMPLEX || kind > TO_REAL || factors->ndim > SHORT) return 0;
    const int packed = kind != COMPLEX && n >= SHORT && n % 2 == 0;
    const double scale = c->in[SCALE].number;
    *way = (Way){.kind = (int)kind, .backward = !c->in[FORWARD].whole, .packed = packed, .n = n};
    Steps *steps = &way->steps;
    *steps = (Steps){.n = (int)(packed ? n / 2 : n), .count = factors->ndim, .order = (int)(c->in[ORDER].whole & 31)};
    const int passes = steps->count > 1 && (steps->n >= SHORT || steps->n == 9);
    size l1 = 1, used = 0;
    for (int k = 0; k < steps->count; k++) {
        const size p = factors->shape[k];
        if (p < 2 || p >= LARGEST || (p % 2 == 0 && p != 2 && p != 4 && p != 8) || steps->n % (l1 * p)) return 0;
        steps->factors[k] = (int)p;
        used += 2 * p;
        if (passes) used += 2 * (p - 1) * (steps->n / (l1 * p));
        l1 *= p;
    }
    if (l1 != steps->n) return 0;
    if (steps->count > 1 && !passes && (steps->count > 2 || steps->factors[0] > 4 || steps->factors[1] > 8)) return 0;
    way->turns = used;
    way->numbers = (kind == WHOLE_OF_REAL ? n : steps->n) + 1;
    *table = used + (packed ? 2 * (n / 4 + 1) : 0);
    if (c->in[ALONE].whole && n < SHORT && (kind == HALF_OF_REAL || kind == WHOLE_OF_REAL)) way->negative = NEGATIVE[n];
    way->have[IN] = kind == TO_REAL ? n / 2 + 1 : steps->n;
    way->have[OUT] = kind == HALF_OF_REAL ? n / 2 + 1 : kind == WHOLE_OF_REAL ? n : steps->n;
    way->width[IN] = kind == COMPLEX || kind == TO_REAL ? 2 : 1, way->width[OUT] = kind == TO_REAL ? 1 : 2;
    way->parts[IN] = packed ? 2 : way->width[IN], way->parts[OUT] = packed ? 2 : way->width[OUT];
    way->early = way->halfway = way->late = 1;
    *(c->in[PLACE].whole == EARLY ? &way->early : c->in[PLACE].whole == BETWEEN ? &way->halfway : &way->late) = scale;
    return 1;
}

static int planned(Call *c, int within) {
    const Argument *x = &c->in[X], *table = &c->in[TABLE];
    const Argument *whole = &c->in[WHOLE];
    Axis around;
    Way way;
    size used;
    if (x->count == 0 || !around_axis(x, c->in[AXIS].whole, &around) || !way_of(c, &way, &used) || table->count != used) return 0;
    const int single = table->kind == FLOAT32, real = way.kind == HALF_OF_REAL || way.kind == WHOLE_OF_REAL;
    if (real ? x->kind != table->kind : x->kind != PLAIN || x->item != (single ? 8 : 16)) return 0;
    if (around.n != (way.kind == TO_REAL ? way.n / 2 + 1 : way.n)) return 0;
    if (whole->ndim && (way.kind != COMPLEX || way.backward || c->in[LAST].whole || whole->ndim >= x->ndim - around.axis)) return 0;
    for (int k = 1; k <= whole->ndim; k++) {
        const size many = whole->shape[whole->ndim - k];
        if (many < 1 || x->shape[x->ndim - k] != (k == 1 ? many / 2 + 1 : many)) return 0;
    }
    c->lines = around.outer * around.inner, c->each = way.n * 8 * (way.steps.count + 2);
    c->room = 4 * room_for(way.numbers, ROOM) * ROOM + 1024; /* a vector may be read beyond */
    if (within) {
        c->answer = X;
        return way.kind == COMPLEX && !c->in[LAST].whole;
    }
    Argument *made;
    if (way.kind == COMPLEX) made = result(c, X);
    else if (way.kind == TO_REAL) made = result(c, TABLE);
    else made = result(c, single ? NEW_COMPLEX64 : NEW_COMPLEX128);
    const size n = way.kind == HALF_OF_REAL ? way.n / 2 + 1 : way.n;
    shape_as(made, x);
    made->shape[around.axis] = n;
    if (c->in[LAST].whole) {
        for (int k = (int)around.axis; k + 1 < x->ndim; k++) made->shape[k] = x->shape[k + 1];
        made->shape[x->ndim - 1] = n;
    }
    return 1;
}

static int fourier_plan(Call *c) { return planned(c, 0); }
static int within_plan(Call *c) { return planned(c, 1); }

/* Whether the next line stands behind this one, in what is read and in what is written. */
static int adjacent(const Way *way, const Lines *lines, int l) {
    int good = 1;
    for (int out = IN; out <= OUT; out++)
        good &= (lines->at[out][l + 1] - lines->at[out][l]) * way->width[out] == way->have[out] * way->parts[out];
    return good;
}

/* A full tile, or the last one, in which few lines are transformed one by one, or lines along their numbers: the numbers are the same. */
static void transform(const Call *c, const Way *way, Lines *lines) {
    void *room = (void *)(((uintptr_t)c->scratch + 63) / 64 * 64), *in = c->in[X].data, *out = c->outs ? c->out[0].data : in;
    const void *table = c->in[TABLE].data;
    const int single = c->in[TABLE].kind == FLOAT32, item = single ? 4 : 8, count = lines->count;
    const Width *most = widest(single), *width = count > NARROW[single].most ? most : &NARROW[single];
    lines->count = 0;
    if (way->together) {
        for (int l = 0, next; l < count; l = next) {
            for (next = l + 1; next < count && (next - l) * way->numbers * item < NEAR && adjacent(way, lines, next - 1);) next++;
            void *const from = (char *)in + lines->at[IN][l] * way->width[IN] * item;
            most->together(way, next - l, table, from, (char *)out + lines->at[OUT][l] * way->width[OUT] * item, room);
        }
    } else if (count > (single ? 2 : 1)) {
        lines->count = count;
        width->lines(way, lines, table, in, out, room);
        lines->count = 0;
    } else
        for (int l = 0; l < count; l++) {
            const Lines one = {1, {{lines->at[IN][l]}, {lines->at[OUT][l]}}};
            (single ? single_lines : lone_lines)(way, &one, table, in, out, room);
        }
}

/* Of the lines of a real array's transform along the last dimensions, of which this many are `whole`, line i's twin is the one at the
   negative frequencies: its conjugate, turned round. A line that is its own twin is real. `halved`: where it is along the last
   dimension; the twins of most lines there are in the half that is not kept: -1. `second`: the line is made from its twin, which
   comes first along the last dimension in which they differ. */
static size twin(const Argument *whole, size i, size halved, int *second) {
    const int last = whole->ndim - 1;
    *second = 0;
    if (last < 0 || (halved && 2 * halved != whole->shape[last])) return -1;
    size other = i, step = whole->shape[last] / 2 + 1, left = i / step;
    for (int k = last - 1; k >= 0; k--) {
        const size many = whole->shape[k], at = left % many;
        left /= many;
        if (other == i) *second = 2 * at > many;
        if (at) other += (many - 2 * at) * step;
        step *= many;
    }
    return other;
}

#define TURNED(T, name)                                                                                                \
    static void name(const T *first, T *second, size n, size step) {                                                   \
        for (size k = 0; k < n; k++) {                                                                                 \
            const T *from = first + 2 * (k ? n - k : 0) * step;                                                        \
            second[2 * k * step] = from[0] + (T)0, second[2 * k * step + 1] = (T)0 - from[1];                          \
        }                                                                                                              \
    }
TURNED(float, turned_floats)
TURNED(double, turned_doubles)

static int fourier(Call *c, size from, size to) {
    const Argument *whole = &c->in[WHOLE];
    const int single = c->in[TABLE].kind == FLOAT32, lanes = widest(single)->most, last = (int)c->in[LAST].whole;
    Axis around;
    Way ways[2];
    Lines lines[2], left[2]; /* real ones by themselves, and the last few of a row of lines */
    size used;
    int second = 0;
    lines[0].count = lines[1].count = left[0].count = left[1].count = 0;
    if (!around_axis(&c->in[X], c->in[AXIS].whole, &around) || !way_of(c, &ways[0], &used)) return 0;
    const size n = ways[0].kind == HALF_OF_REAL ? ways[0].n / 2 + 1 : ways[0].n, inner = around.inner;
    ways[0].step[IN] = inner, ways[0].step[OUT] = last ? 1 : inner;
    ways[0].end[IN] = c->in[X].count * ways[0].width[IN], ways[0].end[OUT] = c->outs ? c->out[0].count * ways[0].width[OUT] : 0;
    if (inner == 1 && (ways[0].kind == COMPLEX || ways[0].packed)) ways[0].together = widest(single)->suits(&ways[0].steps, &ways[0].pairs);
    ways[1] = ways[0];
    ways[1].kind = WHOLE_OF_REAL, ways[1].own = 1, ways[1].together = 0, ways[1].parts[IN] = 1, ways[1].negative = 0, ways[1].steps.order = (int)(c->in[OWN_ORDER].whole & 31);
    ways[1].early = ways[1].halfway = 1, ways[1].late = c->in[SCALE].number;
    const size half = whole->ndim ? whole->shape[whole->ndim - 1] / 2 + 1 : inner;
    const size step[2] = {inner == 1 ? around.n : 1, inner == 1 || last ? n : 1}; /* from a line to the next one beside it */
    size i = from % inner, halved = i % half;
    size at[2] = {from / inner * around.n * inner + i, last ? from * n : from / inner * n * inner + i};
    for (size line = from, run; line < to; line += run) {
        int real = 0;
        run = inner == 1 ? to - line : inner - i < to - line ? inner - i : to - line;
        if (whole->ndim && (halved == 0 || 2 * halved == whole->shape[whole->ndim - 1]))
            real = twin(whole, i, halved, &second) == i, run = 1;
        else if (whole->ndim) {
            const size ordinary = (whole->shape[whole->ndim - 1] + 1) / 2 - halved;
            second = 0, run = run < ordinary ? run : ordinary;
        }
        Lines *now = &lines[real];
        run = run < lanes - now->count ? run : lanes - now->count;
        for (int k = IN; k <= OUT && !second; k++)
            for (size l = 0; l < run; l++) now->at[k][now->count + l] = at[k] + l * step[k];
        if (!second && (now->count += (int)run) == lanes) transform(c, &ways[real], now);
        const int ends_row = inner > 1 && (i += run) == inner;
        at[IN] += run * step[IN], at[OUT] += run * step[OUT];
        if (ends_row) i = 0, at[IN] += (around.n - 1) * inner, at[OUT] += last ? 0 : (n - 1) * inner;
        if (whole->ndim && (halved += run) == half) halved = 0;
        if (inner <= lanes || !(ends_row || real || second)) continue;
        /* here lines that stand side by side come to an end: in one piece, unless they are few */
        if (lines[0].count > (ends_row ? FEW : lanes / 2)) transform(c, &ways[0], &lines[0]);
        for (int k = 0; k <= 1 && ends_row; k++)
            for (now = &lines[k]; now->count; now->count--) {
                Lines *last_few = &left[k];
                for (int out = IN; out <= OUT; out++) last_few->at[out][last_few->count] = now->at[out][now->count - 1];
                if (++last_few->count == lanes) transform(c, &ways[k], last_few);
            }
    }
    transform(c, &ways[0], &lines[0]);
    transform(c, &ways[1], &lines[1]);
    transform(c, &ways[0], &left[0]);
    transform(c, &ways[1], &left[1]);
    size line = from;
    for (halved = from % half; whole->ndim > 1 && line < to; line++, halved = halved + 1 == half ? 0 : halved + 1) {
        i = line % inner;
        const size other = twin(whole, i, halved, &second), at = line / inner * n * inner;
        if (other < 0 || other == i || second) continue;
        void *out = c->outs ? c->out[0].data : c->in[X].data;
        if (single) turned_floats((float *)out + 2 * (at + i), (float *)out + 2 * (at + other), n, inner);
        else turned_doubles((double *)out + 2 * (at + i), (double *)out + 2 * (at + other), n, inner);
    }
    return 1;
}

/* mirrored(half, n, axes, conjugate, positive): the whole transform of n real numbers, whose second half is the first one's conjugate;
   along the axes the places are turned round as well. `conjugate`: its conjugate; `positive`: zeros lose their sign. */
static int mirrored_plan(Call *c) {
    const Argument *half = &c->in[0], *axes = &c->in[2];
    const size n = c->in[1].whole;
    size all;
    if (half->kind != PLAIN || (half->item != 8 && half->item != 16)) return 0;
    if (half->ndim < 1 || half->count == 0 || n < 1 || half->shape[half->ndim - 1] != n / 2 + 1) return 0;
    for (int k = 0; k < axes->ndim; k++)
        if (axes->shape[k] < 0 || axes->shape[k] >= half->ndim - 1) return 0;
    const size rows = half->count / (n / 2 + 1);
    if (__builtin_mul_overflow(rows, 2 * n, &all)) return 0;
    Argument *out = result(c, 0);
    shape_as(out, half);
    out->shape[half->ndim - 1] = n;
    c->lines = rows, c->each = 2 * n;
    return 1;
}

#define MIRRORED(T, name)                                                                                              \
    static void name(const T *first, const T *other, T *out, size n, int conjugate, int positive) {                    \
        const size have = n / 2 + 1;                                                                                   \
        const T sign = conjugate ? -1 : 1, zero = positive ? 0 : -(T)0; /* x + -0 is x */                              \
        for (size k = 0; k < have; k++) out[2 * k] = first[2 * k] + zero, out[2 * k + 1] = sign * first[2 * k + 1] + zero; \
        for (size k = have; k < n; k++) out[2 * k] = other[2 * (n - k)] + zero, out[2 * k + 1] = zero - sign * other[2 * (n - k) + 1]; \
    }
MIRRORED(float, mirrored_floats)
MIRRORED(double, mirrored_doubles)

static int mirrored(Call *c, size from, size to) {
    const Argument *half = &c->in[0], *axes = &c->in[2];
    const size n = c->in[1].whole, have = 2 * (n / 2 + 1);
    const int conjugate = (int)c->in[3].whole, positive = (int)c->in[4].whole;
    for (size row = from; row < to; row++) {
        size other = row, step = 1, left = row;
        for (int d = half->ndim - 2; d >= 0; d--) {
            const size many = half->shape[d], at = left % many;
            for (int k = 0; k < axes->ndim; k++)
                if (axes->shape[k] == d && at) other += (many - 2 * at) * step;
            left /= many, step *= many;
        }
        if (half->item == 8) {
            const float *x = half->data;
            mirrored_floats(x + row * have, x + other * have, (float *)c->out[0].data + row * 2 * n, n, conjugate, positive);
        } else {
            const double *x = half->data;
            mirrored_doubles(x + row * have, x + other * have, (double *)c->out[0].data + row * 2 * n, n, conjugate, positive);
        }
    }
    return 1;
}

const Kernel fourier_kernels[] = {
    {"mirrored", "aitbb", mirrored_plan, mirrored, "mirrored(half, n, axes, conjugate, positive): a whole transform from its half"},
    {"fourier", "artiiibiixbbti", fourier_plan, fourier,
     "fourier(x, table, factors, axis, n, kind, forward, order, place, scale, last, alone, whole, own_order)"},
    {"fourier_within", "Artiiibiixbbti", within_plan, fourier, "fourier_within(x, ...): complex numbers in their own place, with fourier's arguments"},
    {0},
};
