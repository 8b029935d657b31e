-- SPDX-License-Identifier: Apache-2.0
-- The differences from NumPy and JAX that docs/coverage.md lists, by the same
-- words: numpy_programs.lua counts them and prints all others. `class` is what
-- the comparison says, `text` a pattern of the program, `said` one of the
-- difference, `is` what else must hold of the row.
local function has_none(row)
  for _, a in pairs(row.args) do
    if #a.data == 0 then return true end
  end
  return false
end

local function is_plain(row) return row.family == "np" end
local function is_jnp(row) return row.family == "jnp" end

local list = {
  {reason = "where= of std and var", class = "needless-error",
   said = "no argument named where", text = "std%(", is = is_plain},
  {reason = "where= of std and var", class = "needless-error",
   said = "no argument named where", text = "var%(", is = is_plain},
  {reason = "a quantile of no elements", class = "needless-error",
   said = "there is no element to choose from", is = is_plain},
  {reason = "a quantile of no elements", class = "wrong",
   text = "nan%l*tile%(", said = "^shape", is = has_none},
  {reason = "NaN and infinity in products of polynomials", class = "wrong",
   text = "polymul%(", said = "want nan$", is = is_jnp},
  {reason = "NaN and infinity in products of polynomials", class = "wrong",
   text = "convolve%(", said = "want nan$", is = is_jnp},
  {reason = "an empty mask", class = "needless-error",
   said = "a mask of shape %([%d, ]*%f[%d]0%f[,)][^)]*%) does not fit"},
  {reason = "bincount of the type's greatest number", class = "missing-error",
   text = "bincount%(", said = "OverflowError", is = is_jnp},
  {reason = "an axis of an array without axes", class = "needless-error",
   said = "axis %-?[01] is out of bounds for an array with 0 axes",
   is = is_plain},
  {reason = "an axis of an array without axes", class = "needless-error",
   text = "squeeze%(", said = "array with 0 axes"},
  {reason = "one number above 2^63", class = "dtype",
   said = "a Lua float, want u64"},
  {reason = "a mask without axes", class = "needless-error",
   said = "a mask without axes cannot be an index"},
  {reason = "argwhere of an array without axes", class = "needless-error",
   text = "argwhere%(", said = "the array has no axes"},
}

--- The reason of a known difference, or nil.
return function(class, row, said)
  for _, known in ipairs(list) do
    if known.class == class and row.lua:find(known.text or "") and
       said:find(known.said or "") and (not known.is or known.is(row)) then
      return known.reason
    end
  end
end
