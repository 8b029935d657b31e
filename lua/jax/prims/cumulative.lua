-- SPDX-License-Identifier: Apache-2.0
-- Running sums, products, extremes and sums of exponentials along one axis.
--
-- On a device an array is [outer, n, inner] around the axis. Where neighbours
-- in memory are neighbours along the axis, a block goes along it, 256 elements
-- at a time; else each thread goes along its own line. Long lines are cut into
-- chunks: first the chunks' totals, then each chunk with what is before it.
-- The order of all sums depends on the sizes alone.
local use = ...
local core = use("core/core")
local lax = use("core/lax")
local ad = use("transforms/ad")
local emit = use("compile/emit")
local each = use("compile/each")
local np = use.np

local BLOCK = 256

-- ---- On a device ----

local is_small = {f16 = true, bf16 = true}

-- What all kernels of one equation need: sizes, and texts of its parts.
local function lines_of(row, eqn, plan)
  local x, p = eqn.inputs[1], eqn.params
  local shape, t = x.aval.shape, x.aval.dtype
  local l = {outer = 1, inner = 1, n = shape[p.axis + 1]}
  for d, size in ipairs(shape) do
    if d <= p.axis then l.outer = l.outer * size end
    if d > p.axis + 1 then l.inner = l.inner * size end
  end
  l.rows = l.outer * l.inner
  l.wide = is_small[t] and "f32" or t
  l.c = emit.compute_type(t)
  l.start = emit.fill(emit.template_of(row.start, l.wide), l.wide, {})
  function l.fold(a, b)
    return emit.fill(emit.template_of(row.step, l.wide), l.wide, {a, b})
  end
  -- The place in the array of element j of a line.
  function l.place(line, j)
    if p.reverse then j = ("(%d - %s)"):format(l.n - 1, j) end
    if l.inner == 1 then return ("(%s * %d + %s)"):format(line, l.n, j) end
    return ("((%s / %d * %d + %s) * %d + %s %% %d)"):format(
      line, l.inner, l.n, j, l.inner, line, l.inner)
  end
  function l.element(code, at) return code:element(x, {flat = at}) end
  l.target = plan.places[eqn.outputs[1]]
  function l.stored(text) return emit.stored(t, text) end
  return l
end

-- Each thread its own line, or a chunk of one.
local function across(l, plan, chunks, length)
  local totals = chunks > 1 and
    each.temp(plan, core.aval({chunks * l.rows}, l.wide))
  local function loop(code, body)
    code:add("const int end = min(%d, (chunk + 1) * %d);", l.n, length)
    code:open(("for (int j = chunk * %d; j < end; j++)"):format(length))
    code:add("const int at = %s;", l.place("line", "j"))
    code:add("acc = %s;", l.fold("acc", l.element(code, "at")))
    if body then body() end
    code:close()
  end
  local function head(code, i)
    code:add("const int line = %s %% %d, chunk = %s / %d;", i, l.rows, i,
             l.rows)
    code:add("%s acc = %s;", l.c, l.start)
  end
  if totals then
    each.index(plan, "totals", (chunks - 1) * l.rows, function(code, i, kernel)
      local to = kernel:write(plan.places[totals])
      head(code, i)
      loop(code)
      code:add("%s[%s] = acc;", to, i)
    end)
  end
  each.index(plan, "scan", chunks * l.rows, function(code, i, kernel)
    local to = kernel:write(l.target)
    head(code, i)
    if totals then
      code:open("for (int k = 0; k < chunk; k++)")
      code:add("acc = %s;", l.fold("acc", code:element(totals, {
        flat = ("k * %d + line"):format(l.rows)})))
      code:close()
    end
    loop(code, function()
      code:add("%s[at] = %s;", to, l.stored("acc"))
    end)
  end)
end

-- In each thread `v` of all threads before it in the block, and its own; the
-- total goes to `carry`.
local scan_text = [[
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      const $c o = __shfl_up_sync(0xffffffffu, v, d);
      if ((threadIdx.x & 31) >= d) v = $fold_o_v;
    }
    if ((threadIdx.x & 31) == 31) part[threadIdx.x >> 5] = v;
    __syncthreads();
    $c before = carry;
#pragma unroll
    for (int w = 0; w < 8; w++) {
      if (w == threadIdx.x >> 5) before = carry;
      carry = $fold_carry_part;
    }
    v = $fold_before_v;
    __syncthreads();]]

local function filled(l, text)
  return (text:gsub("%$([%l_]+)", {
    c = l.c, fold_o_v = l.fold("o", "v"),
    fold_carry_part = l.fold("carry", "part[w]"),
    fold_before_v = l.fold("before", "v"),
  }))
end

-- A kernel of a block for each chunk of each line; `body` gets a function that
-- adds the loop over the chunk, 256 elements at a time.
local function along_kernel(l, plan, name, chunks, body)
  local kernel = plan:new_kernel(name)
  local code = kernel:code()
  code:add("__shared__ %s part[8];", l.c)
  code:add("const int line = blockIdx.x / %d, chunk = blockIdx.x %% %d;",
           chunks, chunks)
  code:add("%s carry = %s;", l.c, l.start)
  body(code, kernel, function(count, first, element, store)
    code:open(("for (int base = %s; base < %s; base += 256)"):format(first,
                                                                     count))
    code:add("const int j = base + threadIdx.x;")
    code:add("%s v = %s;", l.c, l.start)
    if store then code:add("int at = 0;") end
    code:open(("if (j < %s)"):format(count))
    element()
    code:close()
    code.lines[#code.lines + 1] = filled(l, scan_text)
    if store then store() end
    code:close()
  end)
  kernel:done(code.lines, l.rows * chunks, BLOCK)
end

-- A block for each line, or chunk of one.
local function along(l, plan, chunks, length)
  local totals = chunks > 1 and
    each.temp(plan, core.aval({chunks * l.rows}, l.wide))
  local function chunk_loop(code, loop, store)
    code:add("const int end = min(%d, (chunk + 1) * %d);", l.n, length)
    loop("end", ("chunk * %d"):format(length), function()
      code:add(store and "at = %s;" or "const int at = %s;",
               l.place("line", "j"))
      code:add("v = %s;", l.element(code, "at"))
    end, store)
  end
  if totals then
    along_kernel(l, plan, "totals", chunks, function(code, kernel, loop)
      local to = kernel:write(plan.places[totals])
      chunk_loop(code, loop)
      code:add("if (threadIdx.x == 0) %s[blockIdx.x] = carry;", to)
    end)
  end
  along_kernel(l, plan, "scan", chunks, function(code, kernel, loop)
    local to = kernel:write(l.target)
    if totals then
      loop("chunk", "0", function()
        code:add("v = %s;", code:element(totals, {
          flat = ("line * %d + j"):format(chunks)}))
      end)
    end
    chunk_loop(code, loop, function()
      code:add("if (j < end) %s[at] = %s;", to, l.stored("v"))
    end)
  end)
end

local function ceil_div(a, b) return (a + b - 1) // b end

local function emit_rule(row)
  return function(eqn, plan)
    local l = lines_of(row, eqn, plan)
    local size = l.rows * l.n
    if size == 0 then return end
    if size >= 1 << 31 then
      core.fail("unsupported", nil, "%s of 2^31 elements or more", row.name)
    end
    if l.inner >= 32 or l.n <= 32 then
      local chunks = l.n > 64 and
        math.min(ceil_div(l.n, 32), ceil_div(32 * BLOCK, l.rows)) or 1
      local length = ceil_div(l.n, chunks)
      across(l, plan, ceil_div(l.n, length), length)
    else
      local chunks = math.min(ceil_div(l.n, 8 * BLOCK),
                              math.max(1, plan.most_blocks // l.rows))
      local length = ceil_div(ceil_div(l.n, chunks), BLOCK) * BLOCK
      along(l, plan, ceil_div(l.n, length), length)
    end
  end
end

-- ---- The rows ----

local function flipped(x, axis)
  local index = {}
  for d = 1, #x.shape do index[d] = d == axis + 1 and "::-1" or ":" end
  return x[table.concat(index, ", ")]
end

local function eval_rule(f)
  return function(p, x)
    if x.size == 0 then return x end
    if p.reverse then x = flipped(x, p.axis) end
    local y = np.asarray(f(x, p.axis), x.dtype)
    return p.reverse and flipped(y, p.axis) or y
  end
end

-- By an associative scan, as JAX: exact where the running value is 0, or where
-- elements are equal.
local function diff_by_scan(combine)
  local function over(p)
    return function(list)
      return {lax.associative_scan(combine, list[1], p.reverse, p.axis)}
    end
  end
  return {
    gives_outputs = true,
    jvp = function(p, values, t)
      local outputs, tangents = ad.jvp(over(p), values, t)
      return tangents, outputs
    end,
    vjp = function(p, cts, values)
      if not cts[1] then return {false} end
      local _, pull = ad.vjp(over(p), values)
      return pull(cts)
    end,
  }
end

local function define(row)
  core.define{
    name = row.name,
    eval = eval_rule(row.eval),
    shape = function(p, x)
      if p.axis < 0 or p.axis >= #x.shape then
        core.fail("argument", "ValueError", "%s: axis %d of an array of " ..
                  "shape %s", row.name, p.axis, core.shape_text(x.shape))
      end
      if x.dtype == "bool" or row.is_float and not x.dtype:find("^b?f") then
        core.fail("argument", "TypeError", "%s takes %s, not %s", row.name,
                  row.is_float and "floats" or "numbers", x.dtype)
      end
      return core.aval(x.shape, x.dtype, x.weak)
    end,
    batch = function(p, _, values, dims)
      local axis = p.axis < dims[1] and p.axis or p.axis + 1
      return core.bind(core.prims[row.name],
                       {axis = axis, reverse = p.reverse}, values), {dims[1]}
    end,
    diff = row.diff,
    emit = {call = emit_rule(row), pulls = true},
  }
  lax[row.name] = function(x, axis, reverse)
    if type(axis) == "table" then axis, reverse = axis.axis, axis.reverse end
    axis = axis or 0
    if axis < 0 then axis = axis + #core.shape_of(x) end
    return core.bind1(row.name, {axis = axis, reverse = reverse or false}, x)
  end
end

define{
  name = "cumsum", eval = function(x, d) return np.cumsum(x, d) end,
  start = {"(T)-0.0", "(T)0"}, step = {"$1 + $2", "(T)((U)$1 + (U)$2)"},
  diff = {
    jvp = function(p, _, t) return {lax.cumsum(t[1], p.axis, p.reverse)} end,
    vjp = function(p, cts)
      return {cts[1] and lax.cumsum(cts[1], p.axis, not p.reverse)}
    end,
  },
}
define{
  name = "cumprod", eval = function(x, d) return np.cumprod(x, d) end,
  start = {"(T)1"}, step = {"$1 * $2", "(T)((U)$1 * (U)$2)"},
  diff = diff_by_scan(function(a, b) return lax.mul(a, b) end),
}
define{
  name = "cummax", eval = function(x, d) return np.cummax(x, d) end,
  start = {"LOWEST"}, step = {"($1 > $2 || $1 != $1 ? $1 : $2)"},
  diff = diff_by_scan(function(a, b) return lax.max(a, b) end),
}
define{
  name = "cummin", eval = function(x, d) return np.cummin(x, d) end,
  start = {"HIGHEST"}, step = {"($1 < $2 || $1 != $1 ? $1 : $2)"},
  diff = diff_by_scan(function(a, b) return lax.min(a, b) end),
}

emit.add_helper("log_add_exp", [[
template <class T> __device__ T log_add_exp(T a, T b) {
  const T d = a - b;
  return d != d ? a + b : (a > b ? a : b) + log1p(exp(-fabs(d)));
}]])

-- Equal infinities have no difference: they are the sum.
local function log_add_exp(x, y)
  local d = lax.sub(x, y)
  return lax.select_n(lax.ne(d, d),
                      lax.add(lax.max(x, y), lax.log1p(lax.exp(lax.neg(
                        lax.abs(d))))), lax.add(x, y))
end

local function eval_log_sum(x, d)
  local rows, index = {}, {}
  local t = x.dtype
  x = is_small[t] and x:astype("f32") or x
  for k = 1, #x.shape do index[k] = ":" end
  for i = 0, x.shape[d + 1] - 1 do
    index[d + 1] = ("%d:%d"):format(i, i + 1)
    local part = x[table.concat(index, ", ")]
    rows[i + 1] = i == 0 and part or np.logaddexp(rows[i], part)
  end
  return np.concatenate(rows, d):astype(t)
end

define{
  name = "cumlogsumexp", eval = eval_log_sum, is_float = true,
  start = {"LOWEST"}, step = {"log_add_exp($1, $2)"},
  diff = diff_by_scan(log_add_exp),
}
