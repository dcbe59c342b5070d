/* Vectors of 32 and of 64 bytes, and what shuffles their lanes. The broad ones are for processors that have such registers: elsewhere a
   compiler makes slow code of them. */
#ifndef TENSORSH_LANES_H
#define TENSORSH_LANES_H

#include "kernels.h"

typedef float vectors __attribute__((vector_size(32)));
typedef double wide_vectors __attribute__((vector_size(32)));
typedef int32_t vector_mask __attribute__((vector_size(32)));
typedef int64_t wide_mask __attribute__((vector_size(32)));
#if defined(__x86_64__) && defined(__GNUC__) && TENSORSH_WIDEST == 4 && FOR_LEVEL(4)
#define BROAD __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma")))
typedef float broad_vectors __attribute__((vector_size(64)));
typedef double broad_wide_vectors __attribute__((vector_size(64)));
typedef int32_t broad_mask __attribute__((vector_size(64)));
typedef int64_t broad_wide_mask __attribute__((vector_size(64)));
#endif

/* Two vectors shuffled: the first and the second halves of both by turns, the even and the odd ones of both; one backwards; the first
   halves of both, and the second ones; the first one, of which the first number, or that of each half, is the second's. */
#ifdef __clang__
#define SHUFFLED(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif
#define SHUFFLE(T, mask, name, which, ...) INLINE void name##_##which(T *a, const T *b, const T *c) { *a = SHUFFLED(mask, *b, *c, __VA_ARGS__); }
#define EIGHT(which, ...) SHUFFLE(vectors, vector_mask, singles, which, __VA_ARGS__)
EIGHT(lows, 0, 8, 1, 9, 2, 10, 3, 11)
EIGHT(highs, 4, 12, 5, 13, 6, 14, 7, 15)
EIGHT(evens, 0, 2, 4, 6, 8, 10, 12, 14)
EIGHT(odds, 1, 3, 5, 7, 9, 11, 13, 15)
EIGHT(back, 7, 6, 5, 4, 3, 2, 1, 0)
EIGHT(starts, 0, 1, 2, 3, 8, 9, 10, 11)
EIGHT(ends, 4, 5, 6, 7, 12, 13, 14, 15)
EIGHT(kept, 8, 1, 2, 3, 4, 5, 6, 7)
EIGHT(both_kept, 8, 1, 2, 3, 12, 5, 6, 7)
#define FOUR(which, ...) SHUFFLE(wide_vectors, wide_mask, doubles, which, __VA_ARGS__)
FOUR(lows, 0, 4, 1, 5)
FOUR(highs, 2, 6, 3, 7)
FOUR(evens, 0, 2, 4, 6)
FOUR(odds, 1, 3, 5, 7)
FOUR(back, 3, 2, 1, 0)
FOUR(starts, 0, 1, 4, 5)
FOUR(ends, 2, 3, 6, 7)
FOUR(kept, 4, 1, 2, 3)
FOUR(both_kept, 4, 1, 6, 3)
/* As the first are, but within each part of 16 bytes, or of 32, by itself, which is quicker. */
EIGHT(low, 0, 8, 1, 9, 4, 12, 5, 13)
EIGHT(high, 2, 10, 3, 11, 6, 14, 7, 15)
EIGHT(low_pairs, 0, 1, 8, 9, 4, 5, 12, 13)
EIGHT(high_pairs, 2, 3, 10, 11, 6, 7, 14, 15)
FOUR(low, 0, 4, 2, 6)
FOUR(high, 1, 5, 3, 7)

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

#ifdef BROAD
#define BROAD_SINGLES(which, ...) SHUFFLE(broad_vectors, broad_mask, broad_singles, which, __VA_ARGS__)
BROAD_SINGLES(lows, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
BROAD_SINGLES(highs, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
BROAD_SINGLES(evens, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
BROAD_SINGLES(odds, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
BROAD_SINGLES(back, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
BROAD_SINGLES(starts, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
BROAD_SINGLES(ends, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
BROAD_SINGLES(kept, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
BROAD_SINGLES(both_kept, 16, 1, 2, 3, 4, 5, 6, 7, 24, 9, 10, 11, 12, 13, 14, 15)
BROAD_SINGLES(low, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
BROAD_SINGLES(high, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
BROAD_SINGLES(low_pairs, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
BROAD_SINGLES(high_pairs, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
BROAD_SINGLES(low_fours, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
BROAD_SINGLES(high_fours, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define BROAD_DOUBLES(which, ...) SHUFFLE(broad_wide_vectors, broad_wide_mask, broad_doubles, which, __VA_ARGS__)
BROAD_DOUBLES(lows, 0, 8, 1, 9, 2, 10, 3, 11)
BROAD_DOUBLES(highs, 4, 12, 5, 13, 6, 14, 7, 15)
BROAD_DOUBLES(evens, 0, 2, 4, 6, 8, 10, 12, 14)
BROAD_DOUBLES(odds, 1, 3, 5, 7, 9, 11, 13, 15)
BROAD_DOUBLES(back, 7, 6, 5, 4, 3, 2, 1, 0)
BROAD_DOUBLES(starts, 0, 1, 2, 3, 8, 9, 10, 11)
BROAD_DOUBLES(ends, 4, 5, 6, 7, 12, 13, 14, 15)
BROAD_DOUBLES(kept, 8, 1, 2, 3, 4, 5, 6, 7)
BROAD_DOUBLES(both_kept, 8, 1, 2, 3, 12, 5, 6, 7)
BROAD_DOUBLES(low, 0, 8, 2, 10, 4, 12, 6, 14)
BROAD_DOUBLES(high, 1, 9, 3, 11, 5, 13, 7, 15)
BROAD_DOUBLES(low_pairs, 0, 1, 8, 9, 4, 5, 12, 13)
BROAD_DOUBLES(high_pairs, 2, 3, 10, 11, 6, 7, 14, 15)

INLINE void broad_singles_turned(broad_vectors *rows) {
    broad_vectors a[16], b[16];
    UNROLL(8) for (int l = 0; l < 16; l += 2) broad_singles_low(&a[l], &rows[l], &rows[l + 1]), broad_singles_high(&a[l + 1], &rows[l], &rows[l + 1]);
    UNROLL(4) for (int l = 0; l < 16; l += 4) {
        broad_singles_low_pairs(&b[l], &a[l], &a[l + 2]), broad_singles_high_pairs(&b[l + 1], &a[l], &a[l + 2]);
        broad_singles_low_pairs(&b[l + 2], &a[l + 1], &a[l + 3]), broad_singles_high_pairs(&b[l + 3], &a[l + 1], &a[l + 3]);
    }
    UNROLL(2) for (int h = 0; h < 16; h += 8)
        UNROLL(4) for (int l = h; l < h + 4; l++) broad_singles_low_fours(&a[l], &b[l], &b[l + 4]), broad_singles_high_fours(&a[l + 4], &b[l], &b[l + 4]);
    UNROLL(8) for (int l = 0; l < 8; l++) broad_singles_starts(&rows[l], &a[l], &a[l + 8]), broad_singles_ends(&rows[l + 8], &a[l], &a[l + 8]);
}
INLINE void broad_doubles_turned(broad_wide_vectors *rows) {
    broad_wide_vectors a[8], b[8];
    UNROLL(4) for (int l = 0; l < 8; l += 2) broad_doubles_low(&a[l], &rows[l], &rows[l + 1]), broad_doubles_high(&a[l + 1], &rows[l], &rows[l + 1]);
    UNROLL(2) for (int h = 0; h < 8; h += 4)
        UNROLL(2) for (int l = h; l < h + 2; l++) broad_doubles_low_pairs(&b[l], &a[l], &a[l + 2]), broad_doubles_high_pairs(&b[l + 2], &a[l], &a[l + 2]);
    UNROLL(4) for (int l = 0; l < 4; l++) broad_doubles_starts(&rows[l], &b[l], &b[l + 4]), broad_doubles_ends(&rows[l + 4], &b[l], &b[l + 4]);
}
#endif

#endif
