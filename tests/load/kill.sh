#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills the device server or the compile worker of a judgement with SIGKILL,
# once, at a moment that nobody chose: the verdict must be the one that it has
# when left alone. A moment at which there is no such process is drawn again. Speaks
# TAP. Usage: tests/load/kill.sh [ROUNDS [SEED]]: so many of each.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/load/common.sh
trap 'rm -rf "$scratch"' EXIT
rounds=${1:-100}
RANDOM=${2:-$RANDOM}
echo "# seed $RANDOM"

now_ms() { date +%s%3N; }

# Alone: the verdict, and how long it takes.
submissions | grep -E 'tests/load|one_too_far|small_only|wrong_count|syntax' \
  >"$scratch/list"
i=0
while read -r exercise file; do
  start=$(now_ms)
  judge "$exercise" "$file" >"$scratch/alone-$i"
  took[i]=$(($(now_ms) - start))
  exercises[i]=$exercise files[i]=$file
  i=$((i + 1))
done <"$scratch/list"

hits=0 tries=20
# killed NUMBER KIND: judges one while its helper of that kind is killed; 2: there
# was none at that moment, and the verdict is the right one.
killed() {
  local i=$1 pid victim is_hit=0
  judge "${exercises[i]}" "${files[i]}" >"$scratch/now" &
  pid=$!
  sleep "$(printf '%d.%03d' $((RANDOM % took[i] / 1000)) $((RANDOM % took[i] % 1000)))"
  victim=$(pgrep -f "^$program-device --$2")
  # shellcheck disable=SC2086 # one number
  [ -n "$victim" ] && kill -KILL $victim 2>/dev/null && is_hit=1
  wait "$pid"
  cmp -s "$scratch/now" "$scratch/alone-$i" || return 1
  [ $is_hit = 1 ] || return 2
  hits=$((hits + 1))
}

for kind in server compile; do
  for ((n = 1; n <= rounds; n++)); do
    i=$((n % ${#files[@]}))
    for ((k = 0; k < tries; k++)); do
      killed $i $kind
      rc=$?
      [ $rc = 2 ] || break
    done
    report "$kind killed, $(basename "${files[i]}")" $((rc == 0)) \
      "$(diff "$scratch/alone-$i" "$scratch/now" | head -n 20)"
  done
done
report "$hits of $((2 * rounds)) kills found a process" $((hits == 2 * rounds))
echo "1..$number"
[ $failed = 0 ]
