// wrong: a key counts itself among those before it, so all stand one place too far
// verdict: fail
// only says: The index is data
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
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < 16) own[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(own + (keys[i] >> shift & 15), 1);
  __syncthreads();
  if (t < 16) counts[t * gridDim.x + blockIdx.x] = own[t];
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  int digit = keys[i] >> shift & 15, rank = 0;
  for (int j = blockIdx.x * 128; j <= i; j++)
    if ((keys[j] >> shift & 15) == digit) rank++;
  out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[i];
}
