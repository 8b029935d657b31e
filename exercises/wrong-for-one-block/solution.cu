// place[i] is to be the number of elements in i's own block that are smaller
// than x[i]: its place if the block were sorted. All blocks are right but one.
// Find it with :debug, and mend the kernel.
__global__ void places(const int *x, int *place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // BEGIN SOLUTION
  int first = blockIdx.x * blockDim.x;
  int end = first + blockDim.x;
  if (end > n) end = n;
  int count = 0;
  for (int k = first; k < end; k++) count += x[k] < x[i];
  place[i] = count;
  // END SOLUTION
  // STARTER: int first = blockIdx.x * blockDim.x;
  // STARTER: int end = first + blockDim.x;
  // STARTER: if (end > n) end = n - 1;
  // STARTER: int count = 0;
  // STARTER: for (int k = first; k < end; k++) count += x[k] < x[i];
  // STARTER: place[i] = count;
}
