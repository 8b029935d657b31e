-- SPDX-License-Identifier: Apache-2.0
-- The Lomb-Scargle ladder (lessons 43, 44): runs every rung of ladder.cu on the
-- same samples and prints its time, its error and its registers.
--   warpshop run --device cuda:0 bench/lombscargle/ladder.lua    a minute
-- 2^10 samples and 2^20 frequencies, as in the talk of 2020 that the lesson
-- follows. Rungs take turns in each round; a time is the median of the rounds,
-- by the device's events, over launches in a row. The error is the largest
-- distance from the reference, rung 2 in doubles on the same samples, in parts
-- of the highest power. The virtual GPU tries it out with small sizes, without
-- times. peer.py prints CuPy's own behind them, where python3 has CuPy.
local ladder = assert(loadfile("bench/ladder.lua"),
                      "run this in the project's root")()
local is_real = ladder.is_real
local n = is_real and 1 << 10 or 1 << 6
local m = is_real and 1 << 20 or 1 << 12
local WIDTH = 128 -- ladder.cu's
local FOLDER = "bench/lombscargle/"

local source = ladder.text(FOLDER .. "ladder.cu")
cuda.set_deadline(0)

-- ---- The samples: uneven, a wave and noise; peer.py has the same ----

local j = np.arange(n, "f64")
local x = (j + 0.4 * np.sin(j * 12.9898)) * (10 * math.pi / n) + 0.01
local y = np.sin(x * 3.7 + 0.5) + 0.5 * np.sin(j * 78.233)
-- Frequencies that a float holds exactly, so that rung 6 gets equal steps.
local freqs = 0.5 + np.arange(m, "f64") * (8 / m)
x, y, freqs = x:astype("f32"), y:astype("f32"), freqs:astype("f32")

local function samples(dtype)
  local v = y:astype(dtype)
  return {cuda.to_device(x:astype(dtype)), cuda.to_device(v),
          cuda.to_device(freqs:astype(dtype)), cuda.device_array(m, dtype),
          n, m, np.sum(v * v)}
end

-- ---- First passes: from the text, from the cache, from a file ----

local function first_pass(make, inputs)
  local from = cuda.clock()
  local made = make()
  made:get_function("casts_f32")[{1, WIDTH}](table.unpack(inputs))
  cuda.synchronize()
  return (cuda.clock() - from) * 1e3, made
end

local data = {f32 = samples("f32"), f64 = samples("f64")}
local once = {table.unpack(data.f32)}
once[6] = 1 -- one frequency: the launch itself takes no time
local function from_text(cache)
  return function() return cuda.RawModule{code = source, cache = cache} end
end
local text_ms, rungs_of = first_pass(from_text(false), once)
first_pass(from_text(true), once)
local cached_ms = first_pass(from_text(true), once)
local saved = os.tmpname() .. (is_real and ".cubin" or ".ptx")
rungs_of:save(saved)
-- A file does not say what a parameter is: there arrays go as pointers.
for k = 1, 4 do once[k] = once[k]:pointer() end
local saved_ms = first_pass(function()
  return cuda.RawModule{path = saved}
end, once)
os.remove(saved)

-- ---- The rungs ----

local multiprocessors = cuda.device().attributes.multiprocessor_count

-- per: frequencies of a block; without it the grid is 20 blocks for each
-- multiprocessor, whose threads stride.
local rungs = {
  {"doubles_f32", "1 doubles"},
  {"casts_f32", "2 casts"},
  {"quick_f32", "3 quick sines"},
  {"bounds_f32", "4 launch bounds"},
  {"several_f32", "5 four a thread", per = 4 * WIDTH},
  {"turned_f32", "6 turned", per = 8 * WIDTH},
  {"doubles_f64", "1 doubles"},
  {"sincos_f64", "2 sincos"},
  {"bounds_f64", "4 launch bounds"},
  {"several_f64", "5 four a thread", per = 4 * WIDTH},
  {"turned_f64", "6 turned", per = 8 * WIDTH},
}
for _, rung in ipairs(rungs) do
  rung.dtype = rung[1]:sub(-3)
  rung.kernel = rungs_of:get_function(rung[1])
  local blocks = rung.per and (m + rung.per - 1) // rung.per
    or math.min(20 * multiprocessors, (m + WIDTH - 1) // WIDTH)
  local launch = rung.kernel[{blocks, WIDTH}]
  local inputs = data[rung.dtype]
  rung.run = function() launch(table.unpack(inputs)) end
end

local function powers(rung)
  data[rung.dtype][4]:fill(-1)
  rung.run()
  return data[rung.dtype][4]:copy_to_host():astype("f64")
end

local want = powers(rungs[8])
local peak = np.max(want)
for _, rung in ipairs(rungs) do
  rung.error = np.max(np.abs(powers(rung) - want)) / peak
end
ladder.time(rungs)

-- ---- What came out ----

ladder.headline(("%d samples, %d frequencies"):format(n, m))
print(("# first pass, ms: from the text %.1f, the cache %.1f, a file %.1f")
  :format(text_ms, cached_ms, saved_ms))
print(("# highest power %.4f at %.4f"):format(peak, freqs[np.argmax(want)]))
print("| type | rung | ms | quartiles | to rung 1 | 10^9 pairs a second"
      .. " | error | registers | local bytes |")
print("|---|---|---|---|---|---|---|---|---|")
local first = {}
for _, rung in ipairs(rungs) do
  first[rung.dtype] = first[rung.dtype] or rung.ms
  print(("| %s | %s | %s | %s | %.1e | %d | %d |"):format(rung.dtype, rung[2],
    ladder.cells(rung), rung.ms and ("%.1f x | %.0f"):format(
      first[rung.dtype] / rung.ms, n * m / rung.ms / 1e6) or "- | -",
    rung.error, rung.kernel.attributes.registers,
    rung.kernel.attributes.local_bytes))
end
local limit = rungs[6].ms
if limit then
  print(("# the last rung in f32: %.4f ms, %s"):format(limit,
    limit <= 0.8 and "within 0.8 ms" or "over 0.8 ms"))
end
ladder.peer(FOLDER .. "peer.py")
