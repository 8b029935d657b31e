#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills the device server, the compile worker or the session itself with
# SIGKILL at moments that nobody chose. A session survives the loss of a helper
# with at most the step that it was at; a session's own end takes its helpers
# along; and the next session finds cache, history and progress in order.
# Speaks TAP. Usage: tests/sessions/kill.sh [ROUNDS [SEED]]
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
rounds=${1:-12}
seed=${2:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"
scratch=$(mktemp -d) || exit 2
trap 'kill $(ours) 2>/dev/null; rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/home" || exit 2
cp "${BUILD:-build}/warpshop" "${BUILD:-build}/warpshop-device" \
  "$scratch/bin/" || exit 2
program=$scratch/bin/warpshop
ours() { pgrep -f "^$program${1:-}" 2>/dev/null; }
unset XDG_CACHE_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CONFIG_HOME
export HOME=$scratch/home WARPSHOP_HOME=$root NO_COLOR=1 LC_ALL=C.UTF-8
export WARPSHOP_DEVICE=${WARPSHOP_DEVICE:-virtual:0}

steps=8
# Each step compiles a kernel that no round had before, and uses it.
typed() {
  local step
  echo ':lesson 1'
  echo 'my_x = np.arange(32, "i32"); my_y = np.zeros(32, "i32")'; echo 'my_d = cuda.to_device(my_x)'
  for ((step = 1; step <= steps; step++)); do
    echo "__global__ void k(const int *x, int *y) {"
    echo "  y[threadIdx.x] = x[threadIdx.x] + $1 * 100 + $step;"
    echo "}"
    echo "k[{1, 32}](my_x, my_y); print(string.format('%s=%d', 'step', my_y[31]))"
    echo ':next'
  done
  echo "my_e = cuda.to_device(my_y); k[{1, 32}](my_d, my_e)"
  echo "print(string.format('%s=%d', 'copied', my_e:copy_to_host()[31]))"
}
right_steps() { # right_steps ROUND FILE: how many of them it printed
  local step n=0
  for ((step = 1; step <= steps; step++)); do
    grep -qx "step=$((31 + $1 * 100 + step))" "$2" && n=$((n + 1))
  done
  echo $n
}
hang_s=${HANG_S:-300} # what has not come by then never will; tests/run says more
# wait_until SECONDS COMMAND... : until it succeeds; false when it never does.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -gt "$end" ] && return 1
    sleep 0.1
  done
}
are_gone() { [ -z "$(ours)" ]; }
# Before the minute is over after which an idle server leaves by itself.
all_gone() {
  wait_until 40 are_gone && return 0
  echo "# left: $(ours | tr '\n' ' ')"
  return 1
}

# find_victim WHAT PID: the helper's number into $victim, once it is there; none
# where the session PID is over before.
find_victim() {
  case $1 in
  server) victim=$(ours '-device --server') ;;
  worker) victim=$(ours '-device --compile') ;;
  session) victim=$(ours ' repl') ;;
  esac
  [ -n "$victim" ] || ! kill -0 "$2" 2>/dev/null
}

# One round: a session, something of it killed, then a session left alone.
killed_in_time=0
kill_round() {
  local what=$2 out=$scratch/out-$1 pid status least=$steps victim
  typed "$1" >"$scratch/in"
  timeout "$hang_s" "$program" repl <"$scratch/in" >"$out" 2>&1 &
  pid=$!
  sleep "0.$(printf %03d $((RANDOM % 300)))"
  wait_until "$hang_s" find_victim "$what" "$pid"
  if [ -n "$victim" ]; then
    # shellcheck disable=SC2086 # one number, or several
    kill -KILL $victim 2>/dev/null &&
      killed_in_time=$((killed_in_time + 1)) least=$((steps - 1))
  fi
  wait "$pid" 2>/dev/null
  status=$?
  if [ "$what" != session ]; then
    [ "$status" -lt 2 ] || { echo "# exit status $status"; return 1; }
    [ "$(right_steps "$1" "$out")" -ge "$least" ] || {
      echo "# only $(right_steps "$1" "$out") of $steps steps were right"
      sed 's/^/#   /' "$out" | tail -n 40
      return 1
    }
  fi
  all_gone || return 1
  timeout "$hang_s" "$program" repl <"$scratch/in" >"$out" 2>&1 || {
    echo "# the next session: exit status $?"
    tail -n 20 "$out" | sed 's/^/#   /'
    return 1
  }
  if [ "$(right_steps "$1" "$out")" = "$steps" ] &&
    grep -qx "copied=$((31 + $1 * 100 + steps))" "$out" &&
    "$program" lesson list >"$out" 2>&1 && grep -q 'on page\|done' "$out"; then
    all_gone
  else
    echo "# the next session:"
    tail -n 20 "$out" | sed 's/^/#   /'
    return 1
  fi
}

has_no_child() { [ -z "$(pgrep -P "$1")" ]; }
# A prompt at which nobody types reaps what died beside it.
idle_prompt() {
  local out=$scratch/out-idle pid is_reaped
  mkfifo "$scratch/keys"
  timeout "$hang_s" script -qec "$program repl" /dev/null <"$scratch/keys" \
    >"$out" 2>&1 &
  exec 7>"$scratch/keys"
  echo "print('at' .. '-prompt')" >&7
  wait_until "$hang_s" grep -q at-prompt "$out"
  sleep 0.2 # it is at its next prompt, or is a moment later
  pid=$(ours ' repl')
  # shellcheck disable=SC2046 # two numbers
  kill -KILL $(ours '-device')
  wait_until "$hang_s" has_no_child "$pid"
  is_reaped=$?
  [ "$is_reaped" = 0 ] || echo "# still there: $(ps --ppid "$pid" -o stat=,cmd=)"
  echo ':quit' >&7
  exec 7>&-
  wait
  [ -n "$pid" ] && [ "$is_reaped" = 0 ]
}

number=0
kinds=(server worker session)
for ((i = 1; i <= rounds; i++)); do
  what=${kinds[i % 3]}
  number=$((number + 1))
  if kill_round "$i" "$what"; then r=ok; else r='not ok'; fi
  echo "$r $number - killed the $what, and went on"
done
number=$((number + 1))
[ "$killed_in_time" -gt $((rounds / 4)) ] || printf 'not '
echo "ok $number - $killed_in_time of $rounds kills found a process"
number=$((number + 1))
if idle_prompt; then r=ok; else r='not ok'; fi
echo "$r $number - an idle prompt reaps its helpers"
