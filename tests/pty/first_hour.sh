#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A beginner's first hour at 80x24, one session from its first line to coming
# back the next day, with the wrong turns that beginners take. What the program
# suggests is read off the screen, typed, and must work; nothing typed is lost;
# no line is broken inside a word. Speaks TAP, a line for each step.
set -u
cd "$(dirname "$0")/../.." || exit 2
export WARPSHOP_DEVICE=virtual:0 # which sees the mistakes
. tests/pty/lib.sh

state=$scratch/state data=$scratch/data
mkdir -p "$state" "$data"
# An editor that shows what it was given and mends the name.
editor=$scratch/mend
# shellcheck disable=SC2016 # the editor expands it
printf '#!/bin/sh\nsed "s/^/given: /" "$1"\nsed -i s/blokIdx/blockIdx/ "$1"\n' >"$editor"
chmod +x "$editor"

columns=80
# What the program said fits: no row is full, and so none was broken. (What is
# typed here leaves room, too.)
fits() {
  # One byte a character, for an awk that counts bytes.
  tmux capture-pane -p -t main -S - | LC_ALL=C sed 's/[\x80-\xbf]//g' | awk -v w="$columns" '
    length($0) >= w {bad = 1; print "# at the edge: " $0} END {exit bad}'
}

# first_row REGEX: until that is the screen's first row, whole. What was typed
# before it, while another command was still running, stood lower down.
first_row() {
  local end=$((SECONDS + limit))
  until tmux capture-pane -p -t main | head -n 1 | grep -qxE -- "$1"; do
    [ "$SECONDS" -gt "$end" ] && {
      echo "# not on the first row: $1"
      screen | grep -v '^$' | tail -n 24 | sed 's/^/#   /'
      return 1
    }
    nap
  done
}

# fresh: an empty screen, and nothing above it, so that what follows is new.
fresh() {
  keys ':clear'
  tmux send-keys -t main -l 'nil --mark'
  first_row '.*> nil --mark' || return 1
  tmux clear-history -t main
  tmux send-keys -t main C-u
}

# suggested REGEX: what the program suggests, as it stands on the screen, its
# lines joined where it broke them.
suggested() {
  screen | tr '\n' ' ' | tr -s ' ' | grep -oE -- "$1" | tail -n 1
}

# accept REGEX ANSWER: the suggestion is typed, and does what it promises.
accept() {
  local line
  line=$(suggested "$1")
  [ -n "$line" ] || {
    echo "# nothing is suggested like $1"
    screen | grep -v '^$' | tail -n 12 | sed 's/^/#   /'
    return 1
  }
  keys "$line"
  wait_for "$2"
}

# ---- The first two pages: read, answered, typed ----

first_page() {
  wait_for '-- more --' || return 1
  tmux send-keys -t main -l host # where a key goes on: it is kept
  wait_for 'your answer (a number; Enter to pass): host' || return 1
  tmux send-keys -t main C-u
  keys 'the host' # in words, where a number is asked
  wait_for 'A number from 1 to 2' || return 1
  choose 'the host'
  wait_for 'Right.' || return 1
  prompt="1.1 $device>"
  wait_for_prompt 1 || return 1
  keys ''
  wait_for 'Type 6 * 7' || return 1
  keys '6 * 7'
  wait_for_line 42 && wait_for 'That ran on the host.' && fits
}

second_page() {
  keys ''
  wait_for '-- more --' || return 1
  tmux send-keys -t main Space
  wait_for 'your guess' || return 1
  keys 100
  wait_for 'It is less. Two more tries.' || return 1
  keys 0
  wait_for 'as you said' && wait_for '-- more --' || return 1
  tmux send-keys -t main Space
  prompt="1.2 $device>"
  wait_for_prompt 1 || return 1
  keys 'mine = to_device(ones(5))'
  wait_for 'nil value' || return 1
  keys 'mine = cuda.to_device(np.ones(5))'
  wait_for 'mine lives on the device now' || return 1
  accept 'mine:copy_to_host\(\)' 'array([1, 1, 1, 1, 1]' && fits
}

# ---- Habits of Python ----

python() {
  fresh || return 1
  keys 'import numpy as np'
  wait_for 'Nothing to import here' || return 1
  keys 'for i in range(3):'
  wait_for 'This is Python. In Lua:' || return 1
  local line
  line=$(suggested 'for i = 0, 2 do \.\.\. end')
  keys "${line/.../print(\"i is \" .. i)}"
  wait_for_line 'i is 2' || return 1
  keys 'x = np.aranje(100)'
  wait_for 'did you mean np.arange?' || return 1
  keys 'x = np.arange(100)'
  keys 'what do I type now?'
  wait_for 'This prompt runs lines of Lua' || return 1
  keys 'next'
  wait_for 'The next page is :next.' || return 1
  keys 'print(f"n = {x[3]}")'
  wait_for 'Lua has no f-strings' || return 1
  accept 'print\(\("n = %s"\):format\(x\[3\]\)\)' 'n = 3' || return 1
  keys 'x[1:3]'
  wait_for 'An index with ":" is a text' || return 1
  accept 'x\["1:3"\]' 'array([1, 2]' || return 1
  keys 'for v in x: s = v'
  wait_for 'for i = 0, #x - 1 do' || return 1
  accept 'for i = 0, #x - 1 do local v = x\[i\] s = v end' "$prompt" || return 1
  keys '"s is " .. s'
  wait_for 's is 99' || return 1
  keys 'len(x)'
  wait_for '#x is the length' || return 1
  accept '#x' 100 || return 1
  keys ':nxet'
  wait_for 'did you mean :next?' && fits
}

# ---- Questions ----

asks() {
  fresh || return 1
  keys '?cuda.kernal'
  wait_for 'Did you mean cuda.kernel?' || return 1
  keys '?threadIdx'
  wait_for 'position in its block' || return 1
  keys 'np.sum?'
  wait_for 'pairwise for floats' || return 1
  keys '?zzz'
  wait_for 'Nothing is known about "zzz"' || return 1
  keys ':help'
  wait_for ':check [EXERCISE]' || return 1
  keys 'ls'
  wait_for 'README.md' && fits
}

# ---- A kernel, after a typo and a missing semicolon ----

typo() {
  fresh || return 1
  keys '__global__ void half(float *v, int n) {'
  keys '  int i = blokIdx.x * 32 + threadIdx.x;'
  keys '  if (i < n) v[i] /= 2;'
  keys '}'
  wait_for 'did you mean blockIdx?' || return 1
  fits || return 1
  keys ':edit' # which has what was typed, and mends it
  wait_for 'given:   int i = blokIdx.x' || return 1
  wait_for 'half: '
}

semicolon() {
  fresh || return 1
  keys '__global__ void twice(float *v, int n) {'
  keys '  int i = blockIdx.x * 32 + threadIdx.x'
  keys '  if (i < n) v[i] *= 2;'
  keys '}'
  wait_for 'this line lacks its ;' || return 1
  keys '__global__ void twice(float *v, int n) {'
  keys '  int i = blockIdx.x * 32 + threadIdx.x;'
  keys '  if (i < n) v[i] *= 2;'
  keys '}'
  wait_for 'twice: ' && fits
}

# ---- Launches that are wrong ----

launches() {
  fresh || return 1
  keys 'half<<<4, 32>>>(x, 100)'
  wait_for 'half[{4, 32}](x, 100)' || return 1
  keys 'half[{4, 32}](x, 100)' # whole numbers, where it takes float
  wait_for 'keep what astype makes' || return 1
  accept 'x = x:astype\("f32"\)' "$prompt" || return 1
  keys 'half(x, 100)'
  wait_for 'half needs a grid' || return 1
  accept 'half\[\{1, 128\}\]\(x, 100\)' '1 block x 128 threads' || return 1
  keys '"the last is " .. x[99]'
  wait_for 'the last is 49.5' && fits
}

out_of_bounds() {
  fresh || return 1
  keys 'half[{4, 32}](x, 128)'
  wait_for 'out of bounds: v[100]' || return 1
  keys '"still " .. #x'
  wait_for 'still 100' && fits
}

race() {
  fresh || return 1
  keys '__global__ void flip(float *v) {'
  keys '  v[threadIdx.x] = v[99 - threadIdx.x];'
  keys '}'
  wait_for 'flip: ' || return 1
  keys 'flip[{1, 100}](x)'
  wait_for 'race on v[' || return 1
  wait_for 'reads, nothing in between' && wait_for 'Two threads use the same cell' && fits
}

# ---- Given up, stopped, put aside ----

given_up() {
  fresh || return 1
  keys '__global__ void late(float *v) {'
  keys '  v[0] = 5;'
  tmux send-keys -t main -l '  v[1] ='
  wait_for 'v[1] =' || return 1 # a terminal drops what nobody has read yet
  tmux send-keys -t main C-c
  wait_for 'given up' || return 1
  accept ':edit' 'given:   v[0] = 5;' && wait_for 'given:   v[1] =' && fits
}

stopped() {
  fresh || return 1
  keys '__global__ void spin(volatile int *a) {'
  keys '  while (a[0] == 0) ;'
  keys '}'
  wait_for 'spin: ' || return 1
  keys 'kept = 7; a = np.zeros(1, "i32")'
  keys 'print("it " .. "spins"); spin[{1, 1}](a)'
  wait_for 'it spins' || return 1
  sleep 0.3 # the kernel runs; it shows nothing to wait for
  tmux send-keys -t main C-c
  keys '"then " .. kept * 6'
  wait_for 'then 42' && fits
}

# A CUDA engineer: a launch's order, counts, lines of the source.
counted() {
  fresh || return 1
  keys 'st = cuda.stream()'
  keys 'half[{4, 32, 0, st}](x, 100)'
  wait_for 'the stream stands before the bytes' || return 1
  keys 'half[{4, 32, st, 0}](x, 100)'
  wait_for '4 blocks x 32 threads' || return 1
  keys ':prof'
  wait_for 'did you mean :counters' || return 1
  accept ':counters' 'global loads' || return 1
  keys '__global__ void one_long_name(float *first, float *second, int number) {'
  keys '  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < number) first[i]++;'
  keys '}'
  wait_for 'one_long_name: ' || return 1
  keys 'one_long_name[{4, 32}](x, x:copy(), 100)'
  wait_for '4 blocks x 32 threads' || return 1
  fresh || return 1
  keys ':lines'
  wait_for_line_like ' +1 +[0-9]+ +32\.0 {6,}__global__ void one_long' || return 1
  keys 'cudaGetLastError()'
  wait_for 'raised by itself' && fits
}

timed() {
  fresh || return 1
  keys ':time'
  wait_for 'usage: :time' || return 1
  keys ':time half[{4, 32}](x, 100)'
  # On a busy machine it may be too noisy to say, and then it must say so.
  wait_for_any ' · kernel ' 'too noisy to say' && fits
}

# ---- An exercise: wrong, then right ----

judged() {
  fresh || return 1
  keys ':check'
  wait_for 'No exercise is open' || return 1
  keys '__global__ void add(const float *x,'
  keys '    const float *y, float *out, int n) {'
  keys '  int i = threadIdx.x;'
  keys '  if (i < n) out[i] = x[i] + y[i];'
  keys '}'
  wait_for 'add: ' || return 1
  accept ':check vector-add' 'fail' || return 1
  keys ':hint'
  wait_for '(1 of ' || return 1
  fits || return 1
  fresh || return 1
  keys '__global__ void add(const float *x,'
  keys '    const float *y, float *out, int n) {'
  keys '  int i = blockIdx.x * blockDim.x + threadIdx.x;'
  keys '  if (i < n) out[i] = x[i] + y[i];'
  keys '}'
  keys ':check'
  wait_for 'pass: all' && fits
}

# ---- Other widths, fg ----

# resize_to COLUMNS: until the program's own terminal has that size.
resize_to() {
  local end=$((SECONDS + limit)) tty
  tty=$(tmux display -p -t main '#{pane_tty}')
  tmux resize-window -t main -x "$1" -y 24
  until [ "$(stty size <"$tty")" = "24 $1" ]; do
    [ "$SECONDS" -gt "$end" ] && return 1
    nap
  done
}

widths() {
  for columns in 60 120; do
    fresh || return 1
    resize_to $columns || return 1
    keys '40 + 2' # the next prompt is of this width
    wait_for_line 42 || return 1
    keys '__global__ void odd(float *v) {'
    keys '  v[threadIdx.x] = v[99 - threadIdx.x] + 1;'
    keys '}'
    keys 'odd[{1, 100}](x)'
    wait_for 'reads, nothing in between' || return 1
    keys '?warp'
    wait_for '32 threads' || return 1
    keys '?vmap'
    wait_for 'false}})' || return 1
    [ "$columns" = 60 ] || wait_for 'argument; false: the same' || return 1
    keys ':lesson'
    wait_for 'you are on page 2' || return 1
    keys 'np.sume(x)'
    wait_for 'did you mean np.sum?' || return 1
    keys ':sass nothing'
    wait_for 'There is no kernel "nothing" (:who lists yours).' || return 1
    fits || return 1
  done
  columns=80
  fresh || return 1
  resize_to 80 || return 1
  keys ':back'
  wait_for '-- more --' || return 1
  tmux send-keys -t main q
  wait_for 'The rest of the page ran unseen' || return 1 # or the keys come before it
  prompt="1.1 $device>"
  keys '"here " .. "again"'
  wait_for 'here again' && fits
}

put_aside() {
  fresh || return 1
  tmux send-keys -t main -l '"forty " .. '
  wait_for '"forty " ..' || return 1
  tmux send-keys -t main C-z
  wait_for 'Stopped' || return 1
  keys fg
  wait_for_prompt 2 || return 1
  tmux send-keys -t main -l '"two"'
  tmux send-keys -t main Enter
  wait_for 'forty two'
}

# ---- The next day ----

comes_back() {
  keys '__global__ void open(float *v) { v[0] = blokIdx.x; }'
  wait_for 'did you mean blockIdx?' || return 1
  fresh || return 1
  keys ':next'
  wait_for '-- more --' || return 1 # or the key comes before it is asked for
  tmux send-keys -t main q
  prompt="1.2 $device>"
  keys ':quit'
  wait_for 'shell$' || return 1
  tmux clear-history -t main
  keys 'clear'
  keys "$program learn --prompt"
  wait_for 'page 2 of' && wait_for '-- more --' || return 1
  tmux send-keys -t main q
  keys ':edit open' # what did not compile yesterday
  wait_for 'given: __global__ void open' || return 1
  wait_for 'open: ' || return 1
  tmux send-keys -t main Up
  tmux send-keys -t main Up
  wait_for "$prompt :quit" || return 1
  tmux send-keys -t main C-u
  keys ':lesson'
  wait_for 'vector-add       done'
}

# ---- An instructor, in the shell ----

# Wrong commands, options and codes: what is suggested works.
instructor() {
  fresh || return 1
  keys ':quit'
  wait_for 'shell$' || return 1
  sed 's/i < n/i <= n/' exercises/vector-add/solution.cu >"$scratch/anna.cu"
  keys "warpshop() { $program \"\$@\"; }; S=$scratch; clear"
  wait_for 'shell$' || return 1
  tmux clear-history -t main
  keys 'warpshop gradee vector-add $S/anna.cu'
  wait_for 'did you mean grade?' || return 1
  keys 'warpshop grade vector-ad $S/anna.cu'
  wait_for 'did you mean vector-add?' || return 1
  keys 'warpshop grade vector-add $S/anna.cu'
  wait_for 'anna.cu  fail' || return 1
  keys 'warpshop grade vector-add --jsn $S/anna.cu'
  wait_for 'did you mean --json?' || return 1
  keys "warpshop grade vector-add --json \$S/anna.cu | grep -q oob- && echo has''code"
  wait_for 'hascode' || return 1
  keys 'warpshop grade vector-add --junit $S/class.xml $S/anna.cu exercises/vector-add/solution.cu'
  wait_for '2 submissions' || return 1
  grep -q '<testcase' "$scratch/class.xml" || return 1
  keys 'warpshop explain oob-wriet'
  wait_for 'did you mean oob-write?' || return 1
  keys 'warpshop explain oob-write'
  wait_for 'A thread wrote to a place' || return 1
  keys 'warpshop lesson show 99'
  wait_for 'there is no lesson 99'
}

# In a shell, for Ctrl-Z.
real=$program
program=/bin/bash
start --norc --noprofile
program=$real
keys "PS1='shell$ '; clear"
first_row 'shell\$'
keys "$program learn --prompt 1"
for step in first_page second_page python asks typo semicolon launches out_of_bounds \
  race given_up stopped counted timed judged widths put_aside comes_back instructor; do
  number=$((number + 1))
  if "$step"; then
    echo "ok $number - $step"
  else
    echo "not ok $number - $step"
    echo "Bail out! the steps after it rest on it"
    exit 1
  fi
done
echo "1..$number"
