#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Between the pages: leaving a page, a question, an exercise; a report to send;
# reviews; the end of a part. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

# Out of a question: the page runs to its end unseen, and nothing is asked.
leave_a_question() {
  start learn --prompt
  wait_for '-- more --' || return 1
  tmux send-keys -t main Space
  wait_for 'your answer' || return 1
  keys ':leave'
  wait_for 'Free play: what you defined is still here. :back shows page 1.1' || return 1
  wait_for_line_like "$device>" || return 1
  keys '6 * 7' # what the page would ask for
  wait_for_line 42 && lacks 'That ran on the host' || return 1
  keys '' # no page
  keys ':leave'
  wait_for 'This is free play: what you' || return 1
  keys ':leave it'
  wait_for ':leave lesson forgets the lesson' || return 1
  keys ':next'
  wait_for 'page 2 of'
}

# Who stops reading is still on the page, and is asked what it asks.
stop_reading() {
  start learn --prompt 4
  wait_for '-- more --' || return 1
  tmux send-keys -t main q
  wait_for 'The rest of the page ran unseen' || return 1
  wait_for 'Let scale make the numbers 0, -1, -2' || return 1
  prompt="4.1 $device>"
  wait_for_prompt 1 || return 1
  keys ''
  wait_for 'This page asks you to type something' || return 1
  keys 'scale[{1, 6}](x, out, -1)'
  wait_for 'Right. The kernel stays the same' || return 1
  keys ':leave'
  wait_for 'Free play' || return 1
  keys ':back'
  wait_for_lines 2 'page 1 of'
}

leave_an_exercise() {
  start repl
  wait_for_prompt 1
  keys ':exercise vector-add'
  wait_for 'then :check.' || return 1
  keys ':leave'
  wait_for 'Free play: the exercise is left; :exercise NAME opens one again.' || return 1
  keys ':check'
  wait_for 'No exercise is open' || return 1
  keys ':leave'
  wait_for 'there is nothing to leave'
}

# What was asked for is left, and asked for again.
back_from_free_play() {
  prompt="1.1 $device>" rows=60
  start learn --prompt
  wait_for 'your answer' || return 1
  choose 'the host'
  wait_for_prompt 1 || return 1
  keys ':leave'
  wait_for 'Free play' || return 1
  keys ':back'
  wait_for_lines 2 'your answer' || return 1
  keys ''
  wait_for_prompt 2 || return 1
  keys '6 * 7'
  wait_for 'That ran on the host'
}

# The lesson's state is gone, what has passed is not.
leave_lesson_forgets() {
  start learn --prompt 4
  wait_for '-- more --' || return 1
  tmux send-keys -t main q
  prompt="4.1 $device>"
  wait_for_prompt 1 || return 1
  keys ':next'
  wait_for 'page 2 of' || return 1
  keys ':leave lesson'
  wait_for '[y/N]' || return 1
  keys n
  keys ':lesson'
  wait_for 'you are on page 2' || return 1
  tmux send-keys -t main q
  keys ':leave lesson'
  wait_for_lines 2 '[y/N]' || return 1
  keys y
  wait_for 'Lesson 4 is forgotten; :lesson 4 begins it anew.' || return 1
  wait_for_line_like "$device>" || return 1
  XDG_STATE_HOME=$state XDG_DATA_HOME=$data "$program" lesson list >"$scratch/list"
  ! grep -q 'you are on page' "$scratch/list"
}

# What is written says where and what, and not who.
report_hides_who() {
  local real=$program folder=$scratch/secret-$number/home
  mkdir -p "$folder/work"
  program=/bin/bash
  start --norc --noprofile
  program=$real
  keys "cd $folder/work; export HOME=$folder USER=zaphod LOGNAME=zaphod; clear"
  keys "$program learn --prompt 4"
  wait_for '-- more --' || return 1
  tmux send-keys -t main q
  prompt="4.1 $device>"
  wait_for_prompt 1 || return 1
  keys '"zaphod was at " .. os.getenv("HOME")'
  wait_for 'zaphod was at /' || return 1
  keys 'unknown_name()'
  wait_for 'No variable is called unknown_name' || return 1
  keys ':report'
  wait_for 'Written to warpshop-report.txt' || return 1
  keys ':report'
  wait_for 'Written to warpshop-report-2.txt' || return 1
  local file=$folder/work/warpshop-report.txt
  for text in 'lesson    4, ' 'page      1 of ' 'line      ' 'warpshop  ' 'NVRTC' 'virtual:0' \
    '"USER was at ~"' "4.1 $device> unknown_name()" 'No variable is called unknown_name'; do
    grep -qF -- "$text" "$file" && continue
    echo "# the report lacks $text"
    head -n 60 "$file" | sed 's/^/#   /'
    return 1
  done
  ! grep -qF -e '-- more --' -e zaphod -e "$scratch" -e "$(uname -n)" -e $'\x1b' "$file"
}

# A question and its answer are one line of a report, as on the screen.
report_has_each_line_once() {
  rows=60
  local folder=$scratch/once-$number
  mkdir -p "$folder"
  (cd "$folder" && start learn --prompt 1)
  wait_for 'your answer' || return 1
  keys 'perhaps'
  wait_for 'A number from 1 to' || return 1
  choose 'the host'
  prompt="1.1 $device>"
  wait_for_prompt 1 || return 1
  keys ':report'
  wait_for 'Written to warpshop-report.txt' || return 1
  local file=$folder/warpshop-report.txt
  [ "$(grep -c '^your answer' "$file")" = 2 ] && [ "$(grep -c '^? That line asked' "$file")" = 1 ] &&
    return 0
  grep -n 'answer\|^?' "$file" | sed 's/^/#   /'
  return 1
}

# A course of three lessons in two parts, with an exercise in each part.
small_course() {
  home=$scratch/home-$number
  mkdir -p "$home/lessons" "$home/exercises"
  for part in lua gpu kernels; do ln -sfn "$root/$part" "$home/$part"; done
  printf '%s\n' 'name: small' 'title: A small course' 'version: 1' >"$home/course"
  ln -sfn "$root/exercises/hello-threads" "$root/exercises/vector-add" "$home/exercises/"
  printf '%s\n' hello-threads vector-add >"$home/exercises/index"
  printf '%s\n' '# I Beginning' 01-one.md 02-two.md '# II Ending' 03-three.md >"$home/lessons/index"
  local tick='```'
  cat >"$home/lessons/01-one.md" <<END
---
title: One
minutes: 5
goals: count to one; say so
---
# One
### First page
${tick}quiz
ask: How many is one?
- just one *
- rather two
explain: One is one.
${tick}
${tick}exercise hello-threads
${tick}
END
  cat >"$home/lessons/02-two.md" <<END
---
title: Two
minutes: 5
goals: count to two
---
# Two
### Second page
${tick}predict
ask: What is one and one?
review: yes
from: 1 + 1
explain: One more than one.
${tick}
### Its end
${tick}quiz
ask: How many are two?
- two of them *
- none at all
explain: Two are two.
${tick}
END
  cat >"$home/lessons/03-three.md" <<END
---
title: Three
minutes: 5
goals: end
---
# Three
### Third page
Add.
${tick}exercise vector-add
${tick}
END
}

# What the learner can do now, and all that passed judged once more: of a part,
# and of the whole.
part_and_course_end() {
  small_course
  prompt="1.1 $device>"
  start learn --prompt
  wait_for 'your answer' || return 1
  keys ''
  wait_for_prompt 1 || return 1
  XDG_STATE_HOME=$state XDG_DATA_HOME=$data WARPSHOP_HOME=$home "$program" lesson list >"$scratch/list"
  grep -qx 'II Ending' "$scratch/list" || return 1
  keys '__global__ void hello(int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = i; }'
  keys ':check'
  wait_for 'Part I, Beginning is done, with 1 exercise. You can now' || return 1
  wait_for_line '- say so' && wait_for_line '- count to two' || return 1
  wait_for 'Judged once more: 1 of 1 right.' && lacks '- end' || return 1
  keys ':check' # an end is reached once
  wait_for_lines 2 'pass: all' || return 1
  keys ':clear'
  keys ':lesson 3'
  wait_for 'Before we begin' || return 1
  keys q
  wait_for 'Three · page 1 of 1' || return 1
  keys '__global__ void add(const float *x, const float *y, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = x[i] + y[i]; }'
  # What passed once is judged as it stands now.
  rm "$home/exercises/hello-threads" && cp -r "$root/exercises/hello-threads" "$home/exercises/"
  sed -i 's/reference = "hello_threads"/reference = function(args) for i = 0, #args.out - 1 do args.out[i] = -i end end/' \
    "$home/exercises/hello-threads/exercise.lua"
  grep -q 'args.out\[i\] = -i' "$home/exercises/hello-threads/exercise.lua" || return 1
  keys ':check'
  wait_for 'Part II, Ending is done, with 1 exercise.' || return 1
  wait_for 'A small course is done, with 2 exercises. You can now' || return 1
  wait_for_line 'II Ending' && wait_for_line '- end' && wait_for 'Judged once more: 1 of 2 right.' || return 1
  wait_for_line_like '  hello-threads: ' || return 1
  wait_for 'That was the whole course.' || return 1
  # The first part has ended before.
  [ "$(screen | grep -c 'Part I, Beginning is done')" = 1 ]
}

# An exercise that needs what this machine lacks holds up no end, and neither
# does one of a page of Further; both may be tried.
ends_without_hardware() {
  small_course
  local tick='```'
  cp -r "$root/exercises/saxpy" "$root/exercises/positions" "$home/exercises/"
  sed -i 's/^  minutes = /  hardware = {gpu = true},\n&/' "$home/exercises/saxpy/exercise.lua"
  printf '%s\n' hello-threads saxpy positions vector-add >"$home/exercises/index"
  printf '%s\n' "${tick}exercise saxpy" "$tick" '### Further: more' \
    "${tick}exercise positions" "$tick" >>"$home/lessons/01-one.md"
  prompt="1.1 $device>"
  start learn --prompt
  wait_for 'your answer' || return 1
  keys ''
  wait_for 'a real GPU' || return 1
  wait_for_prompt 1 || return 1
  keys '__global__ void hello(int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = i; }'
  keys ':check hello-threads'
  wait_for 'Part I, Beginning is done, with 1 exercise. You can now' || return 1
  keys '__global__ void saxpy(float a, const float *x, float *y, int n) { }'
  keys ':check saxpy'
  wait_for 'saxpy needs a real GPU' || return 1
  keys ':leave'
  wait_for 'Free play' || return 1
  keys ':exercise next' # passes over it
  wait_for 'Where am I?' || return 1
  keys ':lesson'
  wait_for 'saxpy            not judged here' || return 1
  wait_for '+ 20 min, done'
}

# What is to be typed is asked where it can be typed: behind the page's other
# questions, page after page, and a value of before does not answer it.
tries_are_asked_at_the_prompt() {
  small_course
  ln -sfn "$root/exercises/assign" "$home/exercises/"
  printf '%s\n' hello-threads vector-add assign >"$home/exercises/index"
  local tick='```'
  cat >"$home/lessons/01-one.md" <<END
---
title: One
minutes: 5
goals: count to one
---
# One
### First page
${tick}try
ask: Type six times seven.
check: _ == 42
answer: 6 * 7
explain: Forty-two.
${tick}
${tick}quiz
ask: How many is one?
- just one *
- rather two
explain: One is one.
${tick}
${tick}predict
ask: What is two and two?
from: 2 + 2
explain: Four.
${tick}
### Second page
${tick}try
ask: Once more, please.
check: _ == 42
answer: 42
explain: Again.
${tick}
${tick}try
ask: And a hundred.
check: _ == 100
answer: 100
explain: Enough.
${tick}
${tick}exercise assign
${tick}
END
  rows=60 prompt="1.1 $device>"
  start learn --prompt
  wait_for 'your answer' && lacks 'Type six times seven.' || return 1
  keys ''
  wait_for 'your guess' || return 1
  keys 'x = 6 * 7' # a line for the prompt
  wait_for 'A number, please, or Enter alone to pass' && lacks 'Not x = 6' || return 1
  keys 3
  wait_for 'Not 3. It is more. Two more tries.' || return 1
  keys 4
  wait_for_prompt 1 && wait_for_line '? Type six times seven.' || return 1
  for _ in 1 2 3; do keys ':set'; done # no tries
  wait_for_prompt 4 && lacks 'This does it' || return 1
  keys '6 * 7'
  wait_for 'Right. Forty-two.' || return 1
  keys ''
  prompt="1.2 $device>"
  wait_for_prompt 1 || return 1
  # A signature is wrapped between its arguments.
  wait_for_line '    __global__ void assign(const float *x, const float *centres, int *label,' || return 1
  wait_for_line '        int n, int d, int k)' || return 1
  keys ':set'
  wait_for_prompt 2 && lacks 'Right. Again.' || return 1
  keys '42'
  wait_for 'Right. Again.' && wait_for_lines 2 '? And a hundred.'
}

# Enter alone is told on each page what the page still asks for.
each_page_reminds() {
  small_course
  local tick='```' page
  {
    printf '%s\n' --- 'title: One' 'minutes: 5' 'goals: count' --- '# One'
    for page in first second; do
      printf '%s\n' "### The $page" "${tick}try" "ask: Type on the $page." \
        "check: $page" "answer: $page = true" "$tick"
    done
  } >"$home/lessons/01-one.md"
  prompt="1.1 $device>"
  start learn --prompt
  wait_for_prompt 1 || return 1
  keys ''
  wait_for 'asks you to type something: Type on the first.' || return 1
  keys ''
  wait_for 'page 2 of 2' || return 1
  keys ''
  wait_for 'asks you to type something: Type on the second.'
}

# solve_hello: the first lesson's exercise, and so the lesson.
solve_hello() {
  small_course
  prompt="1.1 $device>"
  start learn --prompt
  wait_for 'your answer' || return 1
  choose 'just one'
  wait_for_prompt 1 || return 1
  keys '__global__ void hello(int *out) { out[threadIdx.x] = threadIdx.x; }'
  keys ':check'
  wait_for 'Judged once more' || return 1
}

# Two questions of the lessons that are done; those that were missed come again
# sooner; each lesson opens with them once.
missed_questions_come_sooner() {
  rows=50
  solve_hello || return 1
  # Two that say too little without their page: they are missed, and not asked again.
  sed -i 's/^### Second page$/&\n```quiz\nask: Which is it?\nreview: no\n- this one *\n- the other\n```\n```predict\nask: And now?\nfrom: 5\n```/' \
    "$home/lessons/02-two.md"
  keys ':next'
  wait_for 'Before we begin · from 1, One' || return 1
  keys 3
  wait_for 'A number from 1 to 2, please.' || return 1
  choose 'just one'
  wait_for 'Two · page 1 of 2' || return 1
  wait_for '? Which is it?' || return 1
  choose 'the other'
  wait_for '? And now?' || return 1
  keys 1
  keys 2
  keys 3
  wait_for '? What is one and one?' || return 1
  wait_for_lines 2 'your guess (Enter to pass)' || return 1
  keys 3
  keys 4
  keys 5
  prompt="2.1 $device>"
  wait_for_prompt 1 || return 1
  keys ':next'
  wait_for_lines 4 'your answer' || return 1
  choose 'none at all'
  wait_for 'Not quite:' || return 1
  keys ''
  prompt="2.2 $device>"
  wait_for_prompt 1 || return 1
  start learn --prompt 3 # another day
  wait_for 'Before we begin · from 2, Two' || return 1
  wait_for '? What is one and one?' && lacks 'Three · page' || return 1
  keys 2.0
  wait_for 'It was 2 - as you said.' || return 1
  wait_for 'And one more · from 2, Two' || return 1
  choose 'none at all'
  wait_for '*' || return 1
  wait_for 'Three · page 1 of 1' && lacks 'How many is one?' || return 1
  prompt="3.1 $device>"
  wait_for_prompt 1 || return 1
  start learn --prompt 3 # once
  wait_for_prompt 1 && lacks 'Before we begin' || return 1
  keys ':leave lesson'
  wait_for '[y/N]' || return 1
  keys y
  keys ':lesson 3' # the one that was missed again is the first now
  wait_for 'Before we begin' && wait_for '? How many are two?' || return 1
  keys ':leave'
  wait_for 'Three · page 1 of 1' && lacks 'Free play'
}

review_is_skipped_and_turned_off() {
  rows=50
  solve_hello || return 1
  keys ':next'
  wait_for 'Before we begin' || return 1
  keys q
  wait_for 'Two · page 1 of 2' || return 1
  keys ''
  prompt="2.1 $device>"
  wait_for_prompt 1 || return 1
  keys ':next'
  wait_for_lines 3 'your answer' || return 1
  keys ''
  keys ':set review off'
  wait_for 'review off (:set review on changes it)' || return 1
  keys ':set something'
  wait_for 'The settings: :set review on' || return 1
  keys ':next'
  wait_for 'Three · page 1 of 1' || return 1
  keys ':leave lesson'
  wait_for '[y/N]' || return 1
  keys y
  keys ':set review on'
  keys ':lesson 3'
  wait_for_lines 2 'Before we begin' || return 1
  keys ':quit' # the program, not the review alone
  wait_for_end 0 || return 1
  # Never where nobody can answer.
  XDG_STATE_HOME=$state XDG_DATA_HOME=$data WARPSHOP_HOME=$home "$program" lesson test 3 >"$scratch/out" 2>&1
  XDG_STATE_HOME=$state XDG_DATA_HOME=$data WARPSHOP_HOME=$home "$program" learn 3 >>"$scratch/out" 2>&1
  grep -q 'Third page' "$scratch/out" && ! grep -q 'Before we begin' "$scratch/out"
}

for name in missed_questions_come_sooner review_is_skipped_and_turned_off part_and_course_end ends_without_hardware leave_a_question stop_reading leave_an_exercise back_from_free_play leave_lesson_forgets \
  report_hides_who report_has_each_line_once tries_are_asked_at_the_prompt each_page_reminds; do
  run_case $name
  prompt="$device>"
done
echo "1..$number"
