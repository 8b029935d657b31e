# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts of this folder share: the real program in a terminal of 80x24
# under a private tmux server. Sourced in the tree's root.
root=$PWD
program=$root/${BUILD:-build}/warpshop
command -v tmux >/dev/null || {
  echo "ok 1 # SKIP tmux is not installed"
  exit 0
}
device=${WARPSHOP_DEVICE:-virtual:0}
scratch=$(mktemp -d) || exit 2
socket=$scratch/tmux
tmux() { command tmux -S "$socket" -f /dev/null "$@"; }
finish() {
  tmux kill-server 2>/dev/null
  rm -rf "$scratch"
}
trap finish EXIT
# Or a new session may meet a server that leaves with the last one.
tmux start-server \; set-option -s exit-empty off
# One cache for all cases; history and progress are each case's own.
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$scratch/cache}

number=0
limit=${HANG_S:-300} # seconds until a marker counts as missing; tests/run says more

# What was cleared counts as blanks in tmux's longer lines.
capture() { tmux capture-pane -p -J -t main -S -200; }
screen() { capture | sed 's/ *$//'; }

# What waits looks twenty times a second, and a process takes longer to start than
# bash to look: so it does it itself, and waits for what never comes.
exec {never}<> <(:)
nap() { read -rt 0.05 -u "$never" || true; }

# start [ARGUMENT...]: a fresh program on a fresh terminal; $given has words NAME=VALUE
# for its environment.
start() {
  tmux kill-session -t main 2>/dev/null
  # shellcheck disable=SC2086 # words
  tmux new-session -d -P -F '#{pane_tty}' -s main -x "${columns:-80}" -y "${rows:-24}" env -u NO_COLOR TERM=screen \
    LC_ALL=C.UTF-8 WARPSHOP_HOME="${home:-$root}" WARPSHOP_DEVICE="$device" \
    XDG_STATE_HOME="$state" XDG_DATA_HOME="$data" EDITOR="${editor:-true}" \
    WARPSHOP_COURSE= WARPSHOP_COURSES="${courses:-}" ${given:-} \
    "$program" "$@" \; set-option -g remain-on-exit on >"$scratch/tty"
}

# look_until WHAT COMMAND...: until the command is true of the screen, whose lines
# $text has, some with blanks behind them; else says what did not come, and shows the
# screen. wait_until has a command that reads the screen from its input.
look_until() {
  local what=$1 end=$((SECONDS + limit)) text
  shift
  until text=$(capture) && "$@"; do
    [ "$SECONDS" -gt "$end" ] && {
      echo "# $what"
      screen | grep -v '^$' | tail -n 24 | sed 's/^/#   /'
      return 1
    }
    nap
  done
}
wait_until() { look_until "$1" of_screen "${@:2}"; }
of_screen() { printf '%s\n' "$text" | sed 's/ *$//' | "$@"; }

# wait_for TEXT: until the screen holds it.
wait_for() { look_until "missing: $1" has_text "$1"; }
has_text() { [[ $text == *"$1"* ]]; }

# wait_for_line TEXT: until that is a whole line of the screen.
wait_for_line() { look_until "missing line: $1" has_line "$1"; }
has_line() { [[ $'\n'$text$'\n' =~ $'\n'"$1"\ *$'\n' ]]; }

# wait_for_line_like REGEX: until a line of the screen begins so.
wait_for_line_like() { wait_until "missing line like: $1" grep -qE -- "^$1"; }

# wait_until_taken LINE: until that line was typed, and taken with its Enter: the
# cursor has left it, for the next row or for what is said of a wait.
wait_until_taken() {
  wait_for_line "$1" && wait_until "not taken: $1" is_below "$1"
}
is_below() {
  local at row
  cat >/dev/null # the screen
  IFS=, read -r at row < <(tmux display -p -t main '#{cursor_x},#{cursor_y}')
  [ "$at" = 0 ] && return
  row=$(tmux capture-pane -p -t main -S "$row" -E "$row" | sed 's/ *$//')
  [ -n "$row" ] && [[ $1 != *"$row" ]]
}

# wait_for_any TEXT TEXT: until the screen holds one of them.
wait_for_any() { look_until "missing: $1, $2" has_any "$@"; }
has_any() { [[ $text == *"$1"* || $text == *"$2"* ]]; }

prompt="$device>"

# choose TEXT: answers a quiz, once it is asked, with the choice that says so,
# whatever its number.
choose() {
  local n
  wait_for_line_like " +[0-9]+ $1" || return 1
  n=$(screen | sed -nE "s/^ +([0-9]+) $1.*/\\1/p" | tail -n 1)
  [ -n "$n" ] || echo "# it went away: $1"
  [ -n "$n" ] && keys "$n"
}

# wait_for_reader: until the program, or a shell, reads each key. What is typed earlier, the
# terminal shows wherever its cursor stands, and some keys (Ctrl-R, Ctrl-U) are its own
# then: an answer on the screen is no sign that the prompt is there, too.
wait_for_reader() {
  local end=$((SECONDS + limit))
  until has_reader; do
    [ "$SECONDS" -gt "$end" ] && echo '# nobody reads keys' && return 1
    nap
  done
}
has_reader() { [[ $(stty -a <"$(<"$scratch/tty")" 2>/dev/null) == *-icanon* ]]; }

# keys TEXT: typed, then Enter, once keys are read. (A ";" at the end would end tmux's
# command.)
keys() {
  wait_for_reader && keys_now "$1"
}
keys_now() {
  local text=$1
  [[ $text == *';' ]] && text=${text%;}'\;'
  tmux send-keys -t main -l -- "$text" && tmux send-keys -t main Enter
}

# press KEY...: as tmux names them.
press() { tmux send-keys -t main "$@"; }

# wait_for_lines N TEXT: until N lines of the screen hold it.
has_lines() {
  local line n=0
  while IFS= read -r line; do
    [[ $line != *"$2"* ]] || n=$((n + 1))
  done <<<"$text"
  [ "$n" -ge "$1" ]
}
wait_for_lines() { look_until "fewer than $1 of: $2" has_lines "$@"; }

# wait_until_gone TEXT: until the screen holds it no more.
wait_until_gone() { look_until "still there: $1" has_not "$1"; }
has_not() { [[ $text != *"$1"* ]]; }

# wait_for_cursor COLUMN ROW: both from 0.
wait_for_cursor() { wait_until "cursor not at $1,$2 but at $(tmux display -p -t main '#{cursor_x},#{cursor_y}')" is_at "$1,$2"; }
is_at() {
  cat >/dev/null # the screen
  [ "$(tmux display -p -t main '#{cursor_x},#{cursor_y}')" = "$1" ]
}

# resize_window COLUMNS ROWS: until the terminal has that size, of which tmux tells it late.
resize_window() { tmux resize-window -t main -x "$1" -y "$2" && wait_until "not of $1 x $2" has_size "$1" "$2"; }
has_size() {
  cat >/dev/null
  [ "$(stty size <"$(tmux display -p -t main '#{pane_tty}')")" = "$2 $1" ]
}

has_colour() { tmux capture-pane -p -e -t main | grep -qE $'\e\\[([0-9;]*;)?(3[0-8]|4[0-8])[;m]'; }

# wait_for_prompt N: until N prompts stand on the screen.
wait_for_prompt() { wait_for_lines "$1" "$prompt"; }

# wait_for_end: until the program has left; prints its exit status.
wait_for_end() {
  local end=$((SECONDS + limit)) status=
  until [ -n "$status" ]; do
    [ "$SECONDS" -gt "$end" ] && return 1
    nap
    # tmux 3.3 can miss its child's end; the end of another makes it look. That one it
    # can miss, too, so nobody waits for it.
    tmux run-shell -b true
    status=$(tmux display -p -t main '#{?pane_dead_signal,signal,#{pane_dead_status}}')
  done
  [ "$status" = "${1:-0}" ]
}

lacks() {
  screen | grep -qF -- "$1" || return 0
  echo "# should not be there: $1"
  return 1
}

# run_case FUNCTION: one TAP line.
run_case() {
  [ -n "${WARPSHOP_PTY_ONLY:-}" ] && [ "$WARPSHOP_PTY_ONLY" != "$1" ] && return
  number=$((number + 1))
  state=$scratch/state-$number data=$scratch/data-$number editor='' rows='' columns='' home='' courses=''
  mkdir -p "$state" "$data"
  if "$1"; then
    echo "ok $number - $1"
  else
    echo "not ok $number - $1"
    [ -z "${FIRST_FAILURE_ENDS-}" ] || exit 1 # the others may wait for long as well
  fi
  tmux kill-session -t main 2>/dev/null
}

# A shell on the terminal, which has noted the terminal's modes.
in_a_shell() {
  local real=$program
  program=/bin/bash
  start --norc --noprofile
  program=$real
  keys 'PS1="shell"": "; stty -g >'"$scratch/before"'; echo "what was"" there"'
  wait_for 'what was there'
}
# Of the terminal: no other screen is open, and the cursor is shown.
is_as_found() {
  cat >/dev/null # the screen
  [ "$(tmux display -p -t main '#{alternate_on}#{cursor_flag}')" = 01 ]
}
# modes_are_as_before: the shell on the terminal finds what `stty -g` put into
# $scratch/before. Each time says its number, for the last one still stands there.
times_noted=0
modes_are_as_before() {
  times_noted=$((times_noted + 1))
  keys "stty -g >$scratch/after; echo noted"" $times_noted"
  wait_for_line "noted $times_noted" && cmp "$scratch/before" "$scratch/after"
}

kernel='__global__ void add(const float *x, const float *y, float *out, int n) {'
type_kernel() {
  keys "$kernel"
  keys '  int i = blockIdx.x * blockDim.x + threadIdx.x;'
  keys '  if (i < n) out[i] = x[i] + y[i];'
  keys '}'
  wait_for 'add: ' && wait_for_prompt "$1"
}
type_arrays() {
  keys 'x = np.arange(4096, "f32"); y = np.ones(4096, "f32"); out = np.zeros(4096, "f32")'
}
