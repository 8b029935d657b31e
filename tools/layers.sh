#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that includes, and calls once the program is built, point only the way
# the table of folders allows (README.md, "The map"), and that no calls go around
# between folders. Prints each breach; exit status 1 if there is one.
# In gpu/ the parser knows no engine, and no engine knows another.
set -u
cd "$(dirname "$0")/.." || exit 2

# Folder, and the folders that its files may include besides themselves.
allowed() {
  # What those above gpu/nvrtc may use of it.
  local vgpu=gpu/vgpu engine="base gpu gpu/ptx gpu/vgpu"
  local parts="gpu/vgpu/memory gpu/vgpu/matrix gpu/vgpu/machine" # what instructions work on
  local nvrtc="gpu/nvrtc/toolkit gpu/nvrtc/source gpu/nvrtc/image gpu/nvrtc/words"
  local bind="base gpu gpu/finding gpu/nvml gpu/nvrtc $nvrtc gpu/ptx gpu/remote kernels" # ptx: what a replay copies
  local lua="lua/bind/state lua/bind/np lua/bind/cuda"
  # What it takes to read an exercise, run a case and say how it went.
  local exercise="grade/exercise grade/case grade/runner grade/verdict grade/course grade/input grade/compare"
  local grade="grade $exercise grade/resemble grade/judge grade/check grade/subcommand grade/publish grade/similar grade/rank grade/prove"
  local shop="base cluster cluster/script gpu gpu/turnstile gpu/finding gpu/nvrtc $nvrtc gpu/remote kernels lua/bind $lua $grade class class/book repl"
  local learning="repl repl/progress repl/exercise"
  case $1 in
  base) echo "" ;;
  cluster) echo "base cluster/script" ;; # login.c: how long a job may take
  cluster/script) echo "base" ;;
  gpu/ptx) echo "base" ;;
  # nvrtc.h is the contract, which the rooms below speak of.
  gpu/nvrtc/source) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/words) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/toolkit) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/worker) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/image) echo "base gpu/nvrtc gpu/nvrtc/source gpu/nvrtc/words gpu/nvrtc/toolkit" ;;
  gpu/nvrtc/cache) echo "base gpu/nvrtc gpu/nvrtc/image gpu/nvrtc/toolkit" ;;
  gpu/nvrtc) echo "base $nvrtc gpu/nvrtc/words gpu/nvrtc/worker gpu/nvrtc/cache" ;;
  gpu/turnstile) echo "base" ;;
  gpu/cuda) echo "base gpu gpu/nvrtc/toolkit" ;; # cuBLAS lies where NVRTC does
  # insn.h, state.h, launch.h: the types of all rooms of the virtual GPU.
  gpu/vgpu) echo "base gpu gpu/ptx gpu/vgpu/memory gpu/vgpu/matrix gpu/vgpu/machine" ;;
  gpu/vgpu/memory) echo "$engine" ;;
  gpu/vgpu/matrix) echo "$engine" ;;
  gpu/vgpu/machine) echo "$engine $vgpu/memory" ;; # numbers of texture objects are addresses
  gpu/vgpu/slice) echo "$engine $parts" ;;
  gpu/vgpu/count) echo "$engine $parts $vgpu/slice" ;; # which loads feed a result
  gpu/vgpu/check) echo "$engine gpu/finding $parts $vgpu/count" ;;
  gpu/vgpu/run) echo "$engine gpu/finding $parts $vgpu/count $vgpu/slice $vgpu/check" ;;
  gpu/vgpu/ops) echo "$engine $parts $vgpu/count $vgpu/slice $vgpu/check $vgpu/run" ;;
  gpu/vgpu/code) echo "$engine $parts $vgpu/check $vgpu/run $vgpu/ops" ;;
  gpu/vgpu/grid) echo "$engine $parts $vgpu/count $vgpu/slice $vgpu/check $vgpu/run $vgpu/ops $vgpu/code" ;;
  gpu/vgpu/debug) echo "$engine $parts $vgpu/check $vgpu/run $vgpu/ops $vgpu/code $vgpu/grid" ;;
  gpu/vgpu/device) echo "$engine $parts $vgpu/count $vgpu/slice $vgpu/check $vgpu/code $vgpu/grid $vgpu/debug" ;;
  # devices.c has both engines; device_main.c starts this server and the compiler's.
  gpu/remote) echo "base gpu gpu/nvml gpu/turnstile gpu/nvrtc gpu/nvrtc/worker gpu/nvrtc/image gpu/nvrtc/toolkit gpu/cuda gpu/vgpu/device" ;;
  gpu/finding) echo "base gpu" ;;
  gpu/nvml) echo "base" ;;
  gpu) echo "base" ;;
  kernels/reference) echo "base" ;;
  kernels/*) echo "base kernels/reference" ;; # what a part's exercises must compute
  kernels) echo "base kernels/reference kernels/kernels kernels/memory kernels/patterns kernels/workloads kernels/jax kernels/fast kernels/data" ;;
  lua/bind/code) echo "" ;;
  lua/bind/state) echo "$bind lua/bind/code" ;;
  lua/bind/np) echo "$bind lua/bind/state" ;;
  lua/bind/cuda) echo "$bind lua/bind/state lua/bind/np" ;;
  lua/bind/jax) echo "$bind $lua lua/bind/code" ;;
  lua/bind) echo "$bind $lua lua/bind/jax" ;;
  # From a course's folder to a verdict.
  grade/course) echo "base gpu/nvrtc/source" ;;
  grade/input) echo "base gpu/nvrtc/source" ;;
  grade/compare) echo "base" ;;
  grade/exercise) echo "base cluster/script gpu kernels grade/course grade/input grade/compare" ;;
  grade/case) echo "base grade/exercise grade/input grade/compare grade/verdict" ;;
  # learner_main.c opens all of np and jax, and gives up what a server does.
  # A kind host's kernels come compiled, as the cache keeps them.
  grade/learner) echo "base gpu gpu/nvrtc gpu/nvrtc/cache gpu/remote kernels lua/bind $lua" ;;
  grade/runner) echo "base gpu gpu/nvrtc gpu/remote grade/exercise grade/case grade/input grade/verdict" ;;
  grade/resemble) echo "base grade/compare grade/case grade/runner" ;;
  grade/rank) echo "base gpu/nvml grade/input" ;;
  grade/verdict) echo "base gpu gpu/finding gpu/nvrtc/toolkit grade/exercise grade/input grade/rank" ;;
  grade/judge) echo "base cluster cluster/script gpu gpu/nvml gpu/finding gpu/nvrtc $nvrtc $exercise grade/learner grade/resemble grade/rank" ;;
  grade/check) echo "base grade/exercise grade/input grade/judge grade/verdict" ;;
  grade/batch) echo "base cluster grade/exercise grade/input grade/verdict grade/judge" ;;
  grade/similar) echo "base gpu/nvrtc gpu/nvrtc/image grade/input grade/batch" ;;
  grade/report) echo "base grade/input" ;; # of the JSON form alone
  grade/publish) echo "base gpu/nvrtc gpu/nvrtc/image grade/course grade/exercise grade/runner grade/input grade/judge" ;;
  grade/prove) echo "base gpu/nvrtc gpu/nvrtc/image grade grade/course grade/exercise grade/case grade/input grade/verdict grade/judge" ;;
  grade/subcommand) echo "base cluster grade grade/course grade/exercise grade/case grade/input grade/verdict grade/judge grade/report grade/batch grade/prove" ;;
  grade) echo "base grade/input" ;; # what commands share
  class) echo "base gpu/turnstile gpu/nvrtc grade grade/exercise grade/input grade/batch grade/similar class/book" ;; # grade: what commands share
  class/book) echo "base grade grade/input grade/report" ;; # report: the forms
  # shop.h is what the rooms of repl/ share.
  repl/edit) echo "base" ;;
  repl/tui) echo "$shop repl repl/edit" ;;
  repl/eval) echo "$shop repl repl/tui" ;;
  repl/progress) echo "base grade/course" ;;
  repl/exercise) echo "$shop repl repl/progress repl/tui" ;;
  repl/lesson) echo "$shop $learning repl/eval repl/tui" ;;
  repl/command) echo "$shop $learning repl/lesson repl/eval repl/tui" ;;
  repl/prompt) echo "$shop $learning repl/command repl/lesson repl/eval repl/tui" ;;
  repl/watch) echo "$shop $learning repl/lesson repl/eval repl/tui" ;;
  repl/top) echo "$shop repl repl/tui gpu/nvml" ;;
  repl/subcommand) echo "$shop $learning repl/prompt repl/command repl/lesson repl/eval repl/tui" ;;
  repl) echo "$shop $learning repl/prompt repl/command repl/lesson repl/watch repl/top repl/eval repl/tui repl/subcommand" ;;
  *) return 1 ;;
  esac
}

mapfile -t rooms < <(find base cluster gpu kernels lua/bind grade class repl -name '*.[ch]' -not -path '*/include/*' -printf '%h\n' | sort -u)
declare -A may # folder -> " folder folder "
for room in "${rooms[@]}"; do
  may[$room]=" $(allowed "$room") " || { echo "$room/ is not in the table of tools/layers.sh" && exit 1; }
done

breaches=0
while IFS=: read -r file _ include; do
  from=${file%/*} to=${include%/*}
  [ "$from" = "$to" ] && continue
  case ${may[$from]} in
  *" $to "*) ;;
  *)
    echo "$file includes $include: $from may use:${may[$from]}"
    breaches=$((breaches + 1))
    ;;
  esac
done < <(find base cluster gpu kernels lua grade class repl -name '*.[ch]' -not -path 'gpu/nvrtc/include/*' \
  -exec grep -HnE '^# *include "' {} + |
  sed -E 's/^([^:]+):([0-9]+):# *include "([^"]+)".*/\1:\2:\3/')
# The device library runs without Lua and without a terminal.
while IFS= read -r line; do
  echo "$line: base/ and gpu/ know no Lua, no terminal and no documents"
  breaches=$((breaches + 1))
done < <(grep -nE '^# *include <(lua|lauxlib|lualib|readline/|n?curses|cmark|jansson)' \
  -r --include='*.[ch]' base gpu)

# Calls, read off the objects: a declaration may stand in a header that both know.
# Lines "FOLDER FOLDER file function".
calls() {
  find "${rooms[@]}" -maxdepth 1 -name '*.c' | sed "s|.*|$build/&|; s|c\$|o|" | xargs nm -A 2>/dev/null |
    sed "s|^$build/||" | awk '
      { file = $1; sub(/:.*/, "", file); room = file; sub("/[^/]*$", "", room)
        if ($(NF - 1) ~ /[TDBRVWC]/) home[$NF] = room
        else if ($(NF - 1) == "U") { from[++n] = room; in_file[n] = file; name[n] = $NF } }
      END { for (i = 1; i <= n; i++) if (name[i] in home && home[name[i]] != from[i])
              print from[i], home[name[i]], in_file[i], name[i] }' | sort -u
}
build=${BUILD:-build}
said="every include points up the table"
if [ -f "$build/repl/main.o" ]; then
  found=$(calls)
  while read -r from to file name; do
    case ${may[$from]} in
    *" $to "*) ;;
    *)
      echo "${file%.o}.c calls $name of $to: $from may use:${may[$from]}"
      breaches=$((breaches + 1))
      ;;
    esac
  done <<<"$found"
  cycle=$(awk '{print $1, $2}' <<<"$found" | sort -u | tsort 2>&1 >/dev/null)
  if [ -n "$cycle" ]; then
    echo "calls go around between folders: $(sed -n 's/^tsort: \([a-z].*\)/\1/p' <<<"$cycle" | paste -sd ' ' -)"
    breaches=$((breaches + 1))
  fi
  said="every include and every call points up the table, and none around"
fi
tools/lua_layers.sh || breaches=$((breaches + 1))
[ "$breaches" = 0 ] && echo "layers: $said"
[ "$breaches" = 0 ]
