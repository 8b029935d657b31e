-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for words of CUDA C and of Lua: the examples hold, lines fit
-- a screen, and CUDA C's names are ones that the compiler has.
local tap = dofile("tests/lua/tap.lua")
local test, equal = tap.test, tap.equal

for _, file in ipairs{"lua", "cuda_c"} do
  local help = dofile("lua/help/" .. file .. ".lua")

  test(file .. ": the examples hold", function()
    for name, text in pairs(help) do
      for code, want in text:gmatch("Example: ([^\n]*) %-%-> ([^\n]*)") do
        local got = assert(load("return " .. code, "=" .. name))()
        equal(tostring(got), want, code)
      end
    end
  end)

  test(file .. ": lines fit a screen", function()
    for name, text in pairs(help) do
      for line in text:gmatch("[^\n]+") do
        if #line > 80 then error(name .. ": " .. line) end
      end
    end
  end)
end

test("each name of Lua's math has a text, which names what there is", function()
  local help = dofile("lua/help/lua.lua")
  -- What Lua keeps for older programs, and np has anew.
  local old = " cosh sinh tanh pow frexp ldexp log10 atan2 "
  for name in pairs(math) do
    assert(help["math." .. name] or old:find(" " .. name .. " ", 1, true),
           "there is no text for math." .. name)
  end
  for name, text in pairs(help) do
    for of_np in text:gmatch("%f[%w]np%.([%w_]+)") do
      assert(np[of_np] ~= nil, name .. " names np." .. of_np)
    end
  end
end)

-- A use of each; the words without one are no functions.
local uses = {
  __shfl_down_sync = "v = %s(0xffffffff, v, 1)",
  __shfl_up_sync = "v = %s(0xffffffff, v, 1)",
  __shfl_xor_sync = "v = %s(0xffffffff, v, 1)",
  __ballot_sync = "i = %s(0xffffffff, i)",
  __any_sync = "i = %s(0xffffffff, i)", __all_sync = "i = %s(0xffffffff, i)",
  __activemask = "i = %s()", __match_any_sync = "i = %s(0xffffffff, i)",
  __reduce_add_sync = "i = %s(0xffffffff, i)",
  __reduce_max_sync = "i = %s(0xffffffff, i)",
  __reduce_min_sync = "i = %s(0xffffffff, i)", __syncwarp = "%s()",
  __threadfence = "%s()", __threadfence_block = "%s()",
  __threadfence_system = "%s()",
  __syncthreads_count = "i = %s(i)", __syncthreads_and = "i = %s(i)",
  __syncthreads_or = "i = %s(i)", warpSize = "i = %s", __ldg = "v = %s(x)",
  __ldcs = "v = %s(x)", __ldca = "v = %s(x)", __ldcg = "v = %s(x)",
  atomicCAS = "i = %s(n, 1, 2)", clock64 = "i = %s()", clock = "i = %s()",
  __trap = "%s()", __nanosleep = "%s(10)", printf = '%s("%%d", i)',
  __popc = "i = %s(i)", __clz = "i = %s(i)", __ffs = "i = %s(i)",
  __brev = "i = %s(i)",
  fmaxf = "v = %s(v, v)", fminf = "v = %s(v, v)", __powf = "v = %s(v, v)",
  powf = "v = %s(v, v)", atan2f = "v = %s(v, v)", hypotf = "v = %s(v, v)",
  fmodf = "v = %s(v, v)", fmaf = "v = %s(v, v, v)", fma = "v = %s(v, v, v)",
  __fmaf_rn = "v = %s(v, v, v)", __fmul_rn = "v = %s(v, v)",
  __fadd_rn = "v = %s(v, v)",
  __fdividef = "v = %s(v, v)",
}
for name in ("expf logf sinf cosf tanf tanhf sqrtf rsqrtf fabsf floorf " ..
    "ceilf " ..
    "roundf erff log2f exp2f __expf __logf __sinf __cosf"):gmatch("%S+") do
  uses[name] = "v = %s(v)"
end
for name in ("Sub Max Min Exch Inc Dec And Or Xor"):gmatch("%a+") do
  uses["atomic" .. name] = "i = %s((unsigned *)n, 1u)"
end

test("what a text calls a function is one", function()
  local help = dofile("lua/help/cuda_c.lua")
  local lines = {}
  for name, use in pairs(uses) do
    if not help[name] then error("there is no text for " .. name) end
    lines[#lines + 1] = "  " .. use:format(name) .. ";"
  end
  cuda.kernel(("__global__ void k(float *x, int *n) { int i = n[1]; " ..
    "float v = x[1];\n%s\n x[0] = v; n[0] = i; }"):format(
      table.concat(lines, "\n")))
end)

return tap.done()
