// wrong: the second line is gone
// verdict: fail
// says: largest[0] keeps the 0 that it begins with
__global__ void book(const int *to, const int *amount, int *account, int *largest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(account + to[i], amount[i]);
}
