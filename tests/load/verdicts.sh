#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Are verdicts the same, byte for byte but times, on a machine that is busy?
# Submissions are judged alone, then with a tenth of one processor, then beside
# 8 busy processes a core. Speaks TAP. Usage: tests/load/verdicts.sh [COUNT
# [SKIP]], which leaves out the first so that several can share the work; each
# then has so many busy processes of its own: BUSY=N.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/load/common.sh
count=${1:-40} skip=${2:-0}
busy=() group=''
leave() {
  [ ${#busy[@]} = 0 ] || kill "${busy[@]}"
  wait
  [ -z "$group" ] || rmdir "$group"
  rm -rf "$scratch"
}
trap leave EXIT

# ---- A tenth of one processor ----

# make_group: a cgroup of version 1 or 2 with that quota in $group; fails where
# none may be made.
make_group() {
  local root
  for root in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct; do
    group=$root/warpshop-load-$$
    mkdir "$group" 2>/dev/null || continue
    echo 100000 >"$group/cpu.cfs_period_us" &&
      echo 10000 >"$group/cpu.cfs_quota_us" && return 0
    rmdir "$group"
  done 2>/dev/null
  root=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
  group=$root/warpshop-load-$$
  if mkdir "$group" 2>/dev/null; then
    echo '10000 100000' 2>/dev/null >"$group/cpu.max" && return 0
    rmdir "$group"
  fi
  group=''
  return 1
}

# with_quota COMMAND... : in the group; where there is none the programs that
# judge run for 10 ms and stand for 90. (Two programs are called cpulimit; the
# one that Debian has crashes on a judge's children.)
with_quota() {
  local pid
  if [ -n "$group" ]; then
    (echo "$BASHPID" >"$group/cgroup.procs" && "$@")
    return
  fi
  "$@" &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    pkill -STOP -f "^$scratch/bin/"
    sleep 0.09
    pkill -CONT -f "^$scratch/bin/"
    sleep 0.01
  done
  wait "$pid"
}

# ---- Rounds ----

# round NAME COMMAND... : judges all, beside what was said when alone.
round() {
  local name=$1 i=0 exercise file same
  shift
  while read -r exercise file; do
    i=$((i + 1))
    "$@" "$exercise" "$file" >"$scratch/now"
    [ -e "$scratch/alone-$i" ] || cp "$scratch/now" "$scratch/alone-$i"
    same=0
    grep -q '^  "verdict": "[a-z-]*"' "$scratch/now" &&
      ! grep -q '^  "verdict": "error"' "$scratch/now" &&
      cmp -s "$scratch/now" "$scratch/alone-$i" && same=1
    report "$name: $exercise $(basename "$file")" $same \
      "$(diff "$scratch/alone-$i" "$scratch/now" | head -n 20)"
  done <"$scratch/list"
}

submissions | tail -n "+$((skip + 1))" | head -n "$count" >"$scratch/list"
report "$count submissions" \
  $(($(wc -l <"$scratch/list") == count)) "$(wc -l <"$scratch/list")"
round alone judge
make_group
round 'a tenth of a processor' with_quota judge
for ((i = ${BUSY:-8 * $(nproc)}; i > 0; i--)); do
  (while :; do :; done) &
  busy+=($!)
done
round "beside ${#busy[@]} busy processes" judge
echo "1..$number"
[ $failed = 0 ]
