// right: place k of out looks for how many of the first k come from x, along a diagonal
__global__ void merge(const int *x, const int *y, int *out, int *from, int m, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= m + n) return;
  int low = max(0, k - n), high = min(k, m);
  while (low < high) {
    int i = (low + high) / 2, j = k - 1 - i;
    if (x[i] <= y[j]) low = i + 1;
    else high = i;
  }
  const int i = low, j = k - low;
  const bool takes_x = j >= n || (i < m && x[i] <= y[j]);
  out[k] = takes_x ? x[i] : y[j];
  from[k] = takes_x ? i : -1 - j;
}
