// Radix sort of numbers from 0 to 65535, 4 bits a pass, upwards. A pass
// is three launches, in blocks of 128, of which starts is ready:
//
// count: how often has block b the digit d, which is
// keys[i] >> shift & 15? It goes to counts[d * gridDim.x + b].
//
// starts: each of these counts becomes the sum of all before it: the
// place in out where block b's keys with digit d begin.
//
// place: carries each key there. Keys of a block with the same digit
// stand behind each other in the order that they had.

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
  // BEGIN SOLUTION
  __shared__ int own[16];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < 16) own[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&own[keys[i] >> shift & 15], 1);
  __syncthreads();
  if (t < 16) counts[t * gridDim.x + blockIdx.x] = own[t];
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  // Who stands before me, asked of up to 127: next, count them by votes
  // of warps, and bring keys into order on the desk before they go out,
  // so that neighbours write side by side.
  __shared__ int digits[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (i < n) digits[t] = keys[i] >> shift & 15;
  __syncthreads();
  if (i >= n) return;
  int digit = digits[t], rank = 0;
  for (int k = 0; k < t; k++) rank += digits[k] == digit;
  out[counts[digit * gridDim.x + blockIdx.x] + rank] = keys[i];
  // END SOLUTION
  // STARTER: // How often each digit is in the block.
// STARTER: }
// STARTER:
// STARTER: __global__ void place(const int *keys, const int *counts, int *out, int n,
// STARTER:                       int shift) {
}
