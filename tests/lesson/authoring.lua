-- SPDX-License-Identifier: Apache-2.0
-- docs/authoring.md, from an empty folder: each command of its `sh` blocks runs
-- in order, and says what the page shows of it; each file that the page gives
-- ("<!-- file: NAME -->") is written where it stands.
local tap = dofile("tests/lua/tap.lua")
local test = tap.test

local home, build = os.getenv("PWD"), os.getenv("BUILD") or "build"
local scratch = io.popen("mktemp -d"):read("l")
local state = ([[
unset WARPSHOP_COURSE WARPSHOP_COURSES
export WARPSHOP_HOME='%s' PATH='%s/%s':"$PATH" WARPSHOP_DEVICE=virtual:0 LC_ALL=C.UTF-8
export XDG_DATA_HOME='%s/data' XDG_STATE_HOME='%s/state'
mkdir -p '%s/work' && cd '%s/work'
]]):format(home, home, build, scratch, scratch, scratch, scratch)

-- What a page of Markdown has, in order: {command =, shown = {lines}} and
-- {file =, text =}.
local function steps_of(path)
  local steps, fence, file, text = {}, nil, nil, nil
  for line in io.lines(path) do
    local ticks, info = line:match("^(```+)(.*)$")
    if fence and line == fence.ticks then
      if fence.file then
        steps[#steps + 1] = {file = fence.file, text = text}
      end
      fence = nil
    elseif fence then
      local command = fence.info == "sh" and line:match("^%$ (.*)")
      if command then
        steps[#steps + 1] = {command = command, shown = {}}
      elseif fence.info == "sh" then
        table.insert(steps[#steps].shown, line)
      end
      text = text .. line .. "\n"
    elseif ticks then
      fence, file, text = {ticks = ticks, info = info, file = file}, nil, ""
    else
      file = line:match("^<!%-%- file: (.*) %-%->$") or file
    end
  end
  return steps
end

-- What the command says, and its exit status.
local function run(command)
  local whole = "exec 2>&1 </dev/null\n%s\n%s\necho \"status $?\""
  local f = assert(io.popen(whole:format(state, command)))
  local said, status = f:read("a"):match("^(.*)status (%d+)\n$")
  f:close()
  return said, tonumber(status)
end

local steps = steps_of("docs/authoring.md")
local commands, files = 0, 0

for _, step in ipairs(steps) do
  test(step.command or "the file " .. step.file, function()
    if step.file then
      files = files + 1
      local where = run("pwd"):match("[^\n]*")
      local f = assert(io.open(where .. "/" .. step.file, "w"))
      f:write(step.text)
      f:close()
      return
    end
    commands = commands + 1
    local said, status = run(step.command)
    local at, fails = 1, step.command:find("^warpshop grade") ~= nil
    for _, line in ipairs(step.shown) do
      local _, last = said:find(line, at, true)
      if not last then
        error(("%q is not in, or not in its place:\n%s"):format(line, said))
      end
      at = last + 1
      -- What the page shows to fail may.
      fails = fails or line:find("no exercise", 1, true) ~= nil
        or line:find("there is no lesson", 1, true) ~= nil
        or line:find("^  survives") ~= nil
    end
    if (status ~= 0) ~= fails then
      error(("%s: exit status %d:\n%s"):format(step.command, status, said))
    end
    if step.command:find("^cd ") or step.command:find("^export ") then
      state = state .. step.command .. "\n"
    end
  end)
end

test("the page has what it promises", function()
  tap.equal(commands > 20 and files == 13, true,
    commands .. " commands, " .. files .. " files")
end)

test("the minutes of its sections are an hour at most", function()
  local sum, sections = 0, 0
  for line in io.lines("docs/authoring.md") do
    local minutes = line:match("^## .*%((%d+) minutes%)$")
    if minutes then sum, sections = sum + minutes, sections + 1 end
  end
  tap.equal(sections >= 8 and sum <= 60, true,
    sum .. " minutes in " .. sections .. " sections")
end)

-- What the page ends with is what an instructor wants: all green.
test("the whole course", function()
  local said, status = run(("cd '%s/work/signals'"):format(scratch) ..
    " && warpshop course test . && warpshop exercise prove .")
  local is_green = status == 0 and not said:find("BAD", 1, true)
    and not said:find("note:", 1, true)
  if not is_green then error(said) end
end)

os.execute("rm -rf '" .. scratch .. "'")
tap.done()
