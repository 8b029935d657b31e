// A network of weather stations sends its readings: t has a row of `hours`
// temperatures for each station. The kernel `report` gives a block to each, and
// computes for station s
//   mean[s], variance[s]   of its readings,
//   most[s]                the highest one,
//   warmth[s]              the sum of t - 5 over all hours above 5 degrees,
//   frost[s]               how many hours were below 0,
//   bins[16 * s + k]       how many readings are in the k-th step of 5 degrees,
//                          from -40 on; all lie in -40 to 39.9375.
// It is right: three people wrote it, one after the other, and none of them had
// time. Bronze (to pass): a tenth of the bytes. Silver: no doubles. Gold: a
// tenth of the instructions. Blocks have 32 to 256 threads, a power of 2.
// BEGIN SOLUTION
// One walk, side by side, in registers; the rest by shuffles. What is left is
// mostly the atomics of the bins: a histogram for each warp would part them.
__device__ void sum_of(float v, float *part) {
  for (int far = 16; far > 0; far /= 2)
    v += __shfl_down_sync(0xffffffff, v, far);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
}

__global__ void report(const float *t, float *mean, float *variance,
                       float *most, float *warmth, int *frost, int *bins,
                       int hours) {
  __shared__ float part[5][8];
  __shared__ int seen[16];
  int me = threadIdx.x, s = blockIdx.x;
  if (me < 16) seen[me] = 0;
  __syncthreads();
  float sum = 0, squares = 0, top = -1e30f, warm = 0, cold = 0;
  const float *row = t + s * hours;
#pragma unroll 4
  for (int i = me; i < hours; i += blockDim.x) {
    float v = row[i];
    sum += v;
    squares += v * v;
    top = fmaxf(top, v);
    warm += fmaxf(v - 5, 0);
    cold += v < 0;
    atomicAdd(&seen[(int)((v + 40) * 0.2f)], 1);
  }
  sum_of(sum, part[0]);
  sum_of(squares, part[1]);
  sum_of(warm, part[2]);
  sum_of(cold, part[3]);
  for (int far = 16; far > 0; far /= 2)
    top = fmaxf(top, __shfl_down_sync(0xffffffff, top, far));
  if (me % 32 == 0) part[4][me / 32] = top;
  __syncthreads();
  if (me < 16) bins[16 * s + me] = seen[me];
  if (me > 0) return;
  for (int w = 1; w < blockDim.x / 32; w++) {
    for (int k = 0; k < 4; k++) part[k][0] += part[k][w];
    part[4][0] = fmaxf(part[4][0], part[4][w]);
  }
  float m = part[0][0] / hours;
  mean[s] = m;
  variance[s] = part[1][0] / hours - m * m;
  warmth[s] = part[2][0];
  frost[s] = (int)part[3][0];
  most[s] = part[4][0];
}
// END SOLUTION
// STARTER: __device__ double sum_of(double v, double *part) {
// STARTER:   int t = threadIdx.x;
// STARTER:   part[t] = v;
// STARTER:   __syncthreads();
// STARTER:   for (int far = 1; far < blockDim.x; far *= 2) {
// STARTER:     if (t % (2 * far) == 0) part[t] += part[t + far];
// STARTER:     __syncthreads();
// STARTER:   }
// STARTER:   double sum = part[0];
// STARTER:   __syncthreads();
// STARTER:   return sum;
// STARTER: }
// STARTER:
// STARTER: __device__ double most_of(double v, double *part) {
// STARTER:   int t = threadIdx.x;
// STARTER:   part[t] = v;
// STARTER:   __syncthreads();
// STARTER:   for (int far = 1; far < blockDim.x; far *= 2) {
// STARTER:     if (t % (2 * far) == 0) part[t] = fmax(part[t], part[t + far]);
// STARTER:     __syncthreads();
// STARTER:   }
// STARTER:   double most = part[0];
// STARTER:   __syncthreads();
// STARTER:   return most;
// STARTER: }
// STARTER:
// STARTER: __device__ int bin_of(double v) {
// STARTER:   int bin = 0;
// STARTER:   for (double border = -35.0; border <= 35.0; border += 5.0)
// STARTER:     if (v >= border) bin++;
// STARTER:   return bin;
// STARTER: }
// STARTER:
// STARTER: __global__ void report(const float *t, float *mean, float *variance,
// STARTER:                        float *most, float *warmth, int *frost,
// STARTER:                        int *bins, int hours) {
// STARTER:   __shared__ double part[256];
// STARTER:   int me = threadIdx.x, s = blockIdx.x;
// STARTER:   const float *row = t + s * hours;
// STARTER:   int piece = (hours + blockDim.x - 1) / blockDim.x;
// STARTER:   int first = me * piece;
// STARTER:   int last = first + piece < hours ? first + piece : hours;
// STARTER:
// STARTER:   double sum = 0.0;
// STARTER:   for (int i = first; i < last; i++) sum += row[i];
// STARTER:   double m = sum_of(sum, part) / hours;
// STARTER:   if (me == 0) mean[s] = m;
// STARTER:
// STARTER:   double squares = 0.0;
// STARTER:   for (int i = first; i < last; i++)
// STARTER:     squares += pow(row[i] - m, 2.0);
// STARTER:   squares = sum_of(squares, part);
// STARTER:   if (me == 0) variance[s] = squares / hours;
// STARTER:
// STARTER:   double top = -1e30;
// STARTER:   for (int i = first; i < last; i++)
// STARTER:     top = fmax(top, (double)row[i]);
// STARTER:   top = most_of(top, part);
// STARTER:   if (me == 0) most[s] = top;
// STARTER:
// STARTER:   double warm = 0.0;
// STARTER:   for (int i = first; i < last; i++)
// STARTER:     if (row[i] > 5.0) warm += row[i] - 5.0;
// STARTER:   warm = sum_of(warm, part);
// STARTER:   if (me == 0) warmth[s] = warm;
// STARTER:
// STARTER:   if (me == 0) frost[s] = 0;
// STARTER:   __syncthreads();
// STARTER:   for (int i = first; i < last; i++)
// STARTER:     if (row[i] < 0.0) atomicAdd(&frost[s], 1);
// STARTER:
// STARTER:   if (me == 0)
// STARTER:     for (int k = 0; k < 16; k++) bins[16 * s + k] = 0;
// STARTER:   __syncthreads();
// STARTER:   for (int i = first; i < last; i++)
// STARTER:     atomicAdd(&bins[16 * s + bin_of(row[i])], 1);
// STARTER: }
