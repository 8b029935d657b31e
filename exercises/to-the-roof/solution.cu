// n weights hang on springs. One step of time for weight i is
//   v[i] -= h * k[i] * x[i];  x[i] += h * v[i];
// springs does `steps` of them, with the place in x, the speed in v and the
// spring's strength in k. It is right, and it carries x, v and k to and fro in
// every step, each thread for a piece of neighbours. Make it carry each number
// once, side by side. There may be fewer threads than weights.
__global__ void springs(float *x, float *v, const float *k, int n, int steps,
                        float h) {
  // BEGIN SOLUTION
  // 20 bytes a weight, whatever the number of steps: from some number of steps
  // on the arithmetic is the roof, and no other order of loads can help.
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float place = x[i], speed = v[i], pull = h * k[i];
    for (int s = 0; s < steps; s++) {
      speed -= pull * place;
      place += h * speed;
    }
    x[i] = place;
    v[i] = speed;
  }
  // END SOLUTION
  // STARTER: int threads = gridDim.x * blockDim.x;
  // STARTER: int piece = (n + threads - 1) / threads;
  // STARTER: int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
  // STARTER: for (int s = 0; s < steps; s++)
  // STARTER:   for (int i = first; i < first + piece && i < n; i++) {
  // STARTER:     v[i] -= h * k[i] * x[i];
  // STARTER:     x[i] += h * v[i];
  // STARTER:   }
}
