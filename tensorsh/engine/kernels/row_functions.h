/* softmax and log_softmax of rows and of columns, and their gradients, for one type of numbers: NUMBER, LANES of which are added side by
   side, with BITS as wide and its EXP, EXACT_EXP, LOG and FUSED product and sum; OF(name) is the name of a function for it. */

/* Lanes are two vectors, which stay in registers where an array would go to memory and back. */
typedef NUMBER OF(half) __attribute__((vector_size(32), aligned(sizeof(NUMBER))));
typedef NUMBER OF(quarter) __attribute__((vector_size(16)));
typedef BITS OF(half_bits) __attribute__((vector_size(32), aligned(sizeof(NUMBER))));
#define HALF_OF(x) (*(const OF(half) *)(x))
enum { OF(HALF) = LANES / 2, OF(QUARTER) = LANES / 4 };

INLINE NUMBER OF(folded)(const OF(half) *low, const OF(half) *high) {
    const OF(half) both = *low + *high;
    OF(quarter) first, second;
    memcpy(&first, &both, sizeof first), memcpy(&second, (const char *)&both + sizeof first, sizeof second);
    first += second;
    return OF(QUARTER) == 2 ? first[0] + first[1] : (first[0] + first[2 % OF(QUARTER)]) + (first[1] + first[3 % OF(QUARTER)]);
}

INLINE void OF(add_to)(OF(half) *low, OF(half) *high, const NUMBER *x, size n) {
    size i = 0;
    for (; i + LANES <= n; i += LANES) *low += HALF_OF(x + i), *high += HALF_OF(x + i + OF(HALF));
    if (i < n) {
        NUMBER lanes[LANES];
        memcpy(lanes, low, sizeof *low), memcpy(lanes + OF(HALF), high, sizeof *high);
        for (int k = 0; i < n; i++, k++) lanes[k] += x[i];
        memcpy(low, lanes, sizeof *low), memcpy(high, lanes + OF(HALF), sizeof *high);
    }
}

/* The sum of a row as PyTorch's vector code adds it: lanes, which are then folded in halves; short rows in order. */
INLINE NUMBER OF(lane_sum)(const NUMBER *x, size n) {
    if (n < LANES) {
        NUMBER total = x[0];
        for (size i = 1; i < n; i++) total += x[i];
        return total;
    }
    OF(half) low = HALF_OF(x), high = HALF_OF(x + OF(HALF));
    OF(add_to)(&low, &high, x + LANES, n - LANES);
    return OF(folded)(&low, &high);
}

/* NaN only where it comes first. */
INLINE void OF(larger)(OF(half) *all, const OF(half) *one) {
    const OF(half_bits) taken = (OF(half_bits))(*one > *all);
    *all = (OF(half))(((OF(half_bits))*one & taken) | ((OF(half_bits))*all & ~taken));
}
INLINE NUMBER OF(largest)(const NUMBER *x, size n) {
    NUMBER top = x[0];
    size i = 0;
    if (n >= LANES) {
        OF(half) low = HALF_OF(x), high = HALF_OF(x + OF(HALF)), none = {0};
        for (i = LANES; i + LANES <= n; i += LANES) {
            const OF(half) one = HALF_OF(x + i), other = HALF_OF(x + i + OF(HALF));
            OF(larger)(&low, &one), OF(larger)(&high, &other);
        }
        none += top;
        OF(larger)(&none, &low), OF(larger)(&none, &high);
        NUMBER lanes[OF(HALF)];
        memcpy(lanes, &none, sizeof none);
        for (int k = 0; k < OF(QUARTER); k++) lanes[k] = lanes[k + OF(QUARTER)] > lanes[k] ? lanes[k + OF(QUARTER)] : lanes[k];
        for (int k = 0; k < OF(QUARTER); k++) top = lanes[k] > top ? lanes[k] : top;
    }
    for (; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

/* Exponentials in place; a row may be long. */
INLINE void OF(exponentiate)(Call *c, NUMBER *x, size n) {
    for (size at = 0; at < n && !ends(c, n); at += LONG_PIECE) {
        const size end = n - at < LONG_PIECE ? n : at + LONG_PIECE;
        INDEPENDENT
        for (size i = at; i < end; i++) x[i] = EXP(x[i]);
    }
}

/* log(sum(exp(x))) of each row. An infinite maximum is not subtracted. */
WIDE static void OF(log_of_sums_of_rows)(Call *c, const NUMBER *x, NUMBER *out, size rows, size n) {
    const size group = n >= ROOM ? 1 : ROOM / n;
    NUMBER exponentials[ROOM], less[ROOM];
    for (size row = 0; row < rows; row += group, x += group * n, out += group) {
        const size count = rows - row < group ? rows - row : group;
        for (size r = 0; r < count; r++) {
            const NUMBER top = OF(largest)(x + r * n, n);
            less[r] = top - top == 0 ? top : 0;
            out[r] = 0;
        }
        for (size at = 0; at < n && !ends(c, ROOM); at += ROOM) {
            const size m = n - at < ROOM ? n - at : ROOM;
            for (size r = 0; r < count; r++) {
                const NUMBER *from = x + r * n + at;
                INDEPENDENT
                for (size i = 0; i < m; i++) exponentials[r * m + i] = from[i] - less[r];
            }
            OF(exponentiate)(c, exponentials, count * m);
            for (size r = 0; r < count; r++) out[r] += OF(lane_sum)(exponentials + r * m, m);
        }
        INDEPENDENT
        for (size r = 0; r < count; r++) out[r] = LOG(out[r]) + less[r];
    }
}

/* The same of columns side by side, whose exponentials are added in a cascade of LEVELS, as PyTorch's sums of columns are. */
WIDE static void OF(log_of_sums_of_columns)(Call *call, const NUMBER *x, NUMBER *out, size outer, size n, size inner) {
    NUMBER top[COLUMNS], total[LEVELS][COLUMNS];
    int bits = 0;
    for (size m = n - 1; m > 0; m >>= 1) bits++;
    const int p = bits / 4 > 4 ? bits / 4 : 4;
    const size step = (size)1 << p;
    for (size o = 0; o < outer; o++, x += n * inner, out += inner)
        for (size left = 0; left < inner && !ends(call, n * COLUMNS); left += COLUMNS) {
            const size m = inner - left < COLUMNS ? inner - left : COLUMNS;
            for (size c = 0; c < m; c++) top[c] = x[left + c];
            for (size i = 1; i < n; i++)
                for (size c = 0; c < m; c++) top[c] = x[i * inner + left + c] > top[c] ? x[i * inner + left + c] : top[c];
            for (size c = 0; c < m; c++) top[c] = top[c] - top[c] == 0 ? top[c] : 0;
            memset(total, 0, sizeof total);
            for (size i = 0; i < n; i++) {
                const NUMBER *from = x + i * inner + left;
                if (m == COLUMNS) {
                    INDEPENDENT
                    for (size c = 0; c < COLUMNS; c++) total[0][c] += EXP(from[c] - top[c]);
                } else {
                    INDEPENDENT
                    for (size c = 0; c < m; c++) total[0][c] += EXP(from[c] - top[c]);
                }
                for (int level = 1; level < LEVELS && ((i + 1) & ((step << (level - 1) * p) - 1)) == 0; level++)
                    for (size c = 0; c < m; c++) total[level][c] += total[level - 1][c], total[level - 1][c] = 0;
            }
            for (size c = 0; c < m; c++) out[left + c] = LOG(total[0][c] + total[1][c] + total[2][c] + total[3][c]) + top[c];
        }
}

WIDE static void OF(softmax_rows)(Call *c, const NUMBER *x, NUMBER *out, size rows, size n, int logarithm) {
    size group = n >= ROOM ? 1 : ROOM / n;
    NUMBER exponentials[ROOM], less[ROOM];
    for (size row = 0; row < rows; row += group, x += group * n, out += group * n) {
        size count = rows - row < group ? rows - row : group, all = count * n;
        for (size r = 0; r < count; r++) {
            const NUMBER *from = x + r * n;
            NUMBER *to = out + r * n, top = OF(largest)(from, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) to[i] = from[i] - top;
        }
        if (!logarithm) {
            OF(exponentiate)(c, out, all);
            for (size r = 0; r < count; r++) {
                NUMBER *to = out + r * n, scale = (NUMBER)1 / OF(lane_sum)(to, n);
                INDEPENDENT
                for (size i = 0; i < n; i++) to[i] *= scale;
            }
        } else if (n <= ROOM) {
            for (size i = 0; i < all; i++) exponentials[i] = EXP(out[i]);
            for (size r = 0; r < count; r++) less[r] = OF(lane_sum)(exponentials + r * n, n);
            INDEPENDENT
            for (size r = 0; r < count; r++) less[r] = LOG(less[r]);
            for (size r = 0; r < count; r++) {
                NUMBER *to = out + r * n;
                INDEPENDENT
                for (size i = 0; i < n; i++) to[i] -= less[r];
            }
        } else {
            /* A long row: its exponentials are added up piece by piece, ROOM being a multiple of LANES. */
            OF(half) low = {0}, high = {0};
            for (size at = 0; at < n && !ends(c, ROOM); at += ROOM) {
                size m = n - at < ROOM ? n - at : ROOM;
                for (size k = 0; k < m; k++) exponentials[k] = EXP(out[at + k]);
                OF(add_to)(&low, &high, exponentials, m);
            }
            const NUMBER total = LOG(OF(folded)(&low, &high));
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] -= total;
        }
    }
}

/* The same along an axis whose elements lie `inner` apart: columns side by side, added in order. PyTorch computes columns by
   vectors, and the exponentials of those that fill none exactly. */
INLINE void OF(exponentials_of)(const NUMBER *x, NUMBER *out, size whole, size m) {
    INDEPENDENT
    for (size c = 0; c < whole; c++) out[c] = EXP(x[c]);
    for (size c = whole; c < m; c++) out[c] = EXACT_EXP(x[c]);
}

WIDE static void OF(softmax_columns)(Call *call, const NUMBER *x, NUMBER *out, size outer, size n, size inner, int logarithm) {
    NUMBER top[COLUMNS], total[COLUMNS];
    for (size o = 0; o < outer; o++, x += n * inner, out += n * inner)
        for (size left = 0; left < inner && !ends(call, n * COLUMNS); left += COLUMNS) {
            size m = inner - left < COLUMNS ? inner - left : COLUMNS, whole = m / VECTOR * VECTOR;
            for (size c = 0; c < m; c++) top[c] = x[left + c];
            for (size i = 1; i < n; i++)
                for (size c = 0; c < m; c++) top[c] = x[i * inner + left + c] > top[c] ? x[i * inner + left + c] : top[c];
            for (size c = 0; c < m; c++) total[c] = 0;
            for (size i = 0; i < n; i++) {
                const NUMBER *from = x + i * inner + left;
                NUMBER *to = out + i * inner + left;
                INDEPENDENT
                for (size c = 0; c < whole; c++) {
                    NUMBER shifted = from[c] - top[c], e = EXP(shifted);
                    total[c] += e;
                    to[c] = logarithm ? shifted : e;
                }
                for (size c = whole; c < m; c++) {
                    NUMBER shifted = from[c] - top[c], e = EXACT_EXP(shifted);
                    total[c] += e;
                    to[c] = logarithm ? shifted : e;
                }
            }
            if (logarithm)
                for (size c = 0; c < m; c++) total[c] = LOG(total[c]);
            for (size i = 0; i < n; i++) {
                NUMBER *to = out + i * inner + left;
                INDEPENDENT
                for (size c = 0; c < m; c++) to[c] = logarithm ? to[c] - total[c] : to[c] / total[c];
            }
        }
}

WIDE static void OF(softmax_rows_backward)(const NUMBER *g, const NUMBER *y, NUMBER *out, size rows, size n, int logarithm) {
    for (size row = 0; row < rows; row++, g += n, y += n, out += n) {
        if (logarithm) {
            NUMBER total = OF(lane_sum)(g, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] = FUSED(-EXP(y[i]), total, g[i]);
        } else {
            for (size i = 0; i < n; i++) out[i] = g[i] * y[i];
            NUMBER total = OF(lane_sum)(out, n);
            INDEPENDENT
            for (size i = 0; i < n; i++) out[i] = (g[i] - total) * y[i];
        }
    }
}

WIDE static void OF(softmax_columns_backward)(Call *call, const NUMBER *g, const NUMBER *y, NUMBER *out, size outer, size n, size inner,
                                          int logarithm) {
    NUMBER total[COLUMNS], e[COLUMNS];
    for (size o = 0; o < outer; o++, g += n * inner, y += n * inner, out += n * inner)
        for (size left = 0; left < inner && !ends(call, n * COLUMNS); left += COLUMNS) {
            size m = inner - left < COLUMNS ? inner - left : COLUMNS, whole = m / VECTOR * VECTOR;
            for (size c = 0; c < m; c++) total[c] = 0;
            for (size i = 0; i < n; i++) {
                const NUMBER *slope = g + i * inner + left, *from = y + i * inner + left;
                if (logarithm)
                    for (size c = 0; c < m; c++) total[c] += slope[c];
                else
                    for (size c = 0; c < m; c++) total[c] = FUSED(slope[c], from[c], total[c]);
            }
            for (size i = 0; i < n; i++) {
                const NUMBER *slope = g + i * inner + left, *from = y + i * inner + left;
                NUMBER *to = out + i * inner + left;
                if (logarithm) {
                    OF(exponentials_of)(from, e, whole, m);
                    INDEPENDENT
                    for (size c = 0; c < m; c++) to[c] = FUSED(-e[c], total[c], slope[c]);
                } else {
                    INDEPENDENT
                    for (size c = 0; c < m; c++) to[c] = (slope[c] - total[c]) * from[c];
                }
            }
        }
}

#undef NUMBER
#undef BITS
#undef LANES
#undef OF
#undef EXP
#undef EXACT_EXP
#undef LOG
#undef FUSED
