-- A jax of one page. rules[name] says of each primitive what it computes, what
-- its slope is, and how it is done for many at once. bind hands a primitive to
-- the transformation that looks on, the innermost first.
local rules, Traced, level = {}, {}, 0

local function bind(name, ...)
  local top
  for _, v in ipairs({...}) do
    if getmetatable(v) == Traced and (not top or v.by.level > top.level) then
      top = v.by
    end
  end
  if not top then return rules[name].value(...) end
  return top.step(name, ...)
end

local function add(a, b) return bind("add", a, b) end
local function mul(a, b) return bind("mul", a, b) end
local function div(a, b) return bind("div", a, b) end
local function hypot(a, b) return bind("hypot", a, b) end

-- What starts a transformation, and what it sees of a value.
local function open(step)
  level = level + 1
  local me = {level = level}
  function me.step(name, ...) return step(me, name, ...) end
  return me
end

local function is_of(me, v) return getmetatable(v) == Traced and v.by == me end

-- How fast f(x) grows with x.
local function slope_of(f, x)
  local function split(me, v)
    if is_of(me, v) then return v.x, v.d end
    return v, 0
  end
  local me = open(function(me, name, ...)
    local values, slopes = {}, {}
    for i, v in ipairs({...}) do values[i], slopes[i] = split(me, v) end
    return setmetatable({by = me, x = bind(name, table.unpack(values)),
                         d = rules[name].slope(values, slopes)}, Traced)
  end)
  local _, d = split(me, f(setmetatable({by = me, x = x, d = 1}, Traced)))
  level = level - 1
  return d
end

-- f of each element of x. `hides`: how many axes f does not see.
local function for_each(f, x)
  local me = open(function(me, name, ...)
    local values, is_many = {}, {}
    for i, v in ipairs({...}) do
      is_many[i] = is_of(me, v)
      values[i] = is_many[i] and v.x or v
    end
    return setmetatable({by = me, x = rules[name].batch(values, is_many),
                         hides = 1}, Traced)
  end)
  local y = f(setmetatable({by = me, x = x, hides = 1}, Traced))
  level = level - 1
  return is_of(me, y) and y.x or y
end

local function axes_of(v)
  if getmetatable(v) == Traced then return axes_of(v.x) - (v.hides or 0) end
  return type(v) == "number" and 0 or #v.shape
end

-- A primitive that goes element by element is done for many by doing it to the
-- arrays. Only their axes must fit: one that is the same for all may have more.
local function aligned(name)
  return function(values, is_many)
    local axes = 0
    for i, v in ipairs(values) do
      axes = math.max(axes, axes_of(v) - (is_many[i] and 1 or 0))
    end
    for i, v in ipairs(values) do
      while is_many[i] and axes_of(v) <= axes do v = np.expand_dims(v, 1) end
      values[i] = v
    end
    return bind(name, table.unpack(values))
  end
end

rules.add = {
  value = function(a, b) return a + b end,
  slope = function(_, d) return add(d[1], d[2]) end,
  batch = aligned("add"),
}
rules.mul = {
  value = function(a, b) return a * b end,
  slope = function(x, d) return add(mul(d[1], x[2]), mul(x[1], d[2])) end,
  batch = aligned("mul"),
}
rules.div = {
  value = function(a, b) return a / b end,
  slope = function(x, d)
    local q = div(x[1], x[2])
    return div(add(d[1], mul(-1, mul(q, d[2]))), x[2])
  end,
  batch = aligned("div"),
}

-- Add the primitive hypot, the root of a * a + b * b, with its rules. What
-- slope uses must be primitives, since the slope is sloped once more below.
-- BEGIN SOLUTION
rules.hypot = {
  value = function(a, b) return np.sqrt(a * a + b * b) end,
  slope = function(x, d)
    return div(add(mul(x[1], d[1]), mul(x[2], d[2])), hypot(x[1], x[2]))
  end,
  batch = aligned("hypot"),
}
-- END SOLUTION
-- STARTER: rules.hypot = {
-- STARTER:   value = function(a, b) return a + 0 * b end,
-- STARTER:   slope = function(x, d) return d[1] end,
-- STARTER:   batch = aligned("hypot"),
-- STARTER: }

-- For each of x with each of y: hypot, its slope by x, and that one's by y.
function all_pairs(x, y)
  local function for_pairs(f)
    -- 0 times both: what depends on one of them alone is stretched, too.
    return for_each(function(a)
      return for_each(function(b)
        return add(f(a, b), mul(0, add(a, b)))
      end, y)
    end, x)
  end
  local function by_a(a, b)
    return slope_of(function(v) return hypot(v, b) end, a)
  end
  local function by_both(a, b)
    return slope_of(function(v) return by_a(a, v) end, b)
  end
  return for_pairs(hypot), for_pairs(by_a), for_pairs(by_both)
end
