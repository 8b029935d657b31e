#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What judging a class costs, in processor time (user and system, of all
# processes), which is the same however busy the machine is: 200 submissions, each
# compiled; the same with all of them in the compiler's cache; 200 of one exercise by
# 200 learners and by nobody in particular, whose difference is the start of a
# learner's server and worker.
#   bench/batch.sh [EXERCISE...]         twenty of the course unless it says otherwise
set -eu
cd "$(dirname "$0")/.."
shop=$PWD/${BUILD:-build}/warpshop
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WARPSHOP_HOME=$PWD XDG_CACHE_HOME=$scratch/cache
unset WARPSHOP_DEVICE WARPSHOP_COURSE_SECRET WARPSHOP_COURSE_SECRET_FILE
exercises=("$@")
[ $# -gt 0 ] || exercises=(first-kernel vector-add saxpy positions sum by-columns
  brightness darts mandelbrot block-stride transpose-naive transpose-tiled no-barrier
  histogram count-if halo sum-shuffle scan-block dot matmul)
learners=10 many=200

# cost ARG...: seconds of processor time of `warpshop grade ARG...`.
cost() {
  local TIMEFORMAT='%U %S'
  { time "$shop" grade "$@" --json >"$scratch/verdicts" 2>/dev/null || true; } 2>&1 |
    awk '{print $1 + $2}'
}
row() { # NAME SECONDS COUNT
  awk -v name="$1" -v s="$2" -v n="$3" \
    'BEGIN {printf "%-52s %8.1f s %8.1f ms each\n", name, s, 1000 * s / n}'
}

for ((i = 0; i < learners; i++)); do
  mkdir -p "$scratch/class/learner-$i"
  for exercise in "${exercises[@]}"; do
    cp "exercises/$exercise/solution.cu" "$scratch/class/learner-$i/$exercise.cu"
    echo "// $i" >>"$scratch/class/learner-$i/$exercise.cu" # so that each is compiled
  done
done
for ((i = 0; i < many; i++)); do
  mkdir -p "$scratch/many/learner-$(printf %03d $i)"
  cp exercises/vector-add/solution.cu "$scratch/many/learner-$(printf %03d $i)/vector-add.cu"
done

count=$((learners * ${#exercises[@]}))
echo "$count submissions: ${#exercises[@]} exercises of $learners learners"
cold=$(cost --from "$scratch/class" --journal "$scratch/a" --jobs 2)
warm=$(cost --from "$scratch/class" --journal "$scratch/b" --jobs 2)
passed=$(grep -c '"verdict": "pass",$' "$scratch/verdicts" || true)
grep -q . "$scratch/verdicts" || { echo "nothing was judged" >&2; exit 1; }
echo "verdicts and cases that pass: $passed"
owned=$(cost --from "$scratch/many" --journal "$scratch/c" --jobs 2)
owned=$(cost --from "$scratch/many" --journal "$scratch/d" --jobs 2)
nobodys=$(cost vector-add "$scratch"/many/*/vector-add.cu --jobs 2)
start=$(awk -v a="$owned" -v b="$nobodys" -v n=$many 'BEGIN {print (a - b) / (n - 2)}')
row "compiling included" "$cold" "$count"
row "all in the compiler's cache" "$warm" "$count"
row "compiling" "$(awk -v a="$cold" -v b="$warm" 'BEGIN {print a - b}')" "$count"
row "a learner's server and worker" "$(awk -v s="$start" -v n=$many 'BEGIN {print s * n}')" $many
row "judging alone" "$(awk -v w="$warm" -v s="$start" -v n=$learners 'BEGIN {print w - s * n}')" "$count"
