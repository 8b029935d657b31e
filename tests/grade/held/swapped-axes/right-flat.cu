// right: threads counted through, column by remainder
__global__ void add_rows(float *m, const float *v, int rows, int columns) {
  const int threads = blockDim.x * blockDim.y;
  const int me = (blockIdx.y * gridDim.x + blockIdx.x) * threads + threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = me; i < rows * columns; i += threads * gridDim.x * gridDim.y) m[i] += v[i % columns];
}
