// The rows of a left join. Row i of the left table has the key number key[i].
// The right table's rows with key number c are count[c] of them, in
// order[start[c]], order[start[c] + 1] ... A left row comes once with each of
// its right rows, in that order, and once with -1 where there is none.
// Another kernel has added up how many rows each left row needs: those of row i
// begin at place at[i] of the result, and at[n] is how many there are in all.
//
// Each thread makes one row of the result: left[r] and right[r] are the rows of
// both tables that meet there. So a left row with a thousand partners is the
// work of a thousand threads.
__global__ void joined_rows(const int *key, const int *start, const int *count,
                            const int *order, const int *at, int *left,
                            int *right, int n) {
  // BEGIN SOLUTION
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= at[n]) return;
  // The last left row whose rows begin at r or before it.
  int low = 0, high = n - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (at[middle] <= r)
      low = middle;
    else
      high = middle - 1;
  }
  int c = key[low];
  left[r] = low;
  right[r] = count[c] > 0 ? order[start[c] + r - at[low]] : -1;
  // END SOLUTION
  // STARTER: // Of which left row is row r of the result?
}
