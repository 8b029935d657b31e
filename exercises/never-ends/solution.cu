// sorted[0] <= sorted[1] <= ... The kernel counts, for each wanted[i], how many
// elements are below it: it looks in the middle, and goes on in the half where
// the answer lies. For some numbers it never ends. Mend it.
__global__ void count_below(const int *sorted, const int *wanted, int *out,
                            int n, int keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= keys) return;
  // BEGIN SOLUTION
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < wanted[i])
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
  // END SOLUTION
  // STARTER: int low = 0, high = n;
  // STARTER: while (low < high) {
  // STARTER:   int middle = (low + high) / 2;
  // STARTER:   if (sorted[middle] < wanted[i])
  // STARTER:     low = middle;
  // STARTER:   else
  // STARTER:     high = middle;
  // STARTER: }
  // STARTER: out[i] = low;
}
