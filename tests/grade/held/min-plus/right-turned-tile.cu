// right: the tile of a is turned, and four of its numbers come with one float4
__global__ void legs(const float *a, const float *b, float *c, int m, int k, int n) {
  __shared__ __align__(16) float ta[16][68];
  __shared__ float tb[16][16];
  const int x = threadIdx.x, y = threadIdx.y, t = 16 * y + x;
  const int column = blockIdx.x * 16 + x, top = blockIdx.y * 64;
  float best[4];
  for (int r = 0; r < 4; r++) best[r] = INFINITY;
  for (int first = 0; first < k; first += 16) {
    for (int q = t; q < 1024; q += 256) {
      const int r = top + q / 16, i = first + q % 16;
      ta[q % 16][q / 16] = r < m && i < k ? a[r * k + i] : INFINITY;
    }
    tb[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : INFINITY;
    __syncthreads();
    for (int i = 0; i < 16; i++) {
      const float4 four = *(const float4 *)&ta[i][4 * y];
      const float s = tb[i][x];
      best[0] = fminf(best[0], four.x + s);
      best[1] = fminf(best[1], four.y + s);
      best[2] = fminf(best[2], four.z + s);
      best[3] = fminf(best[3], four.w + s);
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; r++) {
    const int row = top + 4 * y + r;
    if (row < m && column < n) c[row * n + column] = best[r];
  }
}
