// expect: vector-add fail oob-write line 9
// A whole program: its kernel is judged, with the lines of the file.
#include <iostream>
#include <vector>

__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    out[i] = 1;
}

int main() {
  std::vector<float> x(100);
  add<<<1, 100>>>(x.data(), x.data(), x.data(), 100);
  std::cout << x[0] << std::endl;
}
