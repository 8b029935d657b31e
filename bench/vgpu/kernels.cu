// SPDX-License-Identifier: Apache-2.0
// The five kernels that main.c times on the virtual GPU; kernels.cl has them
// for OpenCL, plain.c in C.
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

extern "C" __global__ void naive(const float *a, const float *b, float *c,
                                 int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n || q >= n)
    return;
  float s = 0;
  for (int k = 0; k < n; k++)
    s += a[r * n + k] * b[k * n + q];
  c[r * n + q] = s;
}

extern "C" __global__ void tiled(const float *a, const float *b, float *c,
                                 int n) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int r = blockIdx.y * 16 + ty, q = blockIdx.x * 16 + tx;
  float s = 0;
  for (int p = 0; p < n / 16; p++) {
    ta[ty][tx] = a[r * n + p * 16 + tx];
    tb[ty][tx] = b[(p * 16 + ty) * n + q];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      s += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[r * n + q] = s;
}

__device__ float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228f * expf(-0.5f * d * d) *
            (k * (0.31938153f +
                  k * (-0.356563782f +
                       k * (1.781477937f +
                            k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void black_scholes(const float *s_, const float *x_,
                                         const float *t_, float *call,
                                         float *put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float r = 0.02f, v = 0.3f, s = s_[i], x = x_[i], t = t_[i];
  float q = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * q);
  float n1 = normal(d1), n2 = normal(d1 - v * q), e = expf(-r * t);
  call[i] = s * n1 - x * e * n2;
  put[i] = x * e * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void reduce(const float *x, float *out, int n) {
  __shared__ float t[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      t[threadIdx.x] += t[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = t[0];
}
