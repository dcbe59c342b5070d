/* Convolution without matrices of columns, for one width of vectors; convolution.c includes this once for each.

   Planes are surrounded by zeros and taken as one line, so that a window's element lies at the same distance from its
   result everywhere: results are sums of shifted lines. What is computed where a window would go around an edge of the
   plane is left out when results are written. */
#define VECTOR NAME(vector)
typedef float VECTOR __attribute__((vector_size(4 * LANES), aligned(4)));

#define AT(p) (*(const VECTOR *)(p))

/* Results of `outs` channels at `vectors` vectors of places, in registers: from `x`, and weights [taps][outs]. They begin with
   the bias, or where that is NULL with what `to` has of the taps before. */
#define SUMS(outs, vectors)                                                                                       \
    TARGET static void NAME(sums_##outs)(const float *x, const size *offsets, size taps, const float *w,          \
                                         const float *bias, float *to) {                                          \
        VECTOR sum[outs][vectors];                                                                                \
        UNROLL(8) for (int o = 0; o < outs; o++)                                                                  \
            UNROLL(8) for (int v = 0; v < vectors; v++)                                                           \
                sum[o][v] = bias ? (VECTOR){0} + bias[o] : AT(to + (o * vectors + v) * LANES);                    \
        for (size t = 0; t < taps; t++, w += outs) {                                                              \
            const float *from = x + offsets[t];                                                                   \
            VECTOR part[vectors];                                                                                 \
            UNROLL(8) for (int v = 0; v < vectors; v++) part[v] = AT(from + v * LANES);             \
            UNROLL(8) for (int o = 0; o < outs; o++)                                                \
                UNROLL(8) for (int v = 0; v < vectors; v++) sum[o][v] = FUSED(part[v], w[o] - (VECTOR){0}, sum[o][v]); \
        }                                                                                                         \
        UNROLL(8) for (int o = 0; o < outs; o++)                                                    \
            UNROLL(8) for (int v = 0; v < vectors; v++)                                             \
                *(VECTOR *)(to + (o * vectors + v) * LANES) = sum[o][v];                                          \
    }

/* Products of `outs` lines of a gradient with the input's line at TAPS distances, added to `lanes` along the lines of several
   samples; `apart` says how far those of the input and of the gradient lie from one another. Sums have sixteen lanes
   whatever a vector's width is, so that their bits are the same: narrow vectors go along the lines once for each part. */
#define PARTS (SIXTEEN / LANES)
#define DOTS(outs)                                                                                                \
    TARGET static void NAME(dots_##outs)(const float *const *x, const float *const *g, size count, size samples,  \
                                         const size *apart, float *lanes) {                                       \
        for (int part = 0; part < PARTS; part++, lanes += LANES) {                                                \
            VECTOR sum[outs][TAPS];                                                                               \
            UNROLL(8) for (int o = 0; o < outs; o++)                                                              \
                UNROLL(8) for (int t = 0; t < TAPS; t++) sum[o][t] = AT(lanes + (o * TAPS + t) * SIXTEEN);        \
            for (size n = 0; n < samples; n++) {                                                                  \
                const float *from[TAPS], *grads[outs];                                                            \
                for (int t = 0; t < TAPS; t++) from[t] = x[t] + n * apart[0];                                     \
                for (int o = 0; o < outs; o++) grads[o] = g[o] + n * apart[1];                                    \
                for (size i = part * LANES; i < count; i += SIXTEEN) {                                            \
                    VECTOR line[TAPS];                                                                            \
                    UNROLL(8) for (int t = 0; t < TAPS; t++) line[t] = AT(from[t] + i);                           \
                    UNROLL(8) for (int o = 0; o < outs; o++) {                                                    \
                        VECTOR grad = AT(grads[o] + i);                                                           \
                        UNROLL(8) for (int t = 0; t < TAPS; t++) sum[o][t] = FUSED(grad, line[t], sum[o][t]);     \
                    }                                                                                             \
                }                                                                                                 \
            }                                                                                                     \
            UNROLL(8) for (int o = 0; o < outs; o++)                                                              \
                UNROLL(8) for (int t = 0; t < TAPS; t++) *(VECTOR *)(lanes + (o * TAPS + t) * SIXTEEN) = sum[o][t];\
        }                                                                                                         \
    }

SUMS(8, VECTORS_8)
SUMS(6, VECTORS_6)
SUMS(4, VECTORS_4)
SUMS(2, VECTORS_2)
SUMS(1, VECTORS_1)
#if OUTS > 4
DOTS(6)
DOTS(5)
#endif
DOTS(4)
DOTS(3)
DOTS(2)
DOTS(1)

static const struct sums NAME(sums)[] = {
    {8, VECTORS_8 * LANES, COST_8, NAME(sums_8)}, {6, VECTORS_6 * LANES, 1.0f, NAME(sums_6)},
    {4, VECTORS_4 * LANES, COST_4, NAME(sums_4)},  {2, VECTORS_2 * LANES, 1.4f, NAME(sums_2)},
    {1, VECTORS_1 * LANES, 2.0f, NAME(sums_1)},
};
static const struct machine NAME(machine) = {
    NAME(sums), {NAME(dots_1), NAME(dots_2), NAME(dots_3), NAME(dots_4),
#if OUTS > 4
                 NAME(dots_5), NAME(dots_6),
#endif
    }, OUTS, TAPS,
};

#undef VECTOR
#undef AT
#undef SUMS
#undef DOTS
#undef PARTS
#undef TARGET
#undef FUSED
#undef NAME
#undef LANES
#undef VECTORS_8
#undef VECTORS_6
#undef VECTORS_4
#undef VECTORS_2
#undef VECTORS_1
#undef COST_8
#undef COST_4
#undef OUTS
#undef TAPS
