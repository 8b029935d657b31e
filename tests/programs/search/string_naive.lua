-- SPDX-License-Identifier: Apache-2.0
-- Where a pattern stands in a text: one thread a place, text in shared memory.
local t = ...
local m = t:module[==[
__constant__ char pattern[16];
__global__ void find(const char *text, int n, int length, int *matches, int *count) {
  __shared__ char s[128 + 16];
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int k = threadIdx.x; k < 128 + length; k += blockDim.x)
    s[k] = blockIdx.x * 128 + k < n ? text[blockIdx.x * 128 + k] : '\0';
  __syncthreads();
  int k = 0;
  while (k < length && s[threadIdx.x + k] == pattern[k]) k++;
  matches[i] = k == length;
  if (k == length) atomicAdd(count, 1);
}]==]
local letters = {}
for i = 1, 600 do letters[i] = 97 + t:next(2) end
local text = string.char(table.unpack(letters))
local pattern = "abaab"
local bytes = np.zeros(16, "i8")
for i = 1, #pattern do bytes[i - 1] = pattern:byte(i) end
m:get_global("pattern", "i8"):copy_from(bytes)
local matches, count = np.zeros(640, "i32"), np.zeros(1, "i32")
m.find[{5, 128}](np.array(letters, "i8"), 600, #pattern, matches, count)
local want, k = t.fill(640, function(i) return text:sub(i + 1, i + 5) == pattern and 1 or 0 end), 0
for i = 0, 639 do k = k + want[i] end
t:same("matches", matches, want)
t:same("count", count, k)
