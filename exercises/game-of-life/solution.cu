// Write the kernel life: one step of the game of life, from the board `now` to
// the board `next`, one thread for each cell. Cells are 1 (alive) or 0. The board
// is rolled up: its last row lies above its first, its last column beside its
// first. The grid may be wider and higher than the board.
// BEGIN SOLUTION
__device__ int around(const int *now, int rows, int columns, int row,
                      int column) {
  int count = 0;
  for (int down = -1; down <= 1; down++) {
    int r = (row + down + rows) % rows;
    for (int right = -1; right <= 1; right++) {
      int c = (column + right + columns) % columns;
      count += now[r * columns + c];
    }
  }
  return count - now[row * columns + column];
}

__global__ void life(const int *now, int *next, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  int at = row * columns + column;
  int count = around(now, rows, columns, row, column);
  next[at] = count == 3 || (count == 2 && now[at]);
}
// END SOLUTION
// STARTER: __global__ void life(const int *now, int *next, int rows,
// STARTER:                      int columns) {
// STARTER:   // Which cell is this thread's? Who lives around it?
// STARTER: }
