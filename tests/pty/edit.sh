#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A text of several lines edited as one: what stands on the screen, where the
# cursor is, and what then runs. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

more="         ."
type_text() { wait_for_reader && press -l -- "$1"; }
# paste FILE: as a terminal pastes, in brackets.
paste() { tmux load-buffer "$1" && tmux paste-buffer -p -r -t main; }
# wait_for_cursor COLUMN ROW: until it stands there, counted from 0.
# wait_for_screen FILE: until the visible screen is that, but for empty rows.
wait_for_screen() { wait_until "another screen than $(cat "$1")" is_screen "$1"; }
is_screen() {
  cat >/dev/null
  tmux capture-pane -p -t main | sed 's/ *$//' | grep -v '^$' | diff -q - "$1" >/dev/null
}

# Enter adds lines, indented, until the text is whole; "end" and "}" move out.
enter_indents() {
  start repl
  wait_for_prompt 1
  keys 'function f(a)'
  keys 'if a then'
  keys 'return 1'
  keys 'else'
  type_text 'return 2'
  wait_for_line "$more     return 2" || return 1
  wait_for_line "$more   else" || return 1
  keys ''
  keys 'end'
  wait_for_line "$more   end" || return 1
  keys 'end'
  keys 'f(false) * 21'
  wait_for_line 42 || return 1
  keys '__global__ void k(int *a) {'
  keys 'if (a)'
  keys 'a[0] = 1;'
  type_text 'endings' # no end of C's
  wait_for_line "$more   endings" || return 1
  press C-c
}

# The same where all keys come at once, as of a terminal that pastes without
# brackets: nothing is drawn in between.
keys_at_once() {
  start repl
  wait_for_prompt 1
  printf '%s\r' 'function f(a)' 'if a then' 'return 1' 'else' 'return 2' 'end' 'end' >"$scratch/paste"
  tmux load-buffer "$scratch/paste" && tmux paste-buffer -r -t main
  wait_for_prompt 2 || return 1
  wait_for_line "$more   else" && wait_for_line "$more   end" && wait_for_line "$more end" &&
    wait_for_line "$more     return 2"
}

# Who indents by hand is not indented twice.
own_blanks_stay() {
  start repl
  wait_for_prompt 1
  keys 'function f(a)'
  keys '      return a'
  type_text 'end'
  wait_for_line "$more       return a" && wait_for_line "$more end"
}

# A kernel is recalled, walked to its middle, changed there and run from there.
recalled_kernel_is_changed() {
  start repl
  wait_for_prompt 1
  type_kernel 2 || return 1
  keys 'before = 1'
  wait_for_prompt 3
  press Up Up Up
  wait_for_lines 2 '  if (i < n) out[i]' || return 1
  press C-e
  type_text ' // here'
  wait_for_line "$more   if (i < n) out[i] = x[i] + y[i]; // here" || return 1
  press Up Home
  wait_for_cursor 11 10 || return 1
  press Down
  press C-e C-u
  wait_for_line "$more" || return 1
  type_text '  if (i < n) out[i] = x[i] * 3; //'
  press Enter
  wait_for_lines 2 'add: ' || return 1
  type_arrays
  keys 'add[{32, 128}](x, y, out, 4096); out'
  wait_for 'array([0, 3, 6, ...'
}

# Up leaves a text at its first line alone, Down at its last; Ctrl-P at once.
arrows_leave_at_the_ends() {
  start repl
  wait_for_prompt 1
  keys 'first = 1'
  keys 'function g()'
  keys 'return 1'
  keys 'end'
  wait_for_prompt 3
  press Up Up Up
  wait_for_cursor 14 5 || return 1 # column 3 of its first line
  press Up
  wait_for_line "$prompt first = 1" && wait_for_lines 2 "$prompt first = 1" || return 1
  press Down
  wait_for_lines 2 "$prompt function g()" || return 1
  press C-p
  wait_for_lines 2 "$prompt first = 1"
}

# How an earlier text goes on stands in grey behind the cursor, and is nothing that
# Enter runs.
is_dim() { # TEXT: it is
  cat >/dev/null
  tmux capture-pane -p -e -t main | grep -qF -- $'\x1b[2m'"$1"
}
suggests() { wait_until "not suggested: $1" is_dim "$1"; }
earlier_lines_are_suggested() {
  start repl
  wait_for_prompt 1
  type_kernel 2 || return 1
  keys 'total = 20 + 1'
  wait_for_prompt 3
  type_text 'tot'
  suggests 'al = 20 + 1' || return 1
  press Enter
  wait_for_line 'nil: no variable is called tot (:who lists yours)' || return 1
  type_text 'tot'
  suggests 'al = 20 + 1' || return 1
  press Left # not behind the last character
  wait_until 'still suggested' is_not_dim 'al = 20' || return 1
  press Right Right Enter
  keys 'total * 2'
  wait_for_line 42 || return 1
  type_text '__gl' # a line of a text at a time, and then its next
  suggests 'obal__ void add' || return 1
  press End Enter
  suggests 'int i = blockIdx.x' || return 1
  press End Enter
  type_text '  if (i'
  suggests ' < n) out[i] = x[i] + y[i];' || return 1
  press C-c
  wait_until 'still suggested' is_not_dim ' < n) out' && wait_for_line "$more   if (i"
}
is_not_dim() { ! is_dim "$1" </dev/null; }

# Readline gives the terminal's own keys back their usual meaning when it takes the
# terminal again: Ctrl-U would throw the whole block away, and not its line alone.
cut_one_line() {
  press C-u && wait_for_line "$more" || return 1
  keys 'return a * 2' && type_text 'end' && press Enter && keys 'f(21)' && wait_for_line 42
}
half_a_function() { keys 'function f(a)' && type_text 'x = 9 * 9' && wait_for "$more   x = 9 * 9"; }
own_keys_behind_the_editor() {
  start repl
  wait_for_prompt 1 && half_a_function && press F2 && wait_for_lines 2 'x = 9 * 9' && cut_one_line
}
own_keys_behind_fg() {
  in_a_shell && keys "$program repl"
  wait_for_prompt 1 && half_a_function && press C-z && wait_for Stopped && keys fg || return 1
  wait_for_lines 2 'x = 9 * 9' && cut_one_line
}

# Where nothing is coloured, or the cursor cannot be moved, what is suggested could not
# be told from what is typed.
nothing_is_suggested() { # NAME=VALUE
  local real=$program
  program=/usr/bin/env
  start "$1" "$real" repl
  program=$real
  wait_for_prompt 1
  keys 'total = 20 + 1'
  wait_for_prompt 2
  type_text 'tot'
  press Right
  keys 'al * 2'
  wait_for_line 42 && wait_for_lines 1 'total = 20 + 1'
}
no_suggestion_without_colour() { nothing_is_suggested NO_COLOR=1; }
no_suggestion_on_a_dumb_terminal() { nothing_is_suggested TERM=dumb; }
no_suggestion_from_the_beginning() { nothing_is_suggested WARPSHOP_SUGGESTIONS=0; }
# ":set suggestions off", and on again.
suggestions_are_switched() {
  start repl
  wait_for_prompt 1 && keys 'total = 20 + 1' && wait_for_prompt 2 && keys ':set suggestions off' || return 1
  wait_for 'suggestions off (:set suggestions on changes it)' && wait_for_prompt 3 || return 1
  type_text 'tot' && press Right && keys 'al * 2' && wait_for_line 42 || return 1
  type_text ':set sugg' && press Tab && wait_for ':set suggestions' && keys ' on' && wait_for 'suggestions on (:set suggestions off' || return 1
  type_text 'tot' && suggests 'al * 2'
}
no_suggestion_in_plain_text() { nothing_is_suggested WARPSHOP_PLAIN=1; }

# Up behind a line of one's own looks for what begins so.
up_searches_by_the_beginning() {
  start repl
  wait_for_prompt 1
  keys 'x = 40'
  keys 'y = 3'
  keys 'x = x + 2'
  keys 'z = 4'
  wait_for_prompt 5
  type_text 'x'
  press Up Up
  wait_for_lines 2 "$prompt x = 40" || return 1
  press Up
  wait_for_line 'nothing before begins so: Ctrl-P goes back by one' || return 1
  press Down Down
  wait_until 'not back' is_at 12,5 || return 1
  press C-p
  wait_for_lines 2 "$prompt z = 4" || return 1
  press Up # an entry that was recalled is no beginning
  wait_for_lines 2 "$prompt x = x + 2"
}

# Whole lines are cut, doubled, moved in and out; the cursor jumps over brackets.
lines_are_moved() {
  start repl
  wait_for_prompt 1
  printf '%s\n' 'function f(x)' 'x = x .. ")"' '' 'return x' 'end' | head -c -1 >"$scratch/paste"
  paste "$scratch/paste"
  wait_for_line "$more end" || return 1
  press Up Home Right C-Space
  wait_for_line 'Tab and Shift-Tab move the lines from here to the cursor in and out' || return 1
  press Up Up Tab Tab
  wait_for_line "$more     x = x .. \")\"" && wait_for_line "$more     return x" || return 1
  press BTab
  wait_for_line "$more   x = x .. \")\"" && wait_for_line "$more   return x" || return 1
  press Down
  wait_for_cursor 11 3 || return 1 # the empty line is still empty
  press C-_
  wait_for_line "$more     return x" || return 1
  press Home Home Home M-k
  wait_for_line "$prompt     x = x .. \")\"" || return 1
  press C-y Home Home Home C-M-f
  wait_for_cursor 24 1 || return 1
  press Down C-a M-k C-y C-y
  wait_for_lines 2 "$more     x = x .." || return 1
  press Enter
  keys 'f("a")'
  wait_for_line '"a))"'
}

# A text half typed, into the editor and back; Readline's own names for an inputrc.
text_goes_to_the_editor() {
  local real=$program
  printf '#!/bin/sh\nsed -i "s/6/7 * 6/" "$1"; echo "edited $(basename "$1")"\n' >"$scratch/editor"
  chmod +x "$scratch/editor"
  editor=$scratch/editor
  printf '"\\C-t": edit-text\n' >"$scratch/inputrc"
  program=/usr/bin/env
  start INPUTRC="$scratch/inputrc" "$real" repl
  program=$real
  wait_for_prompt 1
  keys 'function f()'
  type_text 'return 6'
  press C-t
  wait_for_line 'edited text.lua' && wait_for_line "$more   return 7 * 6" || return 1
  press Enter
  keys 'end'
  keys 'f()'
  wait_for_line 42 || return 1
  keys '__global__ void k(int *a) {'
  press F2
  wait_for_line 'edited text.cu' && press C-c
}

# The last entries once more, shown as they run; no rerun is one of them.
entries_run_again() {
  start repl
  wait_for_prompt 1
  keys 'x = 1'
  keys 'x = x * 2'
  keys 'x = x + 1'
  keys ':r 2'
  wait_for_line '> x = x + 1' || return 1
  keys ':rerun 2'
  wait_for_lines 2 '> x = x * 2' || return 1
  keys 'x * 2'
  wait_for_line 30 || return 1
  keys ':rerun 99'
  wait_for_line 'So many are not kept: :history shows them.' || return 1
  keys ':rerun none'
  wait_for ':rerun takes a number'
}

# Eighty lines in 24 rows: those around the cursor are seen, and all that ran is
# in what the terminal keeps.
long_paste() {
  start repl
  wait_for_prompt 1
  {
    echo 'function long(x)'
    for n in $(seq 2 79); do echo "  x = x + $n"; done
    echo 'return x end'
  } >"$scratch/paste"
  paste "$scratch/paste"
  wait_for_line "$more   x = x + 79" || return 1
  lacks 'function long' || return 1
  { for n in $(seq 57 79); do echo "$more   x = x + $n"; done && echo "$more return x end"; } >"$scratch/seen"
  sed -i 1d "$scratch/seen" # an empty line is the last of the text
  echo "$more" >>"$scratch/seen"
  wait_for_screen "$scratch/seen" || return 1
  for _ in $(seq 80); do press Up; done
  wait_for_cursor 11 0 || return 1
  { echo "$prompt function long(x)" && for n in $(seq 2 24); do echo "$more   x = x + $n"; done; } >"$scratch/seen"
  wait_for_screen "$scratch/seen" || return 1
  press Enter
  wait_for_prompt 2 || return 1
  keys 'long(0)'
  wait_for_line 3159 || return 1
  [ "$(tmux capture-pane -p -t main -S -200 | grep -c '  x = x + ')" = 78 ]
}

# Ctrl-C gives a text up from anywhere inside it, and what follows stands below.
interrupt_gives_up() {
  start repl
  wait_for_prompt 1
  keys '__global__ void k(int *a) {'
  keys 'a[0] = 1;'
  press Up Up
  wait_for_cursor 13 1 || return 1 # a terminal drops what nobody has read yet
  press C-c
  wait_for_line "(given up; :edit opens what was typed)" || return 1
  wait_for_line "$more   a[0] = 1;" || return 1
  keys '6 * 7'
  wait_for_line 42
}

# What is typed behind Ctrl-C belongs to the next line, also where the program gets so
# little of the processor that it finds both at once.
keys_behind_interrupt_wait() {
  local real=$program hog n cpu
  command -v taskset >/dev/null || return 0
  cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
  timeout "$limit" taskset -c "$cpu" sh -c 'while :; do :; done' &
  hog=$!
  program=/usr/bin/env
  start taskset -c "$cpu" nice -n 19 "$real" repl
  program=$real
  wait_for_prompt 1 && keys 'a = {0}; a[1]' && wait_for_prompt 2 || { kill $hog && return 1; }
  for n in 1 2 3 4 5 6 7 8; do
    wait_for_reader && press C-r a '['
    wait_for "(reverse-i-search)\`a['" || break
    press C-c 1 0 '+' $n Enter
    wait_for_line $((10 + n)) || break
    n='done'
  done
  kill $hog
  [ "$n" = 'done' ]
}

two_empty_lines_say_what_is_open() {
  start repl
  wait_for_prompt 1
  keys '__global__ void k(int *a) {'
  keys ''
  keys ''
  wait_for_line '{ ( " or /* is still open: Ctrl-C gives up, :edit opens it' || return 1
  type_text '}'
  wait_until 'the note is still there' lacks_note || return 1
  keys ''
  wait_for 'k: '
}
lacks_note() { ! grep -q 'still open'; }

# Wide characters, accents and what is no character keep the cursor's place.
columns_are_right() {
  start repl
  wait_for_prompt 1
  printf 'x = "\xe4\xb8\xad\xe4\xb8\xade\xcc\x81" -- \x01\xff\t|' >"$scratch/paste"
  paste "$scratch/paste"
  wait_for '^A' || return 1
  wait_for '\xff' || return 1
  wait_for_cursor 36 1 || return 1
  press Home Right Right Right Right Right Right
  wait_for_cursor 18 1
}

# Ctrl-L: an empty screen, with the prompt and all that is typed on it.
screen_is_cleared() {
  start repl
  wait_for_prompt 1
  keys '"this goes"'
  wait_for_line '"this goes"' || return 1
  keys 'function kept(a)'
  type_text 'return a'
  wait_for_line "$more   return a" || return 1
  press C-l
  printf '%s\n' "$prompt function kept(a)" "$more   return a" >"$scratch/wanted"
  wait_until 'the screen has not the text alone' is_page "$scratch/wanted" || return 1
  press Enter && keys 'end' && keys 'kept(42)'
  wait_for_line 42
}
is_page() {
  cat >/dev/null
  tmux capture-pane -p -t main | sed 's/ *$//; /^$/d' | cmp -s - "$1"
}

resized_in_a_text() {
  start repl
  wait_for_prompt 1
  keys 'function wide(a)'
  type_text 'return "a text that is longer than the narrow terminal is wide", a'
  wait_for 'is wide", a' || return 1
  tmux resize-window -t main -x 40 -y 12
  wait_for_line "$more   return \"a text that is long" || return 1
  wait_for_lines 1 'function wide' || return 1
  tmux resize-window -t main -x 100 -y 30
  wait_for_line "$more   return \"a text that is longer than the narrow terminal is wide\", a" || return 1
  [ "$(screen | grep -c 'function wide')" = 1 ] || return 1
  keys ''
  keys 'end'
  keys 'select(2, wide(42))'
  wait_for_line 42
}

# Without colour nothing but text and movement is sent; with it words have theirs.
colours_are_off() {
  start repl
  wait_for_prompt 1
  type_text 'local function'
  wait_for 'local function' && wait_until 'no colour' is_keyword local || return 1
  local real=$program
  program=/usr/bin/env
  start NO_COLOR=1 "$real" repl
  program=$real
  wait_for_prompt 1
  type_text 'local function'
  wait_for 'local function' || return 1
  ! tmux capture-pane -p -e -t main | grep 'local' | grep -q $'\x1b'
}

is_keyword() {
  cat >/dev/null
  tmux capture-pane -p -e -t main | grep -qF $'\x1b[35m'"$1"
}

# A terminal that cannot move its cursor gets one line at a time, as it was.
dumb_terminal() {
  local real=$program
  program=/usr/bin/env
  start TERM=dumb "$real" repl
  program=$real
  wait_for_prompt 1
  keys 'function f()'
  keys '  return 42'
  wait_for_line "$more   return 42" || return 1
  press Up
  wait_for_lines 2 '  return 42' || return 1
  press C-u
  keys 'end'
  keys 'f()'
  wait_for_line 42
}

vi_keys() {
  local real=$program
  printf 'set editing-mode vi\n' >"$scratch/inputrc"
  program=/usr/bin/env
  start INPUTRC="$scratch/inputrc" "$real" repl
  program=$real
  wait_for_prompt 1
  keys 'function f()'
  keys 'return 6'
  keys 'end'
  wait_for_prompt 2
  press Escape
  type_text 'kk'
  press '$'
  wait_for_lines 2 '  return 6' || return 1
  type_text 'A * 7'
  wait_for_line "$more   return 6 * 7" || return 1
  keys ''
  wait_for_prompt 3
  keys 'f()'
  wait_for_line 42
}

# In vi's insert mode a suggestion is taken as in emacs'; in its command mode, where
# letters move, there is none.
vi_takes_suggestions() {
  local real=$program
  printf 'set editing-mode vi\n' >"$scratch/inputrc"
  program=/usr/bin/env
  start INPUTRC="$scratch/inputrc" "$real" repl
  program=$real
  wait_for_prompt 1
  keys 'total = 20 + 1'
  wait_for_prompt 2
  type_text 'to'
  suggests 'tal = 20 + 1' || return 1
  press Escape
  wait_until 'still suggested' is_not_dim 'tal = 20' || return 1
  type_text 'lA'
  suggests 'tal = 20 + 1' || return 1
  press Right
  type_text ' + 21; total'
  press Enter
  wait_for_line 42
}

# Ctrl-O runs an entry and puts the next one there.
entries_run_in_their_order() {
  start repl
  wait_for_prompt 1
  keys 'x = 1'
  keys 'function f()'
  keys 'return x * 2'
  keys 'end'
  keys 'x = 21'
  wait_for_prompt 4
  press C-p C-p C-p C-o
  wait_for_lines 2 "$prompt function f()" || return 1
  press C-o
  wait_for_lines 2 "$prompt x = 21" || return 1
  press C-o
  wait_for_lines 3 "$prompt x = 1" || return 1
  press C-c
  keys 'f()'
  wait_for_line 42
}

# A person's own keys, for this program alone; the mode of vi, where it is asked for,
# stands before the prompt, and further lines keep their columns.
inputrc_applies() {
  local real=$program
  cat >"$scratch/inputrc" <<'END'
$if warpshop
"\C-t": "np.arange("
$endif
$if other
"\C-t": "none of ours"
$endif
set editing-mode vi
set show-mode-in-prompt on
END
  program=/usr/bin/env
  start INPUTRC="$scratch/inputrc" "$real" repl
  program=$real
  wait_for_line "(ins)$prompt" || return 1
  keys 'function f()'
  type_text 'return 6'
  wait_for_line "     $more   return 6" || return 1
  press Escape
  wait_for_line "(cmd)$prompt function f()" || return 1
  press C-c
  wait_for_line "(ins)$prompt" || return 1
  sed -i '/vi$/d' "$scratch/inputrc"
  program=/usr/bin/env
  start INPUTRC="$scratch/inputrc" "$real" repl
  program=$real
  wait_for_line "@$prompt" || return 1
  press C-t
  keys '3)'
  wait_for_line 'array([0, 1, 2], i64)'
}

# What Tab finds depends on where it is pressed; of a single match it says what
# that is.
tab_by_context() {
  start repl
  wait_for_prompt 1
  type_text '__glo'
  press Tab
  type_text ' void k(const float *input, float4 v) {'
  press Enter
  type_text 'float y = inp'
  press Tab
  wait_for_line "$more   float y = input" || return 1
  type_text '[threadI'
  press Tab
  type_text '.'
  press Tab
  wait_for_line 'threadIdx.x  threadIdx.y  threadIdx.z' || return 1
  type_text 'x]; __syncwa'
  press Tab
  wait_for_line "$more   float y = input[threadIdx.x]; __syncwarp" || return 1
  wait_for_line_like '__syncwarp' || return 1 # what it is
  press C-c
  wait_for 'given up' || return 1
  type_text ':exercise vector-a'
  press Tab
  wait_for_line "$prompt :exercise vector-add" || return 1
  press C-u
  type_text ':transcript tests/pty/li'
  press Tab
  wait_for_line "$prompt :transcript tests/pty/lib.sh" || return 1
  press C-u
  type_text ':load tests/lua/ta'
  press Tab
  wait_for_line "$prompt :load tests/lua/tap.lua" || return 1 # no tap.md, were there one
  press C-u
  type_text ':les'
  press Tab
  wait_for_line ':lesson [N]: the lessons, or open lesson N' || return 1
  press C-u
  type_text 'np.arang'
  press Tab
  wait_for_line_like 'np.arange\(\[start,\] stop' || return 1
  press C-u
  keys '__global__ void mine(int *a, float b) { }'
  wait_for 'mine: ' || return 1
  type_text ':time min'
  press Tab
  wait_for_line "$prompt :time mine" && wait_for 'mine(int *a, float b)'
}

# Of the only match a line says what it is: of what one has made, too.
tab_says_what_it_is() {
  start repl
  wait_for_prompt 1
  keys 'x = np.ones(4)'
  keys 'function mine(alpha, ...) return alpha end'
  wait_for_prompt 3
  while IFS='|' read -r typed completed note; do
    type_text "$typed"
    press Tab
    wait_for_line "$prompt $completed" || return 1
    wait_for_line_like "$note" || return 1
    press C-u
  done <<'END'
x:sum|x:sum|np\.sum\(a \[, axis\].* \.\.\.$
min|mine|mine\(alpha, \.\.\.\)$
?oob-w|?oob-write|oob-write: write out of bounds$
?bank c|?bank conflict|bank conflict: Shared memory has 32 banks\.
?:pt|?:ptx|:ptx \[KERNEL\]: what the compiler
:help pt|:help ptx|:ptx \[KERNEL\]: what the compiler
END
  type_text ':set rev'
  press Tab
  wait_for_line "$prompt :set review" || return 1
  type_text ' o'
  press Tab Tab
  wait_for_line 'off  on' || return 1
  press C-u
  type_text '__device__ float square(float v,  int count) {'
  press Enter
  type_text 'return cou'
  press Tab
  wait_for_line 'int count' || return 1
  type_text ' + squ'
  press Tab
  wait_for_line '__device__ float square(float v, int count)'
}

# The bracket at the cursor and its other half are underlined, over lines.
brackets_show_their_half() {
  start repl
  wait_for_prompt 1
  keys 'x = f(1, {'
  type_text '2})'
  wait_until 'no underlined ( and )' has_underlined '[()]' || return 1
  press Left Left
  wait_until 'no underlined { and }' has_underlined '[{}]'
}
# On two lines; not of the screen as text: the styles count.
has_underlined() {
  cat >/dev/null
  [ "$(tmux capture-pane -p -e -t main | grep -cE $'\x1b\\[([0-9;]*;)?4m(\x1b\\[[0-9;]*m)*'"$1")" = 2 ]
}

lessons_in_their_order() {
  start repl
  wait_for_prompt 1
  type_text ':lesson '
  press Tab
  wait_for_line_like '1 +2 +3 +4 +5 '
}

last_values_have_names() {
  start repl
  wait_for_prompt 1
  keys '_n'
  wait_for_line 'nil: _n counts the values that the prompt has printed: none yet.' || return 1
  keys '__'
  wait_for_line 'nil: __ is for a value that the prompt has printed; none is kept there.' || return 1
  keys '_7'
  wait_for_line 'nil: _7 is for a value that the prompt has printed; none is kept there.' || return 1
  keys '6 * 7'
  keys '"two"'
  keys '3'
  keys '{___, __, _, _1, _2, _n}'
  wait_for_line '{42, "two", 3, 42, "two", 3}' || return 1
  keys '_1 = "mine"; for i = 1, 3 do end'
  for n in $(seq 5 24); do keys "$n"; done
  keys '{_1, _2, _4 == nil, _5, _24, _n}'
  wait_for_line '{"mine", nil, true, 5, 24, 24}' || return 1
  keys ':who'
  wait_for_line 'Nothing yet: x = np.arange(8) makes a variable.' || return 1
  keys '_, b = 1, 2'
  keys '7'
  keys '_ * 6'
  wait_for_line '42'
}

# What was typed is found by those that come later, also after kill -9, and not
# in another course.
history_outlives_a_kill() {
  small_course
  start repl
  wait_for_prompt 1
  keys 'marked = 1'
  keys '__global__ void kept(int *a) {'
  keys 'a[0] = 7;'
  keys '}'
  wait_for 'kept: ' || return 1
  keys 'print("it runs") while true do end' # kept before it ends
  wait_for_line 'it runs' || return 1
  kill -9 "$(tmux display -p -t main '#{pane_pid}')"
  wait_for_end signal || return 1
  start repl
  wait_for_prompt 1
  press C-r
  type_text 'a[0]'
  wait_for_line "$more   a[0] = 7;" || return 1
  press C-c
  keys ':history'
  wait_for_line '    1  marked = 1' && wait_for_line '         a[0] = 7;' &&
    wait_for_line '    3  print("it runs") while true do end' || return 1
  keys ':history nothing of it'
  wait_for 'Nothing that you typed holds' || return 1
  local real=$program
  program=/usr/bin/env
  start WARPSHOP_COURSE="$scratch/small" "$real" repl
  program=$real
  wait_for_prompt 1
  keys ':history'
  wait_for 'Nothing is kept yet' && lacks marked
}
small_course() {
  mkdir -p "$scratch/small/lessons"
  for part in lua gpu kernels; do ln -sfn "$root/$part" "$scratch/small/$part"; done
  printf '%s\n' 'name: small' 'title: A small course' 'version: 1' >"$scratch/small/course"
  : >"$scratch/small/lessons/index"
}

# Markdown, with fences that what was typed does not end.
transcript_is_markdown() {
  start repl
  wait_for_prompt 1
  keys '6 * 7'
  keys 'function f()'
  keys 'return "```"'
  keys 'end'
  keys 'f()'
  wait_for_line '"```"' || return 1
  keys ":transcript $scratch/today.md"
  wait_for 'bytes are saved' || return 1
  cat >"$scratch/expected.md" <<'END'
```lua
6 * 7
```

```
42
```

````lua
function f()
  return "```"
end
````

```lua
f()
```

````
"```"
````

END
  head -n 25 "$scratch/today.md" | diff - "$scratch/expected.md" || return 1
  keys ":transcript $scratch/today"
  wait_for 'is there: choose a name of its own'
}

for name in enter_indents keys_at_once own_blanks_stay recalled_kernel_is_changed arrows_leave_at_the_ends \
  earlier_lines_are_suggested no_suggestion_without_colour no_suggestion_on_a_dumb_terminal no_suggestion_in_plain_text no_suggestion_from_the_beginning suggestions_are_switched own_keys_behind_the_editor own_keys_behind_fg \
  up_searches_by_the_beginning lines_are_moved text_goes_to_the_editor entries_run_again \
  long_paste interrupt_gives_up keys_behind_interrupt_wait two_empty_lines_say_what_is_open columns_are_right \
  screen_is_cleared resized_in_a_text colours_are_off dumb_terminal vi_keys vi_takes_suggestions entries_run_in_their_order inputrc_applies tab_by_context tab_says_what_it_is brackets_show_their_half lessons_in_their_order last_values_have_names \
  history_outlives_a_kill transcript_is_markdown; do
  run_case $name
done
echo "1..$number"
