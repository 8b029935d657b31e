// A program as it is handed in: headers, globals, a class, macros, main.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>
using namespace std;

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t e = call;                                                  \
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } \
  } while (0)

const int N = 1 << 20;
int repeat = 3;
float *h_x, *h_y;
std::vector<float> kept;

void show() { cout << repeat << endl; }

struct Timer {
  cudaEvent_t start, stop;
  Timer() { cudaEventCreate(&start); cudaEventCreate(&stop); show(); }
};

void cpu_add(const float *x, const float *y, float *out, int n) {
#ifdef SLOW
  printf("} \" slow");
#else
  for (int i = 0; i < n; i++) out[i] = x[i] + y[i];
#endif
}

template <typename T> void fill(T *p, int n) { for (int i = 0; i < n; i++) p[i] = rand(); }

__device__ float sum(float a, float b) { return a + b; }

__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sum(x[i], y[i]);
}

void launch(const float *x, const float *y, float *out, int n);

int main(int argc, char **argv) {
  float *x, *y, *out;
  Timer timer;
  auto begin = std::chrono::high_resolution_clock::now();
  CHECK(cudaMalloc(&x, N * sizeof(float)));
  add<<<(N + 255) / 256, 256>>>(x, y, out, N);
  cout << "done at " << __TIME__ << endl;
  return 0;
}
