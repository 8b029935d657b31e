-- SPDX-License-Identifier: Apache-2.0
-- The planted mistakes and what their launches need (README.md).
local M = {}

-- What the words of an entry's arguments make.
local makers = {
  x = function() return np.arange(1000, "f32") end,
  x998 = function() return np.arange(998, "f32") end,
  out = function() return np.zeros(1000, "f32") end,
  idx = function() return np.arange(1000, "i32") end,
  count = function() return np.zeros(16, "i32") end,
  grid20x10 = function() return np.zeros(200, "i32") end,
  text100 = function() return np.full(100, 65, "u8") end,
  halves = function() return np.ones(256, "f16") end,
  n = function() return 1000 end,
  n1100 = function() return 1100 end,
  n100 = function() return 100 end,
  n40 = function() return 40 end,
  w = function() return 40 end,
  h = function() return 25 end,
  data = function() return np.arange(1000, "i32") * 7 % 301 end,
  chars = function() return (np.arange(64, "i32") - 40):astype("i8") end,
  sums4 = function() return np.zeros(4, "f32") end,
  fresh = function() return cuda.device_array(1000, "f32") end,
  freshint = function() return cuda.device_array(1000, "i32") end,
  freshout = function() return cuda.device_array(64, "f32") end,
}

-- A table with the address of an array that was freed.
function makers.gone()
  local d = cuda.to_device(np.arange(1000, "f32"))
  local address = d:pointer()
  d:free()
  return np.array({math.tointeger(tostring(address):match("0x%x+"))}, "u64")
end

function makers.tex()
  return cuda.texture(cuda.array(np.ones({2, 32}, "f32")))
end

function makers.surf()
  return cuda.surface(cuda.array({2, 16}, "f32", {surface = true}))
end

-- A surface, and a texture of the same array.
local board
function makers.board()
  board = cuda.array({2, 16}, "f32", {surface = true})
  board:copy_from(np.ones({2, 16}, "f32"))
  return cuda.surface(board)
end
function makers.boardtex() return cuda.texture(board) end

-- A texture of linear memory, and that memory.
local row
function makers.row()
  cuda.set_guarded(false) -- or a real GPU's does not start where textures do
  row = cuda.to_device(np.arange(64, "f32"))
  cuda.set_guarded(true)
  return row
end
function makers.rowtex() return cuda.texture(row) end

local no_array = {n = true, n1100 = true, n100 = true, n40 = true, w = true, h = true, tex = true, surf = true, board = true,
                  boardtex = true, rowtex = true}

-- The arguments of a launch; the arrays among them: {name, value, fresh}.
function M.arguments(words)
  local values, arrays = {}, {}
  for word in words:gmatch("%S+") do
    local v = makers[word]()
    values[#values + 1] = v
    if not no_array[word] then
      arrays[#arrays + 1] = {name = word, value = v, fresh = word:find("^fresh") ~= nil}
    end
  end
  return values, arrays
end

local files = {"out_of_bounds", "memory_values", "races", "waiting", "hardware", "headers", "locals",
  "names", "host"}

-- All entries, each with the name of its file.
function M.entries()
  local all = {}
  for _, file in ipairs(files) do
    for _, entry in ipairs(dofile("tests/mistakes/" .. file .. ".lua")) do
      entry.file = file
      all[#all + 1] = entry
    end
  end
  return all
end

-- Does docs/mistakes.md have these counts?
function M.check_docs(counts)
  local file = assert(io.open("docs/mistakes.md"))
  local text = file:read("a"):gsub("`", ""):gsub("%s+", " ")
  file:close()
  assert(text:find(counts, 1, true), "docs/mistakes.md does not say: " .. counts)
end

return M
