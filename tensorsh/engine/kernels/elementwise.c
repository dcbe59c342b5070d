/* Elementwise functions of float32 that numpy has not, or not with PyTorch's accuracy, as ufuncs.

   Functions of numpy are computed in double and rounded, or in pairs of floats (single_math.h); those of several steps round where PyTorch's kernels do. */
#include "double_math.h"

#define PIECE 256
#define PART 2048
INLINE size piece_of(size n, size most) { return whole(n < most ? n : most); }

/* It is one for all functions: one of its own for each was a third of what the compiler had to do. */
#define MOST_OPERANDS 4
void in_pieces_of(Flat flat, char **args, size n, const size *steps, int count_in, int numbers, size one) {
    LongWord buffers[MOST_OPERANDS + 1][PIECE];
    const void *in[MOST_OPERANDS];
    const int all = count_in + numbers;
    int near = steps[all] == one;
    for (int k = 0; k < count_in; k++) near &= steps[k] == one;
    for (size done = 0, m; done < n; done += m) {
        const size left = n - done;
        m = near && left > PIECE ? whole(left) : left < PIECE ? left : PIECE;
        const size rest = -m & (ABREAST - 1);
        const int straight = steps[all] == one && !rest;
        for (int k = 0; k < count_in; k++) {
            const char *from = args[k] + done * steps[k];
            char *to = (char *)buffers[k];
            const int beside = steps[k] == one;
            in[k] = beside && !rest ? (const void *)from : to;
            if (in[k] == from || (steps[k] == 0 && done)) continue; /* a number is there already */
            if (beside) memcpy(to, from, m * one);
            else gather(from, steps[k], one, to, m);
            if (rest) gather(to + (m - 1) * one, 0, one, to + m * one, rest);
        }
        for (int k = count_in; k < all; k++) in[k] = args[k];
        char *to = args[all] + done * steps[all];
        void *out = straight ? (void *)to : buffers[MOST_OPERANDS];
        flat(in, out, m + rest);
        if (straight) continue;
        if (steps[all] == one) memcpy(to, out, m * one);
        else
            for (size i = 0; i < m; i++, to += steps[all]) memcpy(to, (char *)out + i * one, one == 4 ? 4 : 8);
    }
}

/* A ufunc's loop for the function `name`_flat. */
#define LOOP(name, count_in, arguments) LOOP_OF(float, name, count_in, arguments)
#define LOOP_OF(T, name, count_in, arguments)                                                                 \
    static void name##_taken(const void *const *in, void *out, size m) { name##_flat arguments; }             \
    static void name##_loop(char **args, const size *count, const size *steps, void *data) {                  \
        (void)data;                                                                                           \
        in_pieces_of(name##_taken, args, *count, steps, count_in, 0, sizeof(T));                                 \
    }

/* Likewise, where the last operands are numbers: the same for all elements, or else one element at a time. */
#define LOOP_WITH(T, name, arrays, numbers, arguments)                                                        \
    static void name##_taken(const void *const *in, void *out, size m) { name##_flat arguments; }             \
    static void name##_loop(char **args, const size *count, const size *steps, void *data) {                  \
        char *at[MOST_OPERANDS + 1];                                                                          \
        int still = 1;                                                                                        \
        (void)data;                                                                                           \
        for (int k = arrays; k < arrays + numbers; k++) still &= steps[k] == 0;                               \
        for (size done = 0, m; done < *count; done += m) {                                                    \
            m = still ? *count : 1;                                                                           \
            for (int k = 0; k <= arrays + numbers; k++) at[k] = args[k] + done * steps[k];                    \
            in_pieces_of(name##_taken, at, m, steps, arrays, numbers, sizeof(T));                             \
        }                                                                                                     \
    }

#define UNARY(name, ...) UNARY_OF(float, name, __VA_ARGS__)
#define UNARY_OF(T, name, ...)                    \
    WIDE static void name##_flat(const T *in, T *out, size n) {                                       \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < whole(n); i++) {                                                                 \
            const T x = in[i];                                                                            \
            out[i] = (T)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, name, 1, (in[0], out, m))

/* A function that has the same bits in fewer steps where a whole number `of` each argument of a part is below a bound, which is usual: so it
   begins, and goes on as long as they are. What is not is seen meanwhile, and computed again from arguments that are still there. */
#define SIZE_BITS(x) ((uint64_t)as_bits(x) << 1 >> 1)
#define EITHER(name, ...) EITHER_OF(float, uint32_t, name, __VA_ARGS__)
#define EITHER_OF(T, W, name, of, bound, fewer, always)                                                       \
    WIDE static void name##_flat(const T *in, T *out, size n) {                                               \
        T made[PART], *const to_all = in == out ? made : NULL;                                                \
        W most = 0;                                                                                           \
        for (size m; (m = piece_of(n, PART)); n -= m, in += m, out += m) {                                    \
            T *to = to_all ? to_all : out;                                                                    \
            const size tried = most < bound ? m : 0;                                                          \
            INDEPENDENT                                                                                       \
            for (size i = 0; i < tried; i++) {                                                                \
                const T x = in[i];                                                                            \
                const W here = of;                                                                            \
                most = here > most ? here : most;                                                             \
                to[i] = fewer;                                                                                \
            }                                                                                                 \
            if (most >= bound) {                                                                              \
                most = 0;                                                                                     \
                INDEPENDENT                                                                                   \
                for (size i = 0; i < m; i++) {                                                                \
                    const T x = in[i];                                                                        \
                    const W here = of;                                                                        \
                    most = here > most ? here : most;                                                         \
                    to[i] = always;                                                                           \
                }                                                                                             \
            }                                                                                                 \
            if (to_all) memcpy(out, made, m * sizeof(T));                                                     \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, name, 1, (in[0], out, m))

/* A function that some arguments have another formula for: where a piece has both, those of one are computed side by side, in whole
   vectors: what is left of the last one holds the first of them. Their places are found in both halves of a piece at a time, since each
   step waits for the one before; between them stands a place of the others. Where more than `most` of a piece have the other formula
   it is computed for all, which it has to hold for. */
#define IN_TWO_WAYS(name, ...) IN_TWO_WAYS_OF(float, name, __VA_ARGS__)
#define IN_TWO_WAYS_OF(T, name, usual, beyond, other) IN_TWO_WAYS_UNLESS(PIECE, T, name, usual, beyond, other)
#define IN_TWO_WAYS_UNLESS(most, T, name, usual, beyond, other)                                               \
    WIDE static void name##_flat(const T *in, T *out, size n) {                                               \
        for (size m; (m = piece_of(n, PIECE)); n -= m, in += m, out += m) {                                          \
            T far[PIECE + ABREAST], made[PIECE + ABREAST];                                                        \
            unsigned char is_far[PIECE];                                                                      \
            short places[PIECE + ABREAST];                                                                      \
            int first = 0, some = 0;                                                                          \
            for (int i = 0; i < m; i++) {                                                                     \
                const T x = in[i];                                                                            \
                is_far[i] = (beyond);                                                                         \
            }                                                                                                 \
            if (m < PIECE) memset(is_far + m, 0, PIECE - m);                                                  \
            for (int i = 0; i < PIECE / 2; i++) first += is_far[i], some += is_far[i + PIECE / 2];            \
            some += first;                                                                                    \
            if (some > most) some = (int)m;                                                                   \
            const int mixed = some && some < m, near = some < m ? (int)m : 0;                                 \
            if (mixed) {                                                                                      \
                int place = 0, later = first + 1;                                                             \
                for (int i = 0; i < PIECE / 2; i++) {                                                         \
                    places[place] = (short)i, places[later] = (short)(i + PIECE / 2);                         \
                    place += is_far[i], later += is_far[i + PIECE / 2];                                       \
                }                                                                                             \
                places[first] = places[first ? 0 : 1];                                                        \
                for (some++; some % ABREAST; some++) places[some] = places[0];                                  \
                for (int i = 0; i < some; i++) far[i] = in[places[i]];                                        \
            }                                                                                                 \
            INDEPENDENT                                                                                       \
            for (int i = 0; i < near; i++) {                                                                  \
                const T x = in[i];                                                                            \
                out[i] = (T)(usual);                                                                          \
            }                                                                                                 \
            const T *from = mixed ? far : in;                                                                 \
            T *to = mixed ? made : out;                                                                       \
            INDEPENDENT                                                                                       \
            for (int i = 0; i < some; i++) {                                                                  \
                const T x = from[i];                                                                          \
                to[i] = (T)(other);                                                                           \
            }                                                                                                 \
            for (int i = 0; mixed && i < some; i++) out[places[i]] = made[i];                                 \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, name, 1, (in[0], out, m))

#define BINARY(name, a, b, ...) BINARY_OF(float, name, a, b, __VA_ARGS__)
#define BINARY_OF(T, name, a, b, ...)                    \
    WIDE static void name##_flat(const T *in, const T *other, T *out, size n) {                   \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < whole(n); i++) {                                                                 \
            const T a = in[i], b = other[i];                                                              \
            out[i] = (T)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, name, 2, (in[0], in[1], out, m))

#define TERNARY(name, a, b, c, ...) TERNARY_OF(float, name, a, b, c, __VA_ARGS__)
#define TERNARY_OF(T, name, a, b, c, ...)                    \
    WIDE static void name##_flat(const T *in, const T *other, const T *third, T *out, size n) { \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < whole(n); i++) {                                                                 \
            const T a = in[i], b = other[i], c = third[i];                                                \
            out[i] = (T)(__VA_ARGS__);                                                                    \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, name, 3, (in[0], in[1], in[2], out, m))

/* Of both precisions, the same steps; `T` is the type. */
#define BOTH(make, name, ...) make(float, name, __VA_ARGS__) make(double, name##_wide, __VA_ARGS__)

#define SQRT(x) _Generic((x), float: sqrtf(x), double: sqrt(x))
#define TRUNC(x) _Generic((x), float: truncf(x), double: trunc(x))

#define TANH_SCALE 0.79788456080286535588f /* sqrt(2 / pi) */
#define TANH_CUBE 0.044715f

EITHER(exp, EXP_RANGE(x), exp_in_range(x), exp_float(x))
UNARY(expm1, expm1_float(x))
EITHER(log, LOG_RANGE(x), twin_sum(log_twin_in_range(x)), log_float(x))
UNARY(log1p, log1p_float(x))
#define LOG_OF_BASE(name, ...) \
    EITHER(name, LOG_RANGE(x), twin_product(log_twin_in_range(x), __VA_ARGS__), log_beside(x, twin_product(log_twin(x), __VA_ARGS__)))
LOG_OF_BASE(log2, BITS_OF_E, 0x1.4ae0cp-26f)
LOG_OF_BASE(log10, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f)
UNARY(exp2, exp2_single(x))
UNARY(tanh, tanh_float(x))
UNARY(sinh, sinh_float(x))
UNARY(cosh, cosh_float(x))
UNARY(arcsin, asin_float(x))
UNARY(arccos, acos_float(x))
UNARY(arctan, atan_float(x))
UNARY(arcsinh, asinh_float(x))
UNARY(arccosh, acosh_float(x))
UNARY(arctanh, atanh_float(x))
BINARY(arctan2, y, x, atan2_float(y, x))
#define OF_DOUBLES(name, function) UNARY_OF(double, name##_wide, function(x))
EITHER_OF(double, uint64_t, exp_wide, SIZE_BITS(x), SIZE_BITS(708.0), exp_in_bounds(x), exp_double(x))
OF_DOUBLES(expm1, expm1_double)
OF_DOUBLES(log, log_double)
OF_DOUBLES(log1p, log1p_double)
OF_DOUBLES(log2, log2_double)
OF_DOUBLES(log10, log10_double)
OF_DOUBLES(exp2, exp2_double)
OF_DOUBLES(tanh, tanh_double)
OF_DOUBLES(sinh, sinh_double)
OF_DOUBLES(cosh, cosh_double)
OF_DOUBLES(arcsinh, asinh_double)
OF_DOUBLES(arccosh, acosh_double)
OF_DOUBLES(arctanh, atanh_double)
OF_DOUBLES(arcsin, asin_double)
OF_DOUBLES(arccos, acos_double)
OF_DOUBLES(arctan, atan_double)
BINARY_OF(double, arctan2_wide, y, x, atan2_double(y, x))
BINARY_OF(double, hypotenuse_wide, x, y, hypot_double(x, y))
UNARY_OF(double, sigmoid_wide, 1.0 / (1.0 + exp_double(-x)))
UNARY_OF(double, silu_wide, x / (1.0 + exp_double(-x)))
UNARY(logit, log_float(x / (1 - x)))
UNARY_OF(double, logit_wide, log_double(x / (1 - x)))
/* -x log(x) */
UNARY(entropy, x > 0 ? -(double)x * (x < INFINITY ? log_positive(x) : (double)x) : x == 0 ? 0.0 : x < 0 ? -INFINITY : (double)x)
UNARY_OF(double, entropy_wide, x > 0 ? -x * log_double(x) : x == 0 ? 0.0 : x < 0 ? -INFINITY : x)
UNARY(erf, erf_float(x))
IN_TWO_WAYS(erfc, 1.0 - erf_close(x), !(fabsf(x) < 1.0f), erfc_float(x))
IN_TWO_WAYS_UNLESS(PIECE / 2, double, erf_wide, erf_near(x), !(fabs(x) < 1), erf_double(x))
IN_TWO_WAYS_OF(double, erfc_wide, 1.0 - erf_near(x), !(fabs(x) < 1), erfc_beyond(x))
BOTH(UNARY_OF, relu, x < 0 ? 0 : x) /* a negative zero stays one, as in PyTorch */
BOTH(UNARY_OF, rsqrt, 1 / SQRT(x))
BOTH(UNARY_OF, reciprocal, 1 / x)
BOTH(UNARY_OF, frac, x - TRUNC(x))
BOTH(TERNARY_OF, add_quotient, x, a, b, x + a / b)
INLINE float sigmoid_float(float x) { return 1.0f / (1.0f + exp_single(-x)); }
UNARY(sigmoid, sigmoid_float(x))
/* x where a sigmoid opens, and what its opening further changes, times g */
BINARY(gated, x, gate, x * sigmoid_float(gate))
INLINE float opening(float x, float s, float g) { return (1 - s) * s * x * g; }
TERNARY(gated_backward, x, gate, g, opening(x, sigmoid_float(gate), g))
UNARY(silu, x / (1.0f + exp_single(-x)))
UNARY(gelu, x * 0.5f * (1.0f + erf_of_normal(x, bell(x))))
UNARY(gelu_tanh, 0.5f * x * (1.0f + tanh_float(TANH_SCALE * __builtin_fmaf(TANH_CUBE, x * x * x, x))))

/* Functions of angles, in a block of which one is too large by C's library. */
#define OF_ANGLES(T, name, flat, function)                                                                    \
    WIDE static void flat##_flat(const T *in, T *out, size n) {                                               \
        for (size m; (m = piece_of(n, PIECE)); n -= m, in += m, out += m) {                                          \
            const T *x = in;                                                                                  \
            T made[PIECE], *to = in == out ? made : out;                                                      \
            int far = 0;                                                                                      \
            INDEPENDENT                                                                                       \
            for (size i = 0; i < m; i++) {                                                                    \
                far |= !(fabs(x[i]) <= (T)MOST_ANGLE);                                                        \
                to[i] = (T)function(x[i]);                                                                    \
            }                                                                                                 \
            for (size i = 0; far && i < m; i++)                                                               \
                if (!(fabs(x[i]) <= (T)MOST_ANGLE)) to[i] = (T)name((double)x[i]);                            \
            if (to == made) memcpy(out, made, m * sizeof(T));                                                 \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, flat, 1, (in[0], out, m))
OF_ANGLES(float, sin, sin, sin_float)
OF_ANGLES(float, cos, cos, cos_float)
OF_ANGLES(float, tan, tan, tan_float)
OF_ANGLES(double, sin, sin_wide, sin_double)
OF_ANGLES(double, cos, cos_wide, cos_double)
OF_ANGLES(double, tan, tan_wide, tan_double)
/* Powers by logarithm and exponential, of numbers below 0 to whole exponents. What is not finite, is 0, or comes as near to the
   middle of two floats as the exponential is wrong, goes to C's library. */
INLINE int doubtful(float x, float y, double found) {
    const uint64_t from_middle = ((uint64_t)as_bits(found) & 0x1fffffff) - (0x10000000 - 0x2000);
    return !(fabsf(x) > 0.0f && fabsf(x) < INFINITY) | !(fabsf(y) < INFINITY) | (from_middle < 0x4000) | (found < 0x1p-126);
}
WIDE static void power_flat(const float *in, const float *other, float *out, size n) {
    for (size m; (m = piece_of(n, PIECE)); n -= m, in += m, other += m, out += m) {
        const float *x = in, *y = other;
        double found[PIECE];
        float made[PIECE];
        int some = 0;
        for (size i = 0; i < m; i++) {
            double power = log_positive(fabs((double)x[i])) * y[i];
            power = power < 100.0 ? power : 100.0;
            found[i] = exp_reduced(power > -110.0 ? power : -110.0);
        }
        for (size i = 0; i < m; i++) {
            const float size_of = (float)found[i], half = 0.5f * y[i];
            const float below = __builtin_rintf(y[i]) != y[i] ? NAN : __builtin_rintf(half) != half ? -size_of : size_of;
            made[i] = x[i] < 0 ? below : size_of;
        }
        for (size i = 0; i < m; i++) some |= doubtful(x[i], y[i], found[i]);
        for (size i = 0; some && i < m; i++)
            if (doubtful(x[i], y[i], found[i])) made[i] = (float)pow((double)x[i], (double)y[i]);
        memcpy(out, made, m * sizeof(float));
    }
}
LOOP(power, 2, (in[0], in[1], out, m))
#define ROOT_OF_HALF 0.70710678118654752440
#define QUANTILES(T, wide, middle, root, one, depth, deep)                                                    \
    IN_TWO_WAYS_OF(T, erfinv##wide, middle(0.5 * x, root), !(fabs(x) < (T)(2 * CENTRAL)),  \
                   tail_quantile(0.5 * x, 0.5 - fabs(0.5 * x), depth(0.5 - fabs(0.5 * x)), deep) * ROOT_OF_HALF) \
    IN_TWO_WAYS_OF(T, ndtri##wide, middle(x - 0.5, one), !(fabs(x - 0.5) <= CENTRAL),                    \
                   tail_quantile(x - 0.5, x < 0.5 ? (double)x : 1.0 - x, depth(x < 0.5 ? (double)x : 1.0 - x), 1))
#define DEPTH(p) sqrt(-log_positive((p) > 1e-300 ? (p) : 1e-300))
#define MIDDLE(q, unit) central_quantile(q) * unit
QUANTILES(float, , MIDDLE, ROOT_OF_HALF, 1.0, DEPTH, 0)
QUANTILES(double, _wide, middle_quantile, ((Pair){ROOT_OF_HALF, -0x1.bdd3413b26456p-55}), ((Pair){1.0, 0.0}), depth, 1)

BOTH(UNARY_OF, sign, (x > 0) - (x < 0))
BOTH(UNARY_OF, hardswish, x * (x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) / 6)
BOTH(BINARY_OF, leaky_relu, x, slope, x > 0 ? x : x * slope)
BINARY(hypotenuse, x, y, fabsf(x) == INFINITY || fabsf(y) == INFINITY ? INFINITY : sqrt((double)x * x + (double)y * y))
/* log(exp(x) + exp(y)), and the same to base 2: the larger one, and log(1 + exp(-distance)), each step rounded as PyTorch does. */
INLINE float larger(float x, float y) { return x > y || x != x ? x : y; }
INLINE float falling(float x, float y) { return x == y ? 0.0f : -fabsf(x - y); }
BINARY(logaddexp, x, y, larger(x, y) + log1p_float(exp_float(falling(x, y))))
BINARY(logaddexp2, x, y, FMAF(log1p_float(exp2_single(falling(x, y))), BITS_OF_E, larger(x, y)))
BINARY(soft_margin, x, y, log1p_float(exp_float(-x * y)))
TERNARY(softplus, x, beta, threshold, x * beta > threshold ? x : log1p_float(exp_float(x * beta)) / beta)

TERNARY_OF(double, softplus_wide, x, beta, threshold, x * beta > threshold ? x : log1p_double(exp_double(x * beta)) / beta)
UNARY_OF(double, logsigmoid_wide, (x >= 0 ? 0.0 : x) - log1p_double(exp_double(-fabs(x))))
INLINE double larger_wide(double x, double y) { return x > y || x != x ? x : y; }
INLINE double falling_wide(double x, double y) { return x == y ? 0.0 : -fabs(x - y); }
BINARY_OF(double, logaddexp_wide, x, y, larger_wide(x, y) + log1p_double(exp_double(falling_wide(x, y))))
BINARY_OF(double, logaddexp2_wide, x, y, larger_wide(x, y) + log1p_double(exp2_double(falling_wide(x, y))) * 0x1.71547652b82fep+0)
UNARY(logsigmoid, (x >= 0 ? 0.0f : x) - log1p_float(exp_float(-fabsf(x))))

/* Where all are above 0, which is usual, no exponentials are needed. */
#define ONE_SIDED(T, name, arrays, arguments, advance, under, over, ...)                                      \
    WIDE static void name##_flat(__VA_ARGS__, T *out, size n) {                                               \
        for (size m; (m = piece_of(n, PIECE)); n -= m, advance, out += m) {                                          \
            int below = 0;                                                                                    \
            for (size i = 0; i < m; i++) below |= in[i] <= 0;                                                 \
            if (below) {                                                                                      \
                INDEPENDENT                                                                                   \
                for (size i = 0; i < m; i++) {                                                                \
                    const T x = in[i];                                                                        \
                    out[i] = x <= 0 ? under : over;                                                           \
                }                                                                                             \
            } else {                                                                                          \
                INDEPENDENT                                                                                   \
                for (size i = 0; i < m; i++) {                                                                \
                    const T x = in[i];                                                                        \
                    (void)x;                                                                                  \
                    out[i] = over;                                                                            \
                }                                                                                             \
            }                                                                                                 \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_WITH(T, name, arrays, 2, arguments)
#define ELU(T, name, expm1)                                                                                   \
    ONE_SIDED(T, name, 1, (in[0], *(const T *)in[1], *(const T *)in[2], out, m), in += m, expm1(x) * low, x * scale, \
              const T *in, T low, T scale)
ELU(float, elu, expm1_float)
ELU(double, elu_wide, expm1_double)
#define ELU_GRADIENT(T, name, exp)                                                                            \
    ONE_SIDED(T, name, 2, (in[0], in[1], *(const T *)in[2], *(const T *)in[3], out, m), (gs += m, in += m),   \
              gs[i] * low * (T)exp(x), gs[i] * scale, const T *gs, const T *in, T low, T scale)
ELU_GRADIENT(float, elu_backward, exp_float)
ELU_GRADIENT(double, elu_backward_wide, exp_double)
#define SMOOTH(T, name, fabs, fma)                                                                            \
    TERNARY_OF(T, smooth_l1##name, x, y, beta, fabs(x - y) < beta ? (T)0.5 * fabs(x - y) * fabs(x - y) / beta : fabs(x - y) - (T)0.5 * beta) \
    TERNARY_OF(T, huber##name, x, y, delta, fabs(x - y) <= delta ? (T)0.5 * fabs(x - y) * fabs(x - y) : delta * (fabs(x - y) - (T)0.5 * delta)) \
    TERNARY_OF(T, lerp##name, x, end, w, fabs(w) < (T)0.5 ? fma(end - x, w, x) : fma(-(end - x), 1 - w, end))
SMOOTH(float, , fabsf, __builtin_fmaf)
SMOOTH(double, _wide, fabs, __builtin_fma)

/* The remainder of a division with the dividend's sign, which is a number exactly. The quotient is at most one off: too large
   in double, for the numbers of which it is rounded; `far` counts where it does not tell. */
INLINE double rest_of(double x, double y, int *far) {
    double a = fabs(x), b = fabs(y), ratio = a / b, whole = __builtin_trunc(ratio);
    double rest = __builtin_fma(-whole, b, a);
    *far += !(ratio < 0x1p52 && b < INFINITY);
    rest = rest < 0 ? rest + b : rest >= b ? rest - b : rest;
    return copysign(rest, x);
}

/* Functions of the remainder r of x by y; C's own fmod, which is slow, gives it where the quotient is too large. */
#define MODULO(name, ...) MODULO_OF(float, name, fmodf, __VA_ARGS__) MODULO_OF(double, name##_wide, fmod, __VA_ARGS__)
#define MODULO_OF(T, name, slowly, ...)                                                                       \
    INLINE T name##_of(T x, T y, T r) { return (void)x, (void)y, __VA_ARGS__; }                               \
    WIDE static void name##_flat(const T *in, const T *other, T *out, size n) {                               \
        for (size m; (m = piece_of(n, PIECE)); n -= m, in += m, other += m, out += m) {                              \
            const T *x = in, *y = other;                                                                      \
            T made[PIECE];                                                                                    \
            int far = 0;                                                                                      \
            for (size i = 0; i < m; i++) made[i] = name##_of(x[i], y[i], (T)rest_of(x[i], y[i], &far));       \
            for (size i = 0; far && i < m; i++) made[i] = name##_of(x[i], y[i], slowly(x[i], y[i]));          \
            memcpy(out, made, m * sizeof(T));                                                                 \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, name, 2, (in[0], in[1], out, m))

#define FLOOR(T, name, floor, copysign)                                                                       \
    INLINE T name(T x, T y, T r) {                                                                            \
        T ratio = x / y, quotient = (x - r) / y;                                                              \
        quotient = r != 0 && (y < 0) != (r < 0) ? quotient - 1 : quotient;                                    \
        T down = floor(quotient);                                                                             \
        down = quotient - down > (T)0.5 ? down + 1 : down;                                                    \
        down = quotient != 0 ? down : copysign(0, ratio);                                                     \
        return y == 0 ? ratio : down;                                                                         \
    }
FLOOR(float, floor_of, __builtin_floorf, copysignf)
FLOOR(double, floor_of_wide, __builtin_floor, copysign)
MODULO(fmod, r)
MODULO(remainder, r != 0 && (y < 0) != (r < 0) ? r + y : r)
MODULO_OF(float, floor_divide, fmodf, floor_of(x, y, r))
MODULO_OF(double, floor_divide_wide, fmod, floor_of_wide(x, y, r))

/* Gradients: g is that of the result, x the argument or the result, whichever the formula has. */
BINARY(tanh_backward, g, x, g * (float)(1.0 - (double)x * x))
BINARY_OF(double, tanh_backward_wide, g, x, g * __builtin_fma(-x, x, 1.0))
BINARY(sigmoid_backward, g, x, g * (1.0f - x) * x)
INLINE float gelu_gradient(float g, float x) {
    const float e = __builtin_fabsf(x) > 13.2f ? 0.0f : bell(x); /* an infinite x times it is NaN */
    return g * (0.5f * (1.0f + erf_of_normal(x, e)) + x * e * 0.39894228040143267794f);
}
BINARY(gelu_backward, g, x, gelu_gradient(g, x))

/* A sum of products of which none is fused with the sum: what is made by fmaf is no product to the compiler. */
INLINE float gelu_tanh_gradient(float g, float x) {
    float square = x * x, tanh = tanh_float(TANH_SCALE * __builtin_fmaf(TANH_CUBE, square * x, x));
    float slope = TANH_SCALE * __builtin_fmaf(3.0f * TANH_CUBE, square, 1.0f);
    float through = __builtin_fmaf(0.5f * x * __builtin_fmaf(-tanh, tanh, 1.0f), slope, 0.0f);
    return g * (0.5f * (1.0f + tanh) + through);
}
BINARY(gelu_tanh_backward, g, x, gelu_tanh_gradient(g, x))

INLINE float silu_gradient(float g, float x) {
    float s = sigmoid_float(x);
    return g * s * __builtin_fmaf(x, 1.0f - s, 1.0f);
}
BINARY(silu_backward, g, x, silu_gradient(g, x))

#define SOFT(T, name, exp, fabs)                                                                              \
    INLINE T logsigmoid_slope##name(T x) {                                                                    \
        const T power = (T)exp(-fabs(x)), share = power / (power + 1);                                        \
        return x < 0 ? 1 - share : share;                                                                     \
    }                                                                                                         \
    BINARY_OF(T, logsigmoid_backward##name, g, x, g * logsigmoid_slope##name(x))                              \
    WIDE static void softplus_backward##name##_flat(const T *gs, const T *xs, const T *beta, const T *threshold, T *out, size n) { \
        INDEPENDENT                                                                                           \
        for (size i = 0; i < whole(n); i++) {                                                                 \
            const T g = gs[i], x = xs[i] * beta[i], power = (T)exp(x);                                        \
            out[i] = x > threshold[i] ? g : g * power / (power + 1);                                          \
        }                                                                                                     \
    }                                                                                                         \
    LOOP_OF(T, softplus_backward##name, 4, (in[0], in[1], in[2], in[3], out, m))
SOFT(float, , exp_float, __builtin_fabsf)
SOFT(double, _wide, exp_double, __builtin_fabs)

#define UFUNC(name, count) {#name, count, {name##_loop}, 0}
#define UFUNC2(name, count) {#name, count, {name##_loop, name##_wide_loop}, 0}

Ufunc elementwise_ufuncs[] = {
    UFUNC2(exp, 1), UFUNC2(expm1, 1), UFUNC2(log, 1), UFUNC2(log1p, 1), UFUNC2(log2, 1), UFUNC2(log10, 1), UFUNC2(tanh, 1),
    UFUNC2(sin, 1), UFUNC2(cos, 1), UFUNC2(tan, 1), UFUNC2(sinh, 1), UFUNC2(cosh, 1), UFUNC2(arcsin, 1), UFUNC2(arccos, 1), UFUNC2(arctan, 1),
    UFUNC2(arcsinh, 1), UFUNC2(arccosh, 1), UFUNC2(arctanh, 1), UFUNC2(arctan2, 2), UFUNC(power, 2), UFUNC2(logit, 1), UFUNC2(entropy, 1), UFUNC2(erf, 1), UFUNC2(erfc, 1), UFUNC2(erfinv, 1), UFUNC2(ndtri, 1), UFUNC2(exp2, 1), UFUNC2(relu, 1), UFUNC2(rsqrt, 1), UFUNC2(reciprocal, 1), UFUNC2(frac, 1), UFUNC2(sigmoid, 1), UFUNC(gated, 2), UFUNC(gated_backward, 3), UFUNC2(silu, 1), UFUNC(gelu, 1), UFUNC(gelu_tanh, 1),
    UFUNC2(tanh_backward, 2), UFUNC(sigmoid_backward, 2), UFUNC(gelu_backward, 2), UFUNC(gelu_tanh_backward, 2),
    UFUNC(silu_backward, 2), UFUNC2(logsigmoid_backward, 2), UFUNC2(softplus_backward, 4), UFUNC2(sign, 1), UFUNC2(hardswish, 1), UFUNC2(leaky_relu, 2), UFUNC2(hypotenuse, 2), UFUNC2(add_quotient, 3), UFUNC2(softplus, 3), UFUNC(soft_margin, 2), UFUNC2(logsigmoid, 1),
    UFUNC2(elu, 3), UFUNC2(elu_backward, 4), UFUNC2(smooth_l1, 3), UFUNC2(huber, 3), UFUNC2(lerp, 3), UFUNC2(logaddexp, 2), UFUNC2(logaddexp2, 2), UFUNC2(fmod, 2), UFUNC2(remainder, 2), UFUNC2(floor_divide, 2),
    {0},
};
