#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Somebody who knows the shell and nothing else, with the wrong turns of such people:
# words of the shell, Python, answers that are none, Enter alone, kernels with mistakes.
# What is suggested is typed and must run; whatever waits says how to go on; nothing is
# done without a pass; and code was typed within the first ten minutes of pages.
# Speaks TAP, a line for each step. WARPSHOP_PTY_ONLY=NAME runs one step.
set -u
cd "$(dirname "$0")/../.." || exit 2
export WARPSHOP_DEVICE=virtual:0 # which sees the mistakes
. tests/pty/lib.sh

. tests/pty/newcomer_hands.sh

# ---- The first pages ----

# A newcomer reads with space, answers with words first and then with a number, and at
# the prompt types what the page asks for, at first with a mistake.
minutes=0 typed_at=''
page_of() { screen | grep -oE 'page [0-9]+ of [0-9]+' | tail -n 1; }
reads_the_first_pages() {
  local each page asked held
  each=$(XDG_STATE_HOME=$state XDG_DATA_HOME=$data WARPSHOP_HOME=$root "$program" lesson list | awk '$1 == 1 {for (i = 2; i < NF; i++) if ($i ~ /^pages/) print $(i + 1) / $(i - 1)}')
  while awk -v m="$minutes" 'BEGIN {exit !(m < 10)}'; do
    read_page || return 1
    page=$(page_of)
    minutes=$(awk -v m="$minutes" -v e="$each" 'BEGIN {print m + e}')
    asked=$(asked_line)
    if [ -n "$asked" ] && [ -z "$typed_at" ]; then
      ask "${asked/\*/x}" && ask "$asked" && grep -q '^Right\.' <<<"$said" && typed_at=$minutes || return 1
    fi
    # What the page asks for holds Enter up once.
    held=$(screen | times_held)
    press Enter
    wait_until "after $page the next does not come" has_other_page_or_is_held "$page" "$held" || return 1
    if ! screen | has_other_page "$page"; then press Enter; fi
    wait_until "after $page the next does not come" has_other_page "$page" || return 1
  done
  [ -n "$typed_at" ] && echo "# code was typed within $typed_at min of pages" && return
  echo "# no code was typed in $minutes min of pages"
  return 1
}
times_held() { grep -cE 'This page asks (you|for)'; }
has_other_page() { grep -oE 'page [0-9]+ of [0-9]+' | tail -n 1 | grep -qvxF "$1"; }
has_other_page_or_is_held() {
  local text
  text=$(cat)
  has_other_page "$1" <<<"$text" || [ "$(times_held <<<"$text")" -gt "$2" ]
}

# ---- Words of elsewhere: each gets a line that runs ----

shows() { grep -qF -- "$1" <<<"$said" && ! grep -qE -- "$wrong" <<<"$said"; }
at_a_prompt() { read_page; }
words_of_the_shell() {
  at_a_prompt && suggests help ':help' ':check' && suggests 'help()' ':help' ':check' &&
    ask '!touch here' && ask ls && shows here && suggests 'ls -la' '!ls' && suggests 'cat /etc/hostname' '!cat.*' && suggests 'echo some words' '!echo.*' 'some words' &&
    suggests clear ':clear' && suggests history ':history' ':clear' && ask pwd && shows / && suggests 'help me' ':help' ':check' &&
    suggests ':' ':help' ':check' && suggests ':hlep' ':help' ':check' && suggests '?hlep' ':help' ':check' &&
    suggests 'hello there' ':help' ':check' && suggests 'lesson 1' ':lesson 1' 'page'
}
words_of_python() {
  at_a_prompt && suggests 'x = [1, 2, 3]' '  x = \{.*' && suggests 'for i in range(3): print(i)' '  for i = .*' 2 &&
    suggests 'print(f"{7} is seven")' '  print.*' '7 is seven' && suggests 'if True: print(7)' '  if .*' 7 &&
    suggests 'def f(x): return x' '  function f.*' && suggests 'len(x)' '#x' && suggests 'None' 'nil' &&
    ask 'import numpy as np' && grep -q 'Nothing to import' <<<"$said"
}
python_is_pasted() {
  at_a_prompt && fresh || return 1
  printf '%s\n' 'import numpy as np' 'def add(a, b):' '    return a + b' 'print(add(1, 2))' >"$scratch/paste"
  tmux load-buffer "$scratch/paste" && tmux paste-buffer -p -r -t main
  wait_for 'print(add(1, 2))' && press Enter && wait_for 'Nothing to import here' && settle && is_prompt "$line" || return 1
  ask '"still " .. "here"' && grep -q '"still here"' <<<"$said"
}
# Whoever wants out finds it, and comes back to the same page.
ways_out() {
  local word
  for word in exit 'exit()' quit 'quit()' q :q :exit :wq bye logout; do
    at_a_prompt && ask 'nil' || return 1
    keys "$word"
    wait_until "no answer to $word" left_or_told || return 1
    if ! has_left; then
      keys ':quit'
      wait_until "$word leads nowhere" is_in_shell || return 1
    fi
    keys "clear; $program learn --prompt" && wait_for 'page ' || return 1
  done
  at_a_prompt && fresh && press Escape && wait_for 'Ctrl-D leaves, :help says more' && press C-c && wait_until 'no prompt' is_answered
}
is_in_shell() {
  cat >/dev/null
  [[ $(last_line) =~ ^shell\$ ]]
}
has_left() { is_in_shell </dev/null; }
left_or_told() { has_left || grep -qE ':quit|Ctrl-D'; }

# ---- A kernel, with mistakes ----

kernels() {
  at_a_prompt && fresh || return 1
  keys '__global__ void mine(int *a) {'
  keys 'quit'
  wait_for 'Ctrl-C gives it up' || return 1
  press C-c && wait_for 'given up' || return 1
  ask '__global__ void mine(int *a) { a[0] = 7 }' && grep -q 'this line lacks its ;\|a ; is missing' <<<"$said" || return 1
  ask '__global__ void mine(int *a) { a[0] = sevn; }' && grep -q 'sevn' <<<"$said" || return 1
  ask '_global_ void mine(int *a) { a[0] = 7; }' && grep -q '__global__' <<<"$said" || return 1
  ask '__global__ void mine(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 7; }' && grep -q '^mine: ' <<<"$said" || return 1
  ask 'a = np.zeros(4096, "i32")' && suggests 'mine()' 'mine\[\{[0-9]+, [0-9]+\}\]\(.*\)' 'blocks' || return 1
  suggests 'mine<<<1, 32>>>(a)' 'mine\[\{1, 32\}\].*' 'block'
}

# ---- Nothing is done without a pass ----

list() { XDG_STATE_HOME=$state XDG_DATA_HOME=$data WARPSHOP_HOME=$root "$program" lesson list; }
nothing_is_done_without_a_pass() {
  list >"$scratch/list"
  if grep -E ' done|[^t] passed' "$scratch/list"; then return 1; fi
  at_a_prompt && ask ':exercise hello-threads' && ask ':check' || return 1
  ask '__global__ void hello(int *out) { }' && ask ':check' && grep -q fail <<<"$said" || return 1
  ask ':solution' && [[ $(last_line) =~ y/N ]] && press Enter
  settle || return 1
  list >"$scratch/list"
  grep 'hello-threads' "$scratch/list" | grep -qw 'done' && return 1
  ask '__global__ void hello(int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = i; }' && ask ':check' &&
    grep -q 'pass: all' <<<"$said" || { show && return 1; }
  list >"$scratch/list"
  grep 'hello-threads' "$scratch/list" | grep -qw 'done'
}
# Enter alone, through a whole lesson.
enter_alone_passes_nothing() {
  local n
  keys ':quit'
  wait_until 'not left' is_in_shell || return 1
  keys "clear; $program learn --prompt 2" && wait_for '2 · ' || return 1
  for ((n = 0; n < 200; n++)); do
    settle || return 1
    screen | grep -q '3 · .* · page 1' && break
    local before
    before=$(seen)
    press Enter
    settle_after "$before" Enter || return 1
    # An exercise holds Enter up: its way on is named, and works.
    [[ $(screen | tail -n 12 | tr '\n' ' ') =~ :next\ goes\ on\ without ]] && { ask ':next' || return 1; }
  done
  list >"$scratch/list"
  ! grep -A 1 '^ 2 ' "$scratch/list" | grep -w 'done'
}

state=$scratch/state data=$scratch/data editor='' rows='' columns='' home='' courses=''
mkdir -p "$state" "$data" "$scratch/work"
real=$program
program=/bin/bash start --norc --noprofile
program=$real
keys "PS1='shell\$ '; cd $scratch/work; clear"
wait_until 'no shell' is_in_shell
keys "$program learn --prompt"
for step in reads_the_first_pages words_of_the_shell words_of_python python_is_pasted ways_out kernels \
  nothing_is_done_without_a_pass enter_alone_passes_nothing; do
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
