//@ PACKS

template <typename K, int N> struct alignas(sizeof(K) * N) Pack { K of[N]; };
template <typename K, int N> __device__ __forceinline__ void load(K (&to)[N], const K* from) {
  Pack<K, N> pack = *reinterpret_cast<const Pack<K, N>*>(from);
  for (int k = 0; k < N; k++) to[k] = pack.of[k];
}
template <typename K, int N> __device__ __forceinline__ void store(K* to, K (&from)[N]) {
  Pack<K, N> pack;
  for (int k = 0; k < N; k++) pack.of[k] = from[k];
  *reinterpret_cast<Pack<K, N>*>(to) = pack;
}
__device__ __forceinline__ bool aligned(const void* p) { return (reinterpret_cast<size_t>(p) & 15) == 0; }

