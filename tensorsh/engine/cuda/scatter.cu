//@ COMPARE_AND_SWAP

__device__ void fold_%(name)s(T* place, T b) {
  // The aligned word of 4 or 8 bytes that holds the element is exchanged until nobody else came between.
  typedef unsigned long long word64;
  if (sizeof(T) == 8) {
    word64* word = reinterpret_cast<word64*>(place);
    word64 seen = *word, before;
    do {
      before = seen;
      T a = *reinterpret_cast<T*>(&before);
      T made = %(fold)s;
      seen = atomicCAS(word, before, *reinterpret_cast<word64*>(&made));
    } while (seen != before);
  } else {
    size_t address = reinterpret_cast<size_t>(place);
    unsigned int shift = (address & 3) * 8;
    unsigned int* word = reinterpret_cast<unsigned int*>(address & ~size_t(3));
    unsigned int mask = (sizeof(T) == 4 ? 0xffffffffu : (1u << (sizeof(T) * 8)) - 1u) << shift;
    unsigned int seen = *word, before;
    do {
      before = seen;
      unsigned int bits = (before & mask) >> shift;
      T a = *reinterpret_cast<T*>(&bits);
      T made = %(fold)s;
      unsigned int now = 0;
      *reinterpret_cast<T*>(&now) = made;
      seen = atomicCAS(word, before, (before & ~mask) | (now << shift));
    } while (seen != before);
  }
}

