//@ KEPT

__device__ A kept(long long i, long long lanes, unsigned long long seed, unsigned long long start, long long draws, float keep,
    A factor) {
  if (lanes == 0) return A(1);
  long long turn = draws * 4;
  long long at = i / lanes;
  long long own = at / draws * lanes + i % lanes;
  int part = lanes > 1 ? (int)(own % 4) : (int)(i % turn / draws);
  long long count = lanes > 1 ? own / 4 : i / turn;
  unsigned long long pair = philox(seed, at % draws, start + count, part / 2);
  unsigned int word = part % 2 ? (unsigned int)(pair >> 32) : (unsigned int)pair;
  return word * 2.3283064e-10f + 1.1641532e-10f < keep ? factor : A(0);
}

