// The kernel changes even elements in one way and odd ones in another. It is
// right, and half of its lanes wait at any time. Share the elements out among
// the threads so that whole warps go one way. The grid has n threads or some
// more.
#define ROUNDS 40

__global__ void even_odd(unsigned *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // BEGIN SOLUTION
  int evens = (n + 1) / 2;
  int at = i < evens ? 2 * i : 2 * (i - evens) + 1;
  unsigned v = a[at];
  if (at % 2 == 0)
    for (int k = 0; k < ROUNDS; k++) v = v * 5 + 1;
  else
    for (int k = 0; k < ROUNDS; k++) v = (v ^ v >> 7) + 3;
  a[at] = v;
  // END SOLUTION
  // STARTER: unsigned v = a[i];
  // STARTER: if (i % 2 == 0)
  // STARTER:   for (int k = 0; k < ROUNDS; k++) v = v * 5 + 1;
  // STARTER: else
  // STARTER:   for (int k = 0; k < ROUNDS; k++) v = (v ^ v >> 7) + 3;
  // STARTER: a[i] = v;
}
