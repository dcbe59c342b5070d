/* Half types: arrays converted, and float32's own loops run on them, a piece at a time that stays in the first cache.

   Each conversion is exact or rounds to the nearest, a tie to the even number, by the processor's own instructions for float16 or
   in integer arithmetic that compilers turn into vector instructions, which gives the same bits. */
#include "conversions.h"
#include "vector_math.h"

#define PIECE 512

WIDE static void widened(int brain, const uint16_t *x, float *out, size n) {
    uint32_t *bits = (uint32_t *)out;
    if (brain) {
        INDEPENDENT
        for (size i = 0; i < n; i++) bits[i] = (uint32_t)x[i] << 16;
        return;
    }
    INDEPENDENT
    for (size i = 0; i < n; i++) {
        const uint32_t size_of = (uint32_t)(x[i] & 0x7fff) << 13, sign = (uint32_t)(x[i] & 0x8000) << 16;
        uint32_t made = size_of + (112u << 23);
        made = size_of >= 0x0f800000 ? made + (112u << 23) : made;
        made = size_of > 0x0f800000 ? made | 0x400000 : made; /* a quiet NaN */
        made = size_of < 0x00800000 ? single_bits(as_single(size_of + (113u << 23)) - 0x1p-14f) : made;
        bits[i] = made | sign;
    }
}

WIDE static void narrowed(int brain, const float *x, uint16_t *out, size n) {
    const uint32_t *bits = (const uint32_t *)x;
    if (brain) {
        INDEPENDENT
        for (size i = 0; i < n; i++) out[i] = brain_bits(bits[i]);
        return;
    }
    INDEPENDENT
    for (size i = 0; i < n; i++) {
        const uint32_t b = bits[i] & 0x7fffffff, sign = bits[i] >> 16 & 0x8000;
        uint32_t made = (b - (112u << 23) + 0xfff + (b >> 13 & 1)) >> 13;
        made = b < (113u << 23) ? single_bits(as_single(b) + 0.5f) - (126u << 23) : made;
        made = b >= 0x477ff000 ? 0x7c00 : made;
        made = b > 0x7f800000 ? 0x7e00 | (b >> 13 & 0x3ff) : made;
        out[i] = (uint16_t)(made | sign);
    }
}

/* As many float16 as the processor's instructions convert, from the first on. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
__attribute__((target("avx512f"))) static size widened_512(const uint16_t *x, float *out, size n) {
    size i = 0;
    for (; i + 16 <= n; i += 16) _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(x + i))));
    return i;
}
__attribute__((target("avx512f"))) static size narrowed_512(const float *x, uint16_t *out, size n) {
    size i = 0;
    for (; i + 16 <= n; i += 16) _mm256_storeu_si256((__m256i *)(out + i), _mm512_cvtps_ph(_mm512_loadu_ps(x + i), 0));
    return i;
}
__attribute__((target("avx2,f16c"))) static size widened_256(const uint16_t *x, float *out, size n) {
    size i = 0;
    UNROLL(4)
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
    return i;
}
__attribute__((target("avx2,f16c"))) static size narrowed_256(const float *x, uint16_t *out, size n) {
    size i = 0;
    UNROLL(4)
    for (; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i *)(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
    return i;
}
/* The bits of bfloat16, in 32 each. */
__attribute__((target("avx2"))) INLINE __m256i brains_256(const float *x) {
    const __m256 v = _mm256_loadu_ps(x);
    const __m256i b = _mm256_castps_si256(v), high = _mm256_srli_epi32(b, 16), half = _mm256_set1_epi32(0x7fff);
    const __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    const __m256i near = _mm256_srli_epi32(_mm256_add_epi32(b, _mm256_add_epi32(half, odd)), 16);
    const __m256i none = _mm256_or_si256(_mm256_and_si256(high, _mm256_set1_epi32(0x8000)), _mm256_set1_epi32(0x7fc0));
    return _mm256_blendv_epi8(near, none, _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
}
__attribute__((target("avx2"))) static size brains_narrowed_256(const float *x, uint16_t *out, size n) {
    size i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m256i both = _mm256_packus_epi32(brains_256(x + i), brains_256(x + i + 8));
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_permute4x64_epi64(both, 0xd8));
    }
    return i;
}
static int widest(void) {
    if (TENSORSH_WIDEST == 4 && __builtin_cpu_supports("avx512f")) return 512;
    static int converts = -1; /* not every compiler knows this by name */
    unsigned a, b, c = 0, d;
    if (converts < 0) converts = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
    return converts && __builtin_cpu_supports("avx2") ? 256 : 0;
}
static size widened_fast(const uint16_t *x, float *out, size n) {
    const int bits = widest();
    return bits == 512 ? widened_512(x, out, n) : bits ? widened_256(x, out, n) : 0;
}
static size narrowed_fast(int brain, const float *x, uint16_t *out, size n) {
    const int bits = widest();
    if (brain) return bits == 256 ? brains_narrowed_256(x, out, n) : 0;
    return bits == 512 ? narrowed_512(x, out, n) : bits ? narrowed_256(x, out, n) : 0;
}
#else
static size widened_fast(const uint16_t *x, float *out, size n) { return (void)x, (void)out, (void)n, 0; }
static size narrowed_fast(int brain, const float *x, uint16_t *out, size n) { return (void)brain, (void)x, (void)out, (void)n, 0; }
#endif

/* A function that has several builds is known in its own file only. */
void halves_to_floats(int brain, const uint16_t *x, float *out, size n) {
    const size done = brain ? 0 : widened_fast(x, out, n);
    if (done < n) widened(brain, x + done, out + done, n - done);
}
void floats_to_halves(int brain, const float *x, uint16_t *out, size n) {
    const size done = narrowed_fast(brain, x, out, n);
    if (done < n) narrowed(brain, x + done, out + done, n - done);
}

static int is_half(const Argument *x) { return x->kind == HALF || x->kind == BRAIN; }

/* A new array of a shape; work in single elements. */
static int like(Call *c, int dtype, const Argument *shape) {
    shape_as(result(c, dtype), shape);
    c->lines = shape->count, c->each = 1, c->apart = 1;
    return 1;
}

static int widened_plan(Call *c) { return is_half(&c->in[0]) && like(c, NEW_FLOAT32, &c->in[0]); }
static int half_widened(Call *c, size from, size to) {
    halves_to_floats(c->in[0].kind == BRAIN, (const uint16_t *)c->in[0].data + from, (float *)c->out[0].data + from, to - from);
    return 1;
}

static int narrowed_plan(Call *c) {
    const Kind kind = c->in[0].kind;
    return is_half(&c->in[1]) && (kind == FLOAT32 || kind == FLOAT64 || kind == INT64) && like(c, 1, &c->in[0]);
}
/* What is no float32 becomes one first, as in PyTorch. */
WIDE static void singles_of(const Argument *x, size from, size n, float *near) {
    if (x->kind == FLOAT64)
        for (size i = 0; i < n; i++) near[i] = (float)((const double *)x->data)[from + i];
    else
        for (size i = 0; i < n; i++) near[i] = (float)((const int64_t *)x->data)[from + i];
}
static int half_narrowed(Call *c, size from, size to) {
    float near[PIECE];
    for (size done = from, m; c->in[0].kind != FLOAT32 && done < to; done += m) {
        m = to - done < PIECE ? to - done : PIECE;
        singles_of(&c->in[0], done, m, near);
        floats_to_halves(c->in[1].kind == BRAIN, near, (uint16_t *)c->out[0].data + done, m);
    }
    if (c->in[0].kind != FLOAT32) return 1;
    floats_to_halves(c->in[1].kind == BRAIN, (const float *)c->in[0].data + from, (uint16_t *)c->out[0].data + from, to - from);
    return 1;
}

/* half_computed(ufunc, x, ...): each other operand has the shape and the type of x, or is one element, of that type or float32. */
#define MOST_INPUTS 4
static int computed_plan(Call *c) {
    const Argument *x = &c->in[1];
    if (!is_half(x)) return 0;
    for (int k = 2; k < c->given; k++) {
        const Argument *y = &c->in[k];
        if (y->kind == FLOAT32 ? y->ndim != 0 : y->kind != x->kind) return 0;
        if (y->ndim && !has_shape(y, x->ndim, x->shape)) return 0;
    }
    return like(c, c->in[0].loop.truths ? NEW_TRUTHS : 1, x);
}

static int half_computed(Call *c, size from, size to) {
    const UfuncLoop *loop = &c->in[0].loop;
    const int inputs = c->given - 1, brain = c->in[1].kind == BRAIN;
    float wide[MOST_INPUTS][PIECE], made[PIECE];
    size steps[MOST_INPUTS + 1];
    for (int k = 0; k < inputs; k++) {
        const Argument *x = &c->in[k + 1];
        steps[k] = k && x->ndim == 0 ? 0 : sizeof(float);
        if (steps[k]) continue;
        if (x->kind == FLOAT32) wide[k][0] = *(const float *)x->data;
        else halves_to_floats(brain, x->data, wide[k], 1);
    }
    steps[inputs] = loop->truths ? 1 : sizeof(float);
    for (size done = from, m; done < to; done += m) {
        m = to - done < PIECE ? to - done : PIECE;
        char *places[MOST_INPUTS + 1];
        for (int k = 0; k < inputs; k++) {
            if (steps[k]) halves_to_floats(brain, (const uint16_t *)c->in[k + 1].data + done, wide[k], m);
            places[k] = (char *)wide[k];
        }
        places[inputs] = loop->truths ? (char *)c->out[0].data + done : (char *)made;
        loop->run(places, &m, steps, loop->data);
        if (!loop->truths) floats_to_halves(brain, made, (uint16_t *)c->out[0].data + done, m);
    }
    return 1;
}

/* half_mapped(x, table): what a table has for each number, which are as many as 16 bits tell apart. */
static int mapped_plan(Call *c) {
    const Argument *x = &c->in[0], *table = &c->in[1];
    return is_half(x) && table->count == 1 << 16 && (table->item == 1 || table->item == 2) && like(c, 1, x);
}
static int half_mapped(Call *c, size from, size to) {
    const uint16_t *x = c->in[0].data;
    if (c->in[1].item == 1) {
        const uint8_t *table = c->in[1].data;
        uint8_t *out = c->out[0].data;
        UNROLL(4)
        for (size i = from; i < to; i++) out[i] = table[x[i]];
    } else {
        const uint16_t *table = c->in[1].data;
        uint16_t *out = c->out[0].data;
        UNROLL(4)
        for (size i = from; i < to; i++) out[i] = table[x[i]];
    }
    return 1;
}

/* half_dot(x, y): products in float32, those of a piece added side by side, and the pieces' sums in double. */
static int half_dot_plan(Call *c) {
    const Argument *x = &c->in[0], *y = &c->in[1];
    if (!is_half(x) || y->kind != x->kind || x->ndim != 1 || y->ndim != 1 || x->count != y->count) return 0;
    result(c, NEW_FLOAT32);
    c->lines = 1, c->each = x->count;
    return 1;
}
#define LANES 16
WIDE static float piece_dot(const float *x, const float *y, size n) {
    float sums[LANES] = {0};
    size i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) sums[j] += x[i + j] * y[i + j];
    for (; i < n; i++) sums[i % LANES] += x[i] * y[i];
    for (int some = LANES / 2; some; some /= 2)
        for (int j = 0; j < some; j++) sums[j] += sums[j + some];
    return sums[0];
}
static int half_dot(Call *c, size from, size to) {
    const int brain = c->in[0].kind == BRAIN;
    const size n = from < to ? c->in[0].count : 0;
    float x[PIECE], y[PIECE];
    double sum = 0;
    for (size done = 0, m; done < n; done += m) {
        m = n - done < PIECE ? n - done : PIECE;
        halves_to_floats(brain, (const uint16_t *)c->in[0].data + done, x, m);
        halves_to_floats(brain, (const uint16_t *)c->in[1].data + done, y, m);
        sum += piece_dot(x, y, m);
        if (ends(c, m)) return 1;
    }
    *(float *)c->out[0].data = (float)sum;
    return 1;
}

const Kernel halves_kernels[] = {
    {"half_dot", "h~h~", half_dot_plan, half_dot, "half_dot(x, y): the sum of products of two vectors, as float32"},
    {"half_widened", "h", widened_plan, half_widened, "half_widened(x): as float32"},
    {"half_narrowed", "ay", narrowed_plan, half_narrowed, "half_narrowed(x, dtype): float32, float64 or int64 as a half type"},
    {"half_mapped", "ha", mapped_plan, half_mapped, "half_mapped(x, table): for each number what a table of 65,536 has for its bits"},
    {"half_computed", "oh|hhh", computed_plan, half_computed, "half_computed(ufunc, x, ...): in float32, and rounded"},
    {0},
};
