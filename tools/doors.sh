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
base                21 a library: each header is one tool
kernels             3 loops of np; what built-in kernels must compute; a team of threads, for ml's loops too
gpu                 12 gpu.h is the contract of both engines, the others what passes through it, and the roof that both rank and :time ask for
gpu/vgpu            8 the types of all its rooms, by subject
END
}

includes() {
  find base cluster display gpu kernels lua grade class repl python -name '*.[ch]' -not -path 'gpu/nvrtc/include/*' \
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
