// A bank books n payments: amount[i] goes to account[to[i]], and largest[0] is to
// be the largest amount of all. Customers complain that payments get lost. Mend
// both lines.
__global__ void book(const int *to, const int *amount, int *account,
                     int *largest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // BEGIN SOLUTION
  atomicAdd(&account[to[i]], amount[i]);
  atomicMax(&largest[0], amount[i]);
  // END SOLUTION
  // STARTER: account[to[i]] += amount[i];
  // STARTER: if (amount[i] > largest[0]) largest[0] = amount[i];
}
