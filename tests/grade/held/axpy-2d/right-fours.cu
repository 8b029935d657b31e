// right: float4 along rows whose pitch and width allow it
__global__ void axpy(float a, const float *x, float *y, int rows, int columns, int pitch) {
  int across = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y) {
    const float *from = x + (long)r * pitch;
    float *to = y + (long)r * pitch;
    int fours = pitch % 4 ? 0 : columns / 4;
    for (int c = first; c < fours; c += across) {
      float4 v = ((const float4 *)from)[c], w = ((float4 *)to)[c];
      w.x += a * v.x, w.y += a * v.y, w.z += a * v.z, w.w += a * v.w;
      ((float4 *)to)[c] = w;
    }
    for (int c = 4 * fours + first; c < columns; c += across) to[c] += a * from[c];
  }
}
