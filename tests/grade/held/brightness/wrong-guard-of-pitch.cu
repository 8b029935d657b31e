// wrong: the guard lets x go up to pitch, so the bytes between the rows change as well
// verdict: fail
// says: x goes up to width
__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < height && x < pitch) {
    unsigned char *p = &picture[y * pitch + x];
    int sum = *p + by;
    if (sum < 0) sum = 0;
    if (sum > 255) sum = 255;
    *p = sum;
  }
}
