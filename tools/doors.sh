#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks through how many headers the other rooms look into a room: one, or as
# many as this table says, with its reason. More is a room whose contract nobody
# knows; fewer, and the row is to say so. Tests, benchmarks and tools may look at
# everything. Prints the figures.
set -u
cd "$(dirname "$0")/.." || exit 2

# Room, headers for others, why not one.
table() {
  cat <<'END'
base                18 a library: each header is one tool
kernels             3 loops of np; sorting; what built-in kernels must compute
gpu                 11 gpu.h is the contract of both engines, the others what passes through it
cluster             4 Slurm's commands; what is asked of them; and of a batch script; login nodes
grade/batch         5 a batch; its hand-ins and verdicts, judged again; its tasks on a cluster
gpu/finding         2 a finding in words; numbers that a function never sets, asked before a launch
gpu/ptx             3 a program; its debug information; the matrices of its tensor instructions
gpu/nvrtc           2 a compile; what is left out of it for the host
gpu/nvrtc/cache     3 records, their keys, and the form in which a kind host's kernels travel
gpu/nvrtc/source    2 tokens; kernels' signatures
gpu/nvrtc/toolkit   2 where it lies; its tools run
gpu/nvrtc/worker    3 the process, and what both of its sides know: options, walls
gpu/remote          4 the client; the arena of host arrays; walls and memory for a process
gpu/vgpu            8 the types of all its rooms, by subject
gpu/vgpu/code       4 decoding; the plans of flat kernels and gangs, which grid/ runs
gpu/vgpu/count      2 counters; what results are made of
gpu/vgpu/debug      2 the debugger; its command
gpu/vgpu/machine    8 the machine's parts, which know nothing of each other
gpu/vgpu/ops        2 handlers; floats of 16 bits, which the debugger shows
gpu/vgpu/run        2 warps; the order in which they take turns
grade               12 exercises, verdicts and what its rooms and commands share
grade/compare       2 right or wrong; what a wrong result is like
grade/course        4 a course; a new one; the words that pages teach; what course systems get of it
grade/input         4 four tools, each with its own
grade/judge         3 the judge; the judge of a prompt; a failing launch as a file
class               5 the command; and of a room what a learner's program does: hand in, tell, hear back
lua/bind/np         4 arrays; np's functions for Lua and for C; conversions
lua/bind/state      3 Lua's state; code of functions; values shown
repl                2 what its rooms share; the subcommands
repl/lesson         11 lessons, exercises, and what is kept of both
repl/prompt         2 the prompt; its history
repl/tui            4 the screen; lines fitted to it; what is shown, kept
END
}

includes() {
  find base gpu kernels lua grade class repl -name '*.[ch]' -not -path 'gpu/nvrtc/include/*' \
    -exec grep -HoE '^# *include "[^"]+/[^"/]+\.h"' {} + |
    sed -E 's/^([^:]+)\/[^:\/]+:.*"(.*)\/([^"]+)"$/\1 \2 \3/'
}

awk '
  NR == FNR { allowed[$1] = $2; next }
  $1 != $2 && !(($2, $3) in seen) { seen[$2, $3]; count[$2]++; names[$2] = names[$2] " " $3 }
  END {
    for (room in count) {
      most = room in allowed ? allowed[room] : 1
      if (count[room] > most)
        print room "/ has " count[room] " headers that other rooms include, of " most " at most:" names[room]
      rooms++
      one += count[room] == 1
    }
    for (room in allowed)
      if (count[room] < allowed[room])
        print "tools/doors.sh: of " room "/ other rooms include " count[room] + 0 " headers, and the table says " allowed[room]
    print "doors: " one " of " rooms " rooms have one header for others"
  }' <(table) <(includes) | sort | awk '{ print } !/^doors: / { bad = 1 } END { exit bad }'
