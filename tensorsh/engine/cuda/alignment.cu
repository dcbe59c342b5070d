//@ SCORES
extern "C" __global__ void tensorsh_ctc_scores(const T* logs, const long long* labels, const long long* states, const long long* lengths, double* scores, long long batch, long long steps, long long classes, long long most, int turned,
    double none) {
  long long n = blockIdx.x, length = lengths[n], count = states[n];
  for (long long t = 0; t < length; t += 1) {
    long long time = turned ? length - 1 - t : t, base = (n * steps + t) * most;
    for (long long s = threadIdx.x; s < count; s += blockDim.x) {
      long long place = n * most + (turned ? count - 1 - s : s), label = labels[place];
      double own = none, v = none;
      if (label >= 0 && label < classes) own = double(A(logs[(time * batch + n) * classes + label]));
      if (t == 0) {
        if (s < 2) v = own;
      } else {
        double x = scores[base - most + s], y = none, z = none;
        if (s > 0) y = scores[base - most + s - 1];
        if (s > 1 && s % 2 == 1) {
          if (labels[turned ? place + 2 : place - 2] != label) z = scores[base - most + s - 2];
        }
        double top = max(x, max(y, z));
        if (top > none) v = top + log(exp(x - top) + exp(y - top) + exp(z - top)) + own;
      }
      scores[base + s] = v;
    }
    __syncthreads();
  }
}
//@ SLOPES
long long n = i % batch, t = i / batch, length = lengths[n], count = states[n];if (t < length) for (long long s = 0; s < count; s += 1) {  long long label = labels[n * most + s];  if (label >= 0 && label < classes) {    double a = ahead[(n * steps + t) * most + s];    double b = behind[(n * steps + length - 1 - t) * most + count - 1 - s];    if (isinf(losses[n]) || (a > none && b > none))      y[i * classes + label] -= exp(a + b - double(logs[i * classes + label]) + losses[n]); } }
