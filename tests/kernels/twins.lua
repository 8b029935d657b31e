-- SPDX-License-Identifier: Apache-2.0
-- The right twin of every planted mistake (tests/mistakes). They are as their
-- twins need them and have no references: what one device leaves in the
-- arrays the other must leave there.
local t = ...
local mistakes = dofile("tests/mistakes/lib.lua")

t:expect_note("race")
t:expect_note("leak")
for _, entry in ipairs(mistakes.entries()) do
  if not entry.host then
    local name, _, shape, words, source = table.unpack(entry)
    local kernel = t:module("#define BAD 0\n" .. source, {options = entry.options}).k
    local values, arrays = mistakes.arguments(words)
    local launch = kernel{grid = shape[1], block = shape[2], shared = shape.shared}
    local ok, e = pcall(launch, table.unpack(values))
    if not ok then error(name .. ": " .. tostring(e), 0) end
    for _, word in ipairs(arrays) do
      -- What a kernel does not write of a fresh array is whatever was there;
      -- addresses are the device's own.
      if word.name ~= "gone" and
         (not word.fresh or entry.read == word.name) then
        t:record(name .. ": " .. word.name, word.value)
      end
    end
  end
end
