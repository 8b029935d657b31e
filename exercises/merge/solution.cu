// x has m numbers and y has n, both in ascending order. merge puts all of them
// into out, in ascending order, equal ones of x before those of y, and says in
// from[k] where out[k] came from: i for x[i], -1 - i for y[i]. Each number
// finds its place by itself: its own, and as many more as go before it in the
// other list.
//   before counts those, in the n numbers of x: the ones below value, and the
// equal ones, too, if these go first. It is right, and looks at every number.
// The list is sorted: look at fewer.
__device__ int before(const int *x, int n, int value, bool equal_too) {
  // BEGIN SOLUTION
  // About log2(n) looks in place of n. Next: a block fetches the piece of the
  // other list that its threads can need, and looks there.
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    bool is_before = equal_too ? x[middle] <= value : x[middle] < value;
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
  // END SOLUTION
  // STARTER: int count = 0;
  // STARTER: for (int i = 0; i < n; i++)
  // STARTER:   count += equal_too ? x[i] <= value : x[i] < value;
  // STARTER: return count;
}

__global__ void merge(const int *x, const int *y, int *out, int *from, int m,
                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    int place = i + before(y, n, x[i], false);
    out[place] = x[i];
    from[place] = i;
  } else if (i < m + n) {
    int own = i - m, place = own + before(x, m, y[own], true);
    out[place] = y[own];
    from[place] = -1 - own;
  }
}
