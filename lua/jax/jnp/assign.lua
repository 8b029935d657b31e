-- SPDX-License-Identifier: Apache-2.0
-- x[key] = value of np's device arrays, in place: one kernel writes the
-- elements that are selected, and touches no other.
local use = ...
local core = use("core/core")
local indexing = use("jnp/indexing")
local np = use.np

-- Element i of the selection lies at a sum of strides (in elements), and at the
-- place that index arrays give, if there are any.
local SOURCE = [==[
struct Layout {
  long long count, rank, first, shape[16], to[16], from[16], at[16];
};
template <class T>
__global__ void put(T *to, const T *from, const long long *at, Layout a) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.count) return;
  long long rest = i, to_i = a.first, from_i = 0, at_i = 0;
  for (int d = a.rank - 1; d >= 0; d--) {
    long long c = rest % a.shape[d];
    rest /= a.shape[d];
    to_i += c * a.to[d];
    from_i += c * a.from[d];
    at_i += c * a.at[d];
  }
  if (at) {
    if (at[at_i] == NOWHERE) return;
    to_i += at[at_i];
  }
  to[to_i] = from[from_i];
}
]==]
local NOWHERE = math.mininteger
local AXES = 16
local words = {[1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned",
               [8] = "unsigned long long"}
local module

local function kernel_for(bytes)
  if not module then
    local names = {}
    for _, n in ipairs{1, 2, 4, 8} do
      names[#names + 1] = "put<" .. words[n] .. ">"
    end
    local head = "#define NOWHERE (-9223372036854775807LL - 1)\n"
    module = use.cuda.module(head .. SOURCE, {instantiate = names})
  end
  return module["put<" .. words[bytes] .. ">"]
end

-- ---- Where the selection lies ----

-- Of places that are there twice the last counts, as in NumPy, and not the
-- thread that happens to be last.
local function without_earlier(at)
  local flat = at:ravel()
  if np.unique(flat).size == flat.size then return at end
  local list, last = flat:tolist(), {}
  for i, place in ipairs(list) do
    if last[place] then list[last[place]] = NOWHERE end
    last[place] = i
  end
  return np.array(list, "i64"):reshape(at.shape)
end

local function on_host(x)
  if x.device ~= "host" then x = use.unmark(x):copy_to_host() end
  return x:astype("i64")
end

-- The places that index arrays and the numbers beside them give together.
local function places_of(items, shape, strides)
  local all
  for _, item in ipairs(items) do
    if item.kind == "array" or item.kind == "int" then
      local d = item.axis + 1
      local at = item.kind == "int" and np.array(item.i, "i64") or
                 on_host(item.x)
      at = np.where(np.less(at, 0), at + shape[d], at) * strides[d]
      all = all and all + at or at
    end
  end
  return without_earlier(np.asarray(all))
end

-- {axes = {{n, to, at}, ...}, first, places}: the axes of what is selected,
-- with their strides in x and in the places.
local function selection(items, shape, strides)
  local s = {axes = {}, first = 0}
  local function add(n, to, at)
    table.insert(s.axes, {n = n, to = to, at = at})
  end
  local is_advanced = indexing.has_array(items)
  local function add_places()
    if s.places then return end
    s.places = places_of(items, shape, strides)
    local own, step = s.places.shape, s.places.size
    for _, n in ipairs(own) do
      step = n > 0 and step // n or 0
      add(n, 0, step)
    end
  end
  if is_advanced and not indexing.are_together(items) then add_places() end
  for _, item in ipairs(items) do
    local stride = item.axis and strides[item.axis + 1]
    if item.kind == "new" then
      add(1, 0, 0)
    elseif item.kind == "slice" then
      add(item.count, item.step * stride, 0)
      if item.count > 0 then s.first = s.first + item.start * stride end
    elseif is_advanced then
      add_places()
    else
      s.first = s.first + item.i * stride
    end
  end
  return s
end

-- ---- What is written there ----

local function sizes_of(axes)
  local out = {}
  for d, axis in ipairs(axes) do out[d] = axis.n end
  return out
end

-- The value's strides for the selection's axes.
local function add_value(axes, value)
  local own, strides = value.shape, value.strides
  local fits = #own <= #axes
  for d, axis in ipairs(axes) do
    local at = d - (#axes - #own)
    local n = at >= 1 and own[at] or 1
    fits = fits and (n == 1 or n == axis.n)
    axis.from = n > 1 and strides[at] // value.itemsize or 0
  end
  if not fits then
    core.raise("argument", ("the value's shape %s does not fit into shape " ..
               "%s, which is written to"):format(core.shape_text(own),
               core.shape_text(sizes_of(axes))))
  end
end

local function layout_of(s, count)
  local fields = {count, #s.axes, s.first}
  for i, name in ipairs{"n", "to", "from", "at"} do
    for d = 1, AXES do
      local axis = s.axes[d]
      fields[3 + (i - 1) * AXES + d] = axis and axis[name] or 0
    end
  end
  return use.cuda.struct(("i64 "):rep(#fields), table.unpack(fields))
end

--- x[key] = value, both of one type and on the current device. The value shares
--- no memory with x.
return function(x, key, value)
  local shape, strides = x.shape, x.strides
  for d, n in ipairs(strides) do strides[d] = n // x.itemsize end
  local s = selection(indexing.read(key, shape), shape, strides)
  if #s.axes > AXES then
    core.raise("argument", ("the selection would have %d axes, over %d"):format(
               #s.axes, AXES))
  end
  add_value(s.axes, value)
  local count = core.size(sizes_of(s.axes))
  if count == 0 then return end
  local at = s.places and use.cuda.to_device(s.places)
  kernel_for(x.itemsize)[{(count + 255) // 256, 256}](
    x:pointer(), value:pointer(), at and at:pointer() or 0,
    layout_of(s, count))
end
