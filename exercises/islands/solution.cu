// A map has land (1) and water (0). Cells of land that touch left, right, above
// or below belong to one island. In the end each has a label: the least place,
// row * columns + column, of its island; water has 1000000.
//   begin is there: a cell of land gets its own place. spread makes one step,
// from the labels in `from` to those in `to`: each cell of land takes the least
// label among its own and those of the cells it touches; water stays as it is.
// Whoever gets another label sets *changed to 1. The host repeats the step
// until nobody does.
__global__ void begin(const int *land, int *label, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) label[i] = land[i] ? i : 1000000;
}

__global__ void spread(const int *from, int *to, int *changed, int rows,
                       int columns) {
  // BEGIN SOLUTION
  // News travels one cell a launch: a long island takes as many launches as its
  // way is long. Next: several steps in shared memory for each launch.
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  int i = row * columns + column, own = from[i], least = own;
  if (own < 1000000) {
    if (column > 0) least = min(least, from[i - 1]);
    if (column < columns - 1) least = min(least, from[i + 1]);
    if (row > 0) least = min(least, from[i - columns]);
    if (row < rows - 1) least = min(least, from[i + columns]);
    if (least < own) atomicExch(changed, 1);
  }
  to[i] = least;
  // END SOLUTION
  // STARTER: int column = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: int row = blockIdx.y * blockDim.y + threadIdx.y;
  // STARTER: if (row >= rows || column >= columns) return;
  // STARTER: int i = row * columns + column;
  // STARTER: to[i] = from[i]; // Which of the four neighbours are there?
}
