#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does a test fail now and then, or a verdict depend on how busy the machine is? Programs
# of tests/run so many times each beside busy processes; a line for each time, and what a
# failure said.
#   tests/load/repeat.sh TIMES SUITE|SUITE/PROGRAM...
# BUSY is the number of busy processes (four a core), JOBS how many programs run at once
# (one a core). LOG is a file that keeps the lines: what has passed in it is not run again,
# so that a run that was cut short goes on.
set -u
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 2 ] || { sed -n '3,10s/^# *//p' "$0" && exit 2; }
times=$1
shift
cores=$(nproc)
busy_count=${BUSY:-$((4 * cores))}
scratch=$(mktemp -d) || exit 2
log=${LOG:-$scratch/log}
touch "$log" || exit 2
programs=$(tests/run -n "$@") || exit 2
busy=() # and the queue: what runs ends by itself
trap '[ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
for ((i = 0; i < busy_count; i++)); do
  sh -c 'while :; do :; done' &
  busy+=($!)
done

# once "TIME PROGRAM": one program, one time. Programs of the same time share their cache,
# as in one run of all.
once() {
  local time=${1%% *} program=${1#* } said start=$SECONDS verdict=passed
  said=$(JOBS=1 TESTS_CACHE=$scratch/cache.$time tests/run "$program" 2>&1) || verdict=FAILED
  [ $verdict = passed ] || echo "$said"
  echo "$1: $verdict, $((SECONDS - start)) s" | tee -a "$log"
}
export -f once
export scratch log
while read -r program; do
  for ((time = 1; time <= times; time++)); do
    grep -q "^$time $program: passed" "$log" || echo "$time $program"
  done
done <<<"$programs" >"$scratch/wanted"
xargs -a "$scratch/wanted" -d '\n' -P "${JOBS:-$cores}" -I '{}' bash -c 'once "$1"' once '{}' &
busy+=($!)
wait "$!"
passed=$(grep -c ': passed' "$log")
all=$((times * $(wc -l <<<"$programs")))
echo "$passed of $all passed, beside $busy_count busy processes on $cores cores, ${JOBS:-$cores} at once: $*"
[ "$passed" = "$all" ]
