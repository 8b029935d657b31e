// wrong: the cell itself is counted among its neighbours
// verdict: fail
// says: counted among its own neighbours
__global__ void life(const int *now, int *next, int rows,
                     int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int neighbours = 0;
  for (int dr = -1; dr <= 1; dr++)
    for (int dc = -1; dc <= 1; dc++)
      neighbours += now[(r + dr + rows) % rows * columns + (c + dc + columns) % columns];
  int alive = now[r * columns + c];
  next[r * columns + c] = neighbours == 3 || (alive && neighbours == 2);
}
