// right: strides over both axes, 64-bit indices, restrict
__global__ void outer_sum(const float *__restrict__ a, const float *__restrict__ b,
                          float *__restrict__ out, int rows, int columns) {
  for (size_t r = blockIdx.y * (size_t)blockDim.y + threadIdx.y; r < (size_t)rows;
       r += (size_t)gridDim.y * blockDim.y) {
    const float mine = a[r];
    float *line = out + r * columns;
    for (size_t c = blockIdx.x * (size_t)blockDim.x + threadIdx.x; c < (size_t)columns;
         c += (size_t)gridDim.x * blockDim.x)
      line[c] = b[c] + mine;
  }
}
