-- SPDX-License-Identifier: Apache-2.0
-- What the device really executes: counts the SASS instructions of each kernel
-- in a cubin by kind, so that a difference between our counters and Nsight
-- Compute's can be checked and not only excused.
--
-- An instruction has 16 bytes: bits 0..8 say what it does, 9..11 where its
-- operands are, 12..15 its predicate (7: always). Kinds and numbers are those
-- that nvdisasm shows for sm_75 to sm_90.
local M = {}

-- Which of ncu's counters count it.
local KINDS = {
  [0x00c] = "integer", -- ISETP
  [0x010] = "integer", -- IADD3
  [0x011] = "integer", -- LEA
  [0x012] = "integer", -- LOP3
  [0x019] = "integer", -- SHF
  [0x024] = "integer", -- IMAD, also as a move
  [0x025] = "integer", -- IMAD.WIDE
  [0x027] = "integer", -- IMAD.HI
  [0x036] = "integer", -- VIADD
  [0x01c] = "bit",     -- PLOP3
  [0x020] = "fmul", [0x021] = "fadd", [0x023] = "ffma",
  [0x028] = "dmul", [0x029] = "dadd", [0x02a] = "double", [0x02b] = "dfma",
  [0x030] = "hadd", [0x031] = "hfma", [0x032] = "hmul",
  [0x035] = "tensor_hfma", -- HFMA2.MMA: runs where matrices do
  [0x045] = "conversion", -- I2FP
  [0x105] = "slow_conversion", [0x106] = "slow_conversion", -- F2I, I2F
  [0x110] = "slow_conversion", -- F2F
  [0x108] = "special", -- MUFU
  [0x184] = "shared_load",
  [0x147] = "branch", [0x144] = "call", [0x14d] = "exit",
}

-- Sections of an ELF file: name -> offset, bytes.
local function sections(data)
  if data:sub(1, 4) ~= "\127ELF" then error("this is no cubin", 0) end
  local at = string.unpack("<I8", data, 41)
  local size, count, names = string.unpack("<I2I2I2", data, 59)
  local function header(i)
    local name, _, _, _, offset, bytes =
      string.unpack("<I4I4I8I8I8I8", data, at + i * size + 1)
    return name, offset, bytes
  end
  local _, strings = header(names)
  local list = {}
  for i = 0, count - 1 do
    local name, offset, bytes = header(i)
    list[string.unpack("z", data, strings + name + 1)] = {offset, bytes}
  end
  return list
end

-- {kind, is_predicated, target (its index, of a branch), width in words}
local function decode(data, at, index)
  local low, high = string.unpack("<I8I8", data, at)
  local i = {
    kind = KINDS[low & 0x1ff] or "other",
    is_predicated = low >> 12 & 0xf ~= 7,
    width = ({[4] = 1, [5] = 2, [6] = 4})[high >> 9 & 7] or 1,
  }
  if i.kind == "branch" then
    local words = (low >> 34 << 8 | low >> 16 & 0xff) & 0x3fffffffff
    if words >= 1 << 37 then words = words - (1 << 38) end
    i.target = index + 1 + words // 4
  end
  return i
end

-- Marks instructions that a warp, or some of its threads, may leave out.
local function mark_optional(list, last)
  local has_left = false
  for n = 1, last do
    local i = list[n]
    i.is_optional = i.is_optional or i.is_predicated or has_left
    if i.kind == "exit" and i.is_predicated then has_left = true end
    for k = n + 1, i.target and math.min(i.target - 1, last) or 0 do
      list[k].is_optional = true
    end
  end
end

local function add(into, key, i, times)
  local c = into[key] or {least = 0, most = 0}
  into[key] = c
  c.least = c.least + (i.is_optional and 0 or 1)
  c.most = c.most + (times or 1)
end

-- Where the kernel itself ends; functions that it calls come behind.
local function find_end(list)
  for n, i in ipairs(list) do
    if i.kind == "exit" and not i.is_predicated then return n end
  end
  return #list
end

-- Marks instructions between a branch back and its target; counts loops.
local function mark_loops(list, last)
  local loops = 0
  for n = 1, last do
    local target = list[n].target
    if target and target <= n then
      loops = loops + 1
      for k = math.max(target, 1), n do list[k].is_repeated = true end
    end
  end
  return loops
end

-- A kernel's parts: `once` and `loop` count instructions by kind, "all" is all
-- of them; `loads` counts loads from shared memory by their width.
local function summarise(list)
  local last = find_end(list)
  local k = {once = {}, loop = {}, loads = {}}
  mark_optional(list, last)
  k.loops = mark_loops(list, last)
  for n = 1, last do
    local i = list[n]
    local into = i.is_repeated and k.loop or k.once
    add(into, "all", i)
    add(into, i.kind, i)
    if i.kind == "shared_load" then
      k.loads[i.width] = (k.loads[i.width] or 0) + 1
    end
  end
  local calls = k.once.call and k.once.call.most or 0
  for n = last + 1, calls > 0 and #list or 0 do
    list[n].is_optional = true
    add(k.once, "all", list[n], calls)
    add(k.once, list[n].kind, list[n], calls)
  end
  return k
end

--- What the kernels of a cubin consist of: t[kernel].
function M.read(data)
  local kernels = {}
  for name, place in pairs(sections(data)) do
    local kernel = name:match("^%.text%.(.+)")
    if kernel then
      local list = {}
      for at = place[1], place[1] + place[2] - 16, 16 do
        list[#list + 1] = decode(data, at + 1, #list + 1)
      end
      kernels[kernel] = summarise(list)
    end
  end
  return kernels
end

--- Least and most instructions of those kinds, when the loop ran `least` to
--- `most` times.
function M.count(kernel, kinds, least, most)
  local low, high = 0, 0
  for _, kind in ipairs(kinds) do
    local none = {least = 0, most = 0}
    local once, loop = kernel.once[kind] or none, kernel.loop[kind] or none
    low = low + once.least + least * loop.least
    high = high + once.most + most * loop.most
  end
  return low, high
end

return M
