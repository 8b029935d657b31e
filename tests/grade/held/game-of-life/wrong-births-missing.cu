// wrong: only living cells survive, a dead one with three neighbours is never born
// verdict: fail
// says: a dead one with 3 neighbours comes to life
__global__ void life(const int *now, int *next, int rows,
                     int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int n = 0;
  for (int dr = -1; dr <= 1; dr++) {
    for (int dc = -1; dc <= 1; dc++) {
      if (dr == 0 && dc == 0) continue;
      int rr = (r + dr + rows) % rows;
      int cc = (c + dc + columns) % columns;
      n += now[rr * columns + cc];
    }
  }
  int alive = now[r * columns + c];
  next[r * columns + c] = alive && (n == 2 || n == 3) ? 1 : 0;
}
