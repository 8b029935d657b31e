// wrong: right but slow, each thread adds up everything before it alone
// verdict: fail
// says: Let each thread put what it has into a __shared__ array
// says: One thread that adds up everything makes the others wait
__global__ void scan_block(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int j = blockIdx.x * blockDim.x; j <= i; j++) sum += x[j];
  out[i] = sum;
}
