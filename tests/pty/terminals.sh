#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each screen in each kind of terminal: the same text in 8, 16, 256 and true colour, in
# none, and inside tmux; in windows smaller than any screen; and vi's keys at the prompt
# behind it. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/keys_hands.sh
. tests/pty/screens.sh

# What stands there, but for what a clock says.
picture() { tmux capture-pane -p -t main | sed -E 's/[0-9]+ (s|min|h)( |$)/N \1\2/g; s/ +$//'; }
is_picture() { cat >/dev/null && [ "$(picture)" = "$1" ]; }
wait_for_picture() {
  wait_until 'another picture' is_picture "$1" && return
  diff <(echo "$1") <(picture) | sed 's/^/#   /'
  return 1
}
has_colours() { # REGEX of a colour's code
  cat >/dev/null
  tmux capture-pane -p -e -t main | grep -oE $'\e\\[[0-9;]*m' | grep -qE "(\\[|;)($1)(;|m)"
}
lacks_colours() { ! has_colours "$1"; }
any='3[0-7]|38|4[0-7]|48|9[0-7]|10[0-7]'

# ---- Colours ----

# One of 16 colours, and one whose terminfo says RGB.
printf '%s\n' 'warpshop-16|test,' '	colors#16, pairs#256,' \
  '	setaf=\E[%?%p1%{8}%<%t3%p1%d%e9%p1%{8}%-%d%;m, use=screen,' 'warpshop-rgb|test,' '	colors#0x1000000, pairs#0x7FFFF, RGB,' \
  '	setaf=\E[38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm, use=screen,' >"$scratch/own.ti"
tic -x -o "$scratch/terminfo" "$scratch/own.ti" 2>/dev/null
database="TERMINFO_DIRS=$scratch/terminfo:"

# coloured STATE: something on it has a colour where there are any.
coloured_contents() { no_key_stays z; }
coloured_reading() { no_key_stays z; }
coloured_task() { no_key_stays z; }
coloured_stepping() { press m && see 'this kernel has no shared variables'; }
coloured_map() { no_key_stays z; }
coloured_desk() { no_key_stays z; }
coloured_top() { press r && see 'use 12 %'; }
no_key_stays() { press "$1" && see 'This key does nothing here'; }

# It is drawn last.
has_last_row() { cat >/dev/null && tmux capture-pane -p -t main | tail -n 1 | grep -q '[a-z]'; }

in_every_colour() { # STATE
  local how codes first=''
  while read -r how codes; do
    given="$how $database" prompt="$device>"
    "enter_$1" && "coloured_$1" || { echo "# $how" && return 1; }
    wait_until 'no last row' has_last_row || { echo "# $how" && return 1; }
    [ -n "$first" ] || first=$(picture)
    wait_for_picture "$first" || { echo "# $how" && return 1; }
    case $codes in
    none) wait_until "colour, with $how" lacks_colours "$any" || return 1 ;;
    *) wait_until "no such colour, with $how" has_colours "$codes" || return 1 ;;
    esac
  done <<TABLE
TERM=screen 3[0-7]
TERM=warpshop-16 3[0-7]|9[0-7]
TERM=tmux-256color 38;5;[0-9]+
TERM=warpshop-rgb 38;2;[0-9;]+
NO_COLOR=1 none
TERM=vt220 none
TABLE
}

# ---- Windows that are too small ----

in_small_windows() { # STATE KEY-THAT-DOES-NOTHING
  local size before
  given='' prompt="$device>"
  "enter_$1" || return 1
  wait_until 'no last row' has_last_row || return 1
  before=$(picture)
  for size in '40 10' '1 1' '20 5' '59 16' '60 15' '200 4'; do
    # shellcheck disable=SC2086 # two numbers
    resize $size || return 1
    case $size in [1456]*\ 1[0-6]) see "This window has ${size/ / x }." && see 'Ctrl-D.' || return 1 ;; esac
  done
  resize 80 24 && wait_for_picture "$before" && resize 40 10 && see 'Ctrl-D.' && press C-d || return 1
  case $1 in
  stepping | map) at_prompt ;;
  *) line 'left 0, as it was' ;;
  esac
}

# ---- vi's keys at the prompt, and screens over it ----

vi_at_the_prompt() {
  printf '%s\n' 'set editing-mode vi' 'set keyseq-timeout 50' >"$own_folder/vi"
  given="INPUTRC=$own_folder/vi" prompt="$device>"
  enter_contents && press : && prompts 1 && type '"xbc"' && see '"xbc"' && press Escape && press 0 l r a && press Enter && line '"abc"' || return 1
  press Enter && see 'Enter open' && press : && prompts 2 && type "i" && press Escape && press x && type 'i6 * 7' && press Enter && line 42 || return 1
  type ':quit' && press Enter && line 'left 0, as it was' || return 1
  enter_map && press q && prompts 5 && type '7 * 6' && press Escape && press 0 && type 'i2 * ' && press Enter && line 84 &&
    type ':debug walk[{1, 40}](np.full(40, 1, "f32"))' && press Enter && see 'q quit' && press -l ':print 3' && press Left && press 1 && press Enter &&
    see '13 = 13' && press q && see 'given up' && at_prompt
}
map_in_a_dumb_terminal() {
  given='TERM=dumb' prompt="$device>" own_mark=''
  with_kernels && type 'x = np.ones({32, 32}, "f32"); y = x + 0' && press Enter && prompts 3 &&
    type 'turn[{1, 1024}](x, y)' && press Enter && see '1 block x 1024 threads' && prompts 4 && type ':map' && press Enter &&
    see '2 of 2 · line 8 writes' && at_prompt
}

for case in contents reading task stepping map desk top; do
  [ $case != desk ] || can_make_room || continue
  eval "colours_$case() { in_every_colour $case; }; small_$case() { in_small_windows $case; }"
  run_case colours_$case
  run_case small_$case
done
for case in vi_at_the_prompt map_in_a_dumb_terminal; do run_case $case; done
echo "1..$number"
