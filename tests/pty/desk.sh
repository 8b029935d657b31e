#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# class watch on a screen: a room of four learners, each picture compared as text at
# each size, and what the keys do to the room. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs
# one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
own_folder=$(mktemp -d) || exit 2
chmod 755 "$own_folder"
unset WARPSHOP_PLAIN
export WARPSHOP_NVML=$PWD/${BUILD:-build}/tests/unit/fake_nvml_top.so FAKE_NVML_GPUS=1
export WARPSHOP_TURNSTILE=$own_folder/queue WARPSHOP_SHARED_VIRTUAL=GPU-T XDG_RUNTIME_DIR=$own_folder
. tests/pty/lib.sh
. tests/pty/pages.sh
pictures=tests/fixtures/desk
trap 'rm -rf "$own_folder"; finish' EXIT

. tests/fixtures/desk_room.sh
can_make_room || {
  echo "ok 1 # SKIP this needs root, setpriv and a tree that others may read"
  echo 1..1
  exit 0
}

# Seconds that pass are not compared.
page() { tmux capture-pane -p -t main | sed -E "s/[0-9]+ (s|min)\$/0 s/"; }
past=''
screen() { tmux capture-pane -p -t main -S "${past:-0}"; }
desk() {
  make_room && start class watch "$room" "$@" && wait_for '/ find'
}

# ---- Pictures ----

picture() { # COLUMNS ROWS
  columns=$1 rows=$2
  desk && wait_for 'GPU 0 NVIDIA H200' && wait_for_page "$1x$2.txt"
}
picture_60x16() { picture 60 16; }
picture_80x24() { picture 80 24; }
picture_120x40() { picture 120 40; }
picture_200x50() { picture 200 50; }
resized_midway() {
  columns=120 rows=40
  desk && wait_for 'GPU 0 NVIDIA H200' || return 1
  tmux resize-window -t main -x 60 -y 16
  wait_for_page 60x16.txt || return 1
  tmux resize-window -t main -x 80 -y 24
  wait_for_page 80x24.txt
}
keys_are_listed() {
  desk && press '?' && wait_for_page help.txt && press x && wait_for_page 80x24.txt
}
no_driver() {
  make_room && program=/usr/bin/env start WARPSHOP_NVML=/no/such.so "$program" class watch "$room"
  wait_for '64001' && lacks 'GPU 0' && press q && wait_for_end 0
}
without_colour() {
  make_room && program=/usr/bin/env start NO_COLOR=1 "$program" class watch "$room"
  wait_for '! 64001' && ! tmux capture-pane -p -e -t main | grep -qE $'\e\\[([0-9;]*;)?(3[0-8]|4[0-8])[;m]'
}

# ---- Who is selected ----

# Another gets stuck and moves up: the selection goes with the learner.
selection_stays_with_the_learner() {
  desk && press Down Down && wait_for '64003: 1 passed' || return 1
  python3 tests/fixtures/class_events.py "$(folder_of 64003)" <<END
1e-7 fail block-sum - race
1e-7 fail block-sum - race
1e-7 fail block-sum - race
END
  wait_for_line_like '! 64003' && wait_for '3 stuck' && wait_for '64003: 1 passed' && wait_for 'block-sum: 3 began, 1 passed' &&
    wait_for 'race 6' || return 1
  press Home && wait_for '64001: 0 passed' && press End && wait_for '64004: 0 passed' && press k && wait_for '64003: 1 passed'
}
finding() {
  desk || return 1
  press / && press -l 'guard' && wait_for 'find: guard' && press Enter && wait_for '64002: 0 passed' || return 1
  press / && press -l 'zebra' && press Enter && wait_for 'nobody has "zebra"' && wait_for '64002: 0 passed' || return 1
  press / && press -l 'LOCAL' && press Escape && wait_until_gone 'find:' && wait_for '64002: 0 passed'
}
a_program_at_the_gpu() {
  mkdir -m 1777 "$WARPSHOP_TURNSTILE" && mkfifo -m 644 "$own_folder/in" && make_room || return 1
  exec 7<>"$own_folder/in"
  WARPSHOP_DEVICE=virtual:0 as 64001 "$program" repl <"$own_folder/in" >"$own_folder/held" 2>&1 7>&- &
  echo 'x = cuda.to_device(np.ones(1048576, "f32")) cuda.synchronize() print("it holds")' >&7
  start class watch "$room"
  wait_for 'GPU GPU-T-0 · 0 running, 0 wait' && wait_for 'has no turn of a GPU, 4 MB of its'
  local code=$?
  exec 7>&-
  wait
  rm -rf "$WARPSHOP_TURNSTILE"
  return $code
}

# ---- What keys do ----

a_hand_in_is_read() {
  desk && press Enter && wait_for 'block-sum-0001.cu' && wait_for 'read only' &&
    wait_for '   2    x[0] = 1; // ?[31mred' && press q && wait_for '64001: 0 passed' || return 1
  press Down && press Enter && wait_for '64002 has handed nothing in yet.'
}
a_hint_is_sent() {
  desk && press h && press -l 'look at the barr1' && press BSpace && press -l 'ier, größer' &&
    wait_for 'hint to 64001: look at the barrier, größer' && press Enter &&
    wait_for 'Told to 64001 alone, before the next line at the prompt.' || return 1
  as 64001 "$program" class marks </dev/null 2>&1 | grep -q 'look at the barrier, größer' || return 1
  press h && press -l 'not this' && press Escape && wait_until_gone 'hint to' || return 1
  ! as 64001 "$program" class marks </dev/null 2>&1 | grep -q 'not this'
}
names_are_hidden() {
  desk && press n && wait_for 'learner 1' && wait_for 'learner 1: 0 passed' && wait_until_gone 6400 && wait_for '? learner 2' || return 1
  press Enter && wait_for 'read only' && wait_until_gone 6400 && press q && press n && wait_for '64001: 0 passed'
}
pausing() {
  desk && press p && wait_for 'ranked lane paused' && [ -e "$room/return/pause" ] || return 1
  press p && wait_for 'Ranked turns go on.' && wait_until_gone 'lane paused' && [ ! -e "$room/return/pause" ]
}
# Another's pause is seen, too.
another_pauses() {
  desk && "$program" class pause "$room" >/dev/null && wait_for 'ranked lane paused'
}
exporting() {
  local file
  desk && press e && wait_for_line_like 'written: class-gpu-101-.*\.json *$' || return 1
  file=$(screen | sed -n 's/^written: //p')
  [ "$(stat -c %a "$file")" = 600 ] && python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
assert o["schema"] == "warpshop.class/1" and [l["learner"] for l in o["learners"]][0] == "64001", o' "$file"
  local code=$?
  rm -f "$file"
  return $code
}
a_room_that_goes_is_said() {
  desk && rm -rf "$room" && wait_for 'gpu-101' && press q && wait_for_end 0
}

# ---- Text ----

# A place with a wide dot in it pushes nothing to the side.
columns_stand() {
  make_room || return 1
  "$program" class watch "$room" </dev/null | python3 -c '
import re, sys
ends = [re.search(r"\d+ (s|min|h)  ", l).end() for l in sys.stdin if re.match(r"[! ] 6400\d .*\d (s|min|h) ", l)]
sys.exit(len(ends) < 3 or len(set(ends)) > 1)'
}
text_alone() {
  local how
  past=-200
  make_room || return 1
  for how in TERM=dumb WARPSHOP_PLAIN=1; do
    program=/usr/bin/env start "$how" "$program" class watch "$room"
    wait_for 'q and Enter, or Ctrl-C, ends this.' && [ "$(tmux display -p -t main '#{alternate_on}')" = 0 ] || return 1
    keys_now ''
    wait_for_lines 2 'q and Enter, or Ctrl-C, ends this.' && keys_now q && wait_for_end 0 || return 1
  done
  start class watch "$room" --plain
  wait_for 'gpu-101 · 3 here · 2 stuck' && wait_for 'q and Enter' && press C-c && wait_for_end signal || return 1
  [ "$("$program" class watch "$room" </dev/null | grep -c 'gpu-101 · 3 here')" = 1 ]
}

for case in picture_60x16 picture_80x24 picture_120x40 picture_200x50 resized_midway keys_are_listed no_driver without_colour \
  selection_stays_with_the_learner finding a_program_at_the_gpu a_hand_in_is_read a_hint_is_sent names_are_hidden \
  pausing another_pauses exporting a_room_that_goes_is_said columns_stand text_alone; do
  past=''
  run_case "$case"
done
echo "1..$number"
