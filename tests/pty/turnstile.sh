#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is seen of a wait for a shared GPU, on a screen: where one stands, how long
# about, what can be done meanwhile; and that it goes when the turn comes, or when one
# stops waiting. The virtual GPU poses as a shared one, and another program holds its
# turns. Speaks TAP.
set -u
cd "$(dirname "$0")/../.." || exit 2
queue=$(mktemp -d) || exit 2
chmod 1777 "$queue"
export WARPSHOP_TURNSTILE=$queue WARPSHOP_SHARED_VIRTUAL=GPU-T
. tests/pty/lib.sh
state=$scratch/state data=$scratch/data
trap 'release; rm -rf "$queue"; finish' EXIT
waiting='virtual:0: place 1 of 1, about [0-9]+ s; meanwhile virtual:0 judges; Ctrl-C stops'

tap() {
  number=$((number + 1))
  if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
# hold: another program has every turn; release ends that.
hold() {
  : >"$scratch/held" # or the word of the one before would be read
  python3 -c '
import fcntl, sys, time
f = open(sys.argv[1], "r+b")
fcntl.lockf(f, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)' "$queue/GPU-T-0/slots" >"$scratch/held" &
  holder=$!
  until grep -q held "$scratch/held"; do
    kill -0 $holder 2>/dev/null || return 1
    nap
  done
}
release() {
  [ -z "${holder:-}" ] || { kill "$holder" && wait "$holder"; } 2>/dev/null
  holder=
}
shows() { grep -qE -- "$waiting"; }
shows_not() { ! shows; }

start repl
wait_for_prompt 1
keys 'x = cuda.to_device(np.arange(4, "f32")); cuda.synchronize()'
keys 'x:copy_to_host()[1] + 30'
wait_for_line '31.0'
tap $? "without a queue there is nothing to wait for"
! screen | shows
tap $? "and nothing is said of one"

hold && keys 'x:copy_to_host()[2] + 40'
wait_until "no status line" shows
tap $? "where one stands, how long, what can be done meanwhile, how it ends"
release
wait_for_line '42.0' && wait_until "the status line stays" shows_not
tap $? "the turn comes: the answer, and the line has gone"

hold && keys 'x:copy_to_host()[3] + 60'
wait_until "no status line" shows
prompts=$(screen | grep -cF -- "$prompt")
tmux send-keys -t main C-c
wait_for_prompt $((prompts + 1)) && wait_until "the status line stays" shows_not && ! screen | grep -qx 63.0
tap $? "Ctrl-C ends the wait, and the prompt is there again"
keys '20 + 3'
wait_for_line 23
tap $? "where everything but the GPU goes on"
release
keys 'x = cuda.to_device(np.arange(4, "f32")); x:copy_to_host()[3] + 70'
wait_for_line 73.0
tap $? "and the GPU, once it is free"
keys ':quit'
wait_for_end 0
tap $? "the end"
echo "1..$number"
