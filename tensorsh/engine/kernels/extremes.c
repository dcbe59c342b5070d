/* The largest or the smallest elements along an axis, and where they stand first. NaN is larger and smaller than every number. */
#include "kernels.h"

/* Half types in the order of their numbers: whole numbers of 16 bits, in which -0 comes before 0 and NaN after all. */
#define NOT_A_NUMBER INT16_MAX
INLINE int16_t in_order(uint16_t bits, uint16_t infinity, int16_t turn) {
    const int16_t number = (int16_t)((bits & 0x8000 ? bits ^ 0x7fff : bits) ^ turn);
    return (bits & 0x7fff) > infinity ? NOT_A_NUMBER : number;
}
INLINE uint16_t as_bits(int16_t number, uint16_t infinity, int16_t turn) {
    const uint16_t bits = (uint16_t)(number ^ turn);
    return number == NOT_A_NUMBER ? (uint16_t)(infinity | infinity >> 1) : bits & 0x8000 ? bits ^ 0x7fff : bits;
}

#define VECTORS(T, I, name)                                                                                      \
    typedef T name##_32 __attribute__((vector_size(32), aligned(sizeof(T))));                                    \
    typedef T name##_16 __attribute__((vector_size(16), aligned(sizeof(T))));                                    \
    typedef I name##_bits_32 __attribute__((vector_size(32), aligned(sizeof(T))));                               \
    typedef I name##_bits_16 __attribute__((vector_size(16), aligned(sizeof(T))));
#define GREATER(a, b, bits) ((__typeof__(a))(((bits)(a) & (bits)((a) > (b))) | ((bits)(b) & ~(bits)((a) > (b)))))

/* For elements of a type E, compared as numbers of a type T; READ turns them round where the smallest is sought, and WRITE back. I: whole
   numbers as wide. Rows are compared by two vectors of 32 bytes: of one of 64 a compiler for AVX2 makes comparisons of single elements. */
#define ROWS(T, I, name, READ, WRITE)                                                                            \
    VECTORS(T, I, name)                                                                                          \
    INLINE T name##_in_vectors(const name##_32 *one, const name##_32 *other) {                                   \
        name##_16 first, second;                                                                                 \
        T lanes[16 / sizeof(T)];                                                                                 \
        const name##_32 low = GREATER(*other, *one, name##_bits_32);                                             \
        memcpy(&first, &low, sizeof first), memcpy(&second, (const char *)&low + sizeof first, sizeof second);   \
        first = GREATER(second, first, name##_bits_16);                                                          \
        memcpy(lanes, &first, sizeof lanes);                                                                     \
        T best = lanes[0];                                                                                       \
        for (unsigned k = 1; k < sizeof lanes / sizeof *lanes; k++) best = lanes[k] > best ? lanes[k] : best;    \
        return best;                                                                                             \
    }                                                                                                            \
    WIDE static void name##_of_rows(const T *x, size apart, T *out, size rows, size n, T by, uint16_t infinity) { \
        enum { HALF_OF = 32 / sizeof(T), LANES = 2 * HALF_OF };                                                  \
        (void)infinity;                                                                                          \
        for (size row = 0; row < rows; row++, x += apart) {                                                      \
            T top = READ(x[0]);                                                                                  \
            int odd = top != top;                                                                                \
            size i = 0;                                                                                          \
            if (n >= LANES) {                                                                                    \
                name##_32 low = READ(*(const name##_32 *)x), high = READ(*(const name##_32 *)(x + HALF_OF));     \
                name##_bits_32 strange = (low != low) | (high != high);                                          \
                for (i = LANES; i + LANES <= n; i += LANES) {                                                    \
                    const name##_32 first = READ(*(const name##_32 *)(x + i));                                   \
                    const name##_32 second = READ(*(const name##_32 *)(x + i + HALF_OF));                        \
                    strange |= (first != first) | (second != second);                                            \
                    low = GREATER(first, low, name##_bits_32), high = GREATER(second, high, name##_bits_32);     \
                }                                                                                                \
                top = name##_in_vectors(&low, &high);                                                            \
                if (NAN_OF(T) != 0) {                                                                            \
                    int64_t any[4];                                                                              \
                    memcpy(any, &strange, sizeof any);                                                           \
                    odd |= (any[0] | any[1] | any[2] | any[3]) != 0;                                             \
                }                                                                                                \
            }                                                                                                    \
            for (; i < n; i++) {                                                                                 \
                const T each = READ(x[i]);                                                                       \
                odd |= each != each;                                                                             \
                top = each > top ? each : top;                                                                   \
            }                                                                                                    \
            out[row] = odd ? (T)NAN_OF(T) : WRITE(top);                                                          \
        }                                                                                                        \
    }
#define ABREAST_BYTES 256 /* of columns: eight vectors, which stay in registers */
#define COLUMNS_OF(E, T, name, READ, WRITE)                                                                      \
    WIDE static void name##_of_columns(const E *x, size step, E *out, size n, size inner, T by, uint16_t infinity) {        \
        enum { COLUMNS = ABREAST_BYTES / sizeof(T) };                                                            \
        (void)infinity;                                                                                          \
        for (size first = 0, m; first < inner; first += m) {                                                     \
            T best[COLUMNS];                                                                                     \
            m = inner - first < COLUMNS ? inner - first : COLUMNS;                                               \
            for (size k = 0; k < m; k++) best[k] = READ(x[first + k]);                                           \
            for (size i = 1; i < n; i++) {                                                                       \
                const E *from = x + i * step + first;                                                            \
                if (m == COLUMNS)                                                                                \
                    for (size k = 0; k < COLUMNS; k++) {                                                         \
                        const T each = READ(from[k]);                                                            \
                        best[k] = each > best[k] || each != each ? each : best[k];                               \
                    }                                                                                            \
                else                                                                                             \
                    for (size k = 0; k < m; k++) {                                                               \
                        const T each = READ(from[k]);                                                            \
                        best[k] = each > best[k] || each != each ? each : best[k];                               \
                    }                                                                                            \
            }                                                                                                    \
            for (size k = 0; k < m; k++) out[first + k] = WRITE(best[k]);                                        \
        }                                                                                                        \
    }
/* Where they stand: `I` is at least as wide as T. */
#define PLACES(T, I, name, READ)                                                                                 \
    WIDE static void name##_places(const T *x, size step, T *out, int64_t *places, size n, size inner, T by) {              \
        enum { COLUMNS = 64 };                                                                                   \
        for (size first = 0, m; first < inner; first += m) {                                                     \
            T best[COLUMNS];                                                                                     \
            I where[COLUMNS];                                                                                    \
            m = inner - first < COLUMNS ? inner - first : COLUMNS;                                               \
            for (size k = 0; k < m; k++) best[k] = READ(x[first + k]), where[k] = 0;                             \
            for (size i = 1; i < n; i++) {                                                                       \
                const T *from = x + i * step + first;                                                            \
                if (m == COLUMNS)                                                                                \
                    for (size k = 0; k < COLUMNS; k++) {                                                         \
                        const T each = READ(from[k]);                                                            \
                        const int taken = (each > best[k]) | ((each != each) & (best[k] == best[k]));            \
                        best[k] = taken ? each : best[k], where[k] = taken ? (I)i : where[k];                    \
                    }                                                                                            \
                else                                                                                             \
                    for (size k = 0; k < m; k++) {                                                               \
                        const T each = READ(from[k]);                                                            \
                        const int taken = (each > best[k]) | ((each != each) & (best[k] == best[k]));            \
                        best[k] = taken ? each : best[k], where[k] = taken ? (I)i : where[k];                    \
                    }                                                                                            \
            }                                                                                                    \
            for (size k = 0; k < m; k++) out[first + k] = x[(size)where[k] * step + first + k], places[first + k] = where[k]; \
        }                                                                                                        \
    }
#define NAN_OF(E) _Generic((E)0, float: NAN, double: NAN, default: 0)
#define TIMES(v) ((v) * by)
#define TURNED(v) ((v) ^ by)
#define HALF_IN(v) in_order(v, infinity, by)
#define HALF_OUT(v) as_bits(v, infinity, by)
ROWS(float, int32_t, floats, TIMES, TIMES)
COLUMNS_OF(float, float, floats, TIMES, TIMES)
ROWS(double, int64_t, doubles, TIMES, TIMES)
COLUMNS_OF(double, double, doubles, TIMES, TIMES)
ROWS(int64_t, int64_t, longs, TURNED, TURNED)
COLUMNS_OF(int64_t, int64_t, longs, TURNED, TURNED)
ROWS(int32_t, int32_t, words, TURNED, TURNED)
COLUMNS_OF(int32_t, int32_t, words, TURNED, TURNED)
ROWS(int16_t, int16_t, shorts, TURNED, TURNED)
COLUMNS_OF(int16_t, int16_t, shorts, TURNED, TURNED)
ROWS(int8_t, int8_t, bytes, TURNED, TURNED)
COLUMNS_OF(int8_t, int8_t, bytes, TURNED, TURNED)
ROWS(uint8_t, int8_t, ones, TURNED, TURNED)
COLUMNS_OF(uint8_t, uint8_t, ones, TURNED, TURNED)
COLUMNS_OF(uint16_t, int16_t, halves, HALF_IN, HALF_OUT)
WIDE static void halves_of_rows(const uint16_t *x, size apart, uint16_t *out, size rows, size n, int16_t by, uint16_t infinity) {
    for (size row = 0; row < rows; row++, x += apart) {
        int16_t lanes[32], top = HALF_IN(x[0]);
        size i = 0;
        if (n >= 32) {
            for (int k = 0; k < 32; k++) lanes[k] = top;
            for (; i + 32 <= n; i += 32)
                for (int k = 0; k < 32; k++) {
                    const int16_t each = HALF_IN(x[i + k]);
                    lanes[k] = each > lanes[k] ? each : lanes[k];
                }
            for (int k = 0; k < 32; k++) top = lanes[k] > top ? lanes[k] : top;
        }
        for (; i < n; i++) top = HALF_IN(x[i]) > top ? HALF_IN(x[i]) : top;
        out[row] = HALF_OUT(top);
    }
}
PLACES(float, int32_t, floats, TIMES)
PLACES(double, int64_t, doubles, TIMES)
PLACES(int64_t, int64_t, longs, TURNED)
PLACES(int32_t, int32_t, words, TURNED)
PLACES(int16_t, int32_t, shorts, TURNED)
PLACES(int8_t, int32_t, bytes, TURNED)
PLACES(uint8_t, int32_t, ones, TURNED)

/* Arguments: x, an axis, whether the smallest is sought, whether whole numbers have a sign. */
static int along_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->kind == UINT32 || (IS_SHORT(x->kind) && (x->item > 4 || (x->item > 1 && !c->in[3].whole)))) return 0;
    return along_axis(c, 0);
}

#define ALONG(E, T, name, turn)                                                                                  \
    {                                                                                                            \
        const E *in = (const E *)((const char *)x->data + at);                                                   \
        E *out = (E *)c->out[0].data + line * inner;                                                             \
        if (inner == 1) name##_of_rows(in, apart / x->item, out, m, n, (T)(turn), infinity);                     \
        else for (size o = 0; o < m && !ends(c, c->each); o++, in += apart / x->item, out += inner)              \
            name##_of_columns(in, step, out, n, inner, (T)(turn), infinity);                                     \
    }
static int extremes(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size inner = c->in[1].count, n = c->each / inner, step = x->strides[c->in[1].whole] / x->item;
    const int low = c->in[2].whole != 0, sign = low ? -1 : 1, turn = low ? -1 : 0;
    const uint16_t infinity = x->kind == BRAIN ? 0x7f80 : 0x7c00;
    Ranks lines;
    ranks_of(x, (int)c->in[1].whole, -1, &lines);
    for (size line = from, m, apart; line < to && !c->ended; line += m) {
        const size at = line_at(&lines, line, &m, &apart);
        m = m + 1 < to - line ? m + 1 : to - line;
        if (x->kind == FLOAT32) ALONG(float, float, floats, sign)
        else if (x->kind == FLOAT64) ALONG(double, double, doubles, sign)
        else if (x->kind == INT64) ALONG(int64_t, int64_t, longs, turn)
        else if (!IS_SHORT(x->kind)) ALONG(uint16_t, int16_t, halves, turn)
        else if (x->item == 4) ALONG(int32_t, int32_t, words, turn)
        else if (x->item == 2) ALONG(int16_t, int16_t, shorts, turn)
        else if (c->in[3].whole) ALONG(int8_t, int8_t, bytes, turn)
        else ALONG(uint8_t, uint8_t, ones, turn)
    }
    return 1;
}

/* As `extremes`, of an axis that is not the last. */
static int places_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (!along_plan(c) || c->in[1].count == 1 || c->each / c->in[1].count > INT32_MAX) return 0;
    if (x->kind == HALF || x->kind == BRAIN) return 0;
    shape_as(result(c, NEW_INT64), &c->out[0]);
    return 1;
}

#define PLACED(T, name, turn)                                                                                    \
    name##_places((const T *)((const char *)x->data + at), step, (T *)c->out[0].data + line * inner, places, n, inner, (T)(turn))
static int placed_extremes(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size inner = c->in[1].count, n = c->each / inner, step = x->strides[c->in[1].whole] / x->item;
    const int low = c->in[2].whole != 0, sign = low ? -1 : 1, turn = low ? -1 : 0;
    Ranks lines;
    ranks_of(x, (int)c->in[1].whole, -1, &lines);
    for (size line = from, m, apart; line < to && !ends(c, c->each); line++) {
        const size at = line_at(&lines, line, &m, &apart);
        int64_t *places = (int64_t *)c->out[1].data + line * inner;
        if (x->kind == FLOAT32) PLACED(float, floats, sign);
        else if (x->kind == FLOAT64) PLACED(double, doubles, sign);
        else if (x->kind == INT64) PLACED(int64_t, longs, turn);
        else if (x->item == 4) PLACED(int32_t, words, turn);
        else if (x->item == 2) PLACED(int16_t, shorts, turn);
        else if (c->in[3].whole) PLACED(int8_t, bytes, turn);
        else PLACED(uint8_t, ones, turn);
    }
    return 1;
}

const Kernel extremes_kernels[] = {
    {"extremes", "eibb", along_plan, extremes, "extremes(x, axis, smallest, signed): the largest or smallest along an axis"},
    {"placed_extremes", "eibb", places_plan, placed_extremes, "placed_extremes(x, axis, smallest, signed): and where they stand first"},
    {0},
};
