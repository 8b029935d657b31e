# shellcheck shell=bash disable=SC2034 # of who sources it
# SPDX-License-Identifier: Apache-2.0
# What the rows of keys_table.sh and screens_table.sh say, in a shell whose terminal
# must be as it was in the end. Sourced by keys.sh and terminals.sh.

. tests/fixtures/fake_proc.sh
own_folder=$(mktemp -d) || exit 2
make_proc "$own_folder/proc"
mkdir -m 700 "$own_folder/run" "$own_folder/bin"
export WARPSHOP_PROC=$own_folder/proc XDG_RUNTIME_DIR=$own_folder/run
export WARPSHOP_NVML=$PWD/${BUILD:-build}/tests/unit/fake_nvml_top.so
unset WARPSHOP_PLAIN WARPSHOP_DEVICE
. tests/pty/lib.sh
held=''
let_go() {
  # shellcheck disable=SC2086 # numbers
  [ -z "$held" ] || kill -CONT $held 2>/dev/null
  held=''
}
trap 'let_go; rm -rf "$own_folder"; finish' EXIT
# Copies, whose processes are ours.
cp "$program" "$program-device" "$program-learner" "$own_folder/bin" || exit 2
own_program=$own_folder/bin/warpshop

more="         ."
does_nothing='This key does nothing here; :help says more'
second_screen='row 26'
keys_title='The keys of warpshop top'
watch_keys='h hint · l list · r again · Enter edits · s skips · q quits'

type() { tmux send-keys -t main -l -- "$1"; }
see() { wait_for "$1"; }
line() { wait_for_line "$1" && wait_for_reader; }
lines() { wait_for_lines "$@"; }
prompts() { wait_for_prompt "$1"; }
paste() {
  printf '%s\n' "$@" | head -c -1 >"$scratch/paste"
  tmux load-buffer "$scratch/paste" && tmux paste-buffer -p -r -t main
}
lacks_search() { ! grep -v '^$' | tail -n 1 | grep -q 'i-search'; }
lacks_paused() { ! grep -q paused; }
lacks_filter() { ! grep -q 'filter: [a-z]'; }
lacks_below() { ! grep -q 'more below'; }
# What stood first on the screen must stand there again: tmux itself cuts rows off above.
resize() {
  first_word=$(read_first_word)
  resize_window "$1" "$2"
}
read_first_word() { tmux capture-pane -p -t main | awk '{print $1; exit}'; }
# rows N TEXT: a row of the screen begins so, and goes on in the next.
rows() { wait_until "no row that is whole: $2" has_row "$2"; }
has_row() {
  cat >/dev/null
  tmux capture-pane -p -t main | grep -qxF -- "$1"
}
fits() { ! screen | tail -n 8 | grep -qE "^.{$1,}"; }
# The question stands on one of the first rows of a window of that height.
waits_within() { wait_until 'no question' has_question "$1"; }
has_question() {
  cat >/dev/null
  tmux capture-pane -p -t main | tail -n "$1" | grep -q '^-- more --' &&
    tmux capture-pane -p -t main | grep -q 'Line 12\|row 26'
}
is_drawn_for() {
  cat >/dev/null
  [ "$(read_first_word)" = "$first_word" ] || return 1
  tmux capture-pane -p -t main | LC_ALL=C sed 's/[\x80-\xbf]//g' | awk -v w="$1" 'length($0) > w {bad = 1} {n++} END {exit bad || n != 16}'
}
# In its shell: stopped, and back.
background() {
  local modes
  modes=$(modes)
  press C-z && line 'left 148, as it was' && type fg && press Enter && wait_until 'other modes than before' has_modes "$modes" ||
    { echo "# $modes, now $(modes)" && return 1; }
}
modes() { stty -g <"$(tmux display -p -t main '#{pane_tty}')"; }
has_modes() {
  cat >/dev/null
  tmux display -p -t main '#{pane_current_command}' | grep -q warpshop && [ "$(modes)" = "$1" ]
}
# What holds the program goes on.
release() { let_go; }

# ---- The shell around it ----

cat >"$own_folder/rc" <<'END'
PS1='shell$ ' S=$(stty -g) began=
PROMPT_COMMAND='code=$?; if [ -n "$began" ]; then if [ "$(stty -g)" = "$S" ]; then echo "left $code, as it was"; else echo "left $code, with other modes"; fi; fi; began=1'
END
in_shell() { # WORD...
  program=/bin/bash start --rcfile "$own_folder/rc" -i
  see 'shell$' && type "clear; $own_program $*" && press Enter
}
# A course of a page that is long, a quiz, and a prediction.
write_course() {
  home=$own_folder/course
  mkdir -p "$home/lessons" "$home/exercises"
  for part in lua gpu kernels; do ln -sfn "$root/$part" "$home/$part"; done
  printf '%s\n' 'name: small' 'title: A small course' 'version: 1' >"$home/course"
  ln -sfn "$root/exercises/hello-threads" "$home/exercises/"
  echo hello-threads >"$home/exercises/index"
  printf '%s\n' '# I Beginning' 01-one.md 02-two.md 03-three.md >"$home/lessons/index"
  local tick='```'
  lesson_head() { printf '%s\n' --- "title: $1" 'minutes: 5' 'goals: count' --- "# $1" "### The page of $1"; }
  {
    lesson_head One
    for n in {1..60}; do printf '%s\n\n' "Line $n of the page."; done
    printf '%s\n' "${tick}try" 'ask: Type six times seven.' 'check: _ == 42' 'answer: 6 * 7' "$tick"
  } >"$home/lessons/01-one.md"
  {
    lesson_head Two
    printf '%s\n' "${tick}quiz" 'ask: How many are two?' '- two of them *' '- none at all' 'explain: Two are two.' "$tick"
  } >"$home/lessons/02-two.md"
  {
    lesson_head Three
    printf '%s\n' "${tick}predict" 'ask: What is one and one?' 'from: 1 + 1' 'explain: One more than one.' "$tick"
  } >"$home/lessons/03-three.md"
}
write_course

at_prompt() {
  type '"al" .. "ive"' && press Enter && line '"alive"' || return 1
  type ':quit' && press Enter && line 'left 0, as it was'
}
