#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A learner's hour in a room, typed in a terminal: what the room is told of it, each
# event as it happens, with what it is about; and no line of code. Speaks TAP.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh
state=$scratch/state data=$scratch/data
export WARPSHOP_HOME=$root XDG_STATE_HOME=$state XDG_DATA_HOME=$data
room=$scratch/room

tap() {
  number=$((number + 1))
  if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
# The room's events so far, one a line: kind, what, text, code.
told() {
  cat "$room"/*/events/*.log 2>/dev/null | sed 's/^[0-9]* [0-9a-f]* //' |
    python3 -c '
import json, sys
for e in sorted((json.loads(l) for l in sys.stdin), key=lambda e: e["ms"]):
    print(e["kind"], e["what"], e["text"], e["code"], sep="|")'
}
# tells LINE NAME: until the room has been told that, a whole line of `told`.
tells() {
  local end=$((SECONDS + limit)) code=1
  until told | grep -qx -- "$1"; do
    if [ "$SECONDS" -gt "$end" ]; then break; fi
    sleep 0.1
  done
  told | grep -qx -- "$1" && code=0
  [ $code = 0 ] || told | sed 's/^/#   /'
  tap $code "$2"
}

"$program" class new "$room" --group "$(id -gn)" >/dev/null && "$program" class join "$room" >/dev/null
tells "join||$(uname -n)|" "join, with the machine"

rows=200 # no page waits for a key
start learn --prompt 1
wait_for 'Enter to pass'
tells 'page|01-[a-z-]*\.md|1|' "the page of a lesson, while its question waits"
tmux send-keys -t main Enter
wait_for_prompt 1
keys '6 * 7'
wait_for_line 42
tells 'run|01-[a-z-]*\.md||' "that something was typed, and not what"
keys '6 * 8'
wait_for_line 48
# Half a minute later it is told again, and on a busy machine that passes.
runs_are_apart() {
  cat "$room"/*/events/*.log | sed 's/^[0-9]* [0-9a-f]* //' | python3 -c '
import json, sys
at = sorted(e["ms"] for e in map(json.loads, sys.stdin) if e["kind"] == "run")
sys.exit(not at or any(b - a < 20000 for a, b in zip(at, at[1:])))'
}
runs_are_apart
tap $? "not each time"
keys ':next'
tells 'page|01-[a-z-]*\.md|2|' "the next page"
wait_for 'your guess'
tmux send-keys -t main Enter
wait_for_prompt 4
keys ':exercise vector-add'
tells 'begin|vector-add||' "an exercise is begun"
sed 's/i < n/i <= n/' exercises/vector-add/solution.cu >"$scratch/wrong.cu"
keys ":load $scratch/wrong.cu"
keys ':check'
tells 'fail|vector-add|[^|]*|oob-write' "a mistake, by its code"
keys ':hint vector-add'
tells 'hint|vector-add|1|' "a hint"
keys ":load $root/exercises/vector-add/solution.cu"
keys ':check'
tells 'pass|vector-add|[^|]*|' "that it passes"
keys ':submit'
tells 'submit|vector-add|vector-add-0001.cu|[0-9a-f]\{64\}' "a hand-in, by its hash"
keys ':ask why "that", Ümit?'
tells 'ask|vector-add|why "that", Ümit?|' "a question, word by word"
keys ':quit'
wait_for_end 0
tells 'end|||' "that the prompt was left"
"$program" class leave >/dev/null
tells 'leave|||' "leave"
[ "$(told | cut -d'|' -f1 | awk '$0 != "run" || !seen++' | uniq | paste -sd' ')" = "join page run page begin fail hint pass submit ask end leave" ]
tap $? "in that order, and nothing else"
! cat "$room"/*/events/*.log | grep -qE 'blockIdx|6 \* 7|__global__'
tap $? "no line of code"
echo "1..$number"
