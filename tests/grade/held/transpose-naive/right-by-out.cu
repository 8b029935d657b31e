// right: threads go by the places of out
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  const int threads = blockDim.x * blockDim.y;
  const int me = (blockIdx.y * gridDim.x + blockIdx.x) * threads + threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = me; i < rows * columns; i += threads * gridDim.x * gridDim.y) out[i] = in[i % rows * columns + i / rows];
}
