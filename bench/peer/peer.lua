-- SPDX-License-Identifier: Apache-2.0
-- Copies from cuda:0 to cuda:1: for each line of the input one, and a line with
-- its seconds. Usage: warpshop run --device cuda:0 bench/peer/peer.lua MIB
local mib = tonumber(arg[1])
local x = cuda.device_array({mib << 18}, "f32")
x:fill(1.5)
local y = x:to("cuda:1")
assert(cuda.device():peer_path("cuda:1") == "direct")
io.stdout:write("ready\n"):flush()
for _ in io.lines() do
  local begin = cuda.clock()
  cuda.memcpy_peer(y, x)
  io.stdout:write(("%.9f\n"):format(cuda.clock() - begin)):flush()
end
