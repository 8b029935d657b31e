-- SPDX-License-Identifier: Apache-2.0
-- Arrays of jax on a device of one's choice, and cuda.comm between devices.
-- Needs eight of them: WARPSHOP_VIRTUAL_DEVICES=8.
local tap = dofile("tests/lua/tap.lua")
local test, equal, raises = tap.test, tap.equal, tap.raises
local devices = jax.devices()

local function on_host(x) return cuda.to_host(np.asarray(x)) end

-- ---- Devices ----

test("there are eight", function()
  equal({cuda.device_count(), jax.device_count(), #cuda.gpus}, {8, 8, 8})
  equal({devices[8].id, tostring(devices[8])}, {7, "VirtualDevice(id=7)"})
end)

test("device_put places, and what is computed of it stays there", function()
  local x = jax.device_put(np.arange(4, "f32"), devices[4])
  equal({x.device, (x * 2 + 1).device, x:sum().device, x[2].device},
        {"virtual:3", "virtual:3", "virtual:3", "virtual:3"})
  equal((x * 2 + 1):tolist(), {1, 3, 5, 7})
  equal(cuda.device().id, "virtual:0")
  local both = jax.device_put({w = jnp.ones(2), b = 1.5}, devices[2])
  equal({both.w.device, both.b.device}, {"virtual:1", "virtual:1"})
  equal(jax.device_put(x, devices[4]).device, "virtual:3")
  equal(jax.device_put(x, devices[1]):tolist(), {0, 1, 2, 3})
end)

test("a jitted function runs where its arguments are", function()
  local f = jax.jit(function(a, b) return jnp.sum(a * b) end)
  local here = jnp.array({1, 2, 3}, "f32")
  local there = jax.device_put(here, devices[6])
  for _ = 1, 2 do
    equal({f(there, there).device, f(here, here).device},
          {"virtual:5", "virtual:0"})
    equal({f(there, there):item(), f(here, here):item()}, {14, 14})
    equal({f(here, there):item(), f(here, there).device}, {14, "virtual:0"})
  end
  equal(jax.grad(function(a) return jnp.sum(a ^ 3) end)(there):tolist(),
        {3, 12, 27})
end)

test("what is no device", function()
  raises("argument", "jax.devices()[2], or a sharding, not the number 1",
    function() jax.device_put(jnp.ones(2), 1) end)
end)

-- ---- Collectives ----

local comm = cuda.comm(4)

-- What rank r brings: numbers whose sum depends on the order in floats, and
-- goes past the end of small whole numbers.
local function values(r, dtype, n)
  local out = {}
  for i = 1, n do
    local v = (r * 7 + i * 13) % 11 - 3
    if dtype:find("^u") then v = v + 60 + r * 20 end
    if dtype:find("f") then v = v * (r == 1 and 4096.5 or 0.37) end
    out[i] = v
  end
  return np.array(out, "f64"):astype(dtype)
end

local function ranks(dtype, n, group)
  local list = {}
  for r = 0, group.size - 1 do
    list[r + 1] = values(r, dtype, n):to(group.devices[r + 1])
  end
  return list
end

-- The same by a loop over elements and ranks.
local function folded(op, dtype, n, size)
  local all = {}
  for r = 0, size - 1 do all[r + 1] = values(r, dtype, n) end
  local out = np.zeros(n, dtype)
  for i = 0, n - 1 do
    local mine = all[1][{i}]
    mine = np.asarray(mine, dtype)
    for r = 2, size do
      local x = np.asarray(all[r][{i}], dtype)
      if op == "min" then mine = np.minimum(mine, x)
      elseif op == "max" then mine = np.maximum(mine, x)
      elseif op == "prod" then mine = np.asarray(mine * x, dtype)
      else mine = np.asarray(mine + x, dtype) end
    end
    if op == "avg" then
      mine = np.asarray(dtype:find("f") and mine / size or mine // size, dtype)
    end
    out[i] = mine:item()
  end
  return out
end

for _, dtype in ipairs{"f32", "f64", "f16", "i32", "u8", "i64"} do
  test("all_reduce, reduce and reduce_scatter of " .. dtype, function()
    for _, op in ipairs{"sum", "prod", "min", "max", "avg"} do
      local want = folded(op, dtype, 8, 4)
      local send = ranks(dtype, 8, comm)
      for r, x in ipairs(comm:all_reduce(send, {op = op})) do
        equal({x.device, x.dtype}, {comm.devices[r], dtype})
        equal(on_host(x):tolist(), want:tolist(), op)
      end
      local one = comm:reduce(send, {op = op, root = 2})
      equal({one.device, on_host(one):tolist()}, {"virtual:2", want:tolist()})
      for r, x in ipairs(comm:reduce_scatter(send, {op = op})) do
        equal(x.device, comm.devices[r])
        equal(on_host(x):tolist(),
              want[("%d:%d"):format(2 * r - 2, 2 * r)]:tolist())
      end
    end
  end)
end

test("sums go in the order of the ranks", function()
  local list = {}
  for r, v in ipairs{1e8, 1.0, -1e8, 3.0} do
    list[r] = np.full(3, v, "f32"):to(comm.devices[r])
  end
  equal(on_host(comm:all_reduce(list)[1]):tolist(), {3, 3, 3})
end)

test("all_gather, broadcast, and results into arrays that are there", function()
  local send, out = ranks("f32", 3, comm), {}
  local whole = np.concatenate{values(0, "f32", 3), values(1, "f32", 3),
                               values(2, "f32", 3), values(3, "f32", 3)}
  for r = 1, 4 do out[r] = np.zeros(12, "f32"):to(comm.devices[r]) end
  local same = comm:all_gather(send, {out = out})
  for r = 1, 4 do
    equal(rawequal(same[r], out[r]), true)
    equal(on_host(out[r]):tolist(), whole:tolist())
  end
  for r, x in ipairs(comm:broadcast(send[4], {root = 3})) do
    equal({x.device, on_host(x):tolist()},
          {comm.devices[r], values(3, "f32", 3):tolist()})
  end
  local rows = {}
  for r = 1, 4 do
    rows[r] = np.full({1, 2}, r, "i32"):to(comm.devices[r])
  end
  equal(on_host(comm:all_gather(rows)[2]):tolist(),
        {{1, 1}, {2, 2}, {3, 3}, {4, 4}})
end)

test("send and recv, in the order of the sends", function()
  local a, b = ranks("f32", 2, comm)[1], np.arange(2, "f32"):to("virtual:0")
  comm[0]:send(a, 3)
  comm[0]:send(b, 3)
  a:fill(0) -- what was sent is what it was
  equal(on_host(comm[3]:recv(nil, 0)):tolist(), values(0, "f32", 2):tolist())
  local out = np.zeros(2, "f32"):to("virtual:3")
  equal(rawequal(comm[3]:recv(out, 0), out), true)
  equal(on_host(out):tolist(), {0, 1})
  raises("argument", "rank 3 waits for rank 0, which sent nothing", function()
    comm[3]:recv(nil, 0)
  end)
  comm[1]:send(np.ones(3, "f32"):to("virtual:1"), 2)
  raises("argument", "out of rank 2 is f32[2], and f32[3] is to be stored",
    function() comm[2]:recv(np.zeros(2, "f32"):to("virtual:2"), 1) end)
  equal(comm[2]:recv(nil, 1).size, 3) -- it is still there
end)

test("a ring of copies gives what all_gather does", function()
  local send, parts = ranks("i32", 2, comm), {}
  for r = 0, 3 do parts[r] = {[r] = send[r + 1]} end
  for step = 0, 2 do
    for r = 0, 3 do comm[r]:send(parts[r][(r - step) % 4], (r + 1) % 4) end
    for r = 0, 3 do
      parts[r][(r - step - 1) % 4] = comm[r]:recv(nil, (r - 1) % 4)
    end
  end
  local want = on_host(comm:all_gather(send)[1]):tolist()
  for r = 0, 3 do
    local list = {}
    for k = 0, 3 do
      equal(parts[r][k].device, comm.devices[r + 1])
      list[k + 1] = on_host(parts[r][k])
    end
    equal(np.concatenate(list):tolist(), want)
  end
end)

test("one rank, all, some by name, of jax", function()
  local one = cuda.comm(1)
  equal(on_host(one:all_reduce{np.ones(2):to("virtual:0")}[1]):tolist(),
        {1, 1})
  equal({cuda.comm().size, #cuda.comm{"virtual:5", cuda.gpus[1]}}, {8, 2})
  local pair = cuda.comm{devices[3], devices[1]}
  equal(tostring(pair), "cuda.comm of 2: virtual:2, virtual:0")
  equal(tostring(pair[1]), "rank 1 of 2 on virtual:0")
  local sum = pair:all_reduce{jax.device_put(jnp.ones(2), devices[3]),
                              jax.device_put(jnp.ones(2), devices[1])}
  equal(on_host(sum[2]):tolist(), {2, 2})
end)

test("mistakes name the rank and the array", function()
  local x = ranks("f32", 4, comm)
  local odd = np.ones(5, "f32"):to("virtual:2")
  local function refused(text, f) raises("argument", text, f) end
  refused("3 arrays for 4 ranks", function()
    comm:all_reduce{x[1], x[2], x[3]}
  end)
  refused("array of rank 3 (f32[4]) is on virtual:0, and rank 3 is virtual:3",
    function() comm:all_gather{x[1], x[2], x[3], x[1]} end)
  refused("rank 2 brings odd, f32[5], rank 0 f32[4]", function()
    comm:all_reduce{x[1], x[2], odd, x[4]}
  end)
  refused("rank 1 brings i32[4], rank 0 f32[4]", function()
    comm:reduce{x[1], np.ones(4, "i32"):to("virtual:1"), x[3], x[4]}
  end)
  refused("is on the host, and rank 1 is virtual:1", function()
    comm:all_reduce{x[1], np.ones(4, "f32"), x[3], x[4]}
  end)
  refused("rank 1 brings the number 2", function()
    comm:all_reduce{x[1], 2, x[3], x[4]}
  end)
  refused("op is one of sum, prod, min, max, avg, not mean", function()
    comm:all_reduce(x, {op = "mean"})
  end)
  refused("has no option ops: there are op, out", function()
    comm:all_reduce(x, {ops = "sum"})
  end)
  refused("bool is no number", function()
    local list = {}
    for r = 1, 4 do list[r] = np.ones(2, "bool"):to(comm.devices[r]) end
    comm:all_reduce(list)
  end)
  refused("f32[6] does not divide into 4", function()
    comm:reduce_scatter(ranks("f32", 6, comm))
  end)
  refused("root is 4; ranks go from 0 to 3", function()
    comm:broadcast(x[1], {root = 4})
  end)
  refused("out of rank 0 is f32[4], and f32[16] is to be stored", function()
    comm:all_gather(x, {out = x})
  end)
  refused("is an array of jax, which never changes", function()
    local list = {}
    for r = 1, 4 do list[r] = jax.device_put(jnp.ones(4), devices[r]) end
    comm:all_reduce(x, {out = list})
  end)
  refused("there is no rank 4", function() return comm[4] end)
  refused("cuda.comm has no allreduce; did you mean all_reduce?", function()
    comm:allreduce(x)
  end)
  refused("cuda.comm has no tree: ?cuda.comm shows", function()
    return comm.tree
  end)
  refused("broadcast is written with a colon: comm:broadcast", function()
    comm.broadcast(x[1])
  end)
  refused("send is for one rank: comm[0]:send(x, 1)", function()
    comm:send(x[1], 1)
  end)
  refused("recv is written with a colon: comm[0]:recv", function()
    comm[1].recv(x[2], 0)
  end)
  refused("recv takes an array and a rank: comm[1]:recv(x, 0)", function()
    comm[1]:recv(x[2])
  end)
  refused("rank 0 names the rank 9", function() comm[0]:send(x[1], 9) end)
  refused("WARPSHOP_VIRTUAL_DEVICES=9", function() cuda.comm(9) end)
  refused("rank 0 and rank 1 are both virtual:1", function()
    cuda.comm{"virtual:1", "virtual:1"}
  end)
end)

test("what a kernel did wrong comes out of the collective", function()
  cuda.select("virtual:1")
  local k = cuda.kernel[==[
__global__ void k(float *out) { out[threadIdx.x + 100] = 1; }]==]
  local x = ranks("f32", 4, comm)
  k[{1, 1}](x[2])
  raises("out-of-bounds", "", function() comm:all_reduce(x) end)
  cuda.select("virtual:0")
end)

tap.done()
