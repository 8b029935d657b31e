#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lessons as a learner meets them: questions that can be answered, pages that
# free play does not break, progress that is shown. Speaks TAP.
# WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

# at_page L.P: the prompt of that page, from here on.
at_page() {
  prompt="$1 $device>"
  wait_for_prompt 1
}

# A new session, with the first page's question answered.
first_page() {
  start learn --prompt
  wait_for 'your answer' || return 1
  choose 'the host'
  at_page 1.1
}

prediction_gives_chances() {
  rows=60
  first_page || return 1
  keys ':next'
  wait_for 'What is the first element of dx now?' || return 1
  wait_for 'your guess' || return 1
  lacks '> x[0] = 100' || return 1 # which would tell
  keys 100
  wait_for 'It is less. Two more tries.' || return 1
  keys -3
  wait_for 'It is more. One more try.' || return 1
  keys 0
  wait_for 'Measured: 0 - as you said.' || return 1
  wait_for '> x[0] = 100'
}

# Right and wrong choices stand in every place in turn.
choices_are_shuffled() {
  rows=60
  local places=' ' try
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    start learn --prompt 2
    wait_for 'your answer' || return 1
    places="$places$(screen | sed -nE 's/^ +([0-9]+) the narrow one.*/\1/p') "
    case $places in *' 1 '*' 2 '* | *' 2 '*' 1 '*) return 0 ;; esac
  done
  echo "# places of the right choice after $try starts:$places"
  return 1
}

# The prompt names the exercise, where it leaves most of the row.
prompt_names_the_exercise() {
  start repl
  wait_for_line_like "$device>" && keys ':exercise vector-add' || return 1
  wait_for_line_like "vector-add $device>" || return 1
  resize_window 50 24 && keys '6 * 7'
  wait_for_line 42 && wait_for_line_like "$device> ?$" || return 1
  resize_window 80 24 && keys '6 * 8'
  wait_for_line 48 && wait_until 'the exercise is not named again' has_last_line "vector-add $device>" || return 1
  keys ':leave'
  keys '6 * 9'
  wait_for_line 54 && wait_until 'the exercise is still named' has_last_line "$device>"
}
has_last_line() { [ "$(grep -v '^$' | tail -n 1)" = "$1" ]; }

free_play_breaks_nothing() {
  rows=60
  first_page || return 1
  keys ':next'
  wait_for 'your guess' || return 1
  keys 0
  at_page 1.2 || return 1
  keys 'twice = 5; dx = nil; x[2] = 55; np = 3'
  wait_for_prompt 2 || return 1
  keys ':next' # a cell of page 3 takes dx
  wait_for 'array([0, 2, 4, 6, 8, 10, 12, 14], f32)' || return 1
  lacks 'this cell failed' && lacks 'this check failed'
}

enter_does_not_pass_what_is_asked() {
  rows=60
  start learn --prompt 6
  wait_for 'page 1 of' || return 1
  for page in 2 3; do
    keys ':next' # whatever asks next reads it
    wait_for "page $page of" || return 1
  done
  at_page 6.3 && wait_for_line_like "vector-add 6\\.3 $device>" || return 1
  keys ''
  wait_for 'This page asks for vector-add' || return 1
  type_kernel 3 || return 1
  keys ':check'
  wait_for 'pass: all' || return 1
  keys ':check vector-add'
  keys ''
  wait_for 'your answer' || return 1
  keys '' # a quiz may be passed
  at_page 6.4 || return 1
  keys ''
  wait_for 'This page asks for one-too-many' || return 1
  keys ':lesson'
  wait_for 'vector-add       done in 1 try' || return 1
  # The list of the command line has it, too.
  XDG_STATE_HOME=$state XDG_DATA_HOME=$data "$program" exercise list >"$scratch/list"
  grep -q 'vector-add .*done in 1 try' "$scratch/list"
}

# What nobody has typed after three lines is shown.
answer_is_shown_after_three_tries() {
  rows=60
  first_page || return 1
  for line in 1 2; do
    keys "$line"
    wait_for_prompt $((line + 1)) || return 1
  done
  lacks 'This does it:' || return 1
  keys 3
  wait_for 'This does it:' || return 1
  wait_for '  6 * 7' || return 1
  keys '7 * 6' # any input of the right effect
  wait_for 'Right. That ran on the host'
}

# A guess may be a sum; what is no number is no try.
guess_is_worked_out() {
  rows=60
  start learn --prompt 6
  wait_for 'your guess' || return 1
  keys '127 threads'
  wait_for 'A number, please, or Enter alone to pass' || return 1
  keys 1
  wait_for 'It is more. Two more tries.' || return 1
  keys '33*128 - 4097'
  wait_for 'Measured: 127 - as you said.'
}

# An answer of three lines is not shown to who is still at the third.
long_answer_waits() {
  rows=60
  start learn --prompt 6
  wait_for 'your guess' || return 1
  keys ''
  wait_for 'your answer' || return 1
  keys ''
  at_page 6.1 || return 1
  keys 'p = np.full(5000, 3, "f32")'
  wait_for_prompt 2 || return 1
  keys 'r = np.zeros(5000, "f32")'
  wait_for_prompt 3 || return 1
  keys 'square[{39, 128}](p, r, 5000)'
  wait_for_prompt 4 || return 1
  lacks 'This does it:' || return 1
  keys 'square[{40, 128}](p, r, 5000)'
  wait_for 'Right. 40 blocks of 128'
}

# Nor is a function and what is done with it, to who has the function.
function_and_line_wait() {
  rows=60
  start learn --prompt 47
  wait_for 'your guess' || return 1
  keys ''
  at_page 47.1 || return 1
  keys 'function moved(p) return p end'
  wait_for_prompt 2 || return 1
  keys 'moved(bakeries)'
  wait_for_prompt 3 || return 1
  keys 'function mean(p, k) return np.mean(houses[nearest(p):eq(k)]) end function moved(p) return np.array({mean(p, 0), mean(p, 1)}) end'
  wait_for_prompt 4 || return 1
  lacks 'This does it:' || return 1
  keys 'settled = moved(moved(moved(bakeries)))'
  wait_for 'Right. 2 and 12.'
}

# The line's answer comes on :hint.
hint_shows_the_line() {
  rows=60
  first_page || return 1
  keys ':next'
  wait_for 'your guess' || return 1
  keys 0
  at_page 1.2 || return 1
  keys ':hint'
  wait_for 'This does it:' || return 1
  wait_for '  mine = cuda.to_device(np.ones(5, "f32"))' || return 1
}

# A line that the page asks for comes before its exercise, and :hint with it.
hint_is_for_what_is_asked() {
  rows=60
  start learn --prompt 25
  wait_for 'your guess' || return 1
  keys 24
  wait_for 'your answer' || return 1
  keys ''
  at_page 25.1 || return 1
  keys ':hint'
  wait_for 'This does it:' && wait_for ':hint heat helps with the exercise' || return 1
  keys ':hint heat'
  wait_for '(1 of 3) Begin with the guard' || return 1
}

# Where a list waits for a key, a command may be typed: it loses no letter.
command_ends_a_list() {
  rows=60
  first_page || return 1
  keys ':lesson'
  wait_for '-- more --' || return 1
  keys ':set'
  wait_for 'review on (:set review off changes it)'
}

# A course with a page of three questions.
asking_course() {
  mkdir -p "$scratch/asks/lessons" "$scratch/asks/exercises"
  printf '%s\n' 'name: asks' 'title: Asks' 'version: 1' >"$scratch/asks/course"
  : >"$scratch/asks/exercises/index"
  echo 01-asks.md >"$scratch/asks/lessons/index"
  printf '%s\n' --- 'title: Asks' 'minutes: 5' --- '### Page' 'Look: one.' \
    '```quiz' 'ask: How many is one?' '- just one *' '- rather two' \
    '- three' '```' '```quiz' 'ask: And how many is that?' '- one again *' \
    '- two' '```' '```predict' 'ask: And the next one?' 'from: 1 + 1' \
    'hint: Use your fingers.' '```' >"$scratch/asks/lessons/01-asks.md"
}

# At a question :hint helps with that question.
hint_helps_with_a_question() {
  rows=60
  asking_course
  start learn --prompt "$scratch/asks"
  wait_for 'How many is one?' || return 1
  keys ':solution'
  wait_for 'Enter alone passes the question' || return 1
  keys ':hint'
  wait_for 'One that is not right: three' || return 1
  choose 'just one'
  wait_for 'And how many is that?' || return 1
  keys ':hint'
  wait_for 'Look for what the lines above say of each choice.' || return 1
  choose 'one again'
  wait_for 'And the next one?' || return 1
  keys ' :hint'
  wait_for 'Use your fingers.' || return 1
  keys ' 3'
  wait_for 'Not 3. It is less.' || return 1
  keys 2
  wait_for 'Measured: 2 - as you said.'
}

# The second exercise of a page has a starter that can be opened by name.
exercise_is_edited_by_name() {
  rows=60
  make_true='sh -c "cp \$0 '"$scratch"'/seen.cu"'
  editor=$make_true
  start learn --prompt 6
  wait_for 'page 1 of' || return 1
  for page in 2 3 4; do
    keys ':next'
    wait_for "page $page of" || return 1
  done
  wait_for 'if (i <= n) out[i] = factor * x[i];' || return 1
  wait_for ':edit one-too-many opens it, :check one-too-many judges it' || return 1
  wait_for 'your answer' || return 1
  keys ''
  at_page 6.4 || return 1
  keys ':edit one-too-many'
  wait_for 'one-too-many: not changed' || return 1
  grep -q 'void scale' "$scratch/seen.cu"
}

# A course of one's own is named at the start, opened by its name, and goes on
# where it was left, beside warpshop's own.
course_of_ones_own() {
  rows=60
  mkdir -p "$scratch/shelf"
  (cd "$scratch/shelf" && WARPSHOP_HOME=$root "$program" course new signals >/dev/null)
  courses=$scratch/shelf
  start learn --prompt
  wait_for 'warpshop learn signals: Signals' || return 1
  choose 'the host'
  at_page 1.1 || return 1
  start learn --prompt signals
  wait_for 'warpshop learn warpshop: GPU computing' || return 1
  wait_for 'One idea' || return 1
  wait_for 'your guess' || return 1
  keys 8
  at_page 1.1 || return 1
  keys ':next'
  wait_for 'your answer' || return 1
  choose 'for threads that have no element' || return 1
  at_page 1.2 || return 1
  start learn --prompt signals
  wait_for "The learner's turn"
}

for name in course_of_ones_own prediction_gives_chances choices_are_shuffled \
  prompt_names_the_exercise free_play_breaks_nothing answer_is_shown_after_three_tries \
  enter_does_not_pass_what_is_asked guess_is_worked_out \
  long_answer_waits function_and_line_wait \
  command_ends_a_list hint_is_for_what_is_asked hint_shows_the_line hint_helps_with_a_question exercise_is_edited_by_name; do
  run_case $name
  prompt="$device>"
done
echo "1..$number"
