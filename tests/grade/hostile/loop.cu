// expect: vector-add timeout line 4
__global__ void add(const float *x, const float *y, float *out, int n) {
  volatile int k = 0;
  while (1) k++;
}
