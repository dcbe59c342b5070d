/* Sums and means of contiguous arrays, added in the order of PyTorch's CPU kernels; engine/numerics/sums.py says which that is. */
#include "lanes.h"

#include "conversions.h"

#define LEVELS 4
#define LEVEL(n) ((n) >> 19 ? (64 - __builtin_clzll((uint64_t)(n) - 1)) / 4 : 4) /* the p of a cascade of n rows */
#define FOUR_VECTORS 128 /* bytes: as many columns are held in registers, which not every compiler finds */

/* The sums of `width` neighbouring columns over n rows that lie `stride` apart: a cascade of four levels, which spill after
   2^p additions, as those of `all` rows do of which these are some. `room` has LEVELS * width elements; the result is its first `width`. */
#define NEAR 1024
#define CASCADE(T, name)                                                                                        \
    typedef T name##_vector __attribute__((vector_size(FOUR_VECTORS / 4), aligned(sizeof(T))));                 \
    /* Of n rows of four vectors, which stay in registers: not a loop over elements in memory, which a compiler copies in other widths \
       than it reads them. */                                                                                   \
    INLINE void name##_of_four(const T *x, size n, size all, size stride, name##_vector *sums) {                \
        name##_vector levels[LEVELS][4] = {{{0}}};                                                              \
        const int p = LEVEL(all);                                                                               \
        const size step = (size)1 << p;                                                                         \
        size i = 0;                                                                                             \
        if (n < step) {                                                                                         \
            for (int v = 0; v < 4; v++) sums[v] = ((const name##_vector *)x)[v];                                \
            for (i = 1, x += stride; i < n; i++, x += stride)                                                   \
                for (int v = 0; v < 4; v++) sums[v] += ((const name##_vector *)x)[v];                           \
            return;                                                                                             \
        }                                                                                                       \
        while (i + step <= n) {                                                                                 \
            for (int v = 0; v < 4; v++) sums[v] = (name##_vector){0};                                           \
            for (size j = 0; j < step; j++, x += stride)                                                        \
                for (int v = 0; v < 4; v++) sums[v] += ((const name##_vector *)x)[v];                           \
            i += step;                                                                                          \
            for (int v = 0; v < 4; v++) levels[1][v] += sums[v];                                                \
            for (int level = 2; level < LEVELS && !(i & ((step - 1) << (level - 1) * p)); level++)              \
                for (int v = 0; v < 4; v++) levels[level][v] += levels[level - 1][v], levels[level - 1][v] = (name##_vector){0}; \
        }                                                                                                       \
        for (int v = 0; v < 4; v++) sums[v] = (name##_vector){0};                                               \
        for (; i < n; i++, x += stride)                                                                         \
            for (int v = 0; v < 4; v++) sums[v] += ((const name##_vector *)x)[v];                               \
        for (int level = 1; level < LEVELS; level++)                                                            \
            for (int v = 0; v < 4; v++) sums[v] += levels[level][v];                                            \
    }                                                                                                           \
    INLINE void name(const T *x, size n, size all, size stride, size width, T *room) {                          \
        const int p = LEVEL(all);                                                                               \
        size step = (size)1 << p, i = 0;                                                                        \
        if (n > 0 && n < step) {                                                                                \
            for (size k = 0; k < width; k++) room[k] = x[k];                                                    \
            for (i = 1; i < n; i++)                                                                             \
                for (size k = 0; k < width; k++) room[k] += x[i * stride + k];                                  \
            return;                                                                                             \
        }                                                                                                       \
        for (size k = 0; k < LEVELS * width; k++) room[k] = 0;                                                  \
        while (i + step <= n) {                                                                                 \
            if (width % (FOUR_VECTORS / (size)sizeof(T)) == 0) {                                                \
                for (size k = 0; k < width; k += FOUR_VECTORS / (size)sizeof(T)) {                              \
                    const T *at = x + k;                                                                        \
                    name##_vector sums[4];                                                                      \
                    for (int v = 0; v < 4; v++) sums[v] = ((const name##_vector *)(room + k))[v];               \
                    for (size j = 0; j < step; j++, at += stride)                                               \
                        for (int v = 0; v < 4; v++) sums[v] += ((const name##_vector *)at)[v];                  \
                    for (int v = 0; v < 4; v++) ((name##_vector *)(room + k))[v] = sums[v];                     \
                }                                                                                               \
            } else {                                                                                            \
                for (size j = 0; j < step; j++)                                                                 \
                    for (size k = 0; k < width; k++) room[k] += x[j * stride + k];                              \
            }                                                                                                   \
            x += step * stride;                                                                                 \
            i += step;                                                                                          \
            for (int level = 1; level < LEVELS; level++) {                                                      \
                T *here = room + (level - 1) * width, *above = here + width;                                    \
                for (size k = 0; k < width; k++) above[k] += here[k], here[k] = 0;                              \
                if (i & ((step - 1) << (level * p))) break;                                                     \
            }                                                                                                   \
        }                                                                                                       \
        for (; i < n; i++, x += stride)                                                                         \
            for (size k = 0; k < width; k++) room[k] += x[k];                                                   \
        for (int level = 1; level < LEVELS; level++)                                                            \
            for (size k = 0; k < width; k++) room[k] += room[level * width + k];                                \
    }

/* The sum of n rows of `lanes` columns by four interleaved cascades; what n leaves over goes onto the first, then the
   other three. */
#define INTERLEAVED(T, name, cascade)                                                                           \
    INLINE void name(const T *x, size n, size stride, size lanes, T *room, T *parts) {                          \
        size q = n / 4;                                                                                         \
        T *total = room;                                                                                        \
        if (q == 0) {                                                                                           \
            for (size k = 0; k < lanes; k++) total[k] = x[k];                                                   \
            for (size i = 1; i < n; i++)                                                                        \
                for (size k = 0; k < lanes; k++) total[k] += x[i * stride + k];                                 \
            return;                                                                                             \
        }                                                                                                       \
        if (stride == lanes) {                                                                                  \
            cascade(x, q, q, 4 * stride, 4 * lanes, room);                                                      \
        } else {                                                                                                \
            for (int part = 0; part < 4; part++) {                                                              \
                T *sums = parts + part * LEVELS * lanes;                                                        \
                const T *at = x + part * stride;                                                                \
                if (lanes * (size)sizeof(T) == FOUR_VECTORS) cascade##_of_four(at, q, q, 4 * stride, (cascade##_vector *)sums); \
                else cascade(at, q, q, 4 * stride, lanes, sums);                                                \
            }                                                                                                   \
            for (int part = 0; part < 4; part++)                                                                \
                for (size k = 0; k < lanes; k++) room[part * lanes + k] = parts[part * LEVELS * lanes + k];     \
        }                                                                                                       \
        for (size i = 4 * q; i < n; i++)                                                                        \
            for (size k = 0; k < lanes; k++) total[k] += x[i * stride + k];                                     \
        for (int part = 1; part < 4; part++)                                                                    \
            for (size k = 0; k < lanes; k++) total[k] += room[part * lanes + k];                                \
    }                                                                                                           \
    /* The same of n vectors that lie side by side, which is to be stored as one. */                            \
    INLINE void name##_of_vectors(const cascade##_vector *x, size n, cascade##_vector *total) {                 \
        const size q = n / 4;                                                                                   \
        cascade##_vector sums[4] = {x[0]};                                                                      \
        if (q > 0) cascade##_of_four((const T *)x, q, q, FOUR_VECTORS / (size)sizeof(T), sums);                 \
        for (size i = q > 0 ? 4 * q : 1; i < n; i++) sums[0] += x[i];                                           \
        *total = q > 0 ? sums[0] + sums[1] + sums[2] + sums[3] : sums[0];                                       \
    }

/* Columns that are added side by side: a multiple of four vectors of either type. Those of many rows are more, since each row of a
   block is another page of memory: what is added to them stays in the first cache. */
#define BLOCK 128
#define MANY 1024
#define WIDEST 2048
#define FEW_ROWS 64 /* in so many pages the columns of four vectors are added from the first row to the last */

/* `line` and `columns` are the kernels "inner" or "rows", and "columns", of sums.py; V is PyTorch's vector.
   A sum that starts from 0 is never -0. */
#define SUMS(T, V, name, vector, kind)                                                                          \
    CASCADE(T, name##_cascade)                                                                                  \
    INTERLEAVED(T, name##_interleaved, name##_cascade)                                                          \
    WIDE static T name##_line(const T *x, size n) {                                                             \
        T room[LEVELS * 4 * V], total;                                                                          \
        if (n < V) {                                                                                            \
            name##_interleaved(x, n, 1, 1, room, NULL);                                                         \
            return room[0] + 0;                                                                                 \
        }                                                                                                       \
        size i = n / V * V, k = 0;                                                                              \
        name##_interleaved_of_vectors((const name##_cascade_vector *)x, n / V, (name##_cascade_vector *)room);  \
        total = i < n ? x[i++] : room[k++];                                                                     \
        for (; i < n; i++) total += x[i];                                                                       \
        for (; k < V; k++) total += room[k];                                                                    \
        return total + 0;                                                                                       \
    }                                                                                                           \
    /* Of lines that lie `apart`: where they are whole vectors, the lanes of as many lines are added side by side. */ \
    WIDE static void name##_lines(const T *x, size n, size apart, size lines, T *out) {                         \
        size line = 0;                                                                                          \
        for (; n % V == 0 && n > 0 && line + V <= lines; line += V) {                                           \
            vector rows[V];                                                                                     \
            const T *at = x + line * apart;                                                                     \
            for (size k = 0; k < V; k++, at += apart) {                                                         \
                name##_cascade_vector total;                                                                    \
                name##_interleaved_of_vectors((const name##_cascade_vector *)at, n / V, &total);                \
                rows[k] = total;                                                                                \
            }                                                                                                   \
            kind##_turned(rows);                                                                                \
            for (size k = 1; k < V; k++) rows[0] += rows[k];                                                    \
            rows[0] += 0;                                                                                       \
            *(name##_cascade_vector *)(out + line) = rows[0];                                                   \
        }                                                                                                       \
        for (; line < lines; line++) out[line] = name##_line(x + line * apart, n);                              \
    }                                                                                                           \
    /* Of n complex numbers, whose parts lie side by side. */                                                   \
    WIDE static void name##_line_of_pairs(const T *x, size n, T *out) {                                         \
        const size lanes = n < V / 2 ? 1 : V / 2, rest = n % lanes;                                             \
        T room[LEVELS * 4 * V], chain[2 * V];                                                                   \
        if (lanes == 1) name##_interleaved(x, n, 2, 2, room, NULL);                                             \
        else name##_interleaved_of_vectors((const name##_cascade_vector *)x, n / lanes, (name##_cascade_vector *)room); \
        memcpy(chain, x + 2 * (n - rest), 2 * rest * sizeof(T));                                                \
        memcpy(chain + 2 * rest, room, 2 * lanes * sizeof(T));                                                  \
        for (size part = 0; part < 2; part++) {                                                                 \
            T total = chain[part];                                                                              \
            for (size k = 1; k < rest + lanes; k++) total += chain[2 * k + part];                               \
            out[part] = total + 0;                                                                              \
        }                                                                                                       \
    }                                                                                                           \
    /* `room` is for LEVELS * most elements, of which there are at least BLOCK. */                              \
    WIDE static void name##_cut_columns(                                                                        \
        const T *x, T *out, size n, size all, size stride, size width, size cut, T *room, size most) {          \
        T parts[4 * LEVELS * 4 * V];                                                                            \
        if (n < 4) cut = width;                                                                                 \
        for (size c = 0, m; c < width; c += m) {                                                                \
            if (c < cut) {                                                                                      \
                m = cut - c < most ? cut - c : most;                                                            \
                const size near = n > 0 && (n <= FEW_ROWS || stride == 4 * V) ? m / (4 * V) * (4 * V) : 0;      \
                for (size k = 0; k < near; k += 4 * V)                                                          \
                    name##_cascade_of_four(x + c + k, n, all, stride, (name##_cascade_vector *)(room + k));     \
                if (near < m) name##_cascade(x + c + near, n, all, stride, m - near, room + near);              \
            } else {                                                                                            \
                m = width - c < 4 * V ? width - c : 4 * V;                                                      \
                if (m == 4 * V) name##_interleaved(x + c, n, stride, 4 * V, room, parts);                       \
                else name##_interleaved(x + c, n, stride, m, room, parts);                                      \
            }                                                                                                   \
            for (size k = 0; k < m; k++) out[c + k] = room[k] + 0;                                              \
        }                                                                                                       \
    }                                                                                                           \
    static void name##_columns(const T *x, T *out, size n, size width, size least, size parts) {                \
        T room[LEVELS * MANY];                                                                                  \
        const size block = width >= least ? 4 * V : 4 * parts, cut = width / block * block;                     \
        name##_cut_columns(x, out, n, n, width, width, cut, room, MANY);                                        \
    }                                                                                                           \
    /* An array in any steps, as rows of `width` elements side by side. Where those of a column are near, whole vectors of them are \
       turned in registers. */                                                                                  \
    WIDE static void name##_gathered(const char *x, size n, size step, size width, size side, T *to) {          \
        const size near = step == (size)sizeof(T) || step == 2 * (size)sizeof(T) ? width / V * V : 0;           \
        size i = 0;                                                                                             \
        for (; near > 0 && side != 2 * (size)sizeof(T) && i + V <= n; i += V, x += V * step, to += V * width) { \
            for (size k = 0; k < near; k += V) {                                                                \
                vector rows[V];                                                                                 \
                for (size r = 0; r < V; r++) {                                                                  \
                    const T *from = (const T *)(x + (k + r) * side);                                            \
                    rows[r] = *(const name##_cascade_vector *)from;                                             \
                    if (step == 2 * (size)sizeof(T)) {                                                          \
                        const vector behind = *(const name##_cascade_vector *)(from + V - 1);                   \
                        kind##_every_second(rows + r, rows + r, &behind);                                       \
                    }                                                                                           \
                }                                                                                               \
                kind##_turned(rows);                                                                            \
                for (size r = 0; r < V; r++) *(name##_cascade_vector *)(to + r * width + k) = rows[r];          \
            }                                                                                                   \
            for (size k = near; k < width; k++)                                                                 \
                for (size r = 0; r < V; r++) to[r * width + k] = *(const T *)(x + k * side + r * step);         \
        }                                                                                                       \
        if (width == 1) gather(x, step, sizeof(T), to, n);                                                      \
        else if (side == 2 * (size)sizeof(T))                                                                   \
            for (; i < n; i++, x += step, to += width)                                                          \
                for (size k = 0; k < width; k++) to[k] = ((const T *)x)[2 * k];                                 \
        else for (; i < n; i++, x += step)                                                                      \
            for (size k = 0; k < width; k++) *to++ = *(const T *)(x + k * side);                                \
    }                                                                                                           \
    /* Of n elements in steps: a cascade of rows of four, of which some blocks are fetched to `near` and added side by side. */ \
    WIDE static T name##_in_turn(const char *x, size n, size step, T *near) {                                   \
        typedef T four __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T))));                         \
        const size rows = n / 4, p = LEVEL(rows), block = (size)1 << p;                                         \
        four levels[LEVELS] = {{0}};                                                                            \
        T room[LEVELS * 4];                                                                                     \
        size i = 0;                                                                                             \
        if (n <= NEAR) {                                                                                        \
            gather(x, step, sizeof(T), near, n);                                                                \
            name##_interleaved(near, n, 1, 1, room, NULL);                                                      \
            return room[0];                                                                                     \
        }                                                                                                       \
        for (size some; i + block <= rows; x += 4 * some * block * step) {                                      \
            some = (rows - i) / block < NEAR / 4 / block ? (rows - i) / block : NEAR / 4 / block;               \
            gather(x, step, sizeof(T), near, 4 * some * block);                                                 \
            for (size b = 0, m; b < some; b += m) {                                                             \
                four sums[4] = {{0}};                                                                           \
                const four *row = (const four *)near + b * block;                                               \
                m = b + 4 <= some ? 4 : 1;                                                                      \
                for (size j = 0; j < block && m == 4; j++)                                                      \
                    for (int k = 0; k < 4; k++) sums[k] += row[k * block + j];                                  \
                for (size j = 0; j < block && m == 1; j++) sums[0] += row[j];                                   \
                for (size k = 0; k < m; k++) {                                                                  \
                    i += block, levels[1] += sums[k];                                                           \
                    for (int level = 2; level < LEVELS && !(i & ((block - 1) << (level - 1) * p)); level++)     \
                        levels[level] += levels[level - 1], levels[level - 1] = (four){0};                      \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
        gather(x, step, sizeof(T), near, n - 4 * i);                                                            \
        for (const four *row = (const four *)near; i < rows; i++, row++, near += 4) levels[0] += *row;          \
        for (int level = 1; level < LEVELS; level++) levels[0] += levels[level];                                \
        for (i = 0; i < n % 4; i++) levels[0][0] += near[i];                                                    \
        return levels[0][0] + levels[0][1] + levels[0][2] + levels[0][3];                                       \
    }                                                                                                           \
    /* `parts`: 2 for complex numbers, whose parts are columns. */                                              \
    static void name##_all(const T *x, T *out, size outer, size n, size inner, size count, size parts) {        \
        const int of_lines = n > 1 && inner == 1;                                                               \
        if (of_lines) name##_lines(x, n, n, outer, out);                                                        \
        for (size o = 0; o < outer && !of_lines; o++, x += n * inner) {                                         \
            if (n == 1) {                                                                                       \
                for (size k = 0; k < inner; k++) out[o * inner + k] = x[k] + 0;                                 \
            } else if (inner == 2 && parts == 2) {                                                              \
                name##_line_of_pairs(x, n, out + o * 2);                                                        \
            } else {                                                                                            \
                name##_columns(x, out + o * inner, n, inner, V, parts);                                         \
            }                                                                                                   \
        }                                                                                                       \
        if (count)                                                                                              \
            for (size k = 0; k < outer * inner; k++) out[k] /= (T)count;                                        \
    }

EIGHT(every_second, 0, 2, 4, 6, 9, 11, 13, 15) /* the second vector begins with the last element of the first */
FOUR(every_second, 0, 2, 5, 7)
SUMS(float, 8, floats, vectors, singles)
SUMS(double, 4, doubles, wide_vectors, doubles)

/* Half types are added up in float32: sixteen of a line are loaded, and the first eight added to the last eight. `wide` has
   room for the n * inner elements of a sum and for its results. */
WIDE static float halves_line(int brain, const uint16_t *x, size n, float *wide) {
    float room[LEVELS * 4 * 8], near[1024], total;
    size left = n % 16, k = 0;
    if (n < 16) {
        halves_to_floats(brain, x, near, n);
        floats_interleaved(near, n, 1, 1, room, NULL);
        return room[0] + 0;
    }
    float *to = wide;
    for (size done = 0, m; done < n - left; done += m) {
        m = n - left - done < 1024 ? n - left - done : 1024;
        halves_to_floats(brain, x + done, near, m);
        for (size i = 0; i < m; i += 16, to += 8)
            for (int lane = 0; lane < 8; lane++) to[lane] = near[i + lane] + near[i + 8 + lane];
    }
    floats_interleaved_of_vectors((const floats_cascade_vector *)wide, n / 16, (floats_cascade_vector *)room);
    float rest[16];
    halves_to_floats(brain, x + n - left, rest, left);
    total = left ? rest[0] : room[k++];
    for (size i = 1; i < left; i++) total += rest[i];
    for (; k < 8; k++) total += room[k];
    return total + 0;
}

/* Lines of whole vectors that are not long, some at a time. */
#define SOME 4096
WIDE static void pairs_of(const float *near, size n, float *to) {
    for (size i = 0; i < n; i += 16, to += 8)
        for (int lane = 0; lane < 8; lane++) to[lane] = near[i + lane] + near[i + 8 + lane];
}
static void halves_lines(int brain, const uint16_t *x, uint16_t *out, size lines, size n) {
    float near[SOME], pairs[SOME / 2];
    for (size done = 0, m; done < lines; done += m) {
        m = SOME / n < lines - done ? SOME / n : lines - done;
        halves_to_floats(brain, x + done * n, near, m * n);
        pairs_of(near, m * n, pairs);
        floats_lines(pairs, n / 2, n / 2, m, near);
        floats_to_halves(brain, near, out + done, m);
    }
}

static void halves_all(int brain, const uint16_t *x, uint16_t *out, size outer, size n, size inner, float *wide) {
    if (inner == 1 && n >= 16 && n % 16 == 0 && n <= SOME / 8) {
        halves_lines(brain, x, out, outer, n);
        return;
    }
    float *results = wide + n * inner;
    for (size o = 0; o < outer; o++, x += n * inner, out += inner) {
        if (inner == 1 && n > 1) {
            *results = halves_line(brain, x, n, wide);
        } else {
            halves_to_floats(brain, x, wide, n * inner);
            if (n > 1) floats_columns(wide, results, n, inner, 16, 1);
            for (size k = 0; k < inner && n == 1; k++) results[k] = wide[k] + 0;
        }
        floats_to_halves(brain, results, out, inner);
    }
}

#define SHARED (1 << 20) /* elements in columns, in rows of a few, or of one sum */

static int sum_plan(Call *c) {
    const Argument *x = &c->in[0];
    const int half = x->kind == HALF || x->kind == BRAIN, keeps = c->in[2].whole != 0, last = x->ndim - 1;
    const size parts = c->in[4].whole ? 2 : 1;
    if (c->given == 2 || x->count == 0) return 0;
    if (parts == 2 && (half || last < 0 || x->shape[last] != 2)) return 0;
    Axis axis = {-1, 1, x->count / parts, parts};
    if (c->in[1].data && !around_axis(x, c->in[1].whole, &axis)) return 0;
    if (parts == 2 && axis.axis == last) return 0;
    const int one = axis.outer == 1 && parts == 1 && sharers() > 1;
    if ((axis.inner > parts || axis.n < 4 || one) && x->count >= SHARED * parts && !half) return 0; /* sums.py shares them among threads */
    Argument *out = result(c, 0);
    for (int k = 0; k < x->ndim; k++) {
        if ((axis.axis >= 0 && k != axis.axis) || (parts == 2 && k == last)) add_dimension(out, x->shape[k]);
        else if (keeps) add_dimension(out, 1);
    }
    c->in[1].count = axis.inner;
    c->lines = axis.outer, c->each = axis.n * axis.inner, c->apart = 1;
    if (half) c->room = (c->each + axis.inner) * (size)sizeof(float);
    return 1;
}

static void add_up(Call *c, size from, size to, int mean) {
    const size inner = c->in[1].count, n = c->each / inner, at = from * c->each, made = from * inner, by = mean ? n : 0;
    const size parts = c->in[4].whole ? 2 : 1;
    const void *x = c->in[0].data;
    void *out = c->out[0].data;
    if (c->in[0].kind == FLOAT32) floats_all((const float *)x + at, (float *)out + made, to - from, n, inner, by, parts);
    else if (c->in[0].kind == FLOAT64) doubles_all((const double *)x + at, (double *)out + made, to - from, n, inner, by, parts);
    else halves_all(c->in[0].kind == BRAIN, (const uint16_t *)x + at, (uint16_t *)out + made, to - from, n, inner, c->scratch);
}
static int sum(Call *c, size from, size to) { return add_up(c, from, to, 0), 1; }
static int mean(Call *c, size from, size to) { return add_up(c, from, to, 1), 1; }

#define MOST_ROOM ((size)1 << 25) /* bytes that an array in steps is copied to */
#define TOGETHER 64 /* columns at a time */

/* strided_sums(x, cut, all): of the last dimension of an array whose elements lie in any steps, element by element, or by vectors where
   they lie side by side; where there is a `cut`, of the last but one, in plain cascades for so many columns, and interleaved ones for
   the others. The rows are added as those of `all`, of which they are some. */
static int in_rows(const Argument *x, int gone) { /* columns side by side, which are added where they lie */
    return x->strides[gone + 1] == x->item && x->strides[gone] % x->item == 0 && (uintptr_t)x->data % (uintptr_t)x->item == 0;
}

static size side_by_side(size width) {
    return width < BLOCK ? BLOCK : width < WIDEST ? width : WIDEST;
}

static int strided_plan(Call *c) {
    const Argument *x = &c->in[0];
    const int columns = c->in[1].data != NULL, last = x->ndim - 1, gone = last - columns;
    if ((x->kind != FLOAT32 && x->kind != FLOAT64) || gone < 0 || x->count == 0) return 0;
    if (columns && (c->in[1].whole < 0 || c->in[1].whole > x->shape[last])) return 0;
    if (c->given > 2 && (!columns || c->in[1].whole < x->shape[last] || c->in[2].whole < x->shape[gone])) return 0;
    Argument *out = result(c, 0);
    c->lines = 1;
    for (int k = 0; k <= last; k++)
        if (k != gone) add_dimension(out, x->shape[k]);
    for (int k = 0; k < gone; k++) c->lines *= x->shape[k];
    c->each = x->count / c->lines, c->apart = 1;
    if (c->each > 4 * (size)LONG_PIECE) return 0; /* numpy's, between whose steps signals are seen to */
    const size together = x->shape[last] < TOGETHER ? x->shape[last] : TOGETHER;
    c->room = !columns ? NEAR * x->item : in_rows(x, gone) ? 0 : times(x->shape[gone], x->item * together);
    if (c->room > MOST_ROOM) return 0;
    if (columns) c->room += LEVELS * side_by_side(x->shape[last]) * x->item;
    return 1;
}

static int strided_sums(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const int columns = c->in[1].data != NULL, gone = x->ndim - 1 - columns;
    const size n = x->shape[gone], step = x->strides[gone], width = columns ? x->shape[gone + 1] : 1;
    const size side = columns ? x->strides[gone + 1] : 0, all = c->given > 2 ? c->in[2].whole : n;
    const int in_place = columns && in_rows(x, gone);
    const size most = side_by_side(width);
    char *near = (char *)c->scratch + (columns ? LEVELS * most * x->item : 0);
    size more = 0, apart = 0;
    const char *at = x->data;
    Ranks lines;
    ranks_of(x, gone, -1, &lines);
    for (size line = from; line < to; line++) {
        if (more > 0 && line > from) at += apart, more--;
        else at = (const char *)x->data + line_at(&lines, line, &more, &apart);
        if (!columns && step == x->item && apart % x->item == 0) { /* lines in equal steps */
            const size lines = more + 1 < to - line ? more + 1 : to - line;
            if (x->kind == FLOAT32) floats_lines((const float *)at, n, apart / x->item, lines, (float *)c->out[0].data + line);
            else doubles_lines((const double *)at, n, apart / x->item, lines, (double *)c->out[0].data + line);
            line += lines - 1, more = 0;
            continue;
        }
        for (size first = 0, some; first < width; first += some) { /* columns that stay in the cache */
            some = in_place || width - first < TOGETHER ? width - first : TOGETHER;
            const char *from = at + first * side;
            const size left = columns ? c->in[1].whole - first : 0, cut = left < 0 ? 0 : left < some ? left : some;
            const size stride = in_place ? step / x->item : some;
#define STRIDED(T, name)                                                                                        \
    T *out = (T *)c->out[0].data + line * width + first;                                                        \
    if (!columns) *out = name##_in_turn(from, n, step, (T *)near);                                              \
    else {                                                                                                      \
        if (!in_place) name##_gathered(from, n, step, some, side, (T *)near);                                   \
        name##_cut_columns(in_place ? (const T *)from : (const T *)near, out, n, all, stride, some, cut, c->scratch, most); \
    }
            if (x->kind == FLOAT32) {
                STRIDED(float, floats)
            } else {
                STRIDED(double, doubles)
            }
        }
    }
    return 1;
}

const Kernel sums_kernels[] = {
    {"strided_sums", "ei?|i", strided_plan, strided_sums, "strided_sums(x, cut=None, all=None): of lines in any steps"},
    {"sum", "h|i?bn?b", sum_plan, sum, "sum(x, axis=None, keepdims=False, dtype=None, pairs=False): pairs: along the last dimension"},
    {"mean", "r|i?bn?b", sum_plan, mean, "mean(x, axis=None, keepdims=False, dtype=None, pairs=False): as sum"},
    {0},
};
