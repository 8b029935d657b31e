// wrong: rows are found by width, but they are pitch bytes apart
// verdict: fail
// says: Row y begins at y * pitch
__global__ void brighten(unsigned char *picture, int width, int height,
                         int pitch, int by) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int i = y * width + x;
    int v = picture[i] + by;
    picture[i] = min(255, max(0, v));
  }
}
