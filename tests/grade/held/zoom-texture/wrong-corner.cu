// wrong: x / 4 is the corner of the cell, not its center: half a cell is missing before the division
// verdict: fail
// says: is the cell's corner, not its center
__global__ void zoom(cudaTextureObject_t picture, float *out, int width,
                     int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  out[y * width + x] = tex2D<float>(picture, x / 4.0f, y / 4.0f);
}
