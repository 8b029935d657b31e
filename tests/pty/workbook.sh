#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The workbook (warpshop learn) on a screen, over a course of three lessons: each
# picture compared as text, the prompt and back, and the terminal as it was found.
# Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
unset WARPSHOP_PLAIN
own_folder=$(mktemp -d) || exit 2
mkdir -m 700 "$own_folder/run"
export XDG_RUNTIME_DIR=$own_folder/run
. tests/pty/lib.sh
. tests/pty/pages.sh
pictures=tests/fixtures/workbook
trap 'rm -rf "$own_folder"; finish' EXIT
course=$root/tests/fixtures/workbook/course
past=''
screen() { tmux capture-pane -p -t main -S "${past:-0}"; }
learn() { start learn "$course" "$@"; }
page() { tmux capture-pane -p -t main | sed -E 's/^saved [0-9:]{8}$/saved HH:MM:SS/'; }
is_on_screen() { # or at the prompt
  cat >/dev/null # the screen
  [ "$(tmux display -p -t main '#{alternate_on}')" = "$1" ]
}
wait_for_screen() { wait_until 'no workbook' is_on_screen 1; }
wait_for_no_screen() { wait_until 'still the workbook' is_on_screen 0; }

pictures() { # COLUMNS ROWS
  columns=$1 rows=$2
  learn
  wait_for_page "contents-$1x$2.txt" || return 1
  press Enter
  wait_for_page "page-$1x$2.txt"
}
pictures_80x24() { pictures 80 24; }
pictures_60x16() { pictures 60 16; }
pictures_120x40() { pictures 120 40; }
pictures_200x50() { pictures 200 50; }

resized_midway() {
  columns=120 rows=40
  learn
  wait_for_page contents-120x40.txt || return 1
  tmux resize-window -t main -x 60 -y 16
  wait_for_page contents-60x16.txt || return 1
  press Enter
  wait_for_page page-60x16.txt || return 1
  tmux resize-window -t main -x 80 -y 24
  wait_for_page page-80x24.txt
}

# More lessons than rows: how far the list goes is said, and no word is cut off.
long_contents() {
  columns=60 rows=16
  mkdir -p "$scratch/folder-$number"
  (cd "$scratch/folder-$number" && start learn)
  wait_for '0 of 1 ok' && wait_for '1-13 of ' && press End && wait_until 'not at its end' is_at_end
}
is_at_end() { # "45-57 of 57"
  local place
  place=$(tail -n 2 | grep -oE '[0-9]+-[0-9]+ of [0-9]+')
  [[ $place =~ -([0-9]+)\ of\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
}

keys_are_shown() {
  learn
  wait_for 'Enter open' && press '?' && wait_for_page help-contents.txt || return 1
  press x
  wait_for_page contents-80x24.txt || return 1
  press Enter
  wait_for 'Enter go on' && press '?' && wait_for_page help-page.txt || return 1
  press q # of the help alone
  wait_for_page page-80x24.txt || return 1
  press q
  wait_for 'Enter open' && press q && wait_for_end 0
}

# What is asked is not asked of who has not seen it.
enter_reads_first() {
  columns=60 rows=16
  learn
  wait_for 'Enter open' && press Enter && wait_for '1-13 of 19' && press Enter && wait_for '7-19 of 19' || return 1
  press Enter
  wait_for_no_screen && wait_for 'What is a sum?'
}
# At the prompt the question is asked and the page goes on; the workbook shows what
# was answered, has run no cell twice, and opens the next page.
prompt_and_back() {
  learn
  wait_for 'Enter open' && press Enter && wait_for 'Asks: 1 question, 1 line to type' || return 1
  lacks 'What stands behind' || return 1
  press Enter
  wait_for_no_screen && wait_for 'A sum is what two numbers give together.' && wait_for 'What is a sum?' || return 1
  lacks 'say what a sum is' || return 1
  choose 'two numbers together' && wait_for 'What stands behind a question' &&
    wait_for 'Make a sum of your own' && wait_for "1.1 $device>" || return 1
  press Enter # the line that it asks for was not typed
  wait_for 'asks you to type something' && press Enter && wait_for_screen || return 1
  wait_for 'Asks: 1 line to type' && wait_for '*1 two numbers together' || return 1
  press End
  press Enter
  wait_for_no_screen && wait_for 'Make a sum of your own' || return 1
  keys 'total = 20 + 22; mine = runs * 10 + total'
  wait_for 'That is the name of your own.' && press Enter && wait_for_screen && wait_for 'What is twice 21?' || return 1
  press p
  wait_for_page page-done.txt || return 1
  press :
  wait_for_no_screen && keys '"mine is " .. mine .. " in run " .. runs'
  wait_for 'mine is 52 in run 1' || return 1
  keys ':workbook'
  wait_for_screen && wait_for_page page-done.txt && press C-d && wait_for_end 0
}

# Also as another program: what was answered stays answered.
goes_on_where_it_was_left() {
  learn
  wait_for 'Enter open' && press Enter && wait_for 'Enter go on' && press n && wait_for 'n goes on without' || return 1
  press n
  wait_for 'What is twice 21?' && press C-d && wait_for_end 0 || return 1
  learn
  wait_for 'page 2/3' && press Enter && wait_for 'What is twice 21?' && press Enter && wait_for_no_screen &&
    wait_for 'your guess' || return 1
  keys 42
  wait_for 'as you said' && wait_for "1.2 $device>" && press Enter && wait_for_screen && wait_for 'Further: thrice' || return 1
  press p
  wait_for 'Measured: 42.' && wait_for 'Asks: 1 exercise.'
}

finds() {
  learn
  wait_for 'Enter open' && press / && wait_for 'find:' || return 1
  press -l 'tw' # letters of the word, not keys
  wait_for 'exercise  twice' && wait_for 'page 1.2  Twice' && wait_until_gone 'Larger' || return 1
  press -l 'q?x'
  wait_for 'Nothing is called so' || return 1
  press BSpace BSpace BSpace
  wait_for 'page 1.2  Twice' && press Down && press Enter && wait_for 'What is twice 21?' || return 1
  press Escape
  wait_for 'page 1.2  Twice' && press Escape && wait_for 'Going on' && wait_until_gone 'find:'
}

# Typed faster than the screen goes: what the screen did not take is the prompt's.
no_key_is_lost() {
  learn
  wait_for 'Enter open' || return 1
  press -l $'j\rp:total = 20 + 20\rtotal + 3\r'
  wait_for_line_like '.*> total \+ 3' && wait_for_line 43
}

every_key_is_answered() {
  learn
  wait_for 'Enter open' && press x && wait_for 'This key does nothing here; ? shows' && press Enter || return 1
  wait_for 'Enter go on' && press F5 && wait_for 'This key does nothing here'
}

# Somebody who knows the shell alone, with warpshop's own first lesson: what a shell
# is told does no harm on a screen, and the keys that are shown lead to code that ran.
first_time_user() {
  rows=60
  mkdir -p "$scratch/folder-$number"
  (cd "$scratch/folder-$number" && start learn)
  wait_for 'Enter open' && press -l 'ls' && wait_for '? shows those that do' && press Enter || return 1
  wait_for 'page 1 of' && press -l 'ls' && wait_for '? shows those that do' && press -l 'exit' && wait_for 'e edit  h hint' || return 1
  press q
  wait_for 'page 1 of' && press Space && wait_for 'Which computer ran the line?' && press Enter && wait_for_no_screen || return 1
  choose 'the host' && wait_for 'Right.' && wait_for "1.1 $device>" || return 1
  keys '6 * 7'
  wait_for 'That ran on the host.' && press Enter && wait_for_screen && wait_for 'page 2 of' && press Enter || return 1
  wait_for_no_screen && wait_for 'your guess' && keys 0 && wait_for 'as you said' && wait_for "1.2 $device>" || return 1
  keys 'mine = cuda.to_device(np.ones(5, "f32"))'
  wait_for 'Right.' && press Enter && wait_for_screen && wait_for 'page 3 of' && press q && wait_for 'page 3/6' && press q && wait_for_end 0
}

ways_out() {
  learn 1
  wait_for 'Enter go on' && press Escape && wait_for 'Enter open' || return 1
  press Escape # is no way out of warpshop
  wait_for 'q leaves warpshop' && press Enter && wait_for 'Enter go on' && wait_until_gone 'Ctrl-C stops one' || return 1
  press C-c # while its lines run it would stop one
  wait_for 'Enter open' && press C-c && wait_for_end 0 || return 1
  learn
  wait_for 'Enter open' && press C-d && wait_for_end 0 || return 1
  learn
  wait_for 'Enter open' && press : && wait_for "$device>" && press C-d && wait_for_end 0
}

# Ctrl-C stops what a page runs, and the page is there.
endless_cell_is_stopped() {
  cp -r "$course" "$scratch/endless"
  printf '%s\n' --- 'title: Endless' 'minutes: 5' --- '### Page' '```lua run' 'while true do end' '```' 'Behind it.' \
    >"$scratch/endless/lessons/01-first.md"
  start learn "$scratch/endless" 1
  wait_for 'Ctrl-C stops one' && press -l x && press C-c && wait_for 'Behind it.' && press q && wait_for 'Enter open'
}

# ---- An exercise ----

# task [ARGUMENT...]: its file is in a folder of its own.
task() {
  folder=$scratch/folder-$number
  mkdir -p "$folder"
  (cd "$folder" && learn "$@")
  wait_for 'Enter open' && press e && wait_for 'twice.cu is judged at each save'
}
# twice CONDITION: the kernel, saved.
twice() {
  printf '%s\n' '__global__ void twice(const int *x, int *out, int n) {' \
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;' "  $1out[i] = 2 * x[i];" '}' >"$folder/twice.cu"
}
task_pictures() { # COLUMNS ROWS
  columns=$1 rows=$2
  task
  wait_for_page "task-$1x$2.txt" || return 1
  twice ''
  wait_for_page "wrong-$1x$2.txt"
}
task_80x24() { task_pictures 80 24; }
task_60x16() { task_pictures 60 16; }
task_120x40() { task_pictures 120 40; }
task_200x50() { task_pictures 200 50; }

# Judged at each save, and the contents know of it.
task_is_judged_live() {
  task && grep -q '^__global__ void twice' "$folder/twice.cu" || return 1 # was begun
  twice 'if (i < n - 1) '
  wait_for 'stops one element too early' && wait_for '1 try' || return 1
  : >"$folder/twice.cu"
  wait_for 'twice.cu is empty: waiting' || return 1
  rm "$folder/twice.cu"
  wait_for 'twice.cu is gone: waiting' || return 1
  twice 'if (i < n) '
  wait_for 'done in 2 tries' && wait_for 'A read, a write and an addition' || return 1
  press q
  wait_for 'Enter open' && wait_for 'twice ok' && wait_for '1 of 1 solved' || return 1
  press e # what was judged in this form is not judged again
  wait_for 'done in 2 tries' && press n && wait_for 'There is no other exercise' && press C-d && wait_for_end 0
}

# own_editor NAME: one of that name that notes how it was called.
own_editor() {
  mkdir -p "$scratch/bin"
  printf '%s\n' '#!/bin/sh' "echo \"$1 \$*\" >>$scratch/called" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
  editor=$scratch/bin/$1
}
was_called() {
  cat >/dev/null # the screen
  grep -qxF -- "$1" "$scratch/called" 2>/dev/null
}
was_called_twice() {
  cat >/dev/null
  [ "$(wc -l <"$scratch/called")" = 2 ]
}
editor_opens_at_the_line() {
  local name
  for name in 'vi +3 twice.cu' 'nano +3 twice.cu' 'emacs +3 twice.cu' 'code --goto twice.cu:3' 'other twice.cu'; do
    rm -f "$scratch/called"
    own_editor "${name%% *}"
    rm -rf "$folder"
    task || return 1
    twice ''
    wait_for '> twice.cu:3  write' && press e && wait_until "not called: $name" was_called "$name" || return 1
    wait_for_screen && wait_for '> twice.cu:3  write' && press Down && wait_for '> twice.cu:3  read' && press Enter && wait_until 'not called again' was_called_twice || return 1
    wait_for_screen && wait_for '> twice.cu:3  read' && press C-d && wait_for_end 0 || return 1
    was_called_twice </dev/null || return 1
  done
}

# Behind the last of the lines that are wrong, and before the first, the text moves.
wrong_lines_have_ends() {
  task || return 1
  twice ''
  wait_for '> twice.cu:3  write' && press Down && wait_for '> twice.cu:3  read' && press Down || return 1
  wait_for 'All of the text is on the screen.' && wait_for '> twice.cu:3  read' && press Up || return 1
  wait_for '> twice.cu:3  write' && press Up && wait_for 'All of the text is on the screen.' || return 1
  wait_for '> twice.cu:3  write'
}

# A lesson that is done has questions for the next one, which r asks at the prompt.
review_is_due() {
  task || return 1
  twice 'if (i < n) '
  wait_for 'done in 1 try' && press q && wait_for 'Enter open' && press Enter && wait_for 'Asks: 1 question' && press Enter && wait_for_no_screen || return 1
  choose 'two numbers together' && wait_for "1.1 $device>" && keys ':next' && wait_for 'your guess' && keys 42 || return 1
  wait_for "1.2 $device>" && keys ':workbook' && wait_for_screen && press q && wait_for 'r review: 1 question is due' || return 1
  press r
  wait_for_no_screen && wait_for 'Before we begin' && choose 'two numbers together' && wait_for "2.1 $device>" || return 1
  press Enter
  wait_for_screen && wait_for 'Hundreds' && press q && wait_for 'Enter open' && wait_until_gone 'is due'
}

help_is_kept_in_progress() {
  task
  press h
  wait_for '(1 of 2) One thread for each element.' && wait_for '1 hint' || return 1
  press s
  wait_for 'Your own try is worth more.' && press n && lacks '2 * x[i]' || return 1
  press s
  wait_for 'Your own try is worth more.' && press y && wait_for 'out[i] = 2 * x[i];' && wait_for 'solution seen' || return 1
  press h && wait_for '(2 of 2)' && press h && wait_for 'all 2 hints. s shows the solution.'
}

# The prompt means the same exercise and the same text, and leads back.
task_and_prompt() {
  task || return 1
  twice 'if (i < n) '
  wait_for 'done in 1 try' && press : && wait_for_no_screen || return 1
  keys ':check'
  wait_for 'twice.cu  pass' || return 1
  press Enter
  wait_for_screen && wait_for 'twice.cu is judged at each save' && press Escape && wait_for 'Enter open'
}

resized_while_judged() {
  task || return 1
  endless
  wait_for 'judging twice.cu' || return 1
  tmux resize-window -t main -x 60 -y 16
  wait_until 'not of 60 x 16' is_of 60 16 && wait_for 'judging twice.cu' || return 1
  twice ''
  wait_for_page wrong-60x16.txt || return 1
  tmux resize-window -t main -x 80 -y 24
  wait_for_page wrong-80x24.txt
}
is_of() { # COLUMNS ROWS: as the program drew it
  cat >/dev/null # the screen
  page | sed -n "${2}p" | grep -q 'e edit  h hint' && [ "$(page | wc -l)" = "$2" ]
}

# Keys that come while it is judged: none is lost, and q gives it up.
judging_answers_keys() {
  task || return 1
  endless
  wait_for 'judging twice.cu' && press q && wait_for 'Enter open' && press C-d && wait_for_end 0
}
endless() {
  printf '%s\n' '__global__ void twice(const int *x, int *out, int n) {' \
    '  for (volatile int k = 0; k >= 0; k += 0) out[threadIdx.x] = k;' '}' >"$folder/twice.cu"
}
moves_while_it_judges() {
  rows=16
  task && press h h && wait_for 'if (i < n) out' && press s && press y && wait_for 'int i = blockIdx' || return 1
  endless
  wait_for 'judging twice.cu' && press End && wait_until 'not moved by then' is_at_end_while_it_judges
}
is_at_end_while_it_judges() {
  local text
  text=$(cat)
  [[ $text == *'judging twice.cu'* ]] && grep -qE -- '-([0-9]+) of \1$' <<<"$text"
}
newer_save_gives_up_the_older() {
  task || return 1
  endless
  wait_for 'judging twice.cu' || return 1
  twice 'if (i < n) '
  wait_for 'done in 1 try'
}

# Who opens it again has made no other try.
what_was_judged_is_not_judged_again() {
  task || return 1
  twice ''
  wait_for '> twice.cu:3  write' && wait_for '1 try' && press C-d && wait_for_end 0 || return 1
  task && wait_for 'judged before: fail' && press r && wait_for '> twice.cu:3  write' && wait_for '2 tries'
}

colour_and_none() {
  learn 1
  wait_for 'Enter go on' && wait_until 'no colour' has_colour || return 1
  program=/usr/bin/env start NO_COLOR=1 "$program" learn "$course" 1
  wait_for 'Enter go on' && ! has_colour
}

in_german() {
  columns=60 rows=16
  mkdir -p "$scratch/folder-$number"
  (cd "$scratch/folder-$number" && program=/usr/bin/env start LANGUAGE=de "$program" learn "$course")
  wait_for 'Enter öffnen' && wait_for 'nach 1' && wait_for '0 von 3 Lektionen' || return 1
  press '?'
  wait_for 'Die Tasten des Inhalts' && press x && press Enter && wait_for 'Gefragt: 1 Frage, 1 Zeile zum Tippen' || return 1
  wait_for 'q Inhalt' && press e && wait_for 'wird bei jedem Speichern geprüft' && wait_for 'q zurück' || return 1
  folder=$scratch/folder-$number
  twice ''
  wait_for 'nicht bestanden' && wait_for '> twice.cu:3  Schreibzugriff außerhalb der Grenzen' && wait_for '1 Versuch'
}
# The course's own: the longest words have room.
contents_in_german() {
  program=/usr/bin/env start LANGUAGE=de "$program" learn
  wait_for 'warpshop · GPU-Programmierung' && wait_for 'nach 10   even-odd' && wait_for 'Zwei Computer' && wait_for '0 von 2 ok'
}

text_alone() {
  local how
  past=-200
  for how in TERM=dumb WARPSHOP_PLAIN=1; do
    program=/usr/bin/env start "$how" "$program" learn "$course"
    wait_for 'your answer' && is_on_screen 0 </dev/null || return 1
  done
  learn --prompt
  wait_for 'your answer' && is_on_screen 0 </dev/null || return 1
  columns=59
  learn
  wait_for 'your answer' && is_on_screen 0 </dev/null || return 1
  keys ''
  wait_for "1.1 $device>" && keys ':workbook' && wait_for 'needs a terminal of 60 x 16' && keys ':lesson' && wait_for 'Numbers'
}

# ---- The terminal as it was found ----

run_learn() {
  keys "$program learn $course 1"
  wait_for 'Enter go on' && wait_for_screen
}
learn_pid() { pgrep -P "$(tmux display -p -t main '#{pane_pid}')" -f 'warpshop learn'; }
wait_until_as_found() {
  wait_for_no_screen && wait_for 'what was there' || return 1
  modes_are_as_before
}
left_as_found() {
  local name
  in_a_shell && run_learn && press C-d && wait_until_as_found || return 1
  for name in TERM HUP SEGV; do
    run_learn && kill -s $name "$(learn_pid)" && wait_until_as_found || return 1
  done
}
comes_back_from_the_background() {
  in_a_shell && run_learn && press C-z && wait_for Stopped && wait_for_no_screen || return 1
  keys fg
  wait_for_screen && wait_for 'Enter go on' && press q && wait_for 'Enter open'
}

for case in pictures_80x24 pictures_60x16 pictures_120x40 pictures_200x50 resized_midway resized_while_judged long_contents keys_are_shown enter_reads_first prompt_and_back \
  goes_on_where_it_was_left finds no_key_is_lost every_key_is_answered first_time_user ways_out endless_cell_is_stopped colour_and_none in_german contents_in_german text_alone \
  task_80x24 task_60x16 task_120x40 task_200x50 task_is_judged_live wrong_lines_have_ends editor_opens_at_the_line help_is_kept_in_progress review_is_due \
  task_and_prompt judging_answers_keys moves_while_it_judges newer_save_gives_up_the_older \
  what_was_judged_is_not_judged_again left_as_found comes_back_from_the_background; do
  past=''
  run_case "$case"
done
echo "1..$number"
