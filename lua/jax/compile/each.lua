-- SPDX-License-Identifier: Apache-2.0
-- Kernels of primitives that bring their own: a body for each of many indexes.
local M = {}

local BLOCK = 256

--- Adds a kernel that runs the lines of body(code, i, kernel) for each i below
--- `size`.
function M.index(plan, name, size, body)
  if size == 0 then return end
  local kernel = plan:new_kernel(name)
  local code = kernel:code()
  code.depth = 2
  body(code, "i", kernel)
  local t = size < 1 << 30 and "int" or "long long"
  local lines = {
    ("  for (%s i = (%s)blockIdx.x * blockDim.x + threadIdx.x; i < %d; " ..
     "i += (%s)gridDim.x * blockDim.x) {"):format(t, t, size, t)}
  table.move(code.lines, 1, #code.lines, 2, lines)
  lines[#lines + 1] = "  }"
  local blocks = (size + BLOCK - 1) // BLOCK
  kernel:done(lines, math.min(blocks, plan.most_blocks), BLOCK)
end

--- A variable whose elements lie in memory for the time of a call.
function M.temp(plan, aval)
  local var = {aval = aval}
  plan.places[var] = plan:new_temp(aval)
  return var
end

--- The C type and text of an index: 32 bits where they are enough.
function M.index_text(text, dtype)
  if dtype == "i64" or dtype == "u64" or dtype == "u32" then
    return "(long long)" .. text, "long long"
  end
  return "(int)" .. text, "int"
end

--- An index of type `dtype` brought into 0 .. high.
function M.clamped(text, dtype, high)
  if high <= 0 then return "0" end
  local i, t = M.index_text(text, dtype)
  return ("min(max(%s, (%s)0), (%s)%d)"):format(i, t, t, high)
end

--- The condition that an index of type `dtype` is within 0 .. high.
function M.within(text, dtype, high)
  local i, t = M.index_text(text, dtype)
  return ("%s >= 0 && %s <= (%s)%d"):format(i, i, t, high)
end

return M
