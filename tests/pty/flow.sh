#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Between the pages: leaving a page, a question, an exercise; a report to send;
# reviews; the end of a part. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh

# Out of a question: the page runs to its end unseen, and nothing is asked.
leave_a_question() {
  start learn
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
  start learn
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
  start learn 4
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
  keys "$program learn 4"
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

for name in leave_a_question leave_an_exercise back_from_free_play leave_lesson_forgets \
  report_hides_who; do
  run_case $name
  prompt="$device>"
done
echo "1..$number"
