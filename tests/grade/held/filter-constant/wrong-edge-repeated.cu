// wrong: beyond the edge the edge's own cells are taken again, where 0 is asked for
// verdict: fail
// says: here those outside count as 0
__constant__ float weights[9];

__global__ void filter(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int cx = min(max(x + dx, 0), width - 1);
      int cy = min(max(y + dy, 0), height - 1);
      sum += weights[(dy + 1) * 3 + (dx + 1)] * in[cy * width + cx];
    }
  }
  out[y * width + x] = sum;
}
