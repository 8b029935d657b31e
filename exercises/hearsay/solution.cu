// Everybody listens to those whom they know, to some more than to others. Row r of
// the compressed rows has whom person r knows in column, and in score how well.
// heard[r] is the mean of x of those, weighted by the softmax of the row's scores;
// who knows nobody hears 0. It is right, and slow where rows are long or of
// different lengths, and walks along each row three times. Make it fast: there are
// 32 threads for each row, blocks have a multiple of 32, and one walk is enough.
__global__ void hearsay(const int *start, const int *column, const float *score,
                        const float *x, float *heard, int rows) {
  // BEGIN SOLUTION
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float most = -1e30f, sum = 0, all = 0;
  for (int k = start[r] + lane; k < start[r + 1]; k += 32) {
    float greater = fmaxf(most, score[k]);
    float less = expf(most - greater), weight = expf(score[k] - greater);
    sum = sum * less + weight;
    all = all * less + weight * x[column[k]];
    most = greater;
  }
  for (int far = 16; far > 0; far /= 2) {
    float other = __shfl_xor_sync(0xffffffff, most, far);
    float greater = fmaxf(most, other);
    float mine = expf(most - greater), theirs = expf(other - greater);
    sum = sum * mine + __shfl_xor_sync(0xffffffff, sum, far) * theirs;
    all = all * mine + __shfl_xor_sync(0xffffffff, all, far) * theirs;
    most = greater;
  }
  if (lane == 0) heard[r] = sum > 0 ? all / sum : 0;
  // END SOLUTION
  // STARTER: int r = blockIdx.x * blockDim.x + threadIdx.x;
  // STARTER: if (r >= rows) return;
  // STARTER: float most = -1e30f, sum = 0, all = 0;
  // STARTER: for (int k = start[r]; k < start[r + 1]; k++)
  // STARTER:   most = fmaxf(most, score[k]);
  // STARTER: for (int k = start[r]; k < start[r + 1]; k++)
  // STARTER:   sum += expf(score[k] - most);
  // STARTER: for (int k = start[r]; k < start[r + 1]; k++)
  // STARTER:   all += expf(score[k] - most) / sum * x[column[k]];
  // STARTER: heard[r] = all;
}
