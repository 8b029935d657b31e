// right: a template limits, a pointer to the row, strides
template <int LOW, int HIGH>
__device__ unsigned char limited(int v) {
  if (v < LOW) return LOW;
  return v > HIGH ? HIGH : v;
}

__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y) {
    unsigned char *row = picture + (long)y * pitch;
    for (int x = threadIdx.x + blockDim.x * blockIdx.x; x < width; x += gridDim.x * blockDim.x)
      row[x] = limited<0, 255>(row[x] + by);
  }
}
