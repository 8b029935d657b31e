// right: the edges by comparison, three sums of columns, the rule as bits
__device__ int three(const int *now, int up, int row, int down, int columns, int c) {
  return now[up * columns + c] + now[row * columns + c] + now[down * columns + c];
}

__global__ void life(const int *now, int *next, int rows,
                     int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) {
    int up = r == 0 ? rows - 1 : r - 1;
    int down = r == rows - 1 ? 0 : r + 1;
    int left = c == 0 ? columns - 1 : c - 1;
    int right = c == columns - 1 ? 0 : c + 1;
    int me = now[r * columns + c];
    int around = three(now, up, r, down, columns, left) + three(now, up, r, down, columns, c) +
                 three(now, up, r, down, columns, right) - me;
    next[r * columns + c] = (around | me) == 3;
  }
}
