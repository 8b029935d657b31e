// wrong: only the upper end is limited; with a negative by it goes below 0 and wraps
// verdict: fail
// says: Below 0 a byte begins again at 255
__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int v = picture[y * pitch + x] + by;
    picture[y * pitch + x] = v > 255 ? 255 : v;
  }
}
