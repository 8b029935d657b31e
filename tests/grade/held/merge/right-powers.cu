// right: powers of two downwards, without a branch
__device__ int before(const int *x, int n, int value, bool equal_too) {
  int at = 0;
  for (int step = 1 << (31 - __clz(n)); step > 0; step >>= 1) {
    int next = at + step;
    if (next <= n && (x[next - 1] < value || (equal_too && x[next - 1] == value))) at = next;
  }
  return at;
}

__global__ void merge(const int *x, const int *y, int *out, int *from, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    int place = i + before(y, n, x[i], false);
    out[place] = x[i];
    from[place] = i;
  } else if (i < m + n) {
    int own = i - m, place = own + before(x, m, y[own], true);
    out[place] = y[own];
    from[place] = -1 - own;
  }
}
