// right: __match_any_sync finds a warp's equal digits, and the warps' counts are added up
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
  __shared__ int found[4][16];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 128 + t;
  if (t < 64) found[t / 16][t % 16] = 0;
  __syncthreads();
  int digit = i < n ? keys[i] >> shift & 15 : 16;
  unsigned same = __match_any_sync(0xffffffff, digit);
  if (digit < 16 && lane == __ffs(same) - 1)
    found[t / 32][digit] = __popc(same);
  __syncthreads();
  if (t < 16)
    counts[t * gridDim.x + blockIdx.x] =
        found[0][t] + found[1][t] + found[2][t] + found[3][t];
}

__global__ void place(const int *keys, const int *counts, int *out, int n,
                      int shift) {
  __shared__ int found[4][16];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int i = blockIdx.x * 128 + t;
  for (int k = t; k < 64; k += 128) found[k >> 4][k & 15] = 0;
  __syncthreads();
  int key = i < n ? keys[i] : 0, digit = i < n ? key >> shift & 15 : 16;
  unsigned same = __match_any_sync(0xffffffff, digit);
  int rank = __popc(same & ((1u << lane) - 1));
  if (digit < 16 && rank == 0) found[warp][digit] = __popc(same);
  __syncthreads();
  if (digit == 16) return;
  for (int w = 0; w < warp; w++) rank += found[w][digit];
  out[counts[digit * gridDim.x + blockIdx.x] + rank] = key;
}
