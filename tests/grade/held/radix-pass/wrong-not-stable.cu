// wrong: who comes first at the counter gets the first place, so equal digits change their order
// verdict: fail
// says: An atomic brings back what was there before, and that depends on which thread comes first
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
  if (t < 16) counts[t * gridDim.x + blockIdx.x] = own[t];
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  __shared__ int next[16];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 16) next[t] = counts[t * gridDim.x + blockIdx.x];
  __syncthreads();
  if (i < n) {
    int digit = keys[i] >> shift & 15;
    int where = atomicAdd(&next[digit], 1);
    out[where] = keys[i];
  }
}
