#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the prompt shows besides text: pictures of arrays, and how far a long work is.
# Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

has_code() { tmux capture-pane -p -e -t main -S -200 | grep -qF $'\e['"$1"; }
is_coloured() { tmux capture-pane -p -e -t main -S -200 | grep -F "$1" | grep -qE $'\e\\[([0-9;]*;)?(3[0-7]|4[0-7]|9[0-7]|10[0-7])m'; }

# show [ENVIRONMENT...]: a picture of four pixels, and lines of two arrays.
show() {
  program=/usr/bin/env start "$@" "$program" repl
  wait_for_prompt 1 || return 1
  keys 'a = np.array{{0, 1}, {1, 0}}; up = np.arange(9); down = 8 - up'
  keys ':image a'
  wait_for 'a, 2 rows x 2 columns · black is 0, white is 1' || return 1
  keys ':plot --index up, down'
  wait_for 'over their index'
}

pictures_have_the_colours_there_are() {
  show TERM=screen COLORTERM= && wait_for '▀▀▀▀▀▀▀▀' && has_code '107m▀' && has_code 36m || return 1
  show TERM=tmux-256color COLORTERM= && has_code '38;5;16m' && has_code '48;5;231m' || return 1
  tmux set-option -sa terminal-features '*:RGB'
  show TERM=tmux-256color COLORTERM=truecolor && has_code '38;2;0;0;0m' && has_code '48;2;255;255;255m'
}
pictures_without_colour() {
  local how
  for how in NO_COLOR=1 TERM=dumb; do
    show $how COLORTERM= && wait_for '    @@@@' && wait_for 'A up   B down' && lacks '▀' && lacks '?2004' || return 1
    ! is_coloured "up " || return 1
  done
}
pictures_in_ascii() {
  show LC_ALL=C && wait_for '    @@@@' && wait_for '* up   + down' && lacks '┤'
}
pictures_fit() {
  columns=60 rows=16
  show COLORTERM= && wait_for '8 ┤' && wait_for_line_like '  └┬[─┬]*$' || return 1
  [ "$(tmux capture-pane -p -t main | grep -c '│\|┤')" = 10 ]
}

# ---- How far a long work is ----

slow='__global__ void slow(float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; float v = x[i];
for (int k = 0; k < n; k++) v = v * 0.5f + 1; x[i] = v; }'
# So long that it must be stopped.
launch_slow() {
  keys "$slow"
  wait_for 'slow: ' || return 1
  keys 'x = np.ones(1048576, "f32"); slow[{4096, 256}](x, 2000000)'
}
a_long_launch_tells_its_progress() {
  start repl
  wait_for_prompt 1
  launch_slow || return 1
  wait_until 'missing: blocks, a rate and an estimate' \
    grep -qE '^running: [0-9]+ of 4096 blocks · [0-9.]+ a second · about ([0-9]+ min )?[0-9]+ s$' || return 1
  tmux send-keys -t main C-c
  wait_for 'stopped' && wait_for_prompt 3 && lacks 'running:'
}
progress_is_one_sentence() {
  program=/usr/bin/env start WARPSHOP_PLAIN=1 "$program" repl
  wait_for_prompt 1
  launch_slow || return 1
  wait_for 'This takes a while: running: ' || return 1
  tmux send-keys -t main C-c
  wait_for 'stopped' && [ "$(screen | grep -c 'This takes a while: running')" = 1 ]
}

for name in a_long_launch_tells_its_progress progress_is_one_sentence pictures_have_the_colours_there_are pictures_without_colour pictures_in_ascii pictures_fit; do
  run_case "$name"
done
echo "1..$number"
