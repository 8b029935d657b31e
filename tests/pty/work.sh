#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No work is lost: what was typed, edited, given up or pasted can be opened
# again, in this session and the next. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs
# one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

# An editor that shows what it was given and changes nothing, or what sed says.
# shellcheck disable=SC2016 # the editor expands it
make_editor() {
  editor=$scratch/editor-$number
  printf '#!/bin/sh\nsed -n "s/^/given: /p" "$1"\n%s\n' "${1:-}" >"$editor"
  chmod +x "$editor"
}

what_failed_is_opened_again() {
  make_editor
  start repl
  wait_for_prompt 1
  keys '__global__ void half(float *x) { x[0] = halved; }'
  wait_for 'identifier "halved" is undefined' || return 1
  keys ':edit'
  wait_for 'given: __global__ void half(float *x) { x[0] = halved; }'
}

what_was_given_up_is_opened_again() {
  make_editor
  start repl
  wait_for_prompt 1
  keys '__global__ void third(float *x) {'
  keys '  x[0] /= 3;'
  wait_for '/= 3;' || return 1
  tmux send-keys -t main -l 'int lost'
  wait_for 'int lost' || return 1 # a terminal drops what nobody has read yet
  tmux send-keys -t main C-c
  wait_for 'given up; :edit opens what was typed' || return 1
  keys ':edit'
  wait_for 'given:   x[0] /= 3;' && wait_for 'given:   int lost'
}

# Killed without a word; a new session has it.
drafts_outlive_the_session() {
  make_editor
  start repl
  wait_for_prompt 1
  keys '__global__ void fifth(float *x) { x[0] = fift; }'
  wait_for 'identifier "fift" is undefined' || return 1
  kill -9 "$(tmux display -p -t main '#{pane_pid}')"
  start repl
  wait_for_prompt 1
  keys ':edit fifth'
  wait_for 'given: __global__ void fifth(float *x) { x[0] = fift; }'
}

# The exercise's draft, and the starter again after :reset.
# shellcheck disable=SC2016 # so does this one
exercise_keeps_its_draft() {
  make_editor 'sed -i "s/^ *.. Which element.*/  int i = mine;/" "$1"'
  start repl
  wait_for_prompt 1
  keys ':reset vector-add'
  wait_for 'with an empty kernel' || return 1
  keys ':edit'
  wait_for 'given: __global__ void add(' || return 1
  wait_for_prompt 3 || return 1
  tmux kill-session -t main
  start repl
  wait_for_prompt 1
  keys ':hint vector-add'
  wait_for '(1 of' || return 1
  keys ':edit'
  wait_for 'given:   int i = mine;' || return 1
  keys ':reset'
  wait_for 'What you had is kept in' || return 1
  grep -qF 'int i = mine;' "$state/warpshop/drafts/exercises/vector-add.cu.old"
}

# :check judges what was typed last: the text that does not compile, not the
# right one before it.
check_judges_the_last_text() {
  start repl
  wait_for_prompt 1
  keys ':hint vector-add'
  wait_for '(1 of' || return 1
  type_kernel 3 || return 1
  keys '__global__ void add(const float *x, const float *y, float *out, int n) { wrong }'
  wait_for 'identifier "wrong" is undefined' || return 1
  keys ':check'
  wait_for_any 'compile-error' 'does not compile'
}

# A kernel of another name that does not compile was meant for the exercise, too:
# a slip in the name. One that compiles was for something else.
check_judges_another_name() {
  start repl
  wait_for_prompt 1
  keys ':hint vector-add'
  wait_for '(1 of' || return 1
  type_kernel 3 || return 1
  keys '__global__ void other(float *x) { x[0] = 1; }'
  wait_for 'other: ' || return 1
  keys ':check'
  wait_for 'pass: all' || return 1
  keys '__global__ void ad(const float *x, const float *y, float *out, int n) { wrong }'
  wait_for 'identifier "wrong" is undefined' || return 1
  keys ':check'
  wait_for_any 'compile-error' 'does not compile'
}

up_stays_inside_a_kernel() {
  start repl
  wait_for_prompt 1
  keys 'before = 77'
  keys '__global__ void up(int *x) {'
  keys '  x[0] = 1;'
  wait_for '= 1;' || return 1
  tmux send-keys -t main Up Up
  tmux send-keys -t main End
  tmux send-keys -t main -l ' // here'
  wait_for '__global__ void up(int *x) { // here' || return 1
  tmux send-keys -t main C-c
  wait_for 'given up' || return 1
  tmux send-keys -t main Up # the prompt's own again
  wait_for_prompt 3 || return 1
  tmux send-keys -t main Enter
  tmux send-keys -t main -l 'before + 1'
  tmux send-keys -t main Enter
  wait_for 78
}

two_empty_lines_end_nothing() {
  start repl
  wait_for_prompt 1
  keys '__global__ void apart(int *x) {'
  keys ''
  keys ''
  wait_for 'is still open: Ctrl-C gives up' || return 1
  keys '  x[0] = 4;'
  keys '}'
  wait_for 'apart: '
}

# A whole program, blank lines and main in it: each kernel is there, and loading
# the file again replaces what was pasted.
paste_of_a_program() {
  cp tests/fixtures/pasted-program.cu "$scratch/pasted.cu"
  start repl
  wait_for_prompt 1
  tmux load-buffer "$scratch/pasted.cu"
  tmux paste-buffer -p -t main
  tmux send-keys -t main Enter
  wait_for 'you are the host' || return 1
  keys 'x, y = np.arange(256, "f32"), np.zeros(256, "f32")'
  keys 'squares[{2, 128}](x, y, 256); twice[{2, 128}](y, 256); "y is " .. y[3]'
  wait_for 'y is 18.0' || return 1
  sed -i 's/y\[i\] \*= 2/y[i] += 100/; s/= square(x\[i\])/= 10 + square(x[i])/' "$scratch/pasted.cu"
  keys ":load $scratch/pasted.cu"
  keys 'squares[{2, 128}](x, y, 256); twice[{2, 128}](y, 256); "then " .. y[4]'
  wait_for 'then 126.0' || return 1
  lacks 'error:' # the text itself says error
}

# Of a class that is judged: how many are done, how fast, and how long it will take.
batch_tells_its_progress() {
  local n # so many that they take seconds anywhere: the rate is told after one
  for ((n = 10; n < 50; n++)); do
    mkdir -p "$scratch/class/$n"
    { cat exercises/vector-add/solution.cu && echo "// $n"; } >"$scratch/class/$n/vector-add.cu"
  done
  rows=100
  start grade --from "$scratch/class" --jobs 1 --journal "$scratch/class.journal"
  wait_until 'missing: a rate and an estimate' \
    grep -qE '^[0-9]+ of 40 · [0-9.]+ a second · about ([0-9]+ min )?[0-9]+ s  ' || return 1
  wait_for '40 submissions · 40 pass' || return 1
  lacks ' of 40'
}

for name in what_failed_is_opened_again what_was_given_up_is_opened_again \
  drafts_outlive_the_session exercise_keeps_its_draft \
  check_judges_the_last_text check_judges_another_name paste_of_a_program up_stays_inside_a_kernel two_empty_lines_end_nothing \
  batch_tells_its_progress; do
  run_case $name
done
echo "1..$number"
