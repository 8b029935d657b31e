// right: a sum in a register beside the cell, cells that lie apart by a growing step, the last thread writes
__global__ void block_sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  const unsigned i = blockDim.x * blockIdx.x + t;
  float mine = 0.0f;
  if (i < (unsigned)n) mine = x[i];
  part[t] = mine;
  for (unsigned step = 1; step < 256; step <<= 1) {
    __syncthreads();
    if ((t & (2 * step - 1)) == 2 * step - 1) {
      mine += part[t - step];
      part[t] = mine;
    }
  }
  if (t == 255) out[blockIdx.x] = mine;
}
