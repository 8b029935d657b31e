#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills, during batches, the judge, a device server or a compile worker with
# SIGKILL at random moments, one a judgement: no verdict may be lost or changed,
# and nothing may stay behind, neither a process nor a file. Speaks TAP.
# Usage: tests/load/batch_kill.sh [ROUNDS [SEED]]: so many kills of each.
set -u
# With a /tmp and a /dev/shm of its own, where the kernel gives them: what lies there
# is ours then.
own_mounts='mount -t tmpfs none /tmp && mount -t tmpfs none /dev/shm'
if [ -z "${BATCH_KILL_FOLDERS-}" ] && [[ $PWD/ != /tmp/* ]] &&
  unshare -rm sh -c "$own_mounts" 2>/dev/null; then
  BATCH_KILL_FOLDERS='/tmp /dev/shm' exec unshare -rm \
    sh -c "$own_mounts"' && exec "$@"' sh "$0" "$@"
fi
cd "$(dirname "$0")/../.." || exit 2
. tests/load/common.sh
folders=${BATCH_KILL_FOLDERS:-$scratch}
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
trap 'rm -rf "$scratch"' EXIT
rounds=${1:-300}
RANDOM=${2:-$RANDOM}
echo "# seed $RANDOM"
mkdir "$scratch/in"
export XDG_CACHE_HOME=$scratch/cache
longest_ms=400 # of a judgement, for drawing moments

# A class with a judgement for each kill: right, wrong, out of bounds, no program.
for ((n = 0; n < rounds + 20; n++)); do
  to=$scratch/in/learner-$(printf %04d $n)
  mkdir "$to"
  case $((n % 4)) in
  0) cp exercises/vector-add/solution.cu "$to/vector-add.cu" ;;
  1) sed 's/i < n/i <= n/' exercises/vector-add/solution.cu >"$to/vector-add.cu" ;;
  2) sed 's/i < n/i + 1 < n/' exercises/vector-add/solution.cu >"$to/vector-add.cu" ;;
  3) echo 'int x' >"$to/vector-add.cu" ;;
  esac
  echo "// $n" >>"$to/vector-add.cu" # so that each is compiled
done

start() { # [--resume]: a batch in the background; its number is in $batch
  (cd "$scratch" && exec "$program" grade --from in --jobs 1 "$@" >now.txt 2>err.txt </dev/null) &
  batch=$!
}
records() { wc -l 2>/dev/null <"$scratch/grades.journal" || echo 0; }
is_running() { kill -0 "$batch" 2>/dev/null; }
nap() { sleep "0.$(printf %03d $((RANDOM % longest_ms)))"; }
# Waits until there are more records than $1, or the batch has ended.
wait_for_more() {
  while is_running && [ "$(records)" -le "$1" ]; do sleep 0.02; done
}
# The number of our own process of that kind: judge, server or compile.
find_victim() {
  case $1 in
  judge) echo "$batch" ;;
  *) pgrep -n -f "^$program-device --$1" ;;
  esac
}
# All is judged: the table must be the one of before, and all is judged again.
same=1
look_at_all() {
  sort "$scratch/now.txt" >"$scratch/killed.txt"
  cmp -s "$scratch/alone.txt" "$scratch/killed.txt" || same=0
  [ $same = 1 ] && rm -f "$scratch/grades.journal"
}
left() { pgrep -f "^$scratch/bin/" >/dev/null; }
# All files and folders, but those that this script writes, the journal, and the
# programs that the cache is for.
files() {
  # shellcheck disable=SC2086 # words
  find $folders ! -name '*.txt' ! -name grades.journal \
    ! -regex "$XDG_CACHE_HOME/.*/[0-9a-f]+" | sort
}
# What a killed judge left half written in the cache goes an hour later, with one of the
# next programs that are kept (one in 32): the hour is made to have passed. Such a moment
# is too short to be met often; so one is put there.
halves() { find "$XDG_CACHE_HOME" -type f -name '*.??????'; }
pass_an_hour() {
  local k n late=$scratch/late
  mkdir "$late"
  halves | xargs -r touch -d '2 hours ago'
  for ((k = 0; k < 10 && $(halves | wc -l) > 0; k++)); do
    for ((n = 0; n < 40; n++)); do
      (cat exercises/vector-add/solution.cu; echo "// $1 $k") >"$late/$n.cu"
      echo "// $n" >>"$late/$n.cu"
    done
    "$program" grade vector-add "$late"/*.cu >"$scratch/late.txt" 2>&1
  done
  rm -r "$late"
}

start
wait "$batch"
sort "$scratch/now.txt" >"$scratch/alone.txt"
files >"$scratch/files-alone.txt"
report "alone: every hand-in has its verdict" \
  $(($(records) == rounds + 20)) "$(tail -n 3 "$scratch/now.txt" "$scratch/err.txt")"

for kind in judge server compile; do
  rm -rf "$scratch/grades.journal" "$scratch/cache"
  hits=0
  start
  while [ "$hits" -lt "$rounds" ] && [ $same = 1 ]; do
    if ! is_running; then
      wait "$batch"
      [ "$(records)" -lt $((rounds + 20)) ] || look_at_all
      start --resume
    fi
    nap
    # shellcheck disable=SC2046 # one number
    kill -KILL $(find_victim $kind) 2>/dev/null && hits=$((hits + 1))
    # Read behind the kill: whichever judgement it met, that one is not met again.
    met=$(records)
    [ $kind = judge ] && wait "$batch" 2>/dev/null
    [ $kind = judge ] || wait_for_more "$met"
  done
  is_running && wait "$batch"
  start --resume
  wait "$batch"
  look_at_all
  report "$kind killed $hits times: the same table" \
    $((same && hits == rounds)) \
    "$(diff "$scratch/alone.txt" "$scratch/killed.txt" | head -n 20)"
  for ((k = 0; k < 300; k++)); do left || break; sleep 0.1; done
  report "$kind: nothing is left behind" "$(left && echo 0 || echo 1)" "$(pgrep -a -f "^$scratch/bin/")"
  touch "$XDG_CACHE_HOME/warpshop/kernels/$kind.ABCDEF"
  half=$(halves | wc -l)
  pass_an_hour $kind
  files >"$scratch/files.txt"
  report "$kind: no file is left behind ($half half written, which go)" \
    "$(cmp -s "$scratch/files-alone.txt" "$scratch/files.txt" && echo 1 || echo 0)" \
    "$(diff "$scratch/files-alone.txt" "$scratch/files.txt" | head -n 20)"
done
echo "1..$number"
[ $failed = 0 ]
