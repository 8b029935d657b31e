#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2034 # code, and names, of the table
# Every key in every state (keys_table.sh): each row from a fresh program in a shell,
# whose terminal must be as it was in the end. Speaks TAP.
# Usage: tests/pty/keys.sh [--page | prompt | screens]: both tables, or one; --page
# writes docs/keys.md to standard output.
# WARPSHOP_PTY_ONLY=STATE or STATE_ROW runs these alone.
set -u
shopt -s extglob
cd "$(dirname "$0")/../.." || exit 2

# ---- The table as a page ----

# A line that is typed on a screen, behind a label.
typed_rows() { # LABEL; of a screen that is 80 wide
  key 'Left, Right, Home, End, Backspace, Delete' 'move in the line, and take a character out' here \
    "type bxc && press Left BSpace Home && type a && press Right DC && type c && press End && type d && see '${1}abcd '"
  key 'Ctrl-W, Ctrl-U, Ctrl-K' 'take out the word before the cursor; all that is before it, or behind it' here \
    "type 'one two' && see two && press C-w && see '${1}one  ' && type x && press Left C-u && see '${1}x ' && press C-k && type y && see '${1}y '"
  key 'more than the row shows' 'shows the part that the cursor is in; `<` and `>` say that there is more' here \
    "type \"\$(printf 'a%.0s' {1..90})größe\" && see '<a' && see 'aagröße ' && press Home && see '${1}aaaa' && see '>' && press C-k"
}

write_page() {
  printf '%s\n' '# What each key does' '' \
    'In every state of the program, every key either does something or says what can be' \
    'done. Each row is tried by `tests/pty/keys.sh`, from whose table this page is written.'
  state() { printf '\n## %s\n\n%s\n\n| key | does |\n|---|---|\n' "$2" "$3"; }
  key() { printf '| %s | %s |\n' "$1" "$2"; }
  . tests/pty/keys_table.sh
  . tests/pty/screens_table.sh
}
if [ "${1:-}" = --page ]; then
  write_page
  exit
fi

. tests/pty/keys_hands.sh

# ---- States ----

enter_prompt() { in_shell repl && prompts 1; }
still_prompt() { at_prompt; }

enter_block() {
  in_shell repl && prompts 1 && type 'function f()' && press Enter &&
    wait_for_cursor 13 2 && type 'return 42' && wait_for_cursor 22 2
}
still_block() {
  press Enter && type 'end' && press Enter && type 'f()' && press Enter && line 42 && at_prompt
}

enter_search() {
  in_shell repl && prompts 1 && type '"find" .. "me"' && press Enter && line '"findme"' &&
    prompts 2 && press C-r && type find && see "find':"
}
still_search() { press C-g && wait_until 'still searching' lacks_search && at_prompt; }

# A function of 70 lines is shown.
enter_pager() {
  in_shell repl && prompts 1 && mapfile -t lines_of_f < <(echo 'function f()' && seq -f '  -- row %g' 70 && echo end) &&
    paste "${lines_of_f[@]}" && line "$more end" && press Enter && type ':clear' && press Enter && wait_for_cursor 11 0 &&
    tmux clear-history -t main && type '??f' && press Enter && see '-- more --'
}
has_more() { grep -v '^$' | tail -n 1 | grep -q '^-- more --'; }
still_pager() { wait_until 'nothing is asked' has_more && press q && prompts 2 && at_prompt; }

enter_page() {
  prompt="1.1 $device>"
  in_shell learn --prompt 1 && see '-- more --' && see 'Line 1 of'
}
still_page() { wait_until 'nothing is asked' has_more && press q && see 'ran unseen' && at_prompt; }

enter_quiz() {
  prompt="2.1 $device>"
  in_shell learn --prompt 2 && see 'your answer'
}
still_quiz() { type 9 && press Enter && see 'A number from 1 to 2' && press Enter && see 'Two are two.' && at_prompt; }

enter_prediction() {
  prompt="3.1 $device>"
  in_shell learn --prompt 3 && see 'your guess'
}
still_prediction() { type 2 && press Enter && see 'as you said' && at_prompt; }

enter_confirm() {
  enter_quiz && press Enter && prompts 1 && type ':leave lesson' && press Enter && see '[y/N]'
}
kept() { prompts 2 && lacks 'is forgotten'; }
still_confirm() { type y && press Enter && see 'Lesson 2 is forgotten' && prompt="$device>" && at_prompt; }

# hold WORD: the helper of that name of our session is stopped.
hold() {
  held=$(pgrep -f "^$own_program-device --$1")
  # shellcheck disable=SC2086 # numbers
  [ -n "$held" ] && kill -STOP $held
}
two_kernels() {
  in_shell repl && prompts 1 && type "__global__ void warm(int *a) { a[0] = 1; } // $number" && press Enter && see 'warm: ' &&
    type '__global__ void spin(volatile int *a) { for (long i = 0; i < 1L << 40; i++) a[0]++; }' && press Enter && see 'spin: ' &&
    type 'a = np.full(1, 9, "i32")' && press Enter && prompts 4
}
enter_compiling() {
  two_kernels && hold compile && work="__global__ void cold(int *a) { a[0] = 2; } // $number" &&
    type "$work" && press Enter && wait_until_taken "$prompt $work"
}
still_compiling() { release && see 'cold: ' && at_prompt; }

enter_running() {
  two_kernels && type 'warm[{1, 1}](np.zeros(1, "i32"))' && press Enter && see '1 block x 1 thread' &&
    type ':clear' && press Enter && wait_for_cursor 11 0 && tmux clear-history -t main &&
    hold server && work='warm[{1, 1}](np.zeros(1, "i32"))' && type "$work" && press Enter && wait_until_taken "$prompt $work"
}
still_running() { release && see '1 block x 1 thread' && at_prompt; }

enter_debugger() { # in text: its screen takes no fewer than 16 rows
  two_kernels && resize 80 15 && type ':debug warm[{1, 32}](a)' && press Enter && see '(debug)'
}
still_debugger() { type quit && press Enter && see 'The launch was given up' && at_prompt; }

enter_watch() {
  local folder=$scratch/folder-$number
  mkdir -p "$folder"
  printf '#!/bin/sh\necho edited\n' >"$own_folder/editor"
  chmod +x "$own_folder/editor"
  editor=$own_folder/editor home=$root
  in_shell watch vector-add "$folder/vector-add.cu" && see "$watch_keys"
}
still_watch() { press h && see '(1 of 4)' && press q && line 'left 0, as it was'; }

still_top() { press r && see 'use 12 %' && press q && line 'left 0, as it was'; }
enter_filter() { enter_top && type / && see 'Enter keeps it'; }
still_filter() { press Enter && still_top; }
enter_keys_of_top() { enter_top && type '?' && see "$keys_title"; }
still_keys_of_top() { press x && see 'use 87 %' && still_top; }

. tests/pty/screens.sh

# ---- Rows ----

states=() rows_key=() rows_after=() rows_steps=() rows_state=()
state() { states+=("$1"); }
key() {
  rows_state+=("${states[-1]}") rows_key+=("$1") rows_after+=("$3") rows_steps+=("$4")
}
case ${1:-prompt} in prompt) . tests/pty/keys_table.sh ;; esac
case ${1:-screens} in screens) . tests/pty/screens_table.sh ;; esac

# Each state says of each of these what it does.
columns_of_table=(Enter Space '`q`' Esc Tab Up Down Left Right Ctrl-C Ctrl-D Ctrl-Z resize paste '`:`' '`?`' 'another key')
every_state_has_every_key() {
  local of cell i fine=yes
  for of in "${states[@]}"; do
    local said=,
    for i in "${!rows_state[@]}"; do
      [ "${rows_state[i]}" = "$of" ] && said+="${rows_key[i]//, /,},"
    done
    for cell in "${columns_of_table[@]}"; do
      [[ $said == *",$cell,"* ]] || { echo "# nothing says what $cell does in the state $of" && fine=no; }
    done
  done
  echo "# ${#states[@]} states, $((${#states[@]} * ${#columns_of_table[@]})) cells"
  [ $fine = yes ]
}

row=0
try_row() {
  local of=${rows_state[row]} after=${rows_after[row]} fine=yes
  prompt="$device>" work='' own_mark='' own_screen='' nothing='This key does nothing here'
  home=$own_folder/course
  "enter_$of" || { echo "# the state does not come" && return 1; }
  eval "${rows_steps[row]}" || { echo "# $of, ${rows_key[row]}" && return 1; }
  case $after in
  here) "still_$of" ;;
  prompt) let_go && at_prompt ;;
  shell:*) line "left ${after#*:}, as it was" ;;
  shell) line 'left 0, as it was' ;;
  *) "still_$after" ;; # another state
  esac || fine=no
  let_go
  [ $fine = yes ]
}

page_is_written() {
  "$0" --page | diff - docs/keys.md | sed 's/^/#   /'
  [ "${PIPESTATUS[1]}" = 0 ]
}
run_case page_is_written
run_case every_state_has_every_key
for row in "${!rows_state[@]}"; do
  name=${rows_key[row]/\?/question-mark} name=${name//+([^A-Za-z0-9:])/-} name=${name#-}
  name=${rows_state[row]}_${name%-}
  case ${WARPSHOP_PTY_ONLY:-$name} in "$name" | "${rows_state[row]}") ;; *) continue ;; esac
  [[ ${rows_state[row]} =~ ^($of_the_class)$ ]] && ! can_make_room && continue
  eval "$(printf '%q() { try_row; }' "$name")"
  WARPSHOP_PTY_ONLY='' run_case "$name"
done
echo "1..$number"
