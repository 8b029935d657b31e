#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The newcomer of newcomer.sh before what they really get: the workbook's screen. Fails
# where no code was typed in ten minutes of pages, a suggested line or key does not do
# what is said, something is done without a pass, or a screen shows no way out.
# Speaks TAP, a line for each step. WARPSHOP_PTY_ONLY=NAME runs one step.
set -u
cd "$(dirname "$0")/../.." || exit 2
export WARPSHOP_DEVICE=virtual:0
unset WARPSHOP_PLAIN
. tests/pty/lib.sh
. tests/pty/newcomer_hands.sh

page() { tmux capture-pane -p -t main; }
on_screen() { [ "$(tmux display -p -t main '#{alternate_on}')" = 1 ]; }
# A screen has no past.
screen() {
  if on_screen; then page; else tmux capture-pane -p -J -t main -S -200; fi
}
is_on_screen() { cat >/dev/null && on_screen; }
is_off_screen() { cat >/dev/null && ! on_screen; }

# look TEXT: until it is there; what stands there then shows a way out.
look() {
  wait_for "$1" || return 1
  on_screen || return 0 # a prompt: settle
  has_way_out && return
  echo "# no way out is shown:" && show && return 1
}
has_way_out() {
  page | tail -n 1 | grep -qE '(^| )q (quit|contents|back)' || page | head -n 1 | grep -q 'any key goes back'
}
# go KEY TEXT: that key leads there.
go() { press "$1" && look "$2"; }
is_in_shell() { cat >/dev/null && [[ $(last_line) == 'shell$' ]]; }
in_shell() { wait_until 'not left' is_in_shell; }
open_workbook() { keys "clear; $program learn $*" && look 'Enter open'; }
# From wherever one is.
leave() {
  is_in_shell </dev/null && return
  if on_screen; then
    press C-d
  else
    press C-u && keys ':quit'
  fi
  in_shell
}
again() { leave && open_workbook; }
list() { XDG_STATE_HOME=$state XDG_DATA_HOME=$data WARPSHOP_HOME=$root "$program" lesson list; }

# ---- Wrong turns at the contents ----

# What a shell is told, letter by letter: each key answers, and none does harm.
words_of_the_shell() {
  again || return 1
  press -l 'ls' && look 'This key does nothing here; ? shows those that do.' || return 1
  go '?' 'The keys of the contents' && go x 'Enter open' || return 1
  press Up Up Up Down Down Left Right && look 'This key does nothing here' && press Home && go Up 'The list begins here.' || return 1
  go Escape 'q leaves warpshop, : goes to the prompt.' && press q && in_shell
}
# Code typed there is not lost on them: the key that is named leads to where it runs.
code_at_the_contents() {
  again || return 1
  tmux set-buffer '6 * 7' \; paste-buffer -p -t main
  look 'Text is pasted at the prompt: the key : goes there.' || return 1
  press : && settle && ask '6 * 7' && grep -qx 42 <<<"$said" || return 1
  press Enter && look 'Enter open'
}
ways_out() {
  local word
  for word in q C-c C-d; do
    again && press "$word" && in_shell || { echo "# $word" && return 1; }
  done
  for word in exit quit :q :exit :wq; do
    again || return 1
    press -l "$word" && press Enter
    left_at_last || { echo "# $word" && return 1; }
  done
}
# Some letters of such words act; what comes of them still says how to leave.
left_at_last() {
  local n before
  for ((n = 0; n < 8; n++)); do
    wait_until 'nothing waits' is_waiting || return 1
    is_in_shell </dev/null && return
    before=$(seen)
    if on_screen; then
      press q
    else
      press C-u && keys ':quit'
    fi
    wait_until 'nothing happens' has_other_look "$before" || return 1
  done
  return 1
}
is_waiting() { # at a prompt, or before a screen
  cat >/dev/null
  if on_screen; then has_way_out; else [[ $(last_line) =~ (virtual:0>.*|shell\$)$ ]]; fi
}
has_other_look() { cat >/dev/null && [ "$(seen)" != "$1" ]; }

# ---- The first pages ----

minutes=0 typed_at=''
reads_the_first_pages() {
  local each before asked
  each=$(list | awk '$1 == 1 {for (i = 2; i < NF; i++) if ($i ~ /^pages/) print $(i + 1) / $(i - 1)}')
  again && go Enter 'page 1 of' || return 1
  while awk -v m="$minutes" 'BEGIN {exit !(m < 10)}'; do
    wait_until_gone 'Ctrl-C stops one' && read_to_the_end || return 1 # its lines have run
    before=$(title)
    minutes=$(awk -v m="$minutes" -v e="$each" 'BEGIN {print m + e}')
    if page | grep -q 'Enter does it'; then # all done, it is the next
      does_what_is_asked || return 1
    fi
    [ "$(title)" != "$before" ] || turn_page "$before" || return 1
  done
  [ -n "$typed_at" ] && echo "# code was typed within $typed_at min of pages" && return
  echo "# no code was typed in $minutes min of pages" && return 1
}
# n, and once more where it says that something is left undone.
turn_page() {
  press n && wait_until "after $1 the next does not come" has_other_title_or_is_told "$1" || return 1
  [ "$(title)" != "$1" ] && return
  press n && wait_until "after $1 the next does not come" has_other_title "$1"
}
title() { page | head -n 1 | grep -oE 'page [0-9]+ of [0-9]+'; }
has_other_title() {
  cat >/dev/null
  has_way_out && [ "$(title)" != "$1" ]
}
has_other_title_or_is_told() { grep -q 'n goes on without' || has_other_title "$1"; }
# Space, as long as there is more below.
read_to_the_end() {
  local place n
  for ((n = 0; n < 30; n++)); do
    place=$(page | tail -n 2 | head -n 1 | grep -oE '[0-9]+-[0-9]+ of [0-9]+$')
    [[ $place =~ -([0-9]+)\ of\ ([0-9]+) ]] || return 0
    [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ] && return
    press Space && wait_until "space does not go on from $place" lacks_place "$place" || return 1
  done
  return 1
}
lacks_place() { ! grep -qF -- "$1"; }
does_what_is_asked() {
  local asked n
  # The prompt of the page before stands there until this one's place is said.
  press Enter && wait_until 'no prompt' is_off_screen && wait_for "· $before" && read_page || return 1
  asked=$(asked_line)
  if [ -n "$asked" ]; then
    ask "${asked/\*/x}" && ask "$asked" && grep -q '^Right\.' <<<"$said" || return 1
    [ -n "$typed_at" ] || typed_at=$minutes
  fi
  # Enter alone goes back: once more where the page still asks for something.
  for n in 1 2 3; do
    press Enter && wait_until 'Enter does nothing' is_back_or_told "$n" || return 1
    on_screen && break
  done
  look 'Enter go on'
}
is_back_or_told() {
  on_screen && return
  [ "$(grep -cE 'This page asks|asks you to type')" -ge "$1" ]
}

# ---- A kernel in the wrong place ----

# Not a letter of it acts; what is said leads to where it compiles.
kernel_into_a_page() {
  again && go Enter 'Enter go on' || return 1
  local at
  at=$(title)
  printf '%s\n' '__global__ void mine(int *a) {' '  a[threadIdx.x] = 7; // quit, n' '}' >"$scratch/paste"
  tmux load-buffer "$scratch/paste" && tmux paste-buffer -p -r -t main
  look 'Text is pasted at the prompt: the key : goes there.' && [ "$(title)" = "$at" ] || return 1
  press : && wait_until 'no prompt' is_off_screen && read_page && fresh || return 1
  tmux paste-buffer -p -r -t main
  wait_for 'quit, n' && press Enter && wait_for 'mine: ' && settle
}

# ---- An exercise ----

# first_exercise: of the fourth lesson, which a search finds.
open_exercise() {
  again && go / 'Enter opens' && press -l hello-threads && look 'exercise  hello-threads' && go Enter 'is judged at each save'
}
save() { printf '%s\n' "$1" >"$scratch/work/hello-threads.cu"; }
is_done() { list | grep hello-threads | grep -qw 'done'; }
# The shell has no $EDITOR, and there is none: what is said instead works.
no_editor() {
  leave && keys "mkdir -p $scratch/none; unset EDITOR VISUAL; P=\$PATH; PATH=$scratch/none" && open_exercise || return 1
  go e 'No editor ($EDITOR)? Save hello-threads.cu with any other.' || return 1
  save 'this is no kernel' && look 'hello-threads.cu:1' || return 1
  leave && keys 'PATH=$P; export EDITOR=true; clear'
}
broken_file() {
  open_exercise || return 1
  save '__global__ void hello(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1 }' && look '> hello-threads.cu:1' || return 1
  save '' && look 'is empty: waiting' && go r 'has nothing to judge yet' || return 1
  rm "$scratch/work/hello-threads.cu" && look 'is gone: waiting' || return 1
  save '__global__ void hello(int *out) { }' && look 'fail' && ! is_done
}
# The prompt is told which exercise is open, and what is suggested there runs.
exercise_at_the_prompt() {
  open_exercise && press : && wait_until 'no prompt' is_off_screen && settle || return 1
  wait_for ':check judges, :edit opens it' && ask ':check' && grep -qE 'fail|pass' <<<"$said" || return 1
  ask ':edit' && ! grep -qE -- "$wrong" <<<"$said" && press Enter && look 'is judged at each save'
}
solution_is_no_pass() {
  open_exercise && go s 'y: yes, else no' && go q 'The solution stays hidden.' && go s 'y: yes' && go y '__global__' || return 1
  go h '(1 of' || return 1
  ! is_done || { echo '# done without a pass' && return 1; }
  save '__global__ void hello(int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = i; }' && look 'done in' && is_done
}
# n alone, through a whole lesson.
turning_pages_passes_nothing() {
  local n
  again && go / 'Enter opens' && press -l 2 && look '>   2 ' && go Enter 'page 1 of' || return 1
  for ((n = 0; n < 60; n++)); do
    page | head -n 1 | grep -q '^3 ' && break
    has_way_out || { show && return 1; }
    local before
    before=$(page | md5sum)
    press n && wait_until 'n does nothing' has_changed "$before" || return 1
  done
  page | head -n 1 | grep -q '^3 ' && list >"$scratch/list" && ! grep -A 1 '^ 2 ' "$scratch/list" | grep -w 'done'
}
has_changed() { cat >/dev/null && [ "$(page | md5sum)" != "$1" ] && has_way_out; }

state=$scratch/state data=$scratch/data editor='' rows='' columns='' home='' courses=''
mkdir -p "$state" "$data" "$scratch/work"
real=$program
program=/bin/bash start --norc --noprofile
program=$real
keys "PS1='shell\$ '; cd $scratch/work; clear"
in_shell
for step in words_of_the_shell code_at_the_contents ways_out reads_the_first_pages kernel_into_a_page no_editor \
  broken_file exercise_at_the_prompt turning_pages_passes_nothing solution_is_no_pass; do
  [ -n "${WARPSHOP_PTY_ONLY:-}" ] && [ "$WARPSHOP_PTY_ONLY" != "$step" ] && continue
  number=$((number + 1))
  if "$step"; then
    echo "ok $number - $step"
  else
    show
    echo "not ok $number - $step"
  fi
done
echo "1..$number"
