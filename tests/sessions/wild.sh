#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lua that means harm, in `warpshop run` with a deadline and at the prompt: no
# script runs past its deadline and grace, none ends the program by a signal,
# and a prompt whose tables were all broken still answers. Speaks TAP.
set -u
cd "$(dirname "$0")/../.." || exit 2
program=${BUILD:-build}/warpshop
export WARPSHOP_HOME=$PWD WARPSHOP_DEVICE=${WARPSHOP_DEVICE:-virtual:0}
export NO_COLOR=1 LC_ALL=C.UTF-8
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
hang_s=${HANG_S:-300} # after so long a script was not stopped; tests/run says more

number=0
tap() { # tap STATUS NAME
  number=$((number + 1))
  if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# run_wild CODE: sets $status.
run_wild() {
  timeout -k 1 "$hang_s" "$program" run --deadline "$deadline" -e "$1" \
    >"$scratch/out" 2>&1 </dev/null
  status=$?
}
# wild NAME STATUS WORDS CODE: runs CODE; the exit status must be STATUS and
# what was said must hold WORDS. Who ends by itself has time to. Where a deadline is to
# find CODE at its last line, a busy machine may not have come there: then a later one.
wild() {
  local status deadline=$hang_s
  [[ $3 == "$stopped" || $3 == "$gone" ]] && deadline=0.5
  run_wild "$4"
  if [ "$3" = "$gone" ]; then
    for deadline in 2 8 32; do
      [[ $(head -c 4000 "$scratch/out") == *"$stopped"* ]] || break
      run_wild "$4"
    done
  fi
  [ "$status" = "$2" ] && [[ $(head -c 4000 "$scratch/out") == *"$3"* ]]
  tap $? "$1"
  [ "$status" = "$2" ] || echo "# exit status $status, not $2"
  [[ $(head -c 4000 "$scratch/out") == *"$3"* ]] || {
    echo "# it does not say: $3"
    head -c 600 "$scratch/out" | sed 's/^/#   /'
  }
}

stopped='stopped at its deadline of '
gone='did not stop at its deadline'
# Its threads do something, or it would be known that they wait for ever.
endless='k = cuda.kernel("__global__ void f(volatile int *x) { while (x[0] == 0) x[1 + threadIdx.x] += 1; }")
x = cuda.to_device(np.zeros(33, "i32")); k[{1, 32}](x); '

wild 'an endless loop' 1 "$stopped" 'while true do end'
wild 'it swallows the stop' 1 "$gone" \
  'while true do pcall(function() while true do end end) end'
wild 'in a coroutine' 1 "$stopped" \
  'coroutine.wrap(function() while true do end end)()'
wild 'a pattern that takes for ever' 1 "$gone" \
  'string.find(string.rep("a", 50000), ".-.-.-.-b")'
wild 'a sort without an order' 1 'invalid order function' \
  't = {} for i = 1, 1e4 do t[i] = i end table.sort(t, function() return true end)'
wild 'a length that lies' 1 "$stopped" \
  'table.concat(setmetatable({}, {__len = function() return 2^53 end,
     __index = function() return "x" end}))'
wild 'a text of 2 GiB' 1 'too large' 'string.rep("x", 2^31, ",")'
wild 'recursion without an end' 1 'stack overflow' \
  'local function f(n) return 1 + f(n) end f(1)'
wild 'recursion through a metatable' 1 'C stack overflow' \
  't = setmetatable({}, {}) getmetatable(t).__index = function(_, k)
     return t[k .. ""] end print(t.x)'
wild 'coroutines in coroutines' 1 'C stack overflow' \
  'local function f() return coroutine.wrap(f)() end f()'
wild 'coroutines without number' 1 "$stopped" \
  't = {} while true do t[#t + 1] = coroutine.create(coroutine.yield)
     coroutine.resume(t[#t]) end'
wild 'an array of 8 TB' 1 'no room for an array' \
  'np.zeros({1000000, 1000000}, "f64")'
wild 'an error whose text never ends' 1 "$stopped" \
  'error(setmetatable({}, {__tostring = function() while true do end end}))'
wild 'an error whose text raises' 1 'could not be made' \
  'error(setmetatable({}, {__tostring = function(e) error(e) end}))'
wild 'strings with a metatable' 1 'plain words' \
  'getmetatable("").__tostring = error getmetatable("").__index = error
   error("plain words")'
wild 'a value whose text never ends' 1 "$stopped" \
  'return setmetatable({}, {__tostring = function() while true do end end})'
wild 'globals that raise' 1 'no zzz' \
  'setmetatable(_G, {__index = function(_, n) error("no " .. n) end})
   cuda = nil; return zzz'
wild 'a finaliser that never ends' 1 "$gone" \
  'setmetatable({}, {__gc = function() while true do end end})'
wild 'a finaliser that launches' 0 'true' \
  'k = cuda.kernel("__global__ void f(int *x) { x[threadIdx.x] = 1; }")
   x = cuda.to_device(np.zeros(32, "i32"))
   setmetatable({}, {__gc = function() print(pcall(k[{1, 32}], x)) end})'
wild 'os.exit during a launch' 7 '' "$endless os.exit(7)"
wild 'os.exit that closes, during a launch' 7 '' "$endless os.exit(7, true)"
wild 'os.exit in a coroutine' 5 '' \
  'coroutine.wrap(function() os.exit(5, true) end)()'
wild 'endless launches' 1 "$gone" \
  "$endless while true do pcall(k[{1, 32}], x) pcall(cuda.synchronize) end"
wild 'a hook of its own' 1 "$stopped" \
  'debug.sethook(function() end, "", 1) while true do end'
wild 'binary code' 1 'nil value' 'load(("\27Lua"):rep(20), "x", "b")()'

# ---- A prompt whose tables are broken ----

commands=':help
:next
:check
:hint
:solution
:reset
:device
:ptx k
:sass k
:who
:time k[{1, 32}](x)
?np.zeros
??k
?warp
:lesson 1
:load /no/such/file'
broken() { # broken NAME CODE
  {
    echo '__global__ void k(int *x) { x[threadIdx.x] = 1; }'
    echo 'x = np.zeros(32, "i32"); k[{1, 32}](x); say = io.write; eol = string.char(10)'
    echo "$2"
    echo "$commands"
    echo '__global__ void again(int *x) { x[threadIdx.x] = 2; }'
    echo 'x'
    echo 'say("still ", "here", eol)'
  } >"$scratch/in"
  timeout -k 1 "$hang_s" "$program" repl <"$scratch/in" >"$scratch/out" 2>&1
  local status=$?
  [ "$status" -lt 2 ] && grep -qx 'still here' "$scratch/out"
  tap $? "a prompt goes on: $1"
  [ "$status" -lt 2 ] || echo "# exit status $status"
}
broken 'every function replaced' \
  'for _, t in ipairs{np, cuda, string, table, math} do for n in pairs(t) do t[n] = function() error("broken") end end end'
broken 'no tables' 'np, cuda, string, table, os, io, math, debug = nil'
broken 'globals that raise' \
  'setmetatable(_G, {__index = function(t, k) error("no " .. tostring(k)) end}) cuda = nil'
broken 'a cuda of another kind' \
  'cuda = setmetatable({}, {__index = function() return 5 end}) np = 5 k = cuda x = setmetatable({}, {__tostring = error})'
broken 'the registry emptied' \
  'for n, v in pairs(debug.getregistry()) do if type(v) == "table" and type(n) == "string" and n:find("^[a-z]+%.[a-z_]+$") then for m in pairs(v) do v[m] = error end end end'
