// Rows with the same key say different things, and the last word counts: last[i]
// is to be the last row with the key of row i; rows are counted from 0. Keys may
// be any numbers, and so they meet in a hash table: `table` has m cells, m = 1 <<
// bits, one for each key at least. All are -1 at first, which is free; else a
// cell holds the number of a row. A row begins at the cell home(key, bits). If
// it finds another key there, it goes to the next cell, and from the last one to
// cell 0.
//
// insert: each row finds the cell of its key, or takes a free one, and notes it
// in cell[i]. In the end the cell holds the last row with that key.
//
// look: reads it there.

__device__ int home(int key, int bits) {
  return (unsigned)key * 2654435769u >> (32 - bits);
}

__global__ void look(const int *table, const int *cell, int *last, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) last[i] = table[cell[i]];
}

__global__ void insert(const int *keys, int *table, int *cell, int n,
                       int bits) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = home(keys[i], bits);
  for (;;) {
    // Of two rows that find a free cell at the same time, one gets it, and the
    // other one is told whose it is.
    int row = atomicCAS(&table[at], -1, i);
    if (row == -1) break;
    if (keys[row] == keys[i]) {
      atomicMax(&table[at], i);
      break;
    }
    at = (at + 1) & ((1 << bits) - 1);
  }
  cell[i] = at;
  // END SOLUTION
  // STARTER: int i = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: if (i >= n) return;
  // STARTER: cell[i] = home(keys[i], bits);
}
