-- SPDX-License-Identifier: Apache-2.0
-- What frame.lua and device.lua time of df, and of `other`, which is merged: a
-- list of {name, function, is it there on a device}.
return {
  {"groupby text, mean",
   function(df) return df:groupby("name").balance:mean() end, true},
  {"groupby few, sum of 5", function(df)
    return df:groupby("k1")[{"x0", "x1", "x2", "x3", "x4"}]:sum()
  end},
  {"groupby many, max",
   function(df) return df:groupby("k2").balance:max() end, true},
  {"groupby two keys, mean",
   function(df) return df:groupby({"name", "k1"}).x0:mean() end},
  {"groupby few, median", function(df) return df:groupby("k1").x0:median() end},
  {"merge, inner", function(df, other)
    return df[{"key", "balance"}]:merge(other, {on = "key"})
  end, true},
  {"sort_values, float", function(df)
    return df[{"balance", "x0"}]:sort_values("balance")
  end, true},
  {"filter", function(df) return df[df.balance:gt(100)] end, true},
  {"value_counts", function(df) return df.k2:value_counts() end, true},
  {"describe", function(df) return df[{"balance", "x0"}]:describe() end},
}
