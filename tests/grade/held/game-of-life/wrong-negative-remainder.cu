// wrong: (r - 1) % rows is -1 in row 0: the remainder of a negative number is negative
// verdict: fail
// only says: the index up * columns + c is -30
// only says: the index r * columns + left is -1
// only says: the index down * columns + left is -1
__global__ void life(const int *now, int *next, int rows,
                     int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) {
    int up = (r - 1) % rows, down = (r + 1) % rows;
    int left = (c - 1) % columns, right = (c + 1) % columns;
    int n = now[up * columns + left] + now[up * columns + c] + now[up * columns + right] +
            now[r * columns + left] + now[r * columns + right] +
            now[down * columns + left] + now[down * columns + c] + now[down * columns + right];
    next[r * columns + c] = (n == 3) || (n == 2 && now[r * columns + c] == 1);
  }
}
