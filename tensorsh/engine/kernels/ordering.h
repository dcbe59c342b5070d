/* Pairs of a key and a place, put in order of their keys: included once for each size of key, see orders.c.

   `KEY` is an unsigned integer, `NAMED(x)` a name of its own for each inclusion. Where PyTorch leaves the order of equal
   elements to the C++ library, these are libstdc++'s algorithms step by step: std::sort, std::nth_element, std::partial_sort.
   Keys and places are scratch memory of one call, so an order is never contradicted and a walk finds its end. */

typedef struct {
    KEY key, place;
} NAMED(Pair);
#define Pair NAMED(Pair)

INLINE void NAMED(swap)(Pair *a, Pair *b) {
    const Pair kept = *a;
    *a = *b, *b = kept;
}

INLINE void NAMED(insertion)(Pair *q, size n) {
    for (size i = 1; i < n; i++) {
        const Pair value = q[i];
        size j = i;
        for (; j > 0 && value.key < q[j - 1].key; j--) q[j] = q[j - 1];
        q[j] = value;
    }
}

/* A heap's hole filled from below, and a value put where it belongs from there. */
INLINE void NAMED(sift)(Pair *heap, size hole, size length, Pair value) {
    const size top = hole;
    size child = hole;
    while (child < (length - 1) / 2) {
        child = 2 * (child + 1);
        child -= heap[child].key < heap[child - 1].key;
        heap[hole] = heap[child], hole = child;
    }
    if ((length & 1) == 0 && child == (length - 2) / 2) {
        child = 2 * (child + 1);
        heap[hole] = heap[child - 1], hole = child - 1;
    }
    for (size parent = (hole - 1) / 2; hole > top && heap[parent].key < value.key; parent = (hole - 1) / 2)
        heap[hole] = heap[parent], hole = parent;
    heap[hole] = value;
}

/* The k smallest of n come to the front, as a heap. */
static void NAMED(heap_select)(Call *c, Pair *q, size n, size k) {
    for (size parent = (k - 2) / 2; k > 1 && parent >= 0; parent--) NAMED(sift)(q, parent, k, q[parent]);
    EACH(i, k, n) {
        if (q[i].key < q[0].key) {
            const Pair value = q[i];
            q[i] = q[0];
            NAMED(sift)(q, 0, k, value);
        }
    }
}

/* std::partial_sort: the k smallest in order at the front. */
static void NAMED(heap_sort)(Call *c, Pair *q, size n, size k) {
    NAMED(heap_select)(c, q, n, k);
    for (size last = k - 1; last > 0 && !ends(c, 1); last--) {
        const Pair value = q[last];
        q[last] = q[0];
        NAMED(sift)(q, 0, last, value);
    }
}

/* The median of three goes to the front, the rest is split around it; where the second part begins. */
INLINE size NAMED(split)(Pair *q, size first, size last) {
    const size middle = first + (last - first) / 2;
    const KEY a = q[first + 1].key, b = q[middle].key, z = q[last - 1].key;
    size found;
    if (a < b) found = b < z ? middle : a < z ? last - 1 : first + 1;
    else found = a < z ? first + 1 : b < z ? last - 1 : middle;
    NAMED(swap)(q + first, q + found);
    const KEY pivot = q[first].key;
    size low = first + 1, high = last;
    for (;; low++) {
        while (q[low].key < pivot) low++;
        high--;
        while (pivot < q[high].key) high--;
        if (low >= high) return low;
        NAMED(swap)(q + low, q + high);
    }
}

INLINE int NAMED(depth)(size n) { return 2 * (63 - __builtin_clzll((unsigned long long)n)); }

static void NAMED(introsort)(Call *c, Pair *q, size first, size last, int depth) {
    while (last - first > ORDER_FEW && !ends(c, last - first)) {
        if (depth-- == 0) {
            NAMED(heap_sort)(c, q + first, last - first, last - first);
            return;
        }
        const size cut = NAMED(split)(q, first, last);
        NAMED(introsort)(c, q, cut, last, depth);
        last = cut;
    }
}

/* std::sort; its last pass, an insertion sort, is stable. */
static void NAMED(unstable_sort)(Call *c, Pair *q, size n) {
    if (n > ORDER_FEW) NAMED(introsort)(c, q, 0, n, NAMED(depth)(n));
    NAMED(insertion)(q, c->ended ? 0 : n);
}

/* std::nth_element. */
static void NAMED(select)(Call *c, Pair *q, size n, size nth) {
    size first = 0, last = n;
    int depth = NAMED(depth)(n);
    while (last - first > 3 && !ends(c, last - first)) {
        if (depth-- == 0) {
            NAMED(heap_select)(c, q + first, last - first, nth + 1 - first);
            NAMED(swap)(q + first, q + nth);
            return;
        }
        const size cut = NAMED(split)(q, first, last);
        if (cut <= nth) first = cut;
        else last = cut;
    }
    if (!c->ended) NAMED(insertion)(q + first, last - first);
}

/* The element of a rank as torch.kthvalue finds it. */
static void NAMED(quick_select)(Call *c, Pair *q, size n, size k) {
    for (size left = 0, right = n - 1; left < right && !ends(c, right - left);) {
        if (right == left + 1) {
            if (q[left].key > q[right].key) NAMED(swap)(q + left, q + right);
            return;
        }
        NAMED(swap)(q + left + (right - left) / 2, q + left + 1);
        if (q[left + 1].key > q[right].key) NAMED(swap)(q + left + 1, q + right);
        if (q[left].key > q[right].key) NAMED(swap)(q + left, q + right);
        if (q[left + 1].key > q[left].key) NAMED(swap)(q + left + 1, q + left);
        size i = left + 1, j = right;
        const KEY pivot = q[left].key;
        for (;;) {
            do i++;
            while (pivot > q[i].key);
            do j--;
            while (q[j].key > pivot);
            if (j < i) break;
            NAMED(swap)(q + i, q + j);
        }
        NAMED(swap)(q + left, q + j);
        if (j <= k) left = i;
        if (j >= k) right = j - 1;
    }
}

/* A stable sort of many: the lowest digit first. The order is in `q` or in `other`, which is returned. */
INLINE Pair *NAMED(by_digits)(Call *c, Pair *q, Pair *other, size n, uint32_t *counts, const unsigned bits) {
    const unsigned digits = (8 * sizeof(KEY) + bits - 1) / bits, bins = 1u << bits, mask = bins - 1;
    memset(counts, 0, digits * bins * sizeof *counts);
    EACH(i, 0, n)
        for (unsigned d = 0; d < digits; d++) counts[d * bins + (q[i].key >> (d * bits) & mask)]++;
    for (unsigned d = 0; d < digits && !c->ended; d++, counts += bins) {
        if (counts[q[0].key >> (d * bits) & mask] == n) continue; /* one digit in all */
        for (uint32_t bin = 0, sum = 0; bin < bins; bin++) {
            const uint32_t many = counts[bin];
            counts[bin] = sum, sum += many;
        }
        EACH(i, 0, n)
            other[counts[q[i].key >> (d * bits) & mask]++] = q[i];
        Pair *kept = q;
        q = other, other = kept;
    }
    return q;
}

static Pair *NAMED(radix_sort)(Call *c, Pair *q, Pair *other, size n, uint32_t *counts) {
    return n < ORDER_LONG ? NAMED(by_digits)(c, q, other, n, counts, 8) : NAMED(by_digits)(c, q, other, n, counts, ORDER_BITS);
}

/* A stable sort of not so many: short runs, then pairs of runs. */
static Pair *NAMED(merge_sort)(Pair *q, Pair *other, size n) {
    for (size at = 0; at < n; at += ORDER_RUN) NAMED(insertion)(q + at, n - at < ORDER_RUN ? n - at : ORDER_RUN);
    for (size run = ORDER_RUN; run < n; run *= 2) {
        for (size at = 0; at < n; at += 2 * run) {
            size i = at, j = at + run < n ? at + run : n, out = at;
            const size middle = j, end = middle + run < n ? middle + run : n;
            while (i < middle && j < end) {
                const int second = q[j].key < q[i].key;
                other[out++] = q[second ? j : i];
                j += second, i += !second;
            }
            memcpy(other + out, q + i, (middle - i) * sizeof *q);
            memcpy(other + out + middle - i, q + j, (end - j) * sizeof *q);
        }
        Pair *kept = q;
        q = other, other = kept;
    }
    return q;
}

/* Whether there are equal keys among a few, which tells that there are many in all. */
static int NAMED(repetitive)(const Pair *q, size n) {
    KEY few[32];
    const size step = n / 32;
    int equal = 0;
    for (int i = 0; i < 32; i++) few[i] = q[i * step].key;
    for (int i = 1; i < 32; i++)
        for (int j = 0; j < i; j++) equal |= few[i] == few[j];
    return equal;
}

/* All of them in order: PyTorch's where `stable` is not asked for, if equal ones are there to tell the difference. `room` is
   for as many again, and for the counts of digits. */
static Pair *NAMED(sorted)(Call *c, Pair *q, Pair *room, size n, int stable) {
    if (n <= ORDER_FEW) {
        NAMED(insertion)(q, n);
        return q;
    }
    if (stable && n < ORDER_MANY) return NAMED(merge_sort)(q, room, n);
    if (!stable && (n < ORDER_MANY || (n <= ORDER_TIES && NAMED(repetitive)(q, n)))) {
        NAMED(unstable_sort)(c, q, n);
        return q;
    }
    Pair *found = NAMED(radix_sort)(c, q, room, n, (uint32_t *)(room + n));
    if (stable || n > ORDER_TIES || c->ended) return found;
    size equal = 0;
    for (size i = 1; i < n && !equal; i++) equal = found[i].key == found[i - 1].key;
    if (!equal) return found;
    /* As they came: the keys go back to their places. */
    Pair *again = found == q ? room : q;
    for (size i = 0; i < n; i++) again[found[i].place] = found[i];
    NAMED(unstable_sort)(c, again, n);
    return again;
}

/* The k first in order, as torch.topk takes them. */
static void NAMED(leading)(Call *c, Pair *q, size n, size k, int in_order) {
    if (k * 64 <= n) {
        NAMED(heap_sort)(c, q, n, k);
        return;
    }
    NAMED(select)(c, q, n, k - 1);
    if (in_order) NAMED(unstable_sort)(c, q, k - 1);
}

/* The place of a rank among many: keys are counted in ranges that become narrower, and those in the rank's range stay, in their order. */
static size NAMED(counted_select)(Call *c, Pair *q, size n, size rank) {
    enum { BINS = 1 << 11 };
    for (;;) {
        KEY low = q[0].key, high = low;
        EACH(i, 0, n) {
            low = q[i].key < low ? q[i].key : low, high = q[i].key > high ? q[i].key : high;
        }
        if (low == high || c->ended) return (size)q[rank].place;
        unsigned shift = 0;
        while ((high - low) >> shift >= BINS) shift++;
        uint32_t counts[BINS] = {0};
        EACH(i, 0, n) counts[(q[i].key - low) >> shift]++;
        if (c->ended) return 0;
        size bin = 0, kept = 0;
        for (; rank >= (size)counts[bin]; bin++) rank -= counts[bin];
        for (size i = 0; i < n; i++) {
            const Pair each = q[i];
            q[kept] = each, kept += (each.key - low) >> shift == (KEY)bin;
        }
        n = kept;
    }
}

/* The place of the element of a rank in the stable order. */
static size NAMED(stable_select)(Call *c, Pair *q, size n, size rank) {
    if (n >= ORDER_MANY) return NAMED(counted_select)(c, q, n, rank);
    NAMED(select)(c, q, n, rank);
    const KEY value = q[rank].key;
    size equal = 0;
    for (size i = 0; i < n; i++) {
        const KEY key = q[i].key;
        rank -= key < value;
        if (key == value) q[equal].key = q[equal].place = q[i].place, equal++;
    }
    if (c->ended) return 0;
    NAMED(select)(c, q, equal, rank);
    return (size)q[rank].place;
}

/* The end of the longest run of equal elements among sorted ones, the first of several. */
static size NAMED(most_frequent)(const Pair *q, size n) {
    size longest = 0, found = 0;
    for (size i = 0, start = 0; i < n; i++)
        if (i + 1 == n || q[i].key != q[i + 1].key) {
            if (i + 1 - start > longest) longest = i + 1 - start, found = i;
            start = i + 1;
        }
    return found;
}

#undef Pair
