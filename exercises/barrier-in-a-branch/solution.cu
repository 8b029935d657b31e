// Each block of spread is to put its largest gap into gaps[block]: the largest
// difference between neighbours in the block's part of x, below n. The threads
// without an element leave too early. Mend it.
__global__ void spread(const int *x, int *gaps, int n) {
  __shared__ int desk[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  // BEGIN SOLUTION
  int gap = 0;
  if (i + 1 < n && t + 1 < blockDim.x) gap = abs(x[i + 1] - x[i]);
  desk[t] = gap;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) desk[t] = max(desk[t], desk[t + half]);
    __syncthreads();
  }
  if (t == 0) gaps[blockIdx.x] = desk[0];
  // END SOLUTION
  // STARTER: if (i + 1 < n && t + 1 < blockDim.x) {
  // STARTER:   desk[t] = abs(x[i + 1] - x[i]);
  // STARTER:   for (int half = 64; half > 0; half /= 2) {
  // STARTER:     __syncthreads();
  // STARTER:     if (t < half) desk[t] = max(desk[t], desk[t + half]);
  // STARTER:   }
  // STARTER: }
  // STARTER: __syncthreads();
  // STARTER: if (t == 0) gaps[blockIdx.x] = desk[0];
}
