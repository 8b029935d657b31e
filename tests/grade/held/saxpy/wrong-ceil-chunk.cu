// wrong: each thread takes n / threads elements in a row, rounded down, so the remainder is nobody's
// verdict: fail
// only says: y is right up to some element
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int threads = gridDim.x * blockDim.x;
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int per_thread = n / threads;
  int begin = id * per_thread;
  int end = begin + per_thread;
  for (int i = begin; i < end && i < n; i++)
    y[i] = a * x[i] + y[i];
}
