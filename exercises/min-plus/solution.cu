// legs is right and slow. a[i][k] is the length of the way from town i to port k,
// b[k][j] the one from port k to island j (INFINITY where there is none); c[i][j]
// is to be the shortest way from i to j: the minimum over k of a[i][k] + b[k][j].
// Each thread makes four elements of c, 16 rows apart, so a block of 16 x 16
// threads has a tile of 64 rows and 16 columns. Fetch tiles of a and b into shared
// memory, and use each number that comes from there for more than one result.
#define INFINITY __int_as_float(0x7f800000)
__global__ void legs(const float *a, const float *b, float *c, int m, int k,
                     int n) {
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 16 + x, top = blockIdx.y * 64;
  // BEGIN SOLUTION
  __shared__ float ta[64][16], tb[16][16];
  float best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (int first = 0; first < k; first += 16) {
    for (int r = y; r < 64; r += 16) {
      bool inside = top + r < m && first + x < k;
      ta[r][x] = inside ? a[(top + r) * k + first + x] : INFINITY;
    }
    bool inside = first + y < k && column < n;
    tb[y][x] = inside ? b[(first + y) * n + column] : INFINITY;
    __syncthreads();
    for (int i = 0; i < 16; i++) {
      float second = tb[i][x];
      for (int r = 0; r < 4; r++)
        best[r] = fminf(best[r], ta[y + 16 * r][i] + second);
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; r++) {
    int row = top + y + 16 * r;
    if (row < m && column < n) c[row * n + column] = best[r];
  }
  // END SOLUTION
  // STARTER: for (int r = 0; r < 4; r++) {
  // STARTER:   int row = top + y + 16 * r;
  // STARTER:   if (row >= m || column >= n) return;
  // STARTER:   float best = INFINITY;
  // STARTER:   for (int i = 0; i < k; i++)
  // STARTER:     best = fminf(best, a[row * k + i] + b[i * n + column]);
  // STARTER:   c[row * n + column] = best;
  // STARTER: }
}
