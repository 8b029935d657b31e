#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# warpshop top on a screen, over a library with NVML's names and a folder that stands
# for /proc: each picture compared as text, at each size, and the terminal as it was
# found whatever ends the program. Looks are asked for by a key, never awaited by the
# clock. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/fixtures/fake_proc.sh
own_folder=$(mktemp -d) || exit 2
make_proc "$own_folder/proc"
mkdir -m 700 "$own_folder/run"
export WARPSHOP_PROC=$own_folder/proc XDG_RUNTIME_DIR=$own_folder/run
export WARPSHOP_NVML=$PWD/${BUILD:-build}/tests/unit/fake_nvml_top.so
unset WARPSHOP_PLAIN
. tests/pty/lib.sh
. tests/pty/pages.sh
pictures=tests/fixtures/top
trap 'rm -rf "$own_folder"; finish' EXIT
own=$(id -un)

# What stands on the terminal, without its past; who runs the tests is in one column.
page() {
  tmux capture-pane -p -t main | sed -E "s/$(printf '%-10s' "$own") +12 /root               12 /"
}
# Of text alone, what has scrolled away counts, too.
past=''
screen() { tmux capture-pane -p -t main -S "${past:-0}"; }

# top ARGUMENT...: no look but those that are asked for.
top() { start top --interval 3600 "$@"; }
# The first look shows a use of 87 %, then it is 12, 55, ...
three_looks() {
  wait_for 'use 87 %' || return 1
  press r
  wait_for 'use 12 %' || return 1
  press r
  wait_for 'use 55 %'
}
has_ended() { [ "$(tmux display -p -t main '#{pane_dead}')" = 1 ]; }

picture() { # COLUMNS ROWS
  columns=$1 rows=$2
  top
  three_looks && wait_for_page "$1x$2.txt"
}
picture_80x24() { picture 80 24; }
picture_60x16() { picture 60 16; }
picture_120x40() { picture 120 40; }
picture_200x50() { picture 200 50; }

resized_midway() {
  columns=120 rows=40
  top
  wait_for 'use 87 %' || return 1
  tmux resize-window -t main -x 60 -y 16
  press r
  wait_for 'use 12 %' || return 1
  tmux resize-window -t main -x 80 -y 24
  press r
  wait_for_page 80x24.txt
}

too_small_says_so() {
  columns=50 rows=10
  top
  wait_for 'This window has 50 x 10.' && wait_for 'Ctrl-D' || return 1
  tmux resize-window -t main -x 80 -y 24
  wait_for 'GPU 0' && press q && wait_for_end 0
}

sixteen_gpus() {
  columns=60 rows=16
  program=/usr/bin/env start FAKE_NVML_GPUS=16 "$program" top --interval 3600
  wait_for 'GPU 0  use 87 %' && wait_for 'more: --gpu chooses some' && wait_for 'PID'
}

keys_are_shown_and_do_what_they_say() {
  top
  three_looks || return 1
  press '?'
  wait_for_page help.txt || return 1
  press x
  wait_for_page 80x24.txt || return 1
  press s
  wait_for 'sorted by use' || return 1
  press S
  wait_for 'sorted by gpu' || return 1
  press p
  wait_for paused || return 1
  press Space
  wait_for 'every 3600 s' || return 1
  press -
  wait_for 'every 3600 s' && press + && wait_for 'every 1800 s' || return 1
  press q
  wait_for_end 0
}

# All at once, as a hand on a slow line does: none is lost.
no_key_is_lost() {
  top
  wait_for 'use 87 %' || return 1
  press -l 'sss/jacobi'
  wait_for 'sorted by power · filter: jacobi' || return 1
  press BSpace BSpace BSpace BSpace BSpace BSpace
  press -l 'größe'
  wait_for 'filter: größe' && wait_for '4002' && wait_until_gone '4001' || return 1
  press Enter
  press -l 's'
  wait_for 'sorted by temperature · filter: größe' || return 1
  press Escape
  wait_for_line_like 'sorted by temperature$' && wait_for '4001'
}

# Keys inside of pasted text do nothing but stand in the filter.
pasted_text_is_text() {
  top
  wait_for 'use 87 %' || return 1
  tmux set-buffer 'q?p' \; paste-buffer -p -t main
  press /
  tmux set-buffer 'root' \; paste-buffer -p -t main
  wait_for 'filter: root'
}

the_list_moves() {
  columns=60 rows=16
  top
  wait_for 'more below' || return 1
  press End
  wait_for 'virtual:0' && wait_until_gone 'more below' || return 1
  press Home
  wait_for 'more below' || return 1
  press Down Down Down
  wait_for 'virtual:0  5001'
}

no_driver() {
  program=/usr/bin/env start WARPSHOP_NVML=/no/such.so "$program" top --interval 3600
  wait_for 'no GPU of NVIDIA' && wait_for 'virtual:0   5001' && press q && wait_for_end 0
}

no_driver_60x16() {
  columns=60 rows=16
  program=/usr/bin/env start WARPSHOP_NVML=/no/such.so "$program" top --interval 3600
  wait_for 'virtual:0  5001' && wait_until 'the reason is cut in a word' grep -q '^ *directory$' && press q && wait_for_end 0
}

# A driver that hangs holds no key up, and it is said.
hanging_driver() {
  program=/usr/bin/env start FAKE_NVML_HANGS=1 "$program" top --interval 0.2
  wait_for 'no answer from NVML for' || return 1
  press s
  wait_for 'sorted by use' && press q && wait_for_end 0
}

# ---- Colour, and none ----


has_code() { tmux capture-pane -p -e -t main | grep -qF $'\e['"$1m"; }
colours_follow_the_terminal() {
  local term
  # One whose terminfo says RGB.
  printf '%s\n' 'warpshop-rgb|test,' '	colors#0x1000000, pairs#0x7FFFF, RGB,' \
    '	setaf=\E[38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm, use=screen,' >"$scratch/rgb.ti"
  tic -x -o "$scratch/terminfo" "$scratch/rgb.ti" 2>/dev/null || return 1
  for term in screen tmux-256color warpshop-rgb; do
    program=/usr/bin/env start TERM=$term TERMINFO_DIRS="$scratch/terminfo:" "$program" top --interval 3600
    wait_for 'use 87 %' && press r && wait_for 'use 12 %' && wait_until 'no colour' has_colour || return 1
    case $term in
    screen) wait_until 'not of 8' has_code '36' ;;
    tmux-256color) wait_until 'not of 256' has_code '38;5;74' ;;
    warpshop-rgb) wait_until 'not true' has_code '38;2;95;175;215' ;;
    esac || return 1
  done
}
no_colour() {
  local how
  for how in NO_COLOR=1 TERM=vt220; do
    program=/usr/bin/env start "$how" "$program" top --interval 3600
    wait_for 'use 87 %' && press r && wait_for 'use 12 %' || return 1
    has_colour && return 1
  done
  return 0
}

# ---- Text alone ----

text_alone() {
  local how
  past=-200
  for how in TERM=dumb WARPSHOP_PLAIN=1 TERM=; do
    program=/usr/bin/env start "$how" "$program" top --interval 0.1 --count 2
    wait_for 'virtual:0   5001' && wait_for_end 0 || return 1
    [ "$(tmux display -p -t main '#{alternate_on}')" = 0 ] || return 1
  done
  start top --plain --interval 3600
  wait_for 'look 1, at' && press C-c && wait_for_end signal
}

unknown_terminals_get_text() {
  past=-200
  program=/usr/bin/env start TERM=nobody-has-this "$program" top --count 1
  wait_for 'nothing is known of a terminal' && wait_for 'virtual:0   5001' && wait_for_end 0
}

# ---- The terminal as it was found ----

# In a shell, whose screen has something on it.
run_top() {
  keys "$program top --interval 3600"
  wait_for 'use 87 %' && [ "$(tmux display -p -t main '#{alternate_on}')" = 1 ]
}
top_pid() { pgrep -P "$(tmux display -p -t main '#{pane_pid}')" -f 'warpshop top'; }
wait_until_as_found() {
  wait_until 'the terminal is not as it was found' is_as_found && wait_for 'what was there' || return 1
  modes_are_as_before
}

left_as_found() {
  in_a_shell && run_top && press q && wait_until_as_found && ! compgen -G "$own_folder/run/warpshop/screen-*"
}
signals_leave_it_as_found() {
  local name
  in_a_shell || return 1
  for name in TERM INT HUP QUIT SEGV ABRT BUS FPE USR1 ALRM RTMIN; do
    run_top && kill -s $name "$(top_pid)" && wait_until_as_found || {
      echo "# after SIG$name"
      return 1
    }
    keys clear
    keys 'echo "what was"" there"'
    wait_for 'what was there' || return 1
  done
}
killed_and_put_right_by_the_next() {
  in_a_shell && run_top && kill -9 "$(top_pid)" && wait_for Killed || return 1
  [ "$(tmux display -p -t main '#{alternate_on}')" = 1 ] || return 1
  keys "$program version"
  wait_until_as_found && ! compgen -G "$own_folder/run/warpshop/screen-*"
}
comes_back_from_the_background() {
  in_a_shell && run_top && press C-z && wait_for Stopped && wait_until_as_found || return 1
  keys fg
  wait_for 'use 87 %' && press r && wait_for 'use 12 %' || return 1
  kill -s STOP "$(top_pid)" && wait_for Stopped || return 1
  keys fg
  press r
  wait_for 'use 55 %' && press q && wait_until_as_found
}

for case in picture_80x24 picture_60x16 picture_120x40 picture_200x50 resized_midway \
  too_small_says_so sixteen_gpus keys_are_shown_and_do_what_they_say no_key_is_lost pasted_text_is_text \
  the_list_moves no_driver no_driver_60x16 hanging_driver colours_follow_the_terminal no_colour text_alone \
  unknown_terminals_get_text left_as_found signals_leave_it_as_found \
  killed_and_put_right_by_the_next comes_back_from_the_background; do
  past=''
  run_case "$case"
done
echo "1..$number"
