-- SPDX-License-Identifier: Apache-2.0
-- frame's half: NAME<tab>milliseconds.
local path = ...

local function row(name, f)
  local start = os.clock()
  local x = f()
  print(("%s\t%.3f"):format(name, (os.clock() - start) * 1000))
  return x
end

local df = row("read_csv", function() return frame.read_csv(path) end)
local other = frame.read_csv(path .. ".right")
row("groupby text, mean",
  function() return df:groupby("name").balance:mean() end)
row("groupby few, sum of 5", function()
  return df:groupby("k1")[{"x0", "x1", "x2", "x3", "x4"}]:sum()
end)
row("groupby many, max", function() return df:groupby("k2").balance:max() end)
row("groupby two keys, mean",
  function() return df:groupby({"name", "k1"}).x0:mean() end)
row("groupby few, median", function() return df:groupby("k1").x0:median() end)
row("merge, inner",
  function() return df[{"key", "balance"}]:merge(other, {on = "key"}) end)
row("sort_values, float",
  function() return df[{"balance", "x0"}]:sort_values("balance") end)
row("filter", function() return df[df.balance:gt(100)] end)
row("value_counts", function() return df.k2:value_counts() end)
local _ = row("describe",
  function() return df[{"balance", "x0"}]:describe() end)
