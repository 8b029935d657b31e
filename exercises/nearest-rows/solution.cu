// For each question the k rows of a table that are nearest to it. n rows and m
// questions have d numbers each, stored column by column: number c of row i is
// x[c * n + i], number c of question q is questions[c * m + q]. near[q * k + j]
// is to be the row that is j-th nearest to question q, by the sum of the squared
// differences, from the nearest on; of rows that are equally far the lower one
// comes first. A thread for each question keeps the best k so far, in order. k
// is 8 at most, and at most n.
__global__ void nearest_rows(const float *x, const float *questions, int *near,
                             int n, int m, int d, int k) {
  float best[8]; // the least distances so far, in order
  int row[8];    // and the rows whose they are
  for (int j = 0; j < 8; j++) best[j] = 3e38f;
  // BEGIN SOLUTION
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= m) return;
  for (int i = 0; i < n; i++) {
    float distance = 0;
    for (int c = 0; c < d; c++) {
      float apart = x[c * n + i] - questions[c * m + q];
      distance += apart * apart;
    }
    if (distance >= best[k - 1]) continue;
    // It moves up past all that are farther away than it.
    int j = k - 1;
    for (; j > 0 && distance < best[j - 1]; j--) {
      best[j] = best[j - 1];
      row[j] = row[j - 1];
    }
    best[j] = distance;
    row[j] = i;
  }
  for (int j = 0; j < k; j++) near[q * k + j] = row[j];
  // END SOLUTION
  // STARTER: // Which of the k best so far is the one to go?
}
