#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does a test fail now and then? Programs of tests/run again and again beside busy
# processes; says how often each failed, with what it said.
#   tests/load/repeat.sh TIMES SUITE/PROGRAM...
# BUSY is the number of busy processes, four a core unless it says otherwise; JOBS, how
# many programs run at once (1).
set -u
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 2 ] || { sed -n '3,7s/^# *//p' "$0" && exit 2; }
times=$1
shift
busy_count=${BUSY:-$((4 * $(nproc)))}
scratch=$(mktemp -d) || exit 2
busy=()
trap '[ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT
for ((i = 0; i < busy_count; i++)); do
  sh -c 'while :; do :; done' &
  busy+=($!)
done
bad=0
for ((i = 1; i <= times; i++)); do
  tests/run "$@" >"$scratch/said" 2>&1 || {
    bad=$((bad + 1))
    echo "time $i:"
    grep -A 60 FAILED "$scratch/said"
  }
  echo "$i of $times: $(tail -n 1 "$scratch/said")"
done
echo "$bad of $times times something failed, beside $busy_count busy processes: $*"
[ "$bad" = 0 ]
