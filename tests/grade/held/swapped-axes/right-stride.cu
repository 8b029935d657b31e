// right: a thread strides over rows, with v[c] in a register
__global__ void add_rows(float *m, const float *v, int rows, int columns) {
  const int c = threadIdx.x + blockIdx.x * blockDim.x;
  if (c >= columns) return;
  const float by = __ldg(v + c);
  for (int r = threadIdx.y + blockIdx.y * blockDim.y; r < rows; r += gridDim.y * blockDim.y) m[(size_t)r * columns + c] += by;
}
