-- SPDX-License-Identifier: Apache-2.0
-- What waits for what: cuda.unordered() names two calls that use one array, one
-- of them writing, and that nothing orders; right programs are never named.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises

local add = cuda.kernel[==[
__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}]==]
local N <const> = 256

local function here() return debug.getinfo(2, "l").currentline end

-- What f leaves unordered, "later<earlier" by lines counted from `from`.
local function found(from, f)
  cuda.synchronize()
  cuda.unordered()
  f(cuda.stream(), cuda.stream())
  local list = {}
  for i, u in ipairs(cuda.unordered()) do
    list[i] = ("%d<%d"):format(u.line - from, u.other_line - from)
  end
  cuda.synchronize()
  return table.concat(list, " ")
end

local function setup()
  local x = np.arange(N, "f32")
  return x, cuda.to_device(x), cuda.to_device(x), cuda.to_device(x)
end

local function on(s) return add{grid = 2, block = 128, stream = s} end

-- Watched on the virtual GPU alone.
local before = cuda.device().id
cuda.select("virtual:0")

test("two streams that use one array", function()
  local x, a, b, c = setup()
  local L = here()
  equal(found(L, function(s, t)
    on(s)(a, b, c, N) -- 2
    on(t)(c, b, a, N)
  end), "3<2")
  L = here()
  equal(found(L, function(s, t)
    on(s)(a, b, c, N) -- 2
    on(t)(a, b, c, N) -- both write
  end), "3<2")
  L = here()
  equal(found(L, function(s, t)
    a:copy_from(x, s)
    on(t)(a, b, c, N)
  end), "3<2")
  L = here()
  equal(found(L, function(s, t)
    local d = cuda.to_device(x, s)
    on(t)(d, b, c, N)
  end), "3<2")
end)

test("two streams that only read one array, or use two", function()
  local _, a, b, c = setup()
  local d = cuda.device_array_like(a)
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    on(t)(a, b, d, N)
  end), "")
  equal(found(0, function(s, t)
    on(s)(a["0:128"], b["0:128"], c["0:128"], 128)
    on(t)(a["128:256"], b["128:256"], c["128:256"], 128)
  end), "")
  local L = here()
  equal(found(L, function(s, t)
    on(s)(a["0:129"], b["0:129"], c["0:129"], 129)
    on(t)(a["128:256"], b["128:256"], c["128:256"], 128)
  end), "3<2")
end)

test("what orders two streams", function()
  local x, a, b, c = setup()
  local e = cuda.event()
  equal(found(0, function(s)
    a:copy_from(x, s)
    on(s)(a, b, c, N)
  end), "", "one stream")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    e:record(s)
    t:wait(e)
    on(t)(c, b, a, N)
  end), "", "an event")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    s:synchronize()
    on(t)(c, b, a, N)
  end), "", "the host waits for the stream")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    e:record(s)
    e:synchronize()
    on(t)(c, b, a, N)
  end), "", "the host waits for the event")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    e:record(s)
    while not e:query() do end
    on(t)(c, b, a, N)
  end), "", "the host asks until the event is there")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    while not s:query() do end
    on(t)(c, b, a, N)
  end), "", "the host asks until the stream is done")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    cuda.synchronize()
    on(t)(c, b, a, N)
  end), "", "the host waits for all")
  local first = cuda.event()
  equal(found(0, function(s, t)
    first:record(s)
    on(s)(a, b, c, N)
    e:record(s)
    first:elapsed(e)
    on(t)(c, b, a, N)
  end), "", "the host waits for two events")
end)

test("what does not order two streams", function()
  local _, a, b, c = setup()
  local e = cuda.event()
  local L = here()
  equal(found(L, function(s, t)
    e:record(s)
    on(s)(a, b, c, N) -- 3: behind the event
    t:wait(e)
    on(t)(c, b, a, N)
  end), "5<3", "an event before the work")
  L = here()
  equal(found(L, function(s, t)
    on(s)(a, b, c, N) -- 2
    on(t)(c, b, a, N)
    e:record(s)
    t:wait(e)
  end), "3<2", "waiting afterwards")
  L = here()
  equal(found(L, function(s, t)
    on(s)(a, b, c, N) -- 2
    e:record(s)
    s:wait(e)
    on(t)(c, b, a, N)
  end), "5<2", "the wrong stream waits")
  L = here()
  equal(found(L, function(s, t)
    on(s)(a, b, c, N) -- 2
    t:synchronize()
    on(t)(c, b, a, N)
  end), "4<2", "the host waits for the wrong stream")
  L = here()
  equal(found(L, function(s, t)
    on(s)(a, b, c, N)
    e:record(s)
    on(s)(a, b, c, N) -- 4: the event is older
    t:wait(e)
    on(t)(c, b, a, N)
  end), "6<4", "an event in the middle")
end)

test("the default stream waits for all, and all for it", function()
  local _, a, b, c = setup()
  equal(found(0, function(s)
    on(s)(a, b, c, N)
    add[{2, 128}](c, b, a, N)
    on(s)(a, b, c, N)
  end), "")
  local d = cuda.device_array_like(a)
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    add[{2, 128}](b, b, d, N) -- touches neither, and stands between them
    on(t)(c, b, a, N)
  end), "", "a kernel between")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    d:fill(0)
    on(t)(c, b, a, N)
  end), "", "a fill between")
  equal(found(0, function(s, t)
    on(s)(a, b, c, N)
    jax.block_until_ready(jnp.sin(jnp.arange(4)))
    on(t)(c, b, a, N)
  end), "", "jax between")
end)

test("three streams in a row", function()
  local x, a, b, c = setup()
  local e, f = cuda.event(), cuda.event()
  equal(found(0, function(s, t)
    local u = cuda.stream()
    a:copy_from(x, s)
    e:record(s)
    t:wait(e)
    on(t)(b, b, c, N)
    f:record(t)
    u:wait(f) -- and so for the copy, which t waited for
    on(u)(a, c, b, N)
  end), "")
end)

test("the host looks before the copy has ended", function()
  local _, a = setup()
  local out = cuda.pinned_array(N, "f32")
  local L = here()
  equal(found(L, function(s)
    a:copy_to_host(out, s)
    local _ = out[3]
  end), "3<2", "one element")
  L = here()
  equal(found(L, function(s)
    local copy = a:copy_to_host(s)
    local _ = np.sum(copy)
  end), "3<2", "all")
  L = here()
  equal(found(L, function(s)
    a:copy_from(out, s)
    out[0] = 1
  end), "3<2", "the source of a copy")
  equal(found(0, function(s)
    a:copy_to_host(out, s)
    s:synchronize()
    local _ = out[3]
    a:copy_from(out, s)
    local _ = np.sum(out) -- the copy reads it, too
  end), "")
  equal(found(0, function(s, t)
    a["0:128"]:copy_to_host(out["0:128"], s)
    a["128:256"]:copy_to_host(out["128:256"], t)
    s:synchronize()
    equal(out[127] + np.sum(out["0:128"]) > 0, true)
    out[5] = 1
  end), "", "the piece that is there")
  equal(found(0, function()
    equal(a:copy_to_host()[1], a:copy_to_host(out)[1])
    a:copy_from(out)
    out[1] = 7
  end), "", "copies without a stream")
end)

test("a launch with host arrays waits for its own work alone", function()
  local x, a, b, c = setup()
  local host = np.zeros(N, "f32")
  equal(found(0, function(s, t)
    on(s)(a, b, host, N)
    on(t)(a, b, host, N)
    local _ = host[0]
  end), "")
  local L = here()
  equal(found(L, function(s, t)
    on(t)(a, b, c, N) -- 2
    on(s)(x, c, host, N)
  end), "3<2")
end)

test("the words name the array, both calls and a way out", function()
  local _, a, b, c = setup()
  cuda.synchronize()
  cuda.unordered()
  local s, t = cuda.stream(), cuda.stream()
  local L = here()
  on(s)(a, b, c, N)
  on(t)(c, b, a, N)
  local list = cuda.unordered()
  equal(#list, 1)
  local text = list[1].message
  assert(text:find("add reads c, which add of line " .. L + 1 .. " writes", 1,
                   true), text)
  assert(text:find("stream:wait(event)", 1, true), text)
  assert(list[1].file:find("test_order.lua", 1, true), list[1].file)
  equal(list[1].line, L + 2)
  equal(#cuda.unordered(), 0, "asked for once")
  cuda.synchronize()
end)

test("results are those of a program that waits", function()
  local x, a, b, c = setup()
  local s, t, e = cuda.stream(), cuda.stream(), cuda.event()
  local out = cuda.pinned_array(N, "f32")
  a:copy_from(x, s)
  on(s)(a, b, c, N)
  e:record(s)
  t:wait(e)
  equal(c:copy_to_host(out, t), out)
  t:synchronize()
  equal(out[255], 510)
  local back = cuda.to_device(x, s):copy_to_host(s)
  s:synchronize()
  equal(back[7], 7)
end)

test("what is shown of a thing is no address", function()
  local s, e = cuda.stream(), cuda.event()
  local first = tonumber(tostring(s):match("^stream (%d+) on virtual:0$"))
  equal(tostring(cuda.stream()), "stream " .. first + 1 .. " on virtual:0")
  assert(tostring(e):find("^event %d+, not recorded yet$"), tostring(e))
  e:record(s)
  assert(tostring(e):find("^event %d+, recorded on virtual:0$"), tostring(e))
  s:synchronize()
  equal(tostring(np.random.default_rng(1)), "Generator(PCG64)")
  equal(tostring(np.random.RandomState(1)), "RandomState(MT19937)")
  local module = cuda.module[[__global__ void f(float *x) { x[0] = 1; }]]
  for _, thing in ipairs{s, e, module, module.f, module.f[{1, 1}],
                         cuda.to_device(np.ones(1, "f32")), cuda.device(),
                         cuda.array(np.ones({4, 4}, "f32"))} do
    assert(not tostring(thing):find("0x", 1, true), tostring(thing))
  end
end)

test("arguments that are no stream, and views with gaps", function()
  local x, a = setup()
  raises("argument", "a number is not", function() cuda.to_device(x, 3) end)
  raises("argument", "an array is not", function() a:copy_to_host(x, x) end)
  raises("argument", "gaps", function()
    a["::2"]:copy_to_host(x["::2"]:copy(), cuda.stream())
  end)
end)

cuda.select(before)

tap.done()
