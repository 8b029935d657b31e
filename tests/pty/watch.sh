#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# warpshop watch at 80x24: a file judged at each save, however it is saved; keys;
# the terminal afterwards. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

keys_line='h hint · l list · r again · Enter edits · s skips · q quits'

# watch [WAY]: vector-add watched in a folder of its own, from a shell.
watch() {
  local real=$program
  folder=$scratch/folder-$number
  mkdir -p "$folder"
  program=/bin/bash
  start --norc --noprofile
  program=$real
  keys "PS1='sh>'; cd $folder; export WARPSHOP_WATCH=${1:-}; clear"
  keys "$program watch vector-add"
  wait_for 'vector-add.cu is judged each time it is saved' && wait_for "$keys_line"
}

# add CONDITION [BODY]: the kernel, on standard output.
add() {
  echo '__global__ void add(const float *x, const float *y, float *out, int n) {'
  echo '  int i = blockIdx.x * blockDim.x + threadIdx.x;'
  echo "  if ($1) ${2:-out[i] = x[i] + y[i];}"
  echo '}'
}

next_after_a_pass() {
  watch || return 1
  grep -q '^__global__ void add' "$folder/vector-add.cu" || return 1 # was begun
  add 'i < n - 1' >"$folder/vector-add.cu"
  wait_for 'vector-add.cu  fail: 8 of 8' || return 1
  wait_for 'stops one element too early' || return 1
  add 'i < n' >"$folder/vector-add.cu"
  wait_for 'vector-add: done in 2 tries' || return 1
  wait_for 'one-too-many.cu is judged each time' || return 1
  wait_for "1 of" || return 1
  [ -s "$folder/one-too-many.cu" ] || return 1
  tmux send-keys -t main q
  wait_for_line 'sh>'
}

keys_act() {
  watch || return 1
  tmux send-keys -t main h
  wait_for '(1 of 4) Every thread runs the same lines.' || return 1
  tmux send-keys -t main h
  wait_for '(2 of 4)' || return 1
  tmux send-keys -t main s
  wait_for 'one-too-many.cu is judged each time' || return 1
  tmux send-keys -t main l
  wait_for '-- more --' && wait_for "> $(grep -v '^#' exercises/index | head -n 1) " && wait_for '2 hints' || return 1
  tmux send-keys -t main q # of the list
  wait_for_lines 3 "$keys_line" || return 1
  tmux send-keys -t main r # the starter is judged, too, when asked for
  wait_for 'one-too-many.cu  fail' || return 1
  tmux send-keys -t main q
  wait_for_line 'sh>'
}

# As it was found: echo on, lines, whatever ends the program.
the_terminal_is_left_as_found() {
  watch || return 1
  tmux send-keys -t main C-c
  wait_for_line 'sh>' || return 1
  keys 'echo "ended $?"; stty -a | grep -ow -e -icanon -e -echo; echo looked'
  wait_for_line 'ended 130' && wait_for_line looked || return 1
  screen | grep -qx -e '-icanon' -e '-echo' && return 1
  keys "$program watch vector-add"
  wait_for_lines 2 "$keys_line" || return 1
  kill -TERM "$(pgrep -f "$program watch" -P "$(tmux display -p -t main '#{pane_pid}')")"
  wait_until 'no shell' is_in_shell || return 1
  keys 'stty -a | grep -ow -e -icanon -e -echo; echo looked again'
  wait_for_line 'looked again' || return 1
  ! screen | grep -qx -e '-icanon' -e '-echo'
}

is_in_shell() { [ "$(grep -v '^$' | tail -n 1)" = 'sh>' ]; }

# Saved the ways that editors do, each seen by the line that it compares with.
saves() {
  add 'i < n - 1' >"$folder/vector-add.cu" # in place
  wait_for 'stops one element too early' || return 1
  add 'i <= n' >"$folder/new" && mv "$folder/new" "$folder/vector-add.cu"
  wait_for 'i <= n holds here' || return 1
  mv "$folder/vector-add.cu" "$folder/vector-add.cu~" # a backup, and written anew
  add 'i < n' 'out[i] = x[i] + x[i];' >"$folder/vector-add.cu"
  wait_for 'x is added to itself' || return 1
  rm "$folder/vector-add.cu"
  wait_for 'vector-add.cu is gone: waiting for it to come back' || return 1
  : >"$folder/vector-add.cu"
  wait_for 'vector-add.cu is empty: waiting for the next save' || return 1
  add 'i < n' >"$folder/vector-add.cu"
  wait_for 'vector-add: done in '
}

saves_of_editors() {
  watch && saves
}

saves_without_events() {
  watch poll || return 1
  wait_for 'saved (without file events)' && saves
}

# Nobody is told of half a kernel.
half_written() {
  watch || return 1
  exec 7>"$folder/vector-add.cu"
  add 'i < n' | head -n 2 >&7
  tmux send-keys -t main h # answered: the file was looked at before that
  wait_for '(1 of 4)' || return 1
  add 'i < n' | tail -n 2 >&7
  exec 7>&-
  wait_for 'vector-add: done in 1 try' && lacks 'compile-error'
}

# A judgement of what is no longer there is given up.
newer_save() {
  watch || return 1
  add 'i < n' 'for (volatile int k = 0; k < 15000; k++) out[i] = x[i] + y[i];' \
    >"$folder/vector-add.cu"
  wait_for 'judging vector-add.cu' || return 1
  add 'i < n' >"$folder/vector-add.cu"
  # On a fast machine the first may be through.
  wait_for_any 'saved again: judging what is there now' 'vector-add: done in' || return 1
  wait_for 'vector-add: done in 1 try'
}

# shellcheck disable=SC2016 # the editor expands it
enter_opens_the_editor() {
  editor="$scratch/editor-$number"
  printf '#!/bin/sh\nsed -i "s/i + 1/i/" "$1"\n' >"$editor"
  chmod +x "$editor"
  watch || return 1
  add 'i < n' 'out[i + 1] = x[i] + y[i];' >"$folder/vector-add.cu"
  wait_for 'write out of bounds' || return 1
  tmux send-keys -t main Enter
  wait_for 'vector-add: done in 2 tries'
}

# Plain lines where there is no terminal, and no key is waited for.
without_a_terminal() {
  folder=$scratch/folder-$number
  mkdir -p "$folder"
  (cd "$folder" && exec env XDG_STATE_HOME="$state" XDG_DATA_HOME="$data" WARPSHOP_HOME="$root" \
    WARPSHOP_DEVICE="$device" "$program" watch vector-add </dev/null >out 2>err) &
  local child=$! end=$((SECONDS + limit))
  until grep -q 'is judged each time it is saved' "$folder/out" 2>/dev/null; do
    [ "$SECONDS" -gt "$end" ] && return 1
    nap
  done
  add 'i < n' >"$folder/vector-add.cu"
  until grep -q 'one-too-many.cu is judged' "$folder/out"; do
    [ "$SECONDS" -gt "$end" ] && cat "$folder/out" && return 1
    nap
  done
  kill -TERM "$child"
  wait "$child"
  [ $? = 130 ] && ! grep -q $'\x1b' "$folder/out" && grep -q '^vector-add: done in 1 try$' "$folder/out" &&
    ! grep -q 'q quits' "$folder/out"
}

for name in next_after_a_pass keys_act the_terminal_is_left_as_found saves_of_editors \
  saves_without_events half_written newer_save enter_opens_the_editor without_a_terminal; do
  run_case $name
done
echo "1..$number"
