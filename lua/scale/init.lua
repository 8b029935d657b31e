-- SPDX-License-Identifier: Apache-2.0
-- What is in `scale`.
local use = ...
local scale = use.scale
setmetatable(scale, nil)
local names = use("names")
local client, make, future = use("client"), use("make"), use("future")
local elementwise, product = use("elementwise"), use("product")
use("array")
local in_parts = use("frame")

--- How many bytes of chunks may be in memory; others are in files meanwhile.
if rawget(scale, "memory") == nil then
  scale.memory = use.memory_allowed() // 4
end

scale.Client = client.Client
scale.connect = client.connect
scale.cluster = client.cluster
scale.get_client = client.current
scale.array = make.array
scale.from_npy = make.from_npy
scale.from_hdf5 = make.from_hdf5
scale.frame = in_parts.frame
scale.matmul = product.matmul
scale.dot = product.dot
scale.submit = future.submit
scale.map = future.map
scale.gather = future.gather

for name in pairs(names.elementwise) do
  scale[name] = function(...)
    return elementwise.call(name, {...}, select("#", ...))
  end
end

use.guard(scale, "scale")
return scale
