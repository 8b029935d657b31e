-- SPDX-License-Identifier: Apache-2.0
-- cuda::barrier: arrive, do something else, then wait.
local t = ...
local m = t:module[==[
#include <cuda/barrier>
#include <cuda/std/utility>
__global__ void split(const int *x, int *out, int rounds) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full, empty;
  __shared__ int s[96];
  int i = threadIdx.x, sum = 0;
  if (i == 0) {
    init(&full, 96);
    init(&empty, 96);
  }
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    s[i] = x[96 * r + i];
    auto token = full.arrive();
    sum += r; // independent of the others
    full.wait(cuda::std::move(token));
    sum += s[95 - i];
    empty.arrive_and_wait();
  }
  out[i] = sum;
}]==]
local x, out = t:ints(288, -9, 9), np.zeros(96, "i32")
m.split[{1, 96}](x, out, 3)
local v = t.values(x)
t:same("sums", out, t.fill(96, function(i)
  return v[95 - i] + v[191 - i] + v[287 - i] + 3
end))
