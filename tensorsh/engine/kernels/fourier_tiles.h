/* Numbers of several lines of an array on their way into the lanes of vectors and out of them, and what shuffles lanes. */
#ifndef TENSORSH_FOURIER_TILES_H
#define TENSORSH_FOURIER_TILES_H

#include "fourier_steps.h"

typedef float vectors __attribute__((vector_size(32)));
typedef double wide_vectors __attribute__((vector_size(32)));
typedef int32_t vector_mask __attribute__((vector_size(32)));
typedef int64_t wide_mask __attribute__((vector_size(32)));

/* Two vectors shuffled: the first and the second halves of both by turns, the even and the odd ones of both. */
#ifdef __clang__
#define SHUFFLED(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif
#define EIGHT(which, ...) INLINE void singles_##which(vectors *a, const vectors *b, const vectors *c) { *a = SHUFFLED(vector_mask, *b, *c, __VA_ARGS__); }
EIGHT(lows, 0, 8, 1, 9, 2, 10, 3, 11)
EIGHT(highs, 4, 12, 5, 13, 6, 14, 7, 15)
EIGHT(evens, 0, 2, 4, 6, 8, 10, 12, 14)
EIGHT(odds, 1, 3, 5, 7, 9, 11, 13, 15)
#define FOUR(which, ...) INLINE void doubles_##which(wide_vectors *a, const wide_vectors *b, const wide_vectors *c) { *a = SHUFFLED(wide_mask, *b, *c, __VA_ARGS__); }
FOUR(lows, 0, 4, 1, 5)
FOUR(highs, 2, 6, 3, 7)
FOUR(evens, 0, 2, 4, 6)
FOUR(odds, 1, 3, 5, 7)
/* As these are, but of each half by itself, which is quicker; and the first halves of both, and the second ones. */
EIGHT(low, 0, 8, 1, 9, 4, 12, 5, 13)
EIGHT(high, 2, 10, 3, 11, 6, 14, 7, 15)
EIGHT(low_pairs, 0, 1, 8, 9, 4, 5, 12, 13)
EIGHT(high_pairs, 2, 3, 10, 11, 6, 7, 14, 15)
EIGHT(starts, 0, 1, 2, 3, 8, 9, 10, 11)
EIGHT(ends, 4, 5, 6, 7, 12, 13, 14, 15)
FOUR(low, 0, 4, 2, 6)
FOUR(high, 1, 5, 3, 7)
FOUR(starts, 0, 1, 4, 5)
FOUR(ends, 2, 3, 6, 7)

/* As many vectors as lanes: what was in one lane of each is one of them. */
INLINE void singles_turned(vectors *rows) {
    vectors a[8], b[8];
    UNROLL(4) for (int l = 0; l < 8; l += 2) singles_low(&a[l], &rows[l], &rows[l + 1]), singles_high(&a[l + 1], &rows[l], &rows[l + 1]);
    UNROLL(2) for (int l = 0; l < 8; l += 4) {
        singles_low_pairs(&b[l], &a[l], &a[l + 2]), singles_high_pairs(&b[l + 1], &a[l], &a[l + 2]);
        singles_low_pairs(&b[l + 2], &a[l + 1], &a[l + 3]), singles_high_pairs(&b[l + 3], &a[l + 1], &a[l + 3]);
    }
    UNROLL(4) for (int l = 0; l < 4; l++) singles_starts(&rows[l], &b[l], &b[l + 4]), singles_ends(&rows[l + 4], &b[l], &b[l + 4]);
}
INLINE void doubles_turned(wide_vectors *rows) {
    wide_vectors a[4];
    UNROLL(2) for (int l = 0; l < 4; l += 2) doubles_low(&a[l], &rows[l], &rows[l + 1]), doubles_high(&a[l + 1], &rows[l], &rows[l + 1]);
    UNROLL(2) for (int l = 0; l < 2; l++) doubles_starts(&rows[l], &a[l], &a[l + 2]), doubles_ends(&rows[l + 2], &a[l], &a[l + 2]);
}

/* Numbers from anywhere. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* it takes a vector that is put together for one that is read */
#endif
#define LANE(l) from[at[l]]
INLINE void singles_gathered(vectors *a, const float *from, const size *at) {
    const vectors made = {LANE(0), LANE(1), LANE(2), LANE(3), LANE(4), LANE(5), LANE(6), LANE(7)};
    *a = made;
}
INLINE void doubles_gathered(wide_vectors *a, const double *from, const size *at) {
    const wide_vectors made = {LANE(0), LANE(1), LANE(2), LANE(3)};
    *a = made;
}

/* `out`: from `first`, and where there is one `second`, which has the numbers at odd places, to the array; otherwise the other way. */
#define TILES(T, R, name, one)                                                                                            \
    /* Lines that stand in one piece each. Blocks that would reach over the end of a line go back from it; a line shorter than a block is \
       read, and written, with the beginning of the next one, which is written later: not where that is beyond `end`, or in its own place. */ \
    INLINE int name##_rows(int out, T *first, T *second, R *array, const size *at, int lines, size have, size end) {   \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size each = second ? 2 : 1, block = LANES / each;                                                        \
        size ahead = LANES * (at[1] - at[0]); /* the next lines are on their way while these are transformed */        \
        if (out || at[LANES - 1] + ahead + each * have > end) ahead = 0;                                               \
        for (int l = 0; have < block && l < LANES; l++)                                                                \
            if (at[l] + LANES > end) return 0;                                                                         \
        for (size k = 0; k < have; k += block) {                                                                       \
            T rows[LANES];                                                                                             \
            if (k > have - block && have >= block) k = have - block;                                                   \
            if (!out) {                                                                                                \
                UNROLL(8) for (int l = 0; l < LANES; l++) {                                                            \
                    memcpy(&rows[l], array + at[l] + each * k, sizeof *rows);                                          \
                    __builtin_prefetch(array + at[l] + ahead + each * k);                                              \
                }                                                                                                      \
                name##_turned(rows);                                                                                   \
            }                                                                                                          \
            UNROLL(8) for (int b = 0; b < block; b++) {                                                                \
                const size from = have >= block || b < have ? k + b : 0;                                               \
                if (out) rows[each * b] = first[from];                                                                 \
                if (out && second) rows[2 * b + 1] = second[from];                                                     \
                if (out || (have < block && b >= have)) continue;                                                      \
                first[from] = rows[each * b];                                                                          \
                if (second) second[from] = rows[2 * b + 1];                                                            \
            }                                                                                                          \
            if (out) {                                                                                                 \
                name##_turned(rows);                                                                                   \
                UNROLL(8) for (int l = 0; l < LANES; l++)                                                              \
                    if (l < lines) memcpy(array + at[l] + each * k, &rows[l], sizeof *rows);                           \
            }                                                                                                          \
        }                                                                                                              \
        return 1;                                                                                                      \
    }                                                                                                                  \
    /* Lines that stand side by side. */                                                                               \
    INLINE void name##_columns(int out, T *first, T *second, R *array, size step, size have) {                         \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        for (size k = 0; k < have; k++, array += step) {                                                               \
            T both[2];                                                                                                 \
            if (!out) {                                                                                                \
                memcpy(&both[0], array, sizeof *both); /* each by itself: a copy of both goes in smaller parts, which wait for each other */ \
                if (second) memcpy(&both[1], array + LANES, sizeof *both);                                             \
                if (second) name##_evens(&first[k], &both[0], &both[1]), name##_odds(&second[k], &both[0], &both[1]);  \
                else first[k] = both[0];                                                                               \
            } else if (second) {                                                                                       \
                name##_lows(&both[0], &first[k], &second[k]), name##_highs(&both[1], &first[k], &second[k]);           \
                memcpy(array, &both[0], sizeof *both), memcpy(array + LANES, &both[1], sizeof *both);                  \
            } else                                                                                                     \
                memcpy(array, &first[k], sizeof *first);                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    /* One line alone. */                                                                                              \
    INLINE int one##_rows(int out, R *first, R *second, R *array, const size *at, int lines, size have, size end) {    \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        size k = 0;                                                                                                    \
        array += at[0];                                                                                                \
        if (lines != 1 || have > end) return 0;                                                                        \
        if (!second) memcpy(out ? array : first, out ? first : array, have * sizeof *array);                           \
        for (; second && k + LANES <= have; k += LANES) {                                                              \
            T parts[2], both[2];                                                                                       \
            if (out) {                                                                                                 \
                memcpy(&parts[0], first + k, sizeof *parts), memcpy(&parts[1], second + k, sizeof *parts);             \
                name##_lows(&both[0], &parts[0], &parts[1]), name##_highs(&both[1], &parts[0], &parts[1]);             \
                memcpy(array + 2 * k, &both[0], sizeof *both), memcpy(array + 2 * k + LANES, &both[1], sizeof *both);  \
            } else {                                                                                                   \
                memcpy(&both[0], array + 2 * k, sizeof *both), memcpy(&both[1], array + 2 * k + LANES, sizeof *both);  \
                name##_evens(&parts[0], &both[0], &both[1]), name##_odds(&parts[1], &both[0], &both[1]);               \
                memcpy(first + k, &parts[0], sizeof *parts), memcpy(second + k, &parts[1], sizeof *parts);             \
            }                                                                                                          \
        }                                                                                                              \
        for (; second && k < have; k++)                                                                                \
            if (out) array[2 * k] = first[k], array[2 * k + 1] = second[k];                                            \
            else first[k] = array[2 * k], second[k] = array[2 * k + 1];                                                \
        return 1;                                                                                                      \
    }                                                                                                                  \
    INLINE void one##_columns(int out, R *first, R *second, R *array, size step, size have) {                          \
        for (size k = 0; k < have; k++, array += step) {                                                               \
            *(out ? array : &first[k]) = *(out ? &first[k] : array);                                                   \
            if (second) *(out ? array + 1 : &second[k]) = *(out ? &second[k] : array + 1);                             \
        }                                                                                                              \
    }
TILES(vectors, float, singles, single)
TILES(wide_vectors, double, doubles, lone)

#endif
