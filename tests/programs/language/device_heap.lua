-- SPDX-License-Identifier: Apache-2.0
-- Linked lists from malloc: one kernel builds them, the next sums and frees.
local t = ...
local m = t:module[==[
struct Node { int value; Node *next; };
__device__ Node *lists[32];
__global__ void build(const int *x, int each) {
  Node *head = nullptr;
  for (int k = 0; k < each; k++) {
    Node *n = (Node *)malloc(sizeof(Node));
    n->value = x[threadIdx.x * each + k];
    n->next = head;
    head = n;
  }
  lists[threadIdx.x] = head;
}
__global__ void sum(int *out) {
  int s = 0, place = 1;
  for (Node *n = lists[threadIdx.x]; n;) {
    s += n->value * place++;
    Node *next = n->next;
    free(n);
    n = next;
  }
  out[threadIdx.x] = s;
}]==]
local x, out = t:ints(160, -20, 20), np.zeros(32, "i32")
t:expect_note("leak") -- what the first kernel keeps for the second
m.build[{1, 32}](x, 5)
m.sum[{1, 32}](out)
local v = t.values(x)
t:same("sums", out, t.fill(32, function(i)
  local s = 0
  for k = 0, 4 do s = s + v[5 * i + k] * (5 - k) end
  return s
end))
