// Write the kernel attention. Query i (a row of q, d floats) is compared with every
// key j (a row of k): score = q[i] times k[j], summed, divided by the root of d.
// The softmax of the n scores are n weights, and out[i] is the sum of the rows of v,
// each times its weight. k and v have n rows of d floats. Block i does query i with
// 64 threads; n is at most 1024, d at most 64.
__global__ void attention(const float *q, const float *k, const float *v,
                          float *out, int n, int d) {
  __shared__ float score[1024];
  int t = threadIdx.x, i = blockIdx.x;
  // BEGIN SOLUTION
  for (int j = t; j < n; j += blockDim.x) {
    float dot = 0;
    for (int c = 0; c < d; c++) dot += q[i * d + c] * k[j * d + c];
    score[j] = dot / sqrtf(d);
  }
  __syncthreads();
  float most = score[0];
  for (int j = 1; j < n; j++) most = fmaxf(most, score[j]);
  if (t < d) {
    float sum = 0, total = 0;
    for (int j = 0; j < n; j++) {
      float weight = expf(score[j] - most);
      sum += weight;
      total += weight * v[j * d + t];
    }
    out[i * d + t] = total / sum;
  }
  // END SOLUTION
  // STARTER: if (t < d) out[i * d + t] = v[t];
}
