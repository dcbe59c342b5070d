/* Convolution of planes, and the gradient of its weight, by sums of shifted lines held in registers.

   Steps of more than one make several planes of each: those of the even rows and columns, of the even rows and odd columns, and so
   on. Within such a part a window moves in steps of one. */
#include "kernels.h"

/* `run` makes `width` results of `outs` channels; `cost` is that of one multiplication, compared with the best. */
struct sums {
    int outs, width;
    float cost;
    void (*run)(const float *x, const size *offsets, size taps, const float *w, const float *bias, float *to);
};
typedef void (*dots)(const float *const *x, const float *const *g, size count, size samples, const size *apart, float *lanes);
#define SIXTEEN 16 /* lanes of the sums of a weight's gradient */
#define MOST 6     /* channels whose sums are made at a time, at the most */
#define RANGE 60   /* taps whose lanes stay in the first cache: a multiple of each number that is taken at a time */
struct machine {
    const struct sums *sums;
    dots dots[MOST]; /* for one to so many channels */
    int outs, taps;
};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#if FOR_LEVEL(4)
#define TARGET __attribute__((target("avx512f,fma")))
#define FUSED(a, b, c) (VECTOR) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define NAME(name) name##_512
#define LANES 16
#define VECTORS_8 3
#define COST_8 1.0f
#define COST_4 1.05f
#define VECTORS_6 4
#define VECTORS_4 6
#define VECTORS_2 8
#define VECTORS_1 8
#define OUTS 6
#define TAPS 4
#include "shifted_lines.h"
#endif
#if FOR_LEVEL(3)
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED(a, b, c) (VECTOR) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define NAME(name) name##_256
#define LANES 8
#define VECTORS_8 1
#define COST_8 1.6f
#define COST_4 1.0f
#define VECTORS_6 2
#define VECTORS_4 3
#define VECTORS_2 6
#define VECTORS_1 8
#define OUTS 4
#define TAPS 3
#include "shifted_lines.h"
#endif
static const struct machine *machine(void) {
#if FOR_LEVEL(4)
    if (TENSORSH_WIDEST == 4 && __builtin_cpu_supports("avx512f")) return &machine_512;
#endif
#if FOR_LEVEL(3)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &machine_256;
#endif
    return NULL;
}
#elif defined(__aarch64__) && defined(__GNUC__)
#include <arm_neon.h>
#define TARGET
#define FUSED(a, b, c) (VECTOR) vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define NAME(name) name##_128
#define LANES 4
#define VECTORS_8 3
#define COST_8 1.0f
#define COST_4 1.05f
#define VECTORS_6 4
#define VECTORS_4 6
#define VECTORS_2 8
#define VECTORS_1 8
#define OUTS 4
#define TAPS 5
#include "shifted_lines.h"
static const struct machine *machine(void) { return &machine_128; }
#else
static const struct machine *machine(void) { return NULL; }
#endif

#define KINDS 5          /* of sums */
#define FUSIONS 8        /* multiplications in the time of an element of other work */
#define WIDEST 128       /* places that any of them makes at a time */
#define LINE 4096        /* places of a line that are multiplied before the next channels take their turn */
#define NEAR 144         /* taps that all channels have before the next ones: what they take of the planes stays in the first cache */

/* The shapes of a convolution: [n, c, h, w] with a border of ph and pw, weight [o, c / groups, kh, kw], in steps of sh and sw,
   with the elements of a window dh and dw apart. */
struct shapes {
    size n, c, h, w, o, kh, kw, ph, pw, groups, sh, sw, dh, dw;
    size wide, part, plane, oh, ow; /* with the border: width and size of a part of a plane, all its parts; the result's height and width */
    size line, taps;          /* places of the result in a line of planes as wide as that; weights of a channel */
};

/* The zeros at the end of a row are those before the next one, where they may be. */
static int shapes_of(struct shapes *s, const Argument *x, const Argument *w, const Argument *y, const Argument *numbers, int count) {
    if (machine() == NULL || x->ndim != 4 || w->ndim != 4 || y->ndim != 4 || (count != 3 && count != 7)) return 0;
    size given[7] = {0, 0, 0, 1, 1, 1, 1};
    for (int k = 0; k < count; k++) {
        given[k] = numbers[k].whole;
        if (given[k] < (k > 2) || given[k] > 1 << 20) return 0;
    }
    const size *d = x->shape, *k = w->shape, *r = y->shape;
    *s = (struct shapes){.n = d[0], .c = d[1], .h = d[2], .w = d[3], .o = k[0], .kh = k[2], .kw = k[3],
                         .ph = given[0], .pw = given[1], .groups = given[2],
                         .sh = given[3], .sw = given[4], .dh = given[5], .dw = given[6]};
    const size height = s->h + 2 * s->ph, width = s->w + 2 * s->pw;
    const size down = height - 1 - times(s->dh, s->kh - 1), along = width - 1 - times(s->dw, s->kw - 1);
    if (s->kh < 1 || s->kw < 1 || down < 0 || along < 0) return 0;
    s->oh = down / s->sh + 1;
    s->ow = along / s->sw + 1;
    const int shared = s->sw == 1 && s->pw <= 16 && s->pw <= s->dw * (s->kw - 1);
    s->wide = (width - (shared ? s->pw : 0) + s->sw - 1) / s->sw;
    s->part = s->wide * ((height + s->sh - 1) / s->sh);
    s->plane = times(times(s->part, s->sh), s->sw);
    s->line = (s->oh - 1) * s->wide + s->ow;
    s->taps = k[1] * s->kh * s->kw;
    if (s->groups < 1 || s->o % s->groups || k[1] * s->groups != s->c) return 0;
    if (s->oh < 1 || s->ow < 1 || r[0] != s->n || r[1] != s->o || r[2] != s->oh || r[3] != s->ow) return 0;
    return x->count > 0 && w->count > 0 && (double)s->c * (double)s->plane < 1e9;
}

/* The numbers at even and at odd places of a row. */
WIDE static void halve(const float *restrict from, float *restrict even, float *restrict odd, size n) {
    for (size k = 0; k < n / 2; k++) even[k] = from[2 * k], odd[k] = from[2 * k + 1];
    if (n % 2) even[n / 2] = from[n - 1];
}

/* In eights, of which the last begins before the one before it has ended. */
INLINE void copy_line(float *to, const float *from, size n) {
    if (n < 8) {
        memcpy(to, from, n * sizeof(float));
        return;
    }
    for (size k = 0; k + 8 < n; k += 8) memcpy(to + k, from + k, 8 * sizeof(float));
    memcpy(to + n - 8, from + n - 8, 8 * sizeof(float));
}

/* Rows `top` to `bottom` of a sample's planes, the border's among them. Steps that lie together leave the rest of a row to the next one. */
static void surround(const float *x, float *to, const struct shapes *s, size top, size bottom) {
    const size border = s->pw * sizeof *to;
    for (size c = 0; c < s->c; c++, to += s->plane, x += s->h * s->w)
        for (size row = top; row < bottom; row++) {
            float *line = to + row % s->sh * s->sw * s->part + row / s->sh * s->wide;
            const float *from = x + (row - s->ph) * s->w;
            const int inside = row >= s->ph && row < s->ph + s->h;
            if (s->sw == 1) {
                memset(line, 0, border);
                if (inside) copy_line(line + s->pw, from, s->w);
                else memset(line + s->pw, 0, s->w * sizeof *to);
                memset(line + s->pw + s->w, 0, border);
                continue;
            }
            for (size column = 0; column < s->sw; column++) memset(line + column * s->part, 0, s->wide * sizeof *to);
            if (inside && s->sw == 2)
                halve(from, line + s->pw % 2 * s->part + s->pw / 2, line + (s->pw + 1) % 2 * s->part + (s->pw + 1) / 2, s->w);
            for (size left = 0; inside && s->sw > 2 && left < s->sw && left < s->w; left++) {
                float *at = line + (left + s->pw) % s->sw * s->part + (left + s->pw) / s->sw;
                for (size column = left; column < s->w; column += s->sw) *at++ = from[column];
            }
        }
}

/* How far from a result's place in the first plane the elements of its window lie. */
static void distances(size *offsets, const struct shapes *s) {
    for (size t = 0; t < s->taps; t++) {
        const size place = t % (s->kh * s->kw), down = place / s->kw * s->dh, along = place % s->kw * s->dw;
        offsets[t] = t / (s->kh * s->kw) * s->plane + (down % s->sh * s->sw + along % s->sw) * s->part
                     + down / s->sh * s->wide + along / s->sw;
    }
}

/* The cheapest way to make the results of `outs` channels. */
static const struct sums *cheapest(const struct sums *kinds, size outs, size line) {
    const struct sums *best = kinds;
    double least = 1e300;
    for (const struct sums *kind = kinds; kind < kinds + KINDS; kind++) {
        double padded = (double)((outs + kind->outs - 1) / kind->outs * kind->outs);
        double cost = kind->cost * padded * (double)((line + kind->width - 1) / kind->width * kind->width);
        if (cost < least) least = cost, best = kind;
    }
    return best;
}

/* Places `first` to `end` of the lines of `outs` channels, which stand behind one another in `made`, without those around an edge. */
static void write_out(const float *made, size width, float *y, size outs, size first, size end, const struct shapes *s) {
    for (size at = first, next; at < end; at = next) {
        const size row = at / s->wide, column = at % s->wide, left = s->ow - column, plane = s->oh * s->ow;
        const float *from = made + (at - first);
        float *to = y + row * s->ow + column;
        next = (row + 1) * s->wide < end ? (row + 1) * s->wide : end;
        const size some = next - at < left ? next - at : left;
        for (size o = 0; some > 0 && o < outs; o++) copy_line(to + o * plane, from + o * width, some);
    }
}

/* Rooms in a call's scratch memory, each of so many elements of four bytes (or of sizes), one behind the other. */
struct rooms {
    const struct sums *kind;
    size blocks, packed, padded, whole, together;
    size planes, weights, lines, sums, lanes; /* elements */
};

/* Few samples are cut into strips, so that there are enough for all threads. */
static size strips_of(const struct shapes *s) { return s->n < 8 ? 8 / s->n : 1; }

/* Lines of work, each of several strips: every one begins with the weights laid together. */
static size lines_of_strips(const struct shapes *s) {
    const size all = s->n * strips_of(s), most = sharers() < 2 ? 1 : 4 * sharers();
    return all < most ? all : most;
}

static void forward_rooms(struct rooms *r, const struct shapes *s) {
    const size outs = s->o / s->groups;
    r->kind = cheapest(machine()->sums, outs, s->line);
    r->blocks = (outs + r->kind->outs - 1) / r->kind->outs;
    r->packed = r->blocks * r->kind->outs;
    r->planes = s->c * s->plane + WIDEST + 16; /* the last row's end, where it is shared */
    r->weights = s->groups * r->packed * (s->taps + 1);
    r->sums = r->packed * r->kind->width;
}

/* In lines of work: strips of a sample. */
static void forward(Call *call, const float *x, const float *w, const float *bias, float *y, const struct shapes *s, char *room, size from, size to) {
    struct rooms r;
    forward_rooms(&r, s);
    const struct sums *kind = r.kind;
    const size outs = s->o / s->groups, inner = s->c / s->groups * s->plane, blocks = r.blocks, packed = r.packed;
    size *offsets = (size *)room;
    float *planes = (float *)(offsets + s->taps), *weights = planes + r.planes, *biases = weights + s->groups * packed * s->taps;
    float *made = weights + r.weights;
    if (packed > outs) memset(weights, 0, s->groups * packed * s->taps * sizeof *weights);
    if (packed > outs || !bias) memset(biases, 0, s->groups * packed * sizeof *biases);
    distances(offsets, s);
    for (size o = 0, few; o < s->o; o += few) { /* channels that are multiplied at a time, and of these some taps: both stay near */
        few = outs - o % outs < kind->outs ? outs - o % outs : kind->outs;
        const size at = o / outs * packed + o % outs;
        for (size t = 0; t < s->taps; t += SIXTEEN)
            for (size k = 0; k < few; k++) {
                const float *from = w + (o + k) * s->taps;
                float *to = weights + at * s->taps + k;
                for (size u = t; u < t + SIXTEEN && u < s->taps; u++) to[u * kind->outs] = from[u];
            }
        if (bias) memcpy(biases + at, bias + o, few * sizeof *bias);
    }
    const size strips = strips_of(s), pieces = (s->line + kind->width - 1) / kind->width;
    for (size next = 0; from < to; from = next) {
        const size sample = from / strips, start = from % strips * pieces / strips * kind->width;
        next = to < (sample + 1) * strips ? to : (sample + 1) * strips;
        size stop = (next - sample * strips) * pieces / strips * kind->width;
        stop = stop < s->line ? stop : s->line;
        if (start < stop)
            surround(x + sample * s->c * s->h * s->w, planes, s, start / s->wide * s->sh,
                     (stop - 1) / s->wide * s->sh + s->dh * (s->kh - 1) + 1);
        for (size group = 0; group < s->groups; group++)
            for (size first = start; first < stop && !ends(call, outs * kind->width * s->taps / FUSIONS); first += kind->width) {
                const size end = first + kind->width < stop ? first + kind->width : stop;
                for (size tap = 0, some; tap < s->taps; tap += some) {
                    some = s->taps - tap < NEAR ? s->taps - tap : NEAR;
                    for (size b = 0; b < blocks; b++) {
                        const size top = b * kind->outs, at = group * packed + top;
                        kind->run(planes + group * inner + first, offsets + tap, some, weights + at * s->taps + tap * kind->outs,
                                  tap ? NULL : biases + at, made + top * kind->width);
                    }
                }
                write_out(made, kind->width, y + (sample * s->o + group * outs) * s->oh * s->ow, outs, first, end, s);
            }
    }
}

#define TOGETHER 262144 /* elements of the samples whose gradients are added up together */
#define CLOSE 1024      /* places of the samples' lines that meet all taps in turn, while they stay in the first cache */

/* The sum of all lanes, in halves. */
typedef float Four __attribute__((vector_size(16)));
INLINE float folded(const float *from) {
    Four lanes[SIXTEEN / 4];
    memcpy(lanes, from, sizeof lanes);
    const Four sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* The rooms for a gradient begin at lines of the cache: vectors that lie across two of them are read twice. */
static size whole_lines(size elements) { return (elements + SIXTEEN - 1) / SIXTEEN * SIXTEEN; }

static void gradient_rooms(struct rooms *r, const struct shapes *s) {
    const int taps = machine()->taps;
    r->padded = (s->taps + taps - 1) / taps * taps;
    r->whole = whole_lines(s->line);
    const size together = TOGETHER / (s->c * s->plane + s->o * r->whole);
    r->together = together < 1 ? 1 : together > s->n ? s->n : together;
    r->planes = whole_lines(r->together * s->c * s->plane + WIDEST);
    r->lines = r->together * s->o * r->whole;
    r->sums = whole_lines(s->o * r->padded);
    r->lanes = MOST * (r->padded < RANGE ? r->padded : RANGE) * SIXTEEN;
}

static int weight_gradient(Call *call, const float *x, const float *g, float *w, const struct shapes *s, char *room) {
    const struct machine *m = machine();
    struct rooms r;
    gradient_rooms(&r, s);
    const size outs = s->o / s->groups, inner = s->c / s->groups * s->plane;
    const size padded = r.padded, blocks = (outs + m->outs - 1) / m->outs, whole = r.whole, together = r.together;
    const size apart[2] = {s->c * s->plane, s->o * whole};
    float *lines = (float *)(room + (-(uintptr_t)room & 63)), *lanes = lines + r.lines, *planes = lanes + r.lanes, *sums = planes + r.planes;
    size *offsets = (size *)(sums + r.sums);
    int done = 1;
    memset(lines, 0, r.lines * sizeof *lines), memset(planes, 0, (r.planes + r.sums) * sizeof *planes);
    distances(offsets, s);
    for (size sample = 0, samples; sample < s->n; sample += samples) {
        samples = s->n - sample < together ? s->n - sample : together;
        for (size n = 0; n < samples; n++) {
            surround(x + (sample + n) * s->c * s->h * s->w, planes + n * apart[0], s, 0, s->h + 2 * s->ph);
            const float *from = g + (sample + n) * s->o * s->oh * s->ow;
            for (size o = 0; o < s->o; o++)
                for (size row = 0; row < s->oh; row++, from += s->ow)
                    copy_line(lines + n * apart[1] + o * whole + row * s->wide, from, s->ow);
        }
        for (size group = 0; group < s->groups; group++)
            for (size first = 0; first < whole; first += LINE) {
                size count = whole - first < LINE ? whole - first : LINE;
                if (ends(call, samples * outs * count * s->taps / FUSIONS)) return 0;
                for (size b = 0; b < blocks; b++) {
                    size top = group * outs + b * outs / blocks, some = group * outs + (b + 1) * outs / blocks - top;
                    const float *from[8], *grads[MOST];
                    const size close = count < CLOSE ? CLOSE / count : 1;
                    for (size t = 0, end; t < padded; t = end) {
                        end = t + RANGE < padded ? t + RANGE : padded;
                        memset(lanes, 0, some * (end - t) * SIXTEEN * sizeof *lanes);
                        for (size n = 0; n < samples; n += close) {
                            const size few = samples - n < close ? samples - n : close;
                            for (size o = 0; o < some; o++) grads[o] = lines + n * apart[1] + (top + o) * whole + first;
                            for (size u = t; u < end; u += m->taps) {
                                for (int k = 0; k < m->taps; k++) {
                                    size tap = u + k < s->taps ? u + k : s->taps - 1;
                                    from[k] = planes + n * apart[0] + group * inner + first + offsets[tap];
                                }
                                m->dots[some - 1](from, grads, count, few, apart, lanes + (u - t) * some * SIXTEEN);
                            }
                        }
                        const float *at = lanes;
                        for (size u = t; u < end; u += m->taps)
                            for (size o = 0; o < some; o++)
                                for (int k = 0; k < m->taps; k++, at += SIXTEEN) sums[(top + o) * padded + u + k] += folded(at);
                    }
                }
            }
    }
    /* Around an edge zeros met elements of other windows: that changes nothing unless these are infinite or NaN. */
    for (size i = 0; done && i < s->o * padded; i++) done = isfinite(sums[i]);
    for (size o = 0; done && o < s->o; o++) memcpy(w + o * s->taps, sums + o * padded, s->taps * 4);
    return done;
}

static int room_of(Call *c, const struct shapes *s, size elements, size lines) {
    c->lines = lines;
    c->each = times(s->n * s->o * s->line, s->taps) / lines;
    c->room = s->taps * (size)sizeof(size) + elements * (size)sizeof(float);
    return 1;
}

static int convolution_plan(Call *c) {
    struct shapes s;
    struct rooms r;
    if (!shapes_of(&s, &c->in[0], &c->in[1], &c->in[3], &c->in[4], c->given - 4) || (c->in[2].data && c->in[2].count != s.o)) return 0;
    c->answer = 3;
    forward_rooms(&r, &s);
    c->apart = 1;
    return room_of(c, &s, r.planes + r.weights + r.sums, lines_of_strips(&s));
}

static int convolution(Call *c, size from, size to) {
    struct shapes s;
    if (!shapes_of(&s, &c->in[0], &c->in[1], &c->in[3], &c->in[4], c->given - 4)) return 0;
    const size all = s.n * strips_of(&s);
    from = from * all / c->lines, to = to * all / c->lines;
    forward(c, c->in[0].data, c->in[1].data, c->in[2].data, c->in[3].data, &s, c->scratch, from, to);
    return 1;
}

/* The shapes of a gradient, of which there is one for each of several pieces of the samples: [pieces, o, c / groups, kh, kw]. */
static int shapes_of_gradient(struct shapes *s, const Call *c) {
    const Argument *sums = &c->in[2];
    Argument w = *sums;
    if (sums->ndim != 5) return 0;
    w.ndim = 4, w.count /= sums->shape[0] > 0 ? sums->shape[0] : 1;
    memcpy(w.shape, sums->shape + 1, 4 * sizeof *w.shape);
    return shapes_of(s, &c->in[0], &w, &c->in[1], &c->in[3], c->given - 3) && sums->shape[0] <= s->n;
}

static int convolution_weight_plan(Call *c) {
    struct shapes s;
    struct rooms r;
    if (!shapes_of_gradient(&s, c)) return 0;
    c->answer = 2;
    gradient_rooms(&r, &s);
    c->apart = 1;
    return room_of(c, &s, r.planes + r.lines + r.sums + r.lanes + SIXTEEN, c->in[2].shape[0]);
}

static int convolution_weight(Call *c, size from, size to) {
    struct shapes all;
    if (!shapes_of_gradient(&all, c)) return 0;
    int done = 1;
    for (size piece = from; done && piece < to; piece++) {
        struct shapes s = all;
        const size first = piece * all.n / c->lines, x = all.c * all.h * all.w, g = all.o * all.oh * all.ow;
        s.n = (piece + 1) * all.n / c->lines - first;
        done = weight_gradient(c, (const float *)c->in[0].data + first * x, (const float *)c->in[1].data + first * g,
                               (float *)c->in[2].data + piece * all.o * all.taps, &s, c->scratch);
    }
    return done;
}

const Kernel convolution_kernels[] = {
    {"convolution", "fff?Fiii|iiii", convolution_plan, convolution,
     "convolution(x, weight, bias or None, out, border above, border left, groups, steps down, along, dilations down, along)"},
    {"convolution_weight", "ffFiii|iiii", convolution_weight_plan, convolution_weight,
     "convolution_weight(x, gradient, out of each piece of the samples, border above, border left, groups, steps down, along, dilations down, along)"},
    {0},
};
