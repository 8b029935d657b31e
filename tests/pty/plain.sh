#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program for a screen reader (--plain), in a terminal: every byte that it writes
# is looked at. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh
export LC_ALL=C.UTF-8
more="         ."

# begin COMMAND...: on a fresh terminal, once all that it writes is kept in $raw.
begin() {
  raw=$scratch/raw.$number
  : >"$raw"
  local real=$program
  program=/bin/sh
  # shellcheck disable=SC2016
  start -c 'stty -echo; read -r go; stty echo; exec "$@"' sh "$@"
  program=$real
  tmux pipe-pane -t main "cat >>$raw"
  tmux send-keys -t main Enter
}

# is_plain: no escape, bell or box of what was written, nothing written over, and no
# line that is longer than the terminal, code apart.
is_plain() {
  tmux pipe-pane -t main
  local wrong
  wrong=$(tr -d '\r' <"$raw" | grep -nP '[\x00-\x07\x0b-\x1f\x7f]|[\x{2500}-\x{25ff}\x{2800}-\x{28ff}]' | cat -v)
  [ -z "$wrong" ] || { echo "# not plain:" && head -n 5 <<<"$wrong" | sed 's/^/#   /' && return 1; }
  ! grep -nP '\r(?!\r*$)' "$raw" | cat -v | sed 's/^/# written over: /' | grep . || return 1
  ! tr -d '\r' <"$raw" | grep -E '.{81}' | grep -vE '^ +line [0-9]+: ' |
    sed 's/^/# too long: /' | grep .
}

wrong_kernel() {
  keys '__global__ void f(int *a) {'
  keys '  int i = blokIdx.x;'
  keys '}'
}

prompt_is_plain() {
  begin "$program" --plain repl
  wait_for_prompt 1 || return 1
  wrong_kernel
  wait_for 'line 2: int i = blokIdx.x;' || return 1
  wait_for 'column 11, at blokIdx: did you mean blockIdx?' || return 1
  lacks '^ ' || return 1
  wait_for_prompt 2 || return 1
  kernel='__global__ void add(float *x, float *y, float *out, int n) {'
  type_kernel 3 || return 1
  keys 'x = np.arange(4096, "f32"); y = x; out = np.zeros(4096, "f32")'
  keys 'add[{33, 128}](x, y, out, 4224)'
  wait_for 'at x[i]: block (32,0,0) thread (0,0,0), and 127 more' || return 1
  keys '?oob-read'
  wait_for_prompt 6 || return 1
  keys ':set'
  wait_for 'plain on (:set plain off changes it)' || return 1
  keys ':help'
  wait_for 'goes on, q stops' || return 1
  tmux send-keys -t main q
  keys ':quit'
  wait_for_end 0 && is_plain
}

# Lines are edited one by one, as on a terminal that cannot draw, Tab included.
lines_are_edited() {
  begin "$program" --plain repl
  wait_for_prompt 1 || return 1
  keys 'function f()'
  keys '  return 4x'
  wait_for_line "$more   return 4x" || return 1
  keys ''
  keys 'end'
  wait_for_prompt 2 || return 1
  tmux send-keys -t main -l -- 'answer = 6 * 8'
  tmux send-keys -t main BSpace
  keys '7'
  keys 'answer'
  wait_for_line 42 || return 1
  tmux send-keys -t main -l -- 'np.aran'
  tmux send-keys -t main Tab
  wait_for 'np.arange' || return 1
  keys '(3, "f32")'
  wait_for 'array([0, 1, 2], f32)' || return 1
  keys ':quit'
  wait_for_end 0 || return 1
  ! grep -q $'\x1b' "$raw"
}

variable_alone() {
  begin env WARPSHOP_PLAIN=1 "$program" repl
  wait_for_prompt 1 || return 1
  keys '6 * 7'
  wait_for_line 42 || return 1
  keys ':quit'
  wait_for_end 0 && is_plain
}

# ":set plain on" and off again: what is written in between is plain, blocks are
# edited before and after.
set_at_the_prompt() {
  begin "$program" repl
  wait_for_prompt 1 || return 1
  keys ':set plain on'
  wait_for 'plain on (:set plain off' || return 1
  wait_for_prompt 2 || return 1
  tmux pipe-pane -t main
  raw=$scratch/raw.between
  tmux pipe-pane -t main "cat >>$raw"
  wrong_kernel
  wait_for 'column 11, at blokIdx' || return 1
  wait_for_prompt 3 || return 1
  keys '"a" .. "b"'
  wait_for_prompt 4 || return 1
  is_plain || return 1
  keys ':set plain off'
  wait_for 'plain off (:set plain on' || return 1
  keys 'function g()'
  keys 'return 6 * 7'
  keys 'end'
  wait_for_line "$more   return 6 * 7" # indented: a block again
}

# A lesson's page, its prediction and its quiz, whose choices have numbers.
lesson_is_plain() {
  begin "$program" --plain learn 1
  wait_for 'page 1 of' || return 1
  local i
  for ((i = 0; i < 60; i++)); do
    wait_until 'nothing to answer' grep -qE '(> ?$|Enter to pass\): ?$|q stops\) ?$)' || return 1
    screen | grep -qE '^1: ' && break
    answer_one
  done
  wait_for_line_like '[1-9]: ' || return 1
  keys ''
  wait_for_line_like '[1-9], the right one: ' || return 1
  keys ':quit'
  tmux send-keys -t main C-d
  is_plain
}
answer_one() {
  case $(screen | grep -v '^$' | tail -n 1) in
  *'q stops)'*) tmux send-keys -t main Space ;;
  *) keys '' ;;
  esac
}

# Colour alone is off, and all else as it was.
no_colour() {
  begin env NO_COLOR=1 "$program" repl
  wait_for_prompt 1 || return 1
  wrong_kernel
  wait_for '^ did you mean blockIdx?' || return 1
  ! grep -qP '\x1b\[[0-9;]*[1-9][0-9;]*m' "$raw"
}

dumb_is_without_escapes() {
  begin env TERM=dumb "$program" repl
  wait_for_prompt 1 || return 1
  wrong_kernel
  wait_for '^ did you mean blockIdx?' || return 1
  keys ':quit'
  wait_for_end 0 && is_plain
}

for name in prompt_is_plain lines_are_edited variable_alone set_at_the_prompt lesson_is_plain \
  no_colour dumb_is_without_escapes; do
  run_case $name
done
echo "1..$number"
