// right: the own element stays in a register
__global__ void smooth(const float *x, float *out) {
  __shared__ float desk[256];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const float v = x[i];
  desk[t] = v;
  __syncthreads();
  float left = t ? desk[t - 1] : 0.0f, right = t + 1 < blockDim.x ? desk[t + 1] : 0.0f;
  int count = 1 + (t > 0) + (t + 1 < blockDim.x);
  out[i] = (left + v + right) / count;
}
