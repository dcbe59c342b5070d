/* Products of float32 matrices whose bits are those of PyTorch's BLAS (MKL on x86-64), found by probing the order of its sums.

   A product is a chain of fused multiply-adds over at most 384 of k; longer sums are made of such blocks, added up in turn.
   Vectors have orders of their own, see `rows_by_vector` and `vector_by_columns`. */
#include "kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
/* Four numbers of each of four rows, as columns, times `factor` where there is one. */
INLINE void turn_four(const float *from, size row, float *to, size step, const float *factor) {
    __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + row), c = _mm_loadu_ps(from + 2 * row), d = _mm_loadu_ps(from + 3 * row);
    if (factor) {
        const __m128 f = _mm_set1_ps(*factor);
        a = _mm_mul_ps(a, f), b = _mm_mul_ps(b, f), c = _mm_mul_ps(c, f), d = _mm_mul_ps(d, f);
    }
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(to, a), _mm_storeu_ps(to + step, b), _mm_storeu_ps(to + 2 * step, c), _mm_storeu_ps(to + 3 * step, d);
}

/* A matrix of float32: its strides in elements, of which one is 1 and both are positive. */
struct matrix {
    const float *data;
    size row, column;
};

#define FEW_TILES 4
#define CHUNK 120          /* rows of a that are worked on at a time: whole tiles of both kinds of registers */
#define WORTH_STRIPS 512   /* columns of b from which on rows of a that are */
#define FAR_APART 512      /* so far apart are laid side by side */
#define BLOCK 384          /* so many of k make a block */
#define GROUP 1024         /* columns of b whose panels are made at a time: whole panels */
#if FOR_LEVEL(4)
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define FUSED(a, b, c) (VECTOR) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define LANES_ 16
#define ROWS_ 12
#define NAME(part) wide_##part
#include "gemm_tile.h"
#endif
#if FOR_LEVEL(3)
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED(a, b, c) (VECTOR) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define LANES_ 8
#define ROWS_ 6
#define NAME(part) narrow_##part
#include "gemm_tile.h"
#endif
#if !FOR_LEVEL(3)
#define IN_BLOCKS wide_block
#elif !FOR_LEVEL(4)
#define IN_BLOCKS narrow_block
#else
#define IN_BLOCKS (level == 2 ? wide_block : narrow_block)
#endif

/* How many of the k that are left make the next block. `whole`: b is stored by columns and has many of them. */
static size next_block(size left, int whole) {
    if (left <= BLOCK) return left;
    return whole || left > 2 * BLOCK ? BLOCK : (left + 1) / 2;
}

#define LANES 16

INLINE float folded(float *lanes) {
    for (int half = LANES / 2; half >= 4; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] += lanes[i + half];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

INLINE void multiply_add(float *lanes, const float *x, const float *y, size n) {
    if (n == LANES) {
        for (int i = 0; i < LANES; i++) lanes[i] = __builtin_fmaf(x[i], y[i], lanes[i]);
    } else {
        for (size i = 0; i < n; i++) lanes[i] = __builtin_fmaf(x[i], y[i], lanes[i]);
    }
}

/* out[i] = row i of a times y, rows of n contiguous numbers. Rows in fours start from their first product, which stands in
   the first of sixteen lanes; the lanes are folded when their vectors are whole and again at the end. Of what is left of the
   rows each adds the first product at the end; but the second, they have two sets of lanes from two vectors on. */
WIDE static void rows_by_vector(Call *c, const float *a, size row, const float *y, size m, size n, float *out) {
    for (size i = 0; i < m && !ends(c, n); i++, a += row) {
        float lanes[LANES] = {0}, more[LANES] = {0};
        const float first = a[0] * y[0];
        const size vectors = (n - 1) / LANES, rest = (n - 1) % LANES;
        const float *x = a + 1, *z = y + 1, *const end = x + vectors * LANES;
        if (i < m / 4 * 4) {
            lanes[0] = first;
            for (; x < end; x += LANES, z += LANES) multiply_add(lanes, x, z, LANES);
            if (vectors) {
                lanes[0] = folded(lanes);
                for (int k = 1; k < LANES; k++) lanes[k] = 0;
            }
            multiply_add(lanes, x, z, rest);
            out[i] = rest ? folded(lanes) : lanes[0];
            continue;
        }
        if (vectors >= 2 && i % 4 != 1) {
            for (size pair = 0; pair < vectors / 2; pair++, x += 2 * LANES, z += 2 * LANES) {
                multiply_add(lanes, x, z, LANES);
                multiply_add(more, x + LANES, z + LANES, LANES);
            }
            for (int k = 0; k < LANES; k++) lanes[k] += more[k];
        }
        for (; x < end; x += LANES, z += LANES) multiply_add(lanes, x, z, LANES);
        multiply_add(lanes, x, z, rest);
        out[i] = first + folded(lanes);
    }
}

#define TERM(i, sum) __builtin_fmaf(x[p + i], b[(p + i) * row + j], sum)
#define PRODUCT(i) (x[p + i] * b[(p + i) * row + j])

/* out = start + x times b, whose rows are contiguous: eight rows at a time for whole groups of sixteen columns, else one by one. */
WIDE static void vector_by_columns(Call *c, const float *x, size step, const float *b, size row, size k, size n, float *out,
                                   float *gathered, const float *start) {
    if (step != 1) {
        for (size p = 0; p < k; p++) gathered[p] = x[p * step];
        x = gathered;
    }
    const size grouped = n / LANES * LANES, eights = k / 8 * 8;
    for (size j = 0; j < n; j++) out[j] = start ? start[j] : 0;
    for (size p = 0; p < eights && !ends(c, 8 * n); p += 8) {
        INDEPENDENT
        for (size j = 0; j < grouped; j++)
            out[j] = (TERM(4, TERM(6, out[j])) + TERM(5, PRODUCT(7))) + (TERM(0, PRODUCT(2)) + TERM(1, PRODUCT(3)));
    }
    for (size p = 0; p < k; p++) {
        INDEPENDENT
        for (size j = p < eights ? grouped : 0; j < n; j++) out[j] = TERM(0, out[j]);
    }
}

/* c = a times b for rows of a and columns of b that are contiguous, each element a sum of sixteen lanes: MKL's way for few rows
   and columns. `quarters`: the lanes are folded four at a time, its way where the sums are long; else every other row has two
   sets of lanes, which take turns. */
WIDE static void rows_by_rows(const float *a, size a_row, const float *b, size b_column, size m, size k, size n, float *c,
                              int quarters) {
    const size whole = k / LANES * LANES;
    for (size i = 0; i < m; i++)
        for (size j = 0; j < n; j++) {
            const float *x = a + i * a_row, *y = b + j * b_column;
            float lanes[LANES] = {0}, more[LANES] = {0};
            size p = 0;
            for (; !quarters && i % 2 == 0 && p + 2 * LANES <= whole; p += 2 * LANES) {
                multiply_add(lanes, x + p, y + p, LANES);
                multiply_add(more, x + p + LANES, y + p + LANES, LANES);
            }
            for (int l = 0; l < LANES && p; l++) lanes[l] += more[l];
            for (; p < whole; p += LANES) multiply_add(lanes, x + p, y + p, LANES);
            multiply_add(lanes, x + whole, y + whole, k - whole);
            if (quarters) {
                for (int l = 0; l < 4; l++) lanes[l] = ((lanes[l] + lanes[l + 4]) + lanes[l + 8]) + lanes[l + 12];
                c[i * n + j] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            } else c[i * n + j] = folded(lanes);
        }
}

static int level = -1; /* 2: AVX-512, 1: AVX2 with FMA, 0: neither */

/* Where MKL takes dot products for b stored by columns. */
static int few(size m, size k, size n) {
    return (m < 16 && 24 * m <= k) || (n == 2 && m < 16) || (n == 3 && m < 11) || (m < n && k <= n && n < 12);
}

/* Whether b is stored by columns and has many of them. */
static int long_blocks(size k, size n, size b_row) { return b_row == 1 && n >= BLOCK / 2 && k > 2 * BLOCK; }

/* c = a b + bias, tile by tile; `whole`: as the whole product has it, see `next_block`. */
static void tiles(Call *call, struct matrix a, struct matrix b, size m, size k, size n, float *c, size c_row, float *room, int whole,
                  const float *bias) {
    for (size left = 0; left < n; left += GROUP) {
        const size width = n - left < GROUP ? n - left : GROUP;
        for (size done = 0, step; done < k && !ends(call, m * width); done += step) {
            step = next_block(k - done, whole);
            struct matrix x = {a.data + done * a.column, a.row, a.column}, y = {b.data + done * b.row + left * b.column, b.row, b.column};
            const float *more = done ? c + left : bias ? bias + left : NULL;
            IN_BLOCKS(call, x, y, m, step, width, c + left, c_row, room, more, done ? c_row : 0);
        }
    }
}

/* c = a b + bias, a number for each column: it is added last, but where a sum of several blocks or of one vector begins
   with it. `batched`: in a batch of several, where MKL has no way of its own for a vector on the right; `by_rows`: b is said to
   be stored by rows. */
static void multiply(Call *call, const float *a, size a_row, size a_column, const float *b, size b_row, size b_column, size m, size k,
                     size n, float *c, float *room, int batched, int by_rows, const float *bias) {
    if (n == 1 && !batched && b_row != 1 && m > 1) {
        for (size p = 0; p < k; p++) room[p] = b[p * b_row];
        b = room, b_row = 1;
    }
    if (m == 1 && n == 1 && (batched || by_rows)) {
        float sum = bias ? *bias : 0;
        for (size p = 0; p < k; p++) sum = __builtin_fmaf(a[p * a_column], b[p * b_row], sum);
        *c = sum;
        return;
    }
    if (k == 1 && m > 1 && n > 1 && !batched) { /* nothing is added up: zeros keep their signs */
        for (size i = 0; i < m; i++)
            for (size j = 0; j < n; j++) c[i * n + j] = a[i * a_row] * b[j * b_column];
    } else if (m > 1 && n > 1 && a_column == 1 && b_row == 1 && few(m, k, n)) {
        rows_by_rows(a, a_row, b, b_column, m, k, n, c, 24 * m <= k);
    } else if (n == 1 && a_column == 1 && b_row == 1 && !batched) rows_by_vector(call, a, a_row, b, m, k, c);
    else if (m == 1 && b_row == 1 && a_column == 1) rows_by_vector(call, b, b_column, a, n, k, c);
    else if (n == 1 && a_row == 1 && !batched) vector_by_columns(call, b, b_row, a, a_column, k, m, c, room, NULL);
    else if (m == 1 && b_column == 1) {
        vector_by_columns(call, a, a_column, b, b_row, k, n, c, room, bias);
        return;
    } else {
        tiles(call, (struct matrix){a, a_row, a_column}, (struct matrix){b, b_row, b_column}, m, k, n, c, n, room, long_blocks(k, n, b_row),
              bias);
        return;
    }
    for (size i = 0; bias && i < m; i++)
        for (size j = 0; j < n; j++) c[i * n + j] += bias[j];
}

/* The matrices in the last two dimensions of an array; a vector is taken for a row or a column. */
static int matrices_of(const Argument *x, struct matrix *to) {
    const int at = x->ndim - 2;
    const size unit = sizeof(float);
    *to = (struct matrix){x->data, x->strides[at] / unit, x->strides[at + 1] / unit};
    if (x->shape[at + 1] == 1 && to->row == 1) to->column = x->shape[at];
    if (x->shape[at] == 1 && to->column == 1) to->row = x->shape[at + 1];
    return (to->row == 1 && to->column > 0) || (to->column == 1 && to->row > 0);
}

/* The kind of this processor, found once; 0 where products are left to numpy. */
static int kind_of_processor(void) {
    if (level < 0) {
        __builtin_cpu_init();
        int avx512 = TENSORSH_WIDEST == 4 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
        level = !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2") ? 0 : avx512 ? 2 : 1;
    }
    return level;
}

/* Room for the panels of b and strips of a, or for a vector. */
static size room_for(size m, size k, size n) {
    const size depth = k < BLOCK ? k : BLOCK, width = n < GROUP ? (n + 31) / 32 * 32 : GROUP;
    const size panels = depth * (width + (m < CHUNK ? m : CHUNK));
    return (panels > k ? panels : k) * (size)sizeof(float);
}

#define MOST (1 << 28) /* with more multiplications BLAS is faster */
#define SHARED_PRODUCTS (1 << 21) /* so many multiplications are worth a second thread */

/* Where threads share columns: where there are no fewer of them than rows. */
static int by_columns(size m, size n) { return n >= m; }

/* Threads share columns in units of a panel, or rows in those of a tile. */
static size unit(size m, size n) { return by_columns(m, n) ? 32 : 24; }
static size units(size m, size n) { return ((by_columns(m, n) ? n : m) + unit(m, n) - 1) / unit(m, n); }
static void share(Call *c, size m, size k, size n) {
    const size many = units(m, n) / 2, most = 2 * (size)sharers();
    if (m < 16 || n < 16 || k < 16 || many < 2 || sharers() < 2 || c->each < SHARED_PRODUCTS) return;
    c->lines = many < most ? many : most, c->apart = 1;
    c->each = times(times(m, k), n) / c->lines;
}

/* Matrices (m, k) by (k, n), or batches of these, make a new array. */
static int factors(Call *c, int ndim) {
    const Argument *a = &c->in[0], *b = &c->in[1];
    struct matrix unused;
    if (kind_of_processor() == 0 || a->kind != FLOAT32 || b->kind != FLOAT32 || a->ndim != ndim || b->ndim != ndim) return 0;
    const size m = a->shape[ndim - 2], k = a->shape[ndim - 1], n = b->shape[ndim - 1];
    if (b->shape[ndim - 2] != k || a->count == 0 || b->count == 0) return 0;
    if (!matrices_of(a, &unused) || !matrices_of(b, &unused)) return 0;
    Argument *out = result(c, 0);
    shape_as(out, a);
    out->shape[ndim - 1] = n;
    c->lines = 1, c->each = times(times(m, k), n);
    c->room = room_for(m, k, n);
    return c->each <= MOST;
}

/* product(a, b, bias=None): a (m, k) times b (k, n), plus bias (n,) in each row. */
static int product_plan(Call *c) {
    const Argument *bias = &c->in[2];
    if (!factors(c, 2) || (bias->data && (bias->ndim != 1 || bias->count != c->in[1].shape[1]))) return 0;
    share(c, c->in[0].shape[0], c->in[0].shape[1], c->in[1].shape[1]);
    return 1;
}

static int product(Call *c, size from, size to) {
    struct matrix a, b;
    matrices_of(&c->in[0], &a);
    matrices_of(&c->in[1], &b);
    const size m = c->in[0].shape[0], k = c->in[0].shape[1], n = c->in[1].shape[1];
    const float *add = c->in[2].data;
    float *out = c->out[0].data;
    if (c->lines > 1) {
        const int whole = long_blocks(k, n, b.row), columns = by_columns(m, n);
        const size all = units(m, n), most = columns ? n : m, begin = all * from / c->lines * unit(m, n), last = all * to / c->lines * unit(m, n);
        const size some = (last < most ? last : most) - begin;
        if (columns) b.data += begin * b.column, out += begin, add = add ? add + begin : NULL;
        else a.data += begin * a.row, out += begin * n;
        tiles(c, a, b, columns ? m : some, k, columns ? some : n, out, n, c->scratch, whole, add);
    } else if (add && k == 1 && n > 1) {
        for (size i = 0; i < m; i++)
            for (size j = 0; j < n; j++) out[i * n + j] = __builtin_fmaf(a.data[i * a.row], b.data[j * b.column], add[j]);
    } else {
        multiply(c, a.data, a.row, a.column, b.data, b.row, b.column, m, k, n, out, c->scratch, 0,
                 c->in[1].strides[1] == sizeof(float), add);
    }
    return 1;
}

#define PLAIN 400 /* fewer multiplications than this PyTorch does by itself in a batch, rounding each product */

WIDE static void multiply_plainly(const float *a, size a_row, size a_column, const float *b, size b_row, size b_column, size m,
                                  size k, size n, float *c) {
    for (size i = 0; i < m; i++)
        for (size j = 0; j < n; j++) {
            float sum = 0;
            for (size p = 0; p < k; p++) sum += a[i * a_row + p * a_column] * b[p * b_row + j * b_column];
            c[i * n + j] = sum;
        }
}

/* products(a, b, alone): the products of the matrices of two batches, (s, m, k) by (s, k, n); `alone`: each as `product` makes it. */
static int products_plan(Call *c) {
    if (!factors(c, 3) || c->in[0].shape[0] != c->in[1].shape[0]) return 0;
    c->lines = c->in[0].shape[0], c->apart = times(c->lines, c->each) >= SHARED_PRODUCTS;
    return 1;
}

static int products(Call *c, size from, size to) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    struct matrix a, b;
    matrices_of(x, &a);
    matrices_of(y, &b);
    const size m = x->shape[1], k = x->shape[2], n = y->shape[2], alone = c->in[2].whole;
    const size a_step = x->strides[0] / (size)sizeof(float), b_step = y->strides[0] / (size)sizeof(float);
    float *out = (float *)c->out[0].data + from * m * n;
    a.data += from * a_step, b.data += from * b_step;
    for (size i = from; i < to; i++, a.data += a_step, b.data += b_step, out += m * n) {
        if (!alone && m * k * n < PLAIN) multiply_plainly(a.data, a.row, a.column, b.data, b.row, b.column, m, k, n, out);
        else multiply(c, a.data, a.row, a.column, b.data, b.row, b.column, m, k, n, out, c->scratch, !alone && x->shape[0] > 1, !alone, NULL);
    }
    return 1;
}

/* turned(x, factor): the transposed matrices of a batch, whose rows are contiguous, times a number. */
static int turned_plan(Call *c) {
    const Argument *x = &c->in[0];
    if (x->kind != FLOAT32 || x->ndim != 3 || x->count == 0 || x->strides[2] != sizeof(float)) return 0;
    Argument *out = result(c, 0);
    for (int k = 0; k < 3; k++) add_dimension(out, x->shape[k ? 3 - k : 0]);
    c->lines = x->shape[0], c->each = x->shape[1] * x->shape[2];
    return 1;
}

static int turned(Call *c, size from, size to) {
    const Argument *x = &c->in[0];
    const size m = x->shape[1], n = x->shape[2], row = x->strides[1] / (size)sizeof(float);
    const float factor = (float)c->in[1].number;
    for (size k = from; k < to; k++) {
        const float *rows = (const float *)x->data + k * (x->strides[0] / (size)sizeof(float));
        float *out = (float *)c->out[0].data + k * m * n;
        for (size i = 0; i < m; i += 4)
            for (size j = 0; j < n; j += 4) {
                if (i + 4 <= m && j + 4 <= n) {
                    turn_four(rows + i * row + j, row, out + j * m + i, m, &factor);
                    continue;
                }
                for (size p = i; p < m && p < i + 4; p++)
                    for (size q = j; q < n && q < j + 4; q++) out[q * m + p] = rows[p * row + q] * factor;
            }
    }
    return 1;
}

/* dot(x, y): four sets of lanes take turns; what is left goes to the first two, and a rest of a vector to the first. */
static int dot_plan(Call *c) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    if (kind_of_processor() == 0 || x->ndim != 1 || y->ndim != 1 || x->count != y->count || x->count == 0) return 0;
    result(c, 0);
    c->lines = 1, c->each = x->count;
    return x->count <= MOST;
}

WIDE static int dot(Call *c, size from, size to) {
    (void)from, (void)to;
    const float *x = c->in[0].data, *y = c->in[1].data;
    const size n = c->in[0].count;
    float lanes[4][LANES] = {0};
    size p = 0;
    for (; p + 4 * LANES <= n; p += 4 * LANES)
        for (int set = 0; set < 4; set++) multiply_add(lanes[set], x + p + set * LANES, y + p + set * LANES, LANES);
    for (int set = 0; p + LANES <= n; p += LANES, set = !set) multiply_add(lanes[set], x + p, y + p, LANES);
    multiply_add(lanes[0], x + p, y + p, n - p);
    for (int l = 0; l < LANES; l++) lanes[0][l] = (lanes[0][l] + lanes[1][l]) + (lanes[2][l] + lanes[3][l]);
    for (int half = LANES / 2; half >= 4; half /= 2)
        for (int l = 0; l < half; l++) lanes[0][l] += lanes[0][l + half];
    *(float *)c->out[0].data = (lanes[0][0] + lanes[0][1]) + (lanes[0][2] + lanes[0][3]);
    return 1;
}

const Kernel gemm_kernels[] = {
    {"dot", "ff", dot_plan, dot, "dot(x, y), of vectors"},
    {"product", "ee|f?", product_plan, product, "product(a, b, bias=None)"},
    {"products", "ee|b", products_plan, products, "products(a, b, alone=False), of batches"},
    {"turned", "ex", turned_plan, turned, "turned(x, factor), transposed, of a batch"},
    {0},
};
#else
const Kernel gemm_kernels[] = {{0}};
#endif
