// Thread t looks at the numbers x[t], x[t + all], x[t + 2 * all] ..., `each` of
// them, where all is the number of threads. The numbers are 0 to 31, and `each`
// is at most 255. out[t] is to be the number that the thread sees most often,
// the least of those that are equally frequent. Each thread counts in its own
// column of a desk. That is right, and so much desk for a block leaves half of
// the seats for warps empty. Blocks have 256 threads. Make room for at least
// 90 % of the warps.
__global__ void most_often(const int *x, int *out, int each) {
  int t = threadIdx.x, all = gridDim.x * 256, first = blockIdx.x * 256 + t;
  // BEGIN SOLUTION
  // No count is above 255: a byte holds it, a quarter of the desk. The four
  // counts of a word are those of four threads, side by side.
  __shared__ unsigned char seen[32][256];
  for (int v = 0; v < 32; v++) seen[v][t] = 0;
  for (int k = 0; k < each; k++) seen[x[k * all + first]][t]++;
  int most = 0;
  for (int v = 1; v < 32; v++)
    if (seen[v][t] > seen[most][t]) most = v;
  // END SOLUTION
  // STARTER: __shared__ int seen[32][256];
  // STARTER: for (int v = 0; v < 32; v++) seen[v][t] = 0;
  // STARTER: for (int k = 0; k < each; k++) seen[x[k * all + first]][t]++;
  // STARTER: int most = 0;
  // STARTER: for (int v = 1; v < 32; v++)
  // STARTER:   if (seen[v][t] > seen[most][t]) most = v;
  out[first] = most;
}
