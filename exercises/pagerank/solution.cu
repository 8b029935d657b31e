// PageRank with pages that link to nobody: their visitors go on to any page.
// Ranks are multiplied by n here, so that 1 is the average. A round is two
// launches.
//
// give: share[v] = rank[v] / links[v], what each link of page v hands on. Where
// links[v] is 0, rank[v] is added to lost[0] instead, which the host has set to 0.
//
// click: rank[v] = 0.15 + 0.85 * (the shares of all pages that link to v
// + lost[0] / n). Those pages are from[start[v]], ..., from[start[v + 1] - 1].

__global__ void give(const float *rank, const int *links, float *share,
                     float *lost, int n) {
  // BEGIN SOLUTION
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  if (links[v] > 0)
    share[v] = rank[v] / links[v];
  else
    atomicAdd(lost, rank[v]);
}

__global__ void click(const int *start, const int *from, const float *share,
                      const float *lost, float *rank, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = lost[0] / n;
  for (int k = start[v]; k < start[v + 1]; k++) sum += share[from[k]];
  rank[v] = 0.15f + 0.85f * sum;
  // END SOLUTION
  // STARTER: // What the links of page v hand on.
// STARTER: }
// STARTER:
// STARTER: __global__ void click(const int *start, const int *from, const float *share,
// STARTER:                       const float *lost, float *rank, int n) {
}
