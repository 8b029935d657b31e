#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The debugger on its screen: each picture compared as text at each size, its keys, its
# command line, and the terminal as it was found whatever ends the program. Speaks TAP.
# WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
own_folder=$(mktemp -d) || exit 2
mkdir -m 700 "$own_folder/run"
export XDG_RUNTIME_DIR=$own_folder/run
unset WARPSHOP_PLAIN
. tests/pty/lib.sh
. tests/pty/pages.sh
pictures=tests/fixtures/debugger
trap 'rm -rf "$own_folder"; finish' EXIT

past=''
screen() { tmux capture-pane -p -t main -S "${past:-0}"; }
is_on_screen() { [ "$(cat >/dev/null && tmux display -p -t main '#{alternate_on}')" = 1 ]; }
is_off_screen() { ! is_on_screen; }

# Neighbours in a block's memory without a barrier.
cat >"$own_folder/sums.cu" <<'END'
__global__ void sums(const float *x, float *out) {
  __shared__ float part[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 4 < 2)
    v *= 2;
  part[threadIdx.x] = v;
  out[i] = part[threadIdx.x] + part[(threadIdx.x + 4) % 64];
}
END
# Prints, calls, and never ends where an element stays positive.
cat >"$own_folder/walk.cu" <<'END'
__device__ int twice(int a) {
  int b = a * 2;
  return b;
}
__global__ void walk(float *out) {
  int i = threadIdx.x;
  if (i < 2)
    printf("I am %d\n", i);
  int k = twice(i);
  while (out[i] > 0)
    out[i] += 1;
  out[i] = k;
}
END

# debug KERNEL ARGUMENTS: its screen.
debug() {
  start repl
  wait_for_prompt 1 || return 1
  keys ":load $own_folder/$1.cu"
  wait_for_any "$1: compiled" "$1: found" || return 1
  keys "$2"
  wait_for 'q quit'
}
debug_sums() { debug sums ':debug sums[{4, 64}](np.arange(256, "f32"), np.zeros(256, "f32"))'; }
debug_walk() { debug walk "out = np.full(40, ${1:--1}, \"f32\")"$'\n'':debug walk[{1, 40}](out)'; }

# ---- Pictures ----

picture() { # COLUMNS ROWS
  columns=$1 rows=$2
  debug_sums && wait_for_page "begun-$1x$2.txt" || return 1
  press n n n
  wait_for 'sums.cu:6' && wait_for_page "parted-$1x$2.txt" || return 1
  press v
  press -l v
  press Enter
  wait_for 'by v' && wait_for_page "by-value-$1x$2.txt" || return 1
  press c
  wait_for mistake && wait_for_page "mistake-$1x$2.txt"
}
picture_80x24() { picture 80 24; }
picture_60x16() { picture 60 16; }
picture_120x40() { picture 120 40; }
picture_200x50() { picture 200 50; }

# German is longer than English: nothing is pushed off.
german() { # COLUMNS ROWS
  columns=$1 rows=$2
  start --language de repl
  wait_for_prompt 1 || return 1
  keys ":load $own_folder/sums.cu"
  wait_for_any 'sums: kompiliert' 'sums: aus dem Cache' || return 1
  keys ':debug sums[{4, 64}](np.arange(256, "f32"), np.zeros(256, "f32"))'
  wait_for 'q Ende' && press c
  wait_for Fehler && wait_for_page "german-$1x$2.txt" && press '?'
  wait_for 'Die Tasten des Debuggers' && wait_for 'ein Start ohne Ende'
}
german_80x24() { german 80 24; }
german_60x16() { german 60 16; }

panels_get_room() {
  columns=60 rows=16
  debug_sums || return 1
  press n n n
  wait_for 'sums.cu:6' || return 1
  press Tab
  wait_for_page values-60x16.txt || return 1
  press Tab
  wait_for_page warps-60x16.txt || return 1
  press Tab
  wait_for_page shared-60x16.txt || return 1
  press Tab
  wait_for_page parted-60x16.txt
}

resized_midway() {
  columns=120 rows=40
  debug_sums || return 1
  tmux resize-window -t main -x 60 -y 16
  press n n n
  wait_for_page parted-60x16.txt || return 1
  tmux resize-window -t main -x 50 -y 10
  wait_for 'This window has 50 x 10.' || return 1
  press n # of which nobody would see what it does
  tmux resize-window -t main -x 80 -y 24
  wait_for_page parted-80x24.txt || return 1
  press q
  wait_for 'The launch was given up' && wait_for_prompt 2 || return 1
  keys '("wide"):rep(3)' # the prompt knows its size
  wait_for widewidewide
}

# ---- Keys ----

forward_and_back() {
  debug_walk || return 1
  press n
  wait_for 'walk.cu:7' && wait_for 'i = 0' || return 1
  press n n
  wait_for 'walk.cu:9' && wait_for 'I am 1  (1 line more, o shows it)' || return 1
  press o
  wait_for_line 'I am 0' && press q && wait_for 'q quit' || return 1
  press s
  wait_for 'walk.cu:2 in twice' || return 1
  press f
  wait_for 'walk.cu:9 in walk' || return 1
  press b
  wait_for 'walk.cu:3 in twice' || return 1
  press p
  wait_for 'walk.cu:2 in twice' || return 1
  press Enter # once more
  wait_for 'walk.cu:9 in walk' || return 1
  press i
  wait_for 'ptx  ' || return 1
  press R
  wait_for 'walk.cu:6 in walk'
}

lines_and_threads() {
  debug_walk || return 1
  press Down Down Down Down Down Down Space
  wait_for '*   12' && wait_for 'breakpoint 1 at walk.cu:12' || return 1
  press c
  wait_for 'thread (0,0,0) · walk.cu:12' && wait_for 'Breakpoint 1' || return 1
  press Right
  wait_for 'thread (1,0,0)' && wait_for 'k = 2' || return 1
  press Left Left
  wait_for 'thread (31,0,0)' && wait_for 'k = 62' || return 1
  press c
  wait_for 'thread (32,0,0) · walk.cu:12' && wait_for 'lanes of warp 1' || return 1
  press r
  wait_for 'thread (0,0,0) · walk.cu:12' || return 1
  press t
  press -l 7
  press Enter
  wait_for 'thread (7,0,0)' && wait_for 'k = 14' || return 1
  press ']'
  wait_for 'thread (32,0,0) · walk.cu:5' || return 1
  press '['
  wait_for 'thread (0,0,0) · walk.cu:12' || return 1
  press Space # off again
  wait_until 'still there' lacks_it '*-> 12' || return 1
  press R
  wait_for 'walk.cu:6' || return 1
  press Down Down Down u
  wait_for 'thread (0,0,0) · walk.cu:9'
}

until_a_thread_of_choice() {
  debug_walk || return 1
  press Down Down Down T
  wait_for ':until 9 thread' || return 1
  press -l 35
  press Enter
  wait_for 'thread (35,0,0) · walk.cu:9'
}

keys_are_listed() {
  debug_sums || return 1
  press '?'
  wait_for_page keys.txt || return 1
  press '?'
  wait_for_page begun-80x24.txt
}

# All at once, as a hand on a slow line does: none is lost.
no_key_is_lost() {
  debug_walk || return 1
  press -l 'nnnnb:print i + 41'
  press Enter
  wait_for 'i + 41 = 41' && wait_for 'walk.cu:9' || return 1
  press -l 'q6 * 7' # the prompt has what comes behind its end
  press Enter
  wait_for_line 42
}

ctrl_c_stops_what_runs() {
  debug_walk 1 || return 1
  press c
  wait_for 'running: Ctrl-C stops it' || return 1
  press C-c
  wait_for 'Stopped here.' && wait_for 'walk.cu:1' || return 1
  press C-c
  wait_for 'nothing runs; q leaves' || return 1
  press -l ':print out[0] > 1'
  press Enter
  wait_for 'out[0] > 1 = 1'
}

# with_gate COMMAND...: with a program that waits before it switches the terminal's modes,
# as long as there is $own_folder/gate; then gate.reached tells of it.
with_gate() {
  ! grep -q asan <<<"$(ldd "$program")" && cc -D_GNU_SOURCE -shared -fPIC -o "$own_folder/gate.so" -x c - <<END || return 0
#include <dlfcn.h>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>
int tcsetattr(int fd, int how, const struct termios *to) {
  int (*next)(int, int, const struct termios *) = dlsym(RTLD_NEXT, "tcsetattr");
  if (!access("$own_folder/gate", F_OK))
    close(creat("$own_folder/gate.reached", 0600));
  while (!access("$own_folder/gate", F_OK))
    usleep(1000);
  return next(fd, how, to);
}
END
  given=LD_PRELOAD=$own_folder/gate.so
  "$@"
  local status=$?
  given=''
  rm -f "$own_folder"/gate "$own_folder"/gate.reached
  return $status
}
is_at_gate() { cat >/dev/null && [ -e "$own_folder/gate.reached" ]; }
has_interrupt() { cat >/dev/null && grep -q 'ShdPnd:.*[2367abef]$' "/proc/$(tmux display -p -t main '#{pane_pid}')/status"; }

# Between Enter and the moment that it goes on, Ctrl-C stops that, and nothing else.
early_ctrl_c_stops() { with_gate stops_early; }
stops_early() {
  past=-200 columns=59
  debug_in_text walk || return 1
  touch "$own_folder/gate"
  keys c
  wait_until 'no mode is switched' is_at_gate && press C-c && wait_until 'no interrupt' has_interrupt || return 1
  rm "$own_folder/gate"
  wait_for 'Stopped here.' && keys 'print 6 * 7' && wait_for '6 * 7 = 42'
}
# The device may not have begun then.
ctrl_c_before_it_begins() {
  local servers
  debug_walk 1 || return 1
  servers=$(pgrep -P "$(tmux display -p -t main '#{pane_pid}')" device)
  # shellcheck disable=SC2086 # numbers
  kill -STOP $servers && press c && wait_for 'running: Ctrl-C stops it' && press C-c || return 1
  nap && nap && nap && nap # the later it goes on the better is this tried; both are right
  # shellcheck disable=SC2086
  kill -CONT $servers
  wait_for 'Stopped here.' && press -l ':print 6 * 7' && press Enter && wait_for '6 * 7 = 42'
}

# A wait of more than half a second is told of in a row at the prompt, and not on a screen.
a_wait_spoils_no_screen() {
  local servers
  debug_sums || return 1
  servers=$(pgrep -P "$(tmux display -p -t main '#{pane_pid}')" device)
  # shellcheck disable=SC2086 # numbers
  kill -STOP $servers && press m && sleep 1 || return 1
  # shellcheck disable=SC2086
  kill -CONT $servers
  wait_for '> shared float part[64]' && wait_for 'q quit' && lacks 'takes a while' || return 1
}

# It is told of once it works.
ctrl_c_is_told_in_time() { with_gate is_told_in_time; }
is_told_in_time() {
  debug_walk 1 || return 1
  touch "$own_folder/gate"
  press c
  wait_until 'no mode is switched' is_at_gate && nap && lacks 'running: Ctrl-C' || return 1
  rm "$own_folder/gate"
  wait_for 'running: Ctrl-C stops it' && press C-c && wait_for 'Stopped here.'
}

# Every command of the text debugger, and what it says of a wrong one.
commands_work_on_the_screen() {
  debug_walk || return 1
  keys ':break 9 if i == 13'
  wait_for 'breakpoint 1 at walk.cu:9, if i == 13' || return 1
  keys ':c'
  wait_for 'thread (13,0,0)' || return 1
  keys ':display i * 3'
  wait_for '1: i * 3 = 39' || return 1
  keys ':thread 3'
  wait_for '1: i * 3 = 9' || return 1
  keys ':undisplay'
  wait_until 'still there' lacks_it '1: i * 3' || return 1
  keys ':warps'
  wait_for_line_like '\* warp 0  ' || return 1
  press q
  wait_for 'q quit' || return 1
  keys ':fly'
  wait_for 'There is no command fly here; help lists them.' || return 1
  keys ':print nothing'
  wait_for 'there is no variable nothing here' || return 1
  keys ':set i = 3'
  wait_for 'Values cannot be changed here' && press q || return 1
  keys ':list 3'
  keys ':cuda thread 5' # as in cuda-gdb
  wait_for 'thread (5,0,0)' || return 1
  keys ':help'
  wait_for 'The debugger'"'"'s answer' && wait_for 'start  ' || return 1
  press End
  wait_for 'An empty line repeats the last command' || return 1
  press Escape
  wait_for 'q quit' || return 1
  press -l ':'
  press Up Up Up Up Up
  wait_for ':print nothing' || return 1
  press Escape
  press -l ':loc'
  press Tab
  wait_for ':locals' || return 1
  press C-u
  press -l 'quit'
  press Enter
  wait_for 'The launch was given up'
}
lacks_it() { ! grep -qF -- "$1"; }

line_is_edited() {
  debug_walk || return 1
  press n
  wait_for 'i = 0' || return 1
  press -l ':print 1 + 2X'
  press BSpace Left Left Left Left Left
  press -l '3 * '
  press Enter
  wait_for '3 * 1 + 2 = 5' || return 1
  tmux set-buffer $'print 40\nq' \; paste-buffer -p -t main # no keys: text in no line
  press -l ':'
  tmux paste-buffer -p -t main
  wait_for ':print 40' || return 1
  press Enter
  wait_for '40 = 40' && is_on_screen </dev/null
}

shared_memory_moves() {
  columns=60 rows=16
  debug_sums || return 1
  press -l ':u 8'
  press Enter
  wait_for 'sums.cu:8' || return 1
  press m
  wait_for '> shared float part[64]' && wait_for '   0  ' || return 1
  press c
  wait_for mistake
}

# ---- Results, and text ----

results_stay_where_it_ended() {
  debug_walk || return 1
  press c
  wait_for 'The launch has ended: b goes back into it' || return 1
  press b
  wait_for 'walk.cu:1' || return 1
  press c
  wait_for 'The launch has ended' && press Escape && wait_until 'still on its screen' is_off_screen || return 1
  lacks 'given up' || return 1
  keys 'out[3] + out[7]'
  wait_for_line '20.0'
}

second_launch_has_its_own() {
  debug walk ':debug walk[{1, 40}](np.full(40, -1, "f32")), walk[{1, 3}](np.full(3, -1, "f32"))' || return 1
  wait_for '2 warps' && press c && wait_for 'has ended' && press q || return 1
  wait_for '1 warp ' && press c && wait_for 'has ended' && press q && wait_until 'still there' is_off_screen
}

text_alone() {
  local how
  past=-200
  for how in TERM=dumb WARPSHOP_PLAIN=1; do
    program=/usr/bin/env start "$how" "$program" repl
    wait_for_prompt 1 || return 1
    keys ":load $own_folder/walk.cu"
    wait_for_any 'walk: compiled' 'walk: found' || return 1
    keys ':debug walk[{1, 40}](np.full(40, -1, "f32"))'
    wait_for '(debug)' && wait_for '->   6    int i = threadIdx.x;' || return 1
    is_off_screen </dev/null || return 1
  done
}
small_terminals_get_text() {
  past=-200 columns=59 rows=16
  debug_in_text walk && is_off_screen </dev/null
}
debug_in_text() { # KERNEL
  start repl
  wait_for_prompt 1 || return 1
  keys ":load $own_folder/$1.cu"
  wait_for_any "$1: compiled" "$1: found" || return 1
  keys ":debug $1[{1, 40}](np.full(40, -1, \"f32\"))"
  wait_for '(debug)'
}

no_colour() {
  program=/usr/bin/env start NO_COLOR=1 "$program" repl
  wait_for_prompt 1 || return 1
  keys ":load $own_folder/sums.cu"
  wait_for_any 'sums: compiled' 'sums: found' || return 1
  keys ':debug sums[{4, 64}](np.arange(256, "f32"), np.zeros(256, "f32"))'
  wait_for 'q quit' && press n n n && wait_for_page parted-80x24.txt && ! has_colour || return 1
  debug_sums && wait_until 'no colour' has_colour
}

# ---- The terminal as it was found ----

run_debugger() {
  keys "$program repl"
  wait_for "$prompt" && keys ":load $own_folder/walk.cu" && wait_for_any 'walk: compiled' 'walk: found' || return 1
  keys 'walk[{1, 40}](np.full(40, -1, "f32"))'
  wait_for '1 block x 40 threads' || return 1
  keys ':debug walk[{1, 40}](np.ones(40, "f32"))'
  wait_for 'q quit' && wait_until 'no screen' is_on_screen
}
program_pid() { pgrep -P "$(tmux display -p -t main '#{pane_pid}')" -f 'warpshop repl'; }
has_left() { cat >/dev/null && ! program_pid >/dev/null; }
wait_until_as_found() {
  wait_until 'the terminal is not as it was found' is_as_found || return 1
  modes_are_as_before
}
left_as_found() {
  in_a_shell && run_debugger && press q && wait_for 'given up' && keys ':quit' && wait_until 'still there' has_left && wait_until_as_found
}
# Also where what is printed is held back.
ended_while_it_runs() {
  local name
  in_a_shell || return 1
  for name in TERM SEGV; do
    run_debugger && press c && wait_for 'running: Ctrl-C' && kill -s $name "$(program_pid)" && wait_until_as_found || return 1
    keys clear
  done
}
comes_back_from_the_background() {
  in_a_shell && run_debugger && press C-z && wait_for Stopped || return 1
  keys fg
  wait_for 'q quit' && press n && wait_for 'walk.cu:7' || return 1
  press c
  wait_for 'running: Ctrl-C' && press C-c && wait_for 'Stopped here.' && press q && wait_for 'given up' || return 1
  keys ':quit'
  wait_until 'still there' has_left && wait_until_as_found
}

for case in picture_80x24 picture_60x16 picture_120x40 picture_200x50 german_80x24 german_60x16 panels_get_room resized_midway forward_and_back \
  lines_and_threads until_a_thread_of_choice keys_are_listed no_key_is_lost ctrl_c_stops_what_runs early_ctrl_c_stops ctrl_c_before_it_begins a_wait_spoils_no_screen ctrl_c_is_told_in_time \
  commands_work_on_the_screen line_is_edited shared_memory_moves results_stay_where_it_ended \
  second_launch_has_its_own text_alone small_terminals_get_text no_colour left_as_found \
  ended_while_it_runs comes_back_from_the_background; do
  past=''
  run_case "$case"
done
echo "1..$number"
