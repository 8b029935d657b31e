#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scale's tasks on a terminal: how far they are, with rate and estimate, in this process
# and by workers; Ctrl-C while they run, and what goes on then. Speaks TAP.
# WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

# So many that they must be stopped.
slow='function slow(b) local t = os.clock() while os.clock() - t < 0.02 do end return b end
x = scale.array(np.arange(6000, "f64"), {chunks = 1})'
line='^[0-9]+ of 12000 tasks · [0-9.]+ a second · about ([0-9]+ min )?[0-9]+ s$'
wait_for_progress() {
  wait_until 'missing: tasks, a rate and an estimate' grep -qE "$line"
}
# The line is of this moment: it goes on.
goes_on() {
  local before
  before=$(screen | grep -E "$line" | tail -n 1)
  wait_until 'it stands still' eval 'now=$(grep -E "$line" | tail -n 1); [ -n "$now" ] && [ "$now" != "'"$before"'" ]'
}

# stopped_at_the_prompt PROMPTS: so many stand there once Ctrl-C has worked.
stopped_at_the_prompt() {
  keys 'x:map_blocks(slow):compute()'
  wait_for_progress && goes_on || return 1
  press C-c
  wait_for 'stopped' && wait_for_prompt "$1" || return 1
  lacks ' a second ' || return 1
  keys '"and then", x["0:10"]:sum():compute()'
  wait_for 'and then' && wait_for '45.0'
}
define_slow() {
  start repl
  wait_for_prompt 1
  while IFS= read -r one; do keys "$one"; done <<<"$slow"
  wait_for_prompt 3
}

here() { define_slow && stopped_at_the_prompt 4; }
by_workers() {
  define_slow || return 1
  keys 'c = scale.Client{n_workers = 2}'
  wait_for_prompt 4 && stopped_at_the_prompt 5 || return 1
  # Who was at a task was ended, and another is there.
  keys '("alive: %d %s"):format(#c:workers(), c:counts().deaths > 0)'
  wait_for 'alive: 2 true'
}
futures_can_be_waited_for_again() {
  define_slow || return 1
  keys 'c = scale.Client{n_workers = 2}; f = scale.submit(function() while not io.open("'"$scratch"'/go") do end return 41 end)'
  wait_for_prompt 4 || return 1
  keys 'f:result() + 1'
  wait_until 'missing: a line of progress' grep -qE '^0 of 1 tasks' || return 1
  press C-c
  wait_for 'stopped' && wait_for_prompt 5 || return 1
  touch "$scratch/go"
  keys '"later", f:result() + 1'
  wait_for 'later' && wait_for '42'
}

# A script ends with it, and its workers.
a_script() {
  printf '%s\nc = scale.Client{n_workers = 2}\nfor _, w in ipairs(c:workers()) do io.open("%s", "a"):write(w.pid, "\\n"):close() end\nx:map_blocks(slow):compute()\n' \
    "$slow" "$scratch/pids" >"$scratch/script.lua"
  start run "$scratch/script.lua"
  wait_for_progress && goes_on || return 1
  press C-c
  wait_for 'stopped by Ctrl-C' && wait_for_end 1 || return 1
  [ "$(wc -l <"$scratch/pids")" = 2 ] || return 1
  wait_until 'a worker is still there' have_ended || return 1
  lacks ' a second '
}

have_ended() {
  local pid
  cat >/dev/null
  while read -r pid; do ! kill -0 "$pid" 2>/dev/null || return 1; done <"$scratch/pids"
}

for name in here by_workers futures_can_be_waited_for_again a_script; do
  run_case $name
done
echo "1..$number"
