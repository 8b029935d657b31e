// wrong: the sum is kept in an unsigned char, so it has wrapped before it is limited
// verdict: fail
// says: compute in an int, limit, then store
__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned char value = picture[y * pitch + x] + by;
  if (value > 255) value = 255;
  if (value < 0) value = 0;
  picture[y * pitch + x] = value;
}
