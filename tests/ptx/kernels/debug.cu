// SPDX-License-Identifier: Apache-2.0
// Kernels of tests/unit/vgpu_debug.c, which knows their lines.
// debug.ptx is what NVRTC makes of this file with -G: see README.md beside it.
struct point {
  int x, y;
  float w[3];
  unsigned a : 3, b : 5;
};
enum color { RED, GREEN = 5 };
namespace ns {
__device__ int depth = 7;
}
__constant__ float table[4] = {1, 2, 3, 4};

__device__ int fact(int n) {
  if (n < 2)
    return 1;
  int below = fact(n - 1);
  return n * below;
}

__device__ int half_of(int a, point *p) {
  int b = a / 2;
  p->x = b;
  return b + p->y;
}

extern "C" __global__ void variables(const float *x, float *out, int n,
                                     point given) {
  __shared__ float tile[4][8];
  extern __shared__ int more[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  point p = {i, 2, {1.5f, 2, 3}, 5, 9};
  color c = GREEN;
  bool odd = i & 1;
  char letter = 'a';
  unsigned long long big = 1ull << 40;
  double d = 0.1;
  float4 v = make_float4(1, 2, 3, 4);
  int counts[3] = {i, i + 1, i + 2};
  const float *from = &x[i];
  tile[threadIdx.x / 8][threadIdx.x % 8] = x[i];
  more[threadIdx.x] = i;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    float t = tile[k][i % 8];
    sum += t;
  }
  int half = half_of(i, &p);
  if (odd)
    half += counts[1];
  out[i] = sum + half + c + letter + v.y + d + *from + table[1] + ns::depth +
           given.x + big;
}

extern "C" __global__ void steps(int *out) {
  int t = threadIdx.x;
  int f = fact(t % 4 + 1);
  if (t < 8)
    f += 100;
  else
    f += 200;
  __syncthreads();
  out[t] = f;
}

extern "C" __global__ void wrong(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  out[i] = v * 2;
}

extern "C" __global__ void lock(int *mutex, int *sum) {
  while (atomicCAS(mutex, 0, 1))
    ;
  *sum += 1;
  __threadfence();
  atomicExch(mutex, 0);
}
