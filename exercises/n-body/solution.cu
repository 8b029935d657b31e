// pull is right and slow. n bodies lie in a plane, body j at (x[j], y[j]) with
// the mass m[j], and each is pulled by all: (ax[i], ay[i]) is the sum of what
// add_pull adds for each j. (A body does not pull itself: its distance is 0.)
// Each thread has a body, and fetches all others from global memory. Let the
// threads of a block bring bodies to shared memory, a block's number of them at
// a time, and use each for all. A block has 64 to 256 threads.
__device__ void add_pull(float dx, float dy, float m, float *ax, float *ay) {
  float near = rsqrtf(dx * dx + dy * dy + 1);
  float by = m * near * near * near;
  *ax += by * dx;
  *ay += by * dy;
}

__global__ void pull(const float *x, const float *y, const float *m, float *ax,
                     float *ay, int n) {
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  float px = i < n ? x[i] : 0, py = i < n ? y[i] : 0;
  float sx = 0, sy = 0;
  // BEGIN SOLUTION
  // Each body is fetched once a block, not once a thread. Next: two bodies a
  // thread, so that each one on the desk is read half as often.
  __shared__ float tx[256], ty[256], tm[256];
  for (int first = 0; first < n; first += size) {
    int j = first + t;
    if (j < n) {
      tx[t] = x[j];
      ty[t] = y[j];
      tm[t] = m[j];
    }
    __syncthreads();
    int length = min(size, n - first);
    for (int k = 0; k < length; k++)
      add_pull(tx[k] - px, ty[k] - py, tm[k], &sx, &sy);
    __syncthreads();
  }
  // END SOLUTION
  // STARTER: for (int j = 0; j < n; j++)
  // STARTER:   add_pull(x[j] - px, y[j] - py, m[j], &sx, &sy);
  if (i < n) {
    ax[i] = sx;
    ay[i] = sy;
  }
}
