/* Numbers of several lines of an array on their way into the lanes of vectors and out of them. */
#ifndef TENSORSH_FOURIER_TILES_H
#define TENSORSH_FOURIER_TILES_H

#include "lanes.h"

/* Less than 128 bytes of two vectors, in pieces of known sizes, each of which lies within one of them: others would wait for the vectors
   to be written. */
INLINE void some_bytes(char *to, const char *from, size bytes) {
    size done = 0;
    UNROLL(5) for (int piece = 64; piece >= 4; piece /= 2)
        if (bytes & piece) memcpy(to + done, from + done, piece), done += piece;
}

/* `out`: from `first`, and where there is one `second`, which has the numbers at odd places, to the array; otherwise the other way. */
#define TILES(T, R, name)                                                                                              \
    /* Lines that stand in one piece each. Blocks that would reach over the end of a line go back from it; a line shorter than a block is \
       read with the beginning of the next one, not where that is beyond `end`. */                                     \
    INLINE int name##_rows(int out, T *first, T *second, R *array, const size *at, int lines, size have, size end) {   \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size each = second ? 2 : 1, block = LANES / each;                                                        \
        size ahead = LANES * (at[1] - at[0]); /* the next lines are on their way while these are transformed */        \
        if (out || at[LANES - 1] + ahead + each * have > end) ahead = 0;                                               \
        for (int l = 0; !out && have < block && l < LANES; l++)                                                        \
            if (at[l] + LANES > end) return 0;                                                                         \
        for (size k = 0; k < have; k += block) {                                                                       \
            T rows[LANES];                                                                                             \
            if (k == have - 1 && k && block > 2) { /* the middle of a real signal's transform, mostly */               \
                for (int l = 0; l < (out ? lines : LANES); l++)                                                        \
                    for (int part = 0; part < each; part++) {                                                          \
                        R *const lane = (R *)(part ? &second[k] : &first[k]) + l, *const place = array + at[l] + each * k + part; \
                        *(out ? place : lane) = *(out ? lane : place);                                                 \
                    }                                                                                                  \
                break;                                                                                                 \
            }                                                                                                          \
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
                if (have < block)                                                                                      \
                    for (int l = 0; l < lines; l++) some_bytes((char *)(array + at[l]), (const char *)&rows[l], each * have * sizeof(R)); \
                else if (lines == LANES)                                                                               \
                    UNROLL(8) for (int l = 0; l < LANES; l++) memcpy(array + at[l] + each * k, &rows[l], sizeof *rows); \
                else                                                                                                   \
                    for (int l = 0; l < lines; l++) memcpy(array + at[l] + each * k, &rows[l], sizeof *rows);          \
            }                                                                                                          \
        }                                                                                                              \
        return 1;                                                                                                      \
    }                                                                                                                  \
    /* Lines that stand side by side, of which those in `lines` are written. */                                        \
    INLINE void name##_columns(int out, T *first, T *second, R *array, size step, size have, int lines) {              \
        enum { LANES = sizeof(T) / sizeof(R) };                                                                        \
        const size each = second ? 2 : 1, some = each * (size)sizeof(R) * lines;                                       \
        const size safe = lines == LANES ? have : have - 1 - each * (LANES - lines) / step; /* beyond, a vector may reach over the end */ \
        for (size k = 0; k < have; k++, array += step) {                                                               \
            T both[2];                                                                                                 \
            if (!out) {                                                                                                \
                R kept[2 * LANES] = {0};                                                                               \
                const R *from = array;                                                                                 \
                if (k >= safe) memcpy(kept, array, some), from = kept;                                                 \
                memcpy(&both[0], from, sizeof *both); /* each by itself: a copy of both goes in smaller parts, which wait for each other */ \
                if (second) memcpy(&both[1], from + LANES, sizeof *both);                                              \
                if (second) name##_evens(&first[k], &both[0], &both[1]), name##_odds(&second[k], &both[0], &both[1]);  \
                else first[k] = both[0];                                                                               \
                continue;                                                                                              \
            }                                                                                                          \
            if (second) name##_lows(&both[0], &first[k], &second[k]), name##_highs(&both[1], &first[k], &second[k]);   \
            else both[0] = first[k];                                                                                   \
            if (lines < LANES) some_bytes((char *)array, (const char *)both, some);                                    \
            else {                                                                                                     \
                memcpy(array, &both[0], sizeof *both);                                                                 \
                if (second) memcpy(array + LANES, &both[1], sizeof *both);                                             \
            }                                                                                                          \
        }                                                                                                              \
    }

/* The same of one line alone. */
#define ROW(T, R, name, one)                                                                                           \
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
    INLINE void one##_columns(int out, R *first, R *second, R *array, size step, size have, int lines) {               \
        (void)lines;                                                                                                   \
        for (size k = 0; k < have; k++, array += step) {                                                               \
            *(out ? array : &first[k]) = *(out ? &first[k] : array);                                                   \
            if (second) *(out ? array + 1 : &second[k]) = *(out ? &second[k] : array + 1);                             \
        }                                                                                                              \
    }

#endif
