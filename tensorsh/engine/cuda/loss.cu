//@ NLL_WHOLE
extern "C" __global__ void tensorsh_nll_whole(
    const T* x, const long long* target, const T* weight, T* loss, T* share, long long* safe, int* flag, long long count,
    long long classes, long long inner, long long ignored, int given) {
  __shared__ A part[32];
  A sum = A(0), shares = A(0);
  for (long long i = threadIdx.x; i < count; i += blockDim.x) {
    long long c = target[i];
    bool counts = c != ignored;
    bool inside = c >= 0 && c < classes;
    if (counts && !inside) flag[0] = 1;
    long long at = counts && inside ? c : 0;
    A mine = counts ? (given & 1 ? A(weight[at]) : A(1)) : A(0);
    safe[i] = at;
    share[i] = T(mine);
    shares += mine;
    if (counts) sum += -A(x[(i / inner * classes + at) * inner + i % inner]) * mine;
  }
  sum = total(sum, part);
  shares = total(shares, part);
  if (threadIdx.x == 0) loss[0] = T(given & 2 ? sum / shares : sum);
}
//@ MULTILABEL
long long row = i / classes * classes, j = i % classes, count = 0, mine = 0;while (count < classes && target[row + count] >= 0 && target[row + count] < classes) {  mine += target[row + count] == j ? 1 : 0; count += 1; }T total = T(0), change = T(0);if (mine == 0) {  for (long long k = 0; k < count; k += 1) {    T gap = T(T(1) - T(x[row + target[row + k]] - x[i]));    if (gap > T(0)) { total = total + gap; change = change + T(1); } } }else {  for (long long k = 0; k < classes; k += 1) {    long long own = 0;    for (long long m = 0; m < count; m += 1) own += target[row + m] == k ? 1 : 0;    if (own == 0 && T(T(1) - T(x[i] - x[row + k])) > T(0)) change = change - T(mine); } }loss = total; slope = change
