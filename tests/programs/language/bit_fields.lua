-- SPDX-License-Identifier: Apache-2.0
-- Structures of bit-fields, set one by one in shared memory, in a thread's own
-- array and on the heap, and read only where they were set.
local t = ...
local m = t:module[==[
struct Pixel { unsigned red : 5; unsigned green : 6; int shift : 11; bool on : 1; bool spare : 1; };
struct Pair { unsigned char low : 3; unsigned char high : 5; };
struct Cell { unsigned kind : 5; bool is_wall : 1; bool is_exit : 1; int next; };

__global__ void shared(const int *x, int *out) {
  __shared__ Pixel p[32];
  int i = threadIdx.x;
  p[i].red = x[i];
  p[i].green = 2 * x[i];
  p[i].shift = -x[i];
  p[i].on = x[i] & 1;
  __syncthreads();
  Pixel q = p[31 - i];
  out[i] = q.on ? q.red + q.green : q.shift;
}
__global__ void own(const int *x, int *out) {
  Pair p[8];
  for (int k = 0; k < 8; k++) {
    p[x[k] % 8].low = k;
    p[x[k] % 8].high = k + 1;
  }
  Pair q = p[x[threadIdx.x] % 8];
  out[threadIdx.x] = q.low > 2 ? q.high : 100 * q.low;
}
__global__ void heap(const int *x, int *out) {
  Cell *c = new Cell;
  c->kind = x[threadIdx.x];
  c->is_wall = x[threadIdx.x] & 1;
  c->is_exit = true;
  c->next = -1;
  __threadfence_block();
  out[threadIdx.x] = c->is_wall && c->is_exit ? c->kind : c->next;
  delete c;
}
__global__ void flags(const int *x, int *out) {
  __shared__ unsigned char seen[32];
  int i = threadIdx.x;
  seen[i] &= 0xF0;
  seen[i] |= x[i] & 0xF;
  __syncthreads();
  out[i] = (seen[31 - i] & 7) > 3 ? 1 : 0;
}]==]
local v = t.fill(32, function(i) return i end)
local x = np.arange(32, "i32")
local function run(name, want)
  local out = np.zeros(32, "i32")
  m[name][{1, 32}](x, out)
  t:same(name, out, t.fill(32, want))
end
run("shared", function(i)
  local j = v[31 - i]
  return j % 2 == 1 and 3 * j or -j
end)
run("own", function(i)
  local k = v[i] % 8
  return k > 2 and k + 1 or 100 * k
end)
run("heap", function(i) return v[i] % 2 == 1 and v[i] or -1 end)
run("flags", function(i) return (v[31 - i] & 7) > 3 and 1 or 0 end)
