// right: shuffles with an operation as an argument, and one cell for each warp
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op> __device__ float all(float v, Op op, float *cells) {
  for (int far = 16; far > 0; far /= 2)
    v = op(v, __shfl_xor_sync(0xffffffff, v, far));
  if (threadIdx.x % 32 == 0) cells[threadIdx.x / 32] = v;
  __syncthreads();
  v = cells[0];
  for (int w = 1; w < blockDim.x / 32; w++) v = op(v, cells[w]);
  return v;
}

__global__ void softmax(const float *x, float *out, int n) {
  __shared__ float maxima[8], sums[8];
  x += (size_t)blockIdx.x * n;
  out += (size_t)blockIdx.x * n;
  float most = -3.402823466e38f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
  most = all(most, Larger(), maxima);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float e = expf(x[i] - most);
    out[i] = e;
    sum += e;
  }
  float scale = 1 / all(sum, Plus(), sums);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] *= scale;
}
