#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that includes, and calls once the program is built, are those of the table
# below, all of them (README.md, "The map", has it by folders), and that no calls go
# around between rooms. Prints each breach; exit status 1 if there is one.
# In gpu/ the parser knows no engine, and no engine knows another.
set -u
cd "$(dirname "$0")/.." || exit 2

# A room, and those that its files include or call besides themselves: no other, and
# each of them, so that a row says what the room rests on. They stand in rows above,
# or are the folder around it, whose header is the contract of the rooms in it. A line
# that begins with a space goes on.
table() {
  cat <<'END'
base:
# What a person reads: columns, plain text.
base/text: base
display: base base/text
cluster/script: base
# login.c: how long a job may take
cluster: base cluster/script
gpu: base base/text
gpu/ptx: base
gpu/nvml: base
gpu/finding: base gpu
gpu/turnstile: base
# nvrtc.h is the contract, which the rooms below gpu/nvrtc speak of.
gpu/nvrtc/source:
gpu/nvrtc/words: base gpu/nvrtc
gpu/nvrtc/toolkit: base
gpu/nvrtc/worker: base gpu/nvrtc
gpu/nvrtc/image: base gpu/nvrtc/source gpu/nvrtc/words gpu/nvrtc/toolkit gpu/nvrtc
gpu/nvrtc/cache: base gpu/nvrtc/toolkit gpu/nvrtc/image gpu/nvrtc
gpu/nvrtc: base gpu/nvrtc/source gpu/nvrtc/words gpu/nvrtc/toolkit gpu/nvrtc/worker
  gpu/nvrtc/image gpu/nvrtc/cache
# cuBLAS and CUPTI lie where NVRTC does.
gpu/cupti: base gpu gpu/nvrtc/toolkit
gpu/nccl: base gpu gpu/nvrtc/toolkit
gpu/cuda: base gpu gpu/nvrtc/toolkit gpu/cupti gpu/nccl
# insn.h, state.h, launch.h: the types of all rooms of the virtual GPU.
gpu/vgpu: gpu gpu/ptx
gpu/vgpu/memory: base gpu gpu/ptx
gpu/vgpu/matrix: gpu/ptx gpu/vgpu
# The numbers of texture objects are addresses.
gpu/vgpu/machine: base gpu gpu/vgpu gpu/vgpu/memory
gpu/vgpu/slice: base gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/matrix gpu/vgpu/machine
# Which loads feed a result, its slice says.
gpu/vgpu/count: base gpu gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/slice
gpu/vgpu/check: base gpu gpu/ptx gpu/finding gpu/vgpu gpu/vgpu/memory gpu/vgpu/matrix
  gpu/vgpu/machine gpu/vgpu/count
gpu/vgpu/run: base gpu/finding gpu/vgpu gpu/vgpu/matrix gpu/vgpu/slice gpu/vgpu/count
  gpu/vgpu/check
gpu/vgpu/ops: base gpu gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/matrix gpu/vgpu/machine
  gpu/vgpu/slice gpu/vgpu/count gpu/vgpu/check gpu/vgpu/run
gpu/vgpu/code: base gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/matrix gpu/vgpu/check
  gpu/vgpu/ops
# Other code for the same kernels: of the interpreter it knows the types, and what is
# seen of memory by blocks that it ran.
gpu/vgpu/tier: base gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/check
gpu/vgpu/grid: base gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/matrix gpu/vgpu/machine
  gpu/vgpu/slice gpu/vgpu/count gpu/vgpu/check gpu/vgpu/run gpu/vgpu/ops gpu/vgpu/code
  gpu/vgpu/tier
gpu/vgpu/debug: base gpu gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/machine
  gpu/vgpu/check gpu/vgpu/run gpu/vgpu/ops gpu/vgpu/grid
gpu/vgpu/device: base gpu gpu/ptx gpu/vgpu gpu/vgpu/memory gpu/vgpu/machine
  gpu/vgpu/slice gpu/vgpu/count gpu/vgpu/check gpu/vgpu/code gpu/vgpu/tier gpu/vgpu/grid
  gpu/vgpu/debug
# devices.c has both engines; device_main.c starts this server and the compiler's.
gpu/remote: base gpu gpu/nvml gpu/turnstile gpu/nvrtc/worker gpu/nvrtc/image gpu/nvrtc
  gpu/cuda gpu/vgpu/tier gpu/vgpu/device
kernels/reference: base
# What a part's exercises must compute.
kernels/data: kernels/reference
kernels/fast: kernels/reference
kernels/jax: kernels/reference
kernels/kernels: kernels/reference
kernels/memory: kernels/reference
kernels/patterns: kernels/reference
kernels/workloads: base kernels/reference
kernels: base kernels/reference kernels/data kernels/fast kernels/jax kernels/kernels
  kernels/memory kernels/patterns kernels/workloads
lua/bind/code:
lua/bind/state: base gpu gpu/nvrtc lua/bind/code
lua/bind/np: base gpu gpu/remote kernels lua/bind/state
lua/bind/cuda: base gpu gpu/ptx gpu/nvml gpu/finding gpu/nvrtc/words gpu/nvrtc/image
  gpu/nvrtc gpu/remote lua/bind/state lua/bind/np
lua/bind/jax: base gpu/remote kernels lua/bind/code lua/bind/state lua/bind/np
  lua/bind/cuda
# What frame does below Lua.
lua/bind/frame/table: base
lua/bind/frame/csv: base lua/bind/frame/table
lua/bind/frame/arrow: base lua/bind/frame/table
lua/bind/frame: base lua/bind/state lua/bind/np lua/bind/cuda lua/bind/frame/table
  lua/bind/frame/csv lua/bind/frame/arrow
# What ml does below Lua.
lua/bind/ml/compute: base kernels
lua/bind/ml: lua/bind/state lua/bind/np lua/bind/cuda lua/bind/ml/compute
lua/bind/h5: base lua/bind/state lua/bind/np
lua/bind/scale: base lua/bind/state lua/bind/np lua/bind/h5
lua/bind: lua/bind/state lua/bind/np lua/bind/cuda lua/bind/jax lua/bind/frame lua/bind/h5
  lua/bind/ml lua/bind/scale
# A library in Python's process, with nothing of what is below it but the devices whose
# memory it maps there.
python: base gpu gpu/remote lua/bind/state lua/bind/np lua/bind/cuda lua/bind/scale
  lua/bind lua/bind/frame
  lua/bind/frame/arrow lua/bind/frame/table
# From a course's folder to a verdict.
grade/course: base
grade/input: base gpu/nvrtc/source
# What commands share.
grade: base base/text grade/input
grade/compare: base
grade/exercise: base cluster/script gpu kernels grade/course grade/input grade/compare
grade/rank: base gpu/nvml grade/input
grade/verdict: base gpu gpu/finding gpu/nvrtc/toolkit grade/input grade/exercise
  grade/rank
grade/case: base grade/input grade/compare grade/exercise grade/verdict
# learner_main.c opens all of np and jax, and gives up what a server does; a kind
# host's kernels come compiled, as the cache keeps them.
grade/learner: base gpu gpu/nvrtc/cache gpu/nvrtc gpu/remote lua/bind/state lua/bind/np
  lua/bind/cuda lua/bind
grade/runner: base gpu gpu/nvrtc gpu/remote grade/input grade/exercise grade/verdict
  grade/case
grade/resemble: base grade/compare grade/case grade/runner
grade/judge: base cluster/script cluster gpu gpu/nvml gpu/finding gpu/nvrtc/image
  gpu/nvrtc grade/input grade/compare grade/exercise grade/rank grade/verdict grade/case
  grade/learner grade/runner grade/resemble
grade/check: base base/text grade/input grade/exercise grade/verdict grade/judge
grade/batch: base cluster grade/input grade/exercise grade/verdict grade/judge
grade/similar: base gpu/nvrtc/image gpu/nvrtc grade/input grade/batch
# Of the JSON form alone.
grade/report: base grade/input
grade/publish: base gpu/nvrtc/image gpu/nvrtc grade/course grade/input grade/exercise
  grade/runner grade/judge
grade/prove: base gpu/nvrtc/image gpu/nvrtc grade grade/course grade/input
  grade/exercise grade/verdict grade/case grade/judge
grade/subcommand: base cluster grade grade/course grade/input grade/exercise
  grade/verdict grade/case grade/judge grade/batch grade/report
class/book: base grade grade/input grade/report
class: base base/text display gpu/nvml gpu/turnstile gpu/nvrtc grade grade/input grade/exercise grade/batch
  grade/similar class/book
repl/edit: base base/text
repl/plot: base
# shop.h is what the rooms of repl/ share.
repl/tui: base base/text display lua/bind/state repl/edit repl
repl/eval: base base/text cluster lua/bind/state lua/bind/np lua/bind/cuda lua/bind grade/course
  repl/edit repl/tui repl
repl/progress: base base/text grade/course
repl/exercise: base base/text cluster gpu/turnstile lua/bind/state lua/bind/cuda grade/input
  grade/exercise grade/verdict grade/check class repl/tui repl/progress repl
repl/lesson: base base/text gpu gpu/nvrtc/source lua/bind/state grade grade/course grade/exercise
  grade/verdict grade/check repl/tui repl/eval repl/progress repl/exercise repl
repl/watch: base base/text grade/verdict grade/check repl/tui repl/eval repl/progress
  repl/exercise repl/lesson repl
repl/workbook: base base/text display grade/course grade/verdict grade/check repl/tui repl/eval
  repl/progress repl/exercise repl/lesson repl/watch repl
# The requests of a launch and its arrays come as cuda.h has them.
repl/picture: base base/text display gpu lua/bind/cuda
repl/debugger: base base/text display gpu lua/bind/state lua/bind/cuda repl/tui repl/eval
  repl
repl/command: base base/text display cluster gpu gpu/nvrtc kernels lua/bind/state lua/bind/np
  lua/bind/cuda grade/course grade/input grade/verdict grade/case grade/check class
  repl/plot repl/tui repl/eval repl/debugger repl/progress repl/exercise repl/lesson
  repl/picture repl/workbook repl
repl/prompt: base base/text gpu/nvrtc/words lua/bind/state lua/bind/np lua/bind/cuda grade/course
  repl/edit repl/tui repl/eval repl/progress repl/exercise repl/lesson repl/workbook
  repl/debugger repl/command repl
repl/top: base base/text display gpu/nvml repl/tui repl
repl/subcommand: base base/text cluster gpu/nvrtc lua/bind/state lua/bind/cuda lua/bind/scale
  lua/bind
  grade/course grade/check grade/publish grade/prove grade/subcommand class repl/tui
  repl/eval repl/progress repl/exercise repl/lesson repl/workbook repl/command
  repl/prompt repl
repl: base base/text cluster display lua/bind/state repl/tui repl/eval repl/progress repl/exercise
  repl/lesson
  repl/workbook repl/command repl/watch repl/top repl/subcommand
END
}

mapfile -t rooms < <(find base cluster display gpu kernels lua/bind grade class repl python -name '*.[ch]' -not -path '*/include/*' -printf '%h\n' | sort -u)
declare -A may # folder -> " folder folder "
upside=''
while IFS=: read -r room uses; do
  may[$room]="$uses "
  for to in $uses; do
    [ -n "${may[$to]-}" ] || [[ $room == "$to"/* ]] || upside+="$room uses $to, whose row stands below it"$'\n'
  done
done < <(table | sed '/^#/d' | sed ':again; N; s/\n  / /; t again; P; D')
for room in "${rooms[@]}"; do
  [ -n "${may[$room]-}" ] || { echo "$room/ is not in the table of tools/layers.sh" && exit 1; }
done

breaches=0
[ -z "$upside" ] || { printf '%s' "$upside" && breaches=1; }
declare -A seen # "FOLDER FOLDER": the one includes or calls the other
while IFS=: read -r file _ include; do
  from=${file%/*} to=${include%/*}
  [ "$from" = "$to" ] && continue
  seen[$from $to]=1
  case ${may[$from]} in
  *" $to "*) ;;
  *)
    echo "$file includes $include: the table has for $from:${may[$from]}"
    breaches=$((breaches + 1))
    ;;
  esac
done < <(find base cluster display gpu kernels lua grade class repl python -name '*.[ch]' -not -path 'gpu/nvrtc/include/*' \
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
said="every include is in the table"
if [ -f "$build/repl/main.o" ]; then
  found=$(calls)
  while read -r from to file name; do
    seen[$from $to]=1
    case ${may[$from]} in
    *" $to "*) ;;
    *)
      echo "${file%.o}.c calls $name of $to: the table has for $from:${may[$from]}"
      breaches=$((breaches + 1))
      ;;
    esac
  done <<<"$found"
  for room in "${!may[@]}"; do
    ls "$build/$room"/*.o >/dev/null 2>&1 || continue # python, where its headers are not
    for to in ${may[$room]}; do
      [ -n "${seen[$room $to]-}" ] && continue
      echo "$room uses nothing of $to, though the table of tools/layers.sh says so"
      breaches=$((breaches + 1))
    done
  done
  cycle=$(awk '{print $1, $2}' <<<"$found" | sort -u | tsort 2>&1 >/dev/null)
  if [ -n "$cycle" ]; then
    echo "calls go around between folders: $(sed -n 's/^tsort: \([a-z].*\)/\1/p' <<<"$cycle" | paste -sd ' ' -)"
    breaches=$((breaches + 1))
  fi
  said="every include and every call is in the table, ${#seen[@]} pairs of ${#rooms[@]} rooms, and none around"
fi
tools/lua_layers.sh || breaches=$((breaches + 1))
[ "$breaches" = 0 ] && echo "layers: $said"
[ "$breaches" = 0 ]
