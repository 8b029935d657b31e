// wrong: cells beyond the edge count as dead, though the board is rolled up
// verdict: fail
// says: nobody lives beyond the edges
__global__ void life(const int *now, int *next, int rows,
                     int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  int count = 0;
  for (int j = y - 1; j <= y + 1; ++j) {
    for (int i = x - 1; i <= x + 1; ++i) {
      if (i == x && j == y) continue;
      if (i < 0 || j < 0 || i >= columns || j >= rows) continue;
      count += now[j * columns + i];
    }
  }
  if (count == 3)
    next[y * columns + x] = 1;
  else if (count == 2)
    next[y * columns + x] = now[y * columns + x];
  else
    next[y * columns + x] = 0;
}
