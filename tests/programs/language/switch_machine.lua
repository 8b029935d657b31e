-- SPDX-License-Identifier: Apache-2.0
-- A small machine interprets byte code; lanes run different programs.
local t = ...
local m = t:module[==[
__global__ void interpret(const unsigned char *code, int length, long *out) {
  long acc = 1, stack[8];
  int sp = 0;
  const unsigned char *p = code + (blockIdx.x * blockDim.x + threadIdx.x) * length;
  for (int i = 0; i < length; i++)
    switch (p[i] & 7) {
    case 0: acc += p[i] >> 3; break;
    case 1: acc -= p[i] >> 3; break;
    case 2: acc = acc * 3 & 0xffff; break;
    case 3: if (sp < 8) stack[sp++] = acc; break;
    case 4: if (sp) acc ^= stack[--sp]; break;
    case 5: if (acc & 1) i++; break;
    case 6: acc = -acc;
    default: acc++;
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}]==]
local n, length = 64, 20
local code, out = t:ints(n * length, 0, 255, "u8"), np.zeros(n, "i64")
m.interpret[{2, 32}](code, length, out)
local c = t.values(code)
t:same("results", out, t.fill(n, function(k)
  local acc, stack, i = 1, {}, 0
  while i < length do
    local b = c[k * length + i]
    local op = b & 7
    if op == 0 then acc = acc + (b >> 3)
    elseif op == 1 then acc = acc - (b >> 3)
    elseif op == 2 then acc = acc * 3 & 0xffff
    elseif op == 3 then if #stack < 8 then stack[#stack + 1] = acc end
    elseif op == 4 then if #stack > 0 then acc = acc ~ table.remove(stack) end
    elseif op == 5 then if acc & 1 == 1 then i = i + 1 end
    elseif op == 6 then acc = -acc + 1
    else acc = acc + 1 end
    i = i + 1
  end
  return acc
end))
