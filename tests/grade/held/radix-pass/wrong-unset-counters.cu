// wrong: the block's counters in shared memory are never set to 0
// verdict: fail
// says: Nothing wrote this cell before it was read
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

__global__ void count(const int *keys, int *counts, int n, int shift) {
  __shared__ int own[16];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) atomicAdd(&own[(keys[i] >> shift) & 0xf], 1);
  __syncthreads();
  if (t < 16) counts[t * gridDim.x + blockIdx.x] = own[t];
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  __shared__ int digits[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int digit = -1;
  if (i < n) digit = (keys[i] >> shift) & 0xf;
  digits[t] = digit;
  __syncthreads();
  int rank = 0;
  for (int j = 0; j < t; j++) rank += digits[j] == digit;
  if (i < n) out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[i];
}
