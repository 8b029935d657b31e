// wrong: counts are laid out block by block, not digit by digit
// verdict: fail
// only says: out holds the right values, at other places
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
  if (t < 16) own[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[keys[i] >> shift & 15], 1);
  __syncthreads();
  if (t < 16) counts[blockIdx.x * 16 + t] = own[t];
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  __shared__ int digits[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int digit = i < n ? keys[i] >> shift & 15 : 16;
  digits[t] = digit;
  __syncthreads();
  if (i >= n) return;
  int before = 0;
  for (int j = 0; j < t; j++)
    if (digits[j] == digit) before++;
  out[counts[blockIdx.x * 16 + digit] + before] = keys[i];
}
