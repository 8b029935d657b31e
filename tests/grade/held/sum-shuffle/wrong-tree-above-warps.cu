// wrong: only the last 32 cells are added by shuffles; above that it is still a tree with a barrier each round
// verdict: fail
// says: barriers <= 1024
// says: shared_load_requests <= 512
__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float part[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int far = 512; far >= 32; far /= 2) {
    if (t < far && t + far < blockDim.x) part[t] += part[t + far];
    __syncthreads();
  }
  if (t < 32) {
    float v = part[t];
    for (int far = 16; far > 0; far /= 2) v += __shfl_down_sync(0xffffffff, v, far);
    if (t == 0) out[blockIdx.x] = v;
  }
}
