//@ ORDER
long long first = i * rows;for (long long j = 0; j < rows; j += 1) order[first + j] = j;for (long long j = 0; j < count; j += 1) {  long long k = (long long)(pivots[i * count + j]) - 1;  if (k >= 0 && k < rows) {    long long kept = order[first + j]; order[first + j] = order[first + k]; order[first + k] = kept; } }
