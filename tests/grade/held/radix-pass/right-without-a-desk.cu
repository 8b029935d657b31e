// right: no shared memory, a thread looks at all keys of its block
__global__ void starts(int *counts, int m) {
  int lane = threadIdx.x, before = 0;
  for (int first = 0; first < m; first += 32) {
    int k = first + lane, own = k < m ? counts[k] : 0, sum = own;
    for (int far = 1; far < 32; far *= 2) {
      int below = __shfl_up_sync(0xffffffff, sum, far);
      if (lane >= far) sum += below;
    }
    if (k < m) counts[k] = before + sum - own;
    before += __shfl_sync(0xffffffff, sum, 31);
  }
}

__device__ int digit_of(int key, int shift) { return (key >> shift) % 16; }

__global__ void count(const int *keys, int *counts, int n, int shift) {
  int first = blockIdx.x * blockDim.x;
  int end = min(n, first + (int)blockDim.x);
  for (int d = threadIdx.x; d < 16; d += blockDim.x) {
    int found = 0;
    for (int i = first; i < end; i++) found += digit_of(keys[i], shift) == d;
    counts[d * gridDim.x + blockIdx.x] = found;
  }
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  if (i >= n) return;
  int digit = digit_of(keys[i], shift);
  int to = counts[digit * gridDim.x + blockIdx.x];
  for (int j = first; j < i; j++)
    if (digit_of(keys[j], shift) == digit) to++;
  out[to] = keys[i];
}
