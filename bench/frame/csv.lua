-- SPDX-License-Identifier: Apache-2.0
-- frame's half: NAME<tab>frame<tab>wall<tab>processor time in ms<tab>bytes, the
-- second of two reads of each file: memory is there, as it is for pyarrow.
local threads, on = ...
local o = {threads = math.tointeger(tonumber(threads))}
if on == "device" then o.device = true end

local function read(path)
  collectgarbage()
  local start, busy = cuda.clock(), os.clock()
  local df = frame.read_csv(path, o)
  if on == "device" then cuda.synchronize() end
  return (cuda.clock() - start) * 1e3, (os.clock() - busy) * 1e3, #df
end

for _, path in ipairs{select(3, ...)} do
  read(path)
  local wall, busy = read(path)
  local h = assert(io.open(path, "rb"))
  print(("%s\tframe\t%.3f\t%.3f\t%d"):format(path:match("([^/]+)%.csv$"), wall,
    busy, h:seek("end")))
  h:close()
end
