//@ PREAMBLE

__device__ unsigned long long philox(unsigned long long seed, unsigned long long thread, unsigned long long count, int half) {
  unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);
  unsigned int a = (unsigned int)count, b = (unsigned int)(count >> 32);
  unsigned int c = (unsigned int)thread, d = (unsigned int)(thread >> 32);
  for (int round = 0; round < 10; ++round) {
    unsigned int low0 = 0xD2511F53u * a, high0 = __umulhi(0xD2511F53u, a);
    unsigned int low1 = 0xCD9E8D57u * c, high1 = __umulhi(0xCD9E8D57u, c);
    a = high1 ^ b ^ k0;
    b = low1;
    c = high0 ^ d ^ k1;
    d = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return half ? ((unsigned long long)d << 32) | c : ((unsigned long long)b << 32) | a;
}

