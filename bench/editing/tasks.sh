# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2034,SC2154 # code, and names of others
# Editing tasks, played in warpshop ("here") and in IPython. Sourced behind lib.sh.
#
# task TITLE
# given SIDE STEPS   what was there before; not counted
# keys SIDE KEYS     the fewest that a skilled person presses, with default settings:
#                    «typed», Key or C-chord (one each), paste (one), {waits for}
# goal SIDE STEPS    what must hold then
#
# IPython's user has the same CUDA C in a string, as CuPy takes it, so that the lines
# to edit are the same.

kernel='__global__ void scale(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 2; k++) {
    v[i] *= 2;
  }
}'
tasks_editor="sed -i 's/= 2/= 3/'"
give_kernel() { give "$(as_typed "$kernel")"; }
as_typed() {
  if [ "$side" = here ]; then echo "$1"; else echo "source = r'''$1'''"; fi
}
# kernel_is TEXT: what ran last is that.
kernel_is() {
  if [ "$side" = here ]; then give ':save k.cu'; else give 'open("k.cu", "w").write(source)'; fi
  wait_until "another kernel than $1" holds_kernel "$1"
}
holds_kernel() {
  cat >/dev/null # the screen
  [ "$(<"$folder/k.cu")" = "$1" ]
}
long_kernel() {
  echo '__global__ void scale(float *v, int n) {'
  for n in {2..79}; do
    if [ "$n" = 41 ]; then echo "  v[0] $1 $n;"; else echo "  v[0] += $n;"; fi
  done
  echo '}'
}
write_scripts() {
  echo 'print("the sums ran")' | tee "$folder/sums.lua" >"$folder/sums.py"
  echo 1 >"$folder/sums.txt"
}
# gone TEXT: it does not end the screen.
gone() { wait_until "still there: $1" lacks_tail "$1"; }
lacks_tail() { ! has_tail "$1"; }
start_spin() { put 'spin(40000000000000)' && press Enter && see 80000000000000; }
# says VALUE: the last answer.
says() { wait_until "not $1" has_answer "$1"; }
has_answers() { [ "$(grep -cE "^(Out\[[0-9]+\]: )?$2\$")" = "$1" ]; }
import_numpy() { [ "$side" = here ] || give 'import numpy as np'; }

# ---- Blocks ----

task 'change a line in the middle of the kernel that ran last'
given both 'give_kernel'
keys here 'C-r «2» C-d «3» Enter'
keys ipython 'C-r «2» Enter C-d «3» M-Enter'
goal both 'kernel_is "${kernel/\*= 2/*= 3}"'

task 'paste 80 lines, one of them wrong; correct it'
given both 'clip=$(as_typed "$(long_kernel +-)")'
keys here 'paste C-r «-» C-d «=» Enter'
keys ipython 'paste C-r «-» Enter C-d «=» M-Enter'
goal both 'kernel_is "$(long_kernel +=)"'

task 'take a line out of a block'
given both 'give_kernel'
keys here 'C-r «v» M-k Enter'
keys ipython 'C-r « » Enter S-Up Delete M-Enter'
goal both 'kernel_is "$(sed 4d <<<"$kernel")"'

task 'double a line of a block'
given both 'give_kernel'
keys here 'C-r «v» M-k C-y C-y Enter'
keys ipython 'C-r « » Enter S-Up M-w C-y M-Enter'
goal both 'kernel_is "$(sed 4p <<<"$kernel")"'

task 'move three lines one step in'
given both 'give_kernel'
keys here 'Up Up C-Space Up Up Tab Enter'
keys ipython 'Up Up S-Up S-Up C-c «>» M-Enter'
goal here 'kernel_is "$(sed "3,5s/^/  /" <<<"$kernel")"'
goal ipython 'kernel_is "$(sed "3,5s/^/    /" <<<"$kernel")"'

task 'add a line at the end of a block in the middle'
given both 'give_kernel'
keys here 'C-r «;» C-e M-Enter «v[i]--;» Enter'
keys ipython 'C-r «;» Enter «;» Enter «v[i]--» M-Enter'
goal both 'kernel_is "$(sed "4a\\    v[i]--;" <<<"$kernel")"'

task 'take back a word that was cut by mistake'
given both 'give "first = 40; second = 2" && put "first * 2 + second" && press C-w && gone "+ second"'
keys both 'C-_ Enter'
goal both 'says 82'

task 'leave a block without running it'
given both 'put "$(as_typed "$kernel")"'
keys both 'C-c'
goal both 'answers "6 * 7" 42'

task 'go to the bracket that closes this one, and write behind it'
given both 'put "((1 + 2) * (3 + 4)) - 2 - 3 - 4" && press Home'
keys here 'C-M-f «*2» Enter'
keys ipython 'M-3 C-] «)» Right «*2» Enter'
goal both 'says 33'

task 'edit the kernel that ran last in $EDITOR'
given both 'give_kernel'
keys here 'Up F2 {*= 3} Enter'
keys ipython 'Up F2 {*= 3} Enter'
goal both 'kernel_is "${kernel/\*= 2/*= 3}"'

# ---- Completion ----

task "complete a function's name"
given both 'import_numpy'
keys both '«np.lins» Tab {linspace} «(0, 1, 3)» Enter'
goal both 'see "array([0" && see 0.5'

task 'complete a field of a field'
given here 'give "run = {size = {threads = 128}}"'
given ipython 'give "class run:
  class size: threads = 128"'
keys here '«run.» Tab {run.size} «.» Tab {threads} Enter'
keys ipython '«run.s» Tab {run.size} «.t» Tab {threads} Enter'
goal both 'says 128'

task 'complete an attribute of an array'
given here 'give "x = np.ones({2, 3})"'
given ipython 'import_numpy && give "x = np.ones((2, 3))"'
keys both '«x.nd» Tab {ndim} Enter'
goal both 'says 2'

task 'complete one of several names'
# Not as its first word, or the whole line would be suggested, and stand there already.
given here 'give "do threshold_high = 3; threshold_low = 4; threshold_mid = 5 end"'
given ipython 'give "threshold_high = 3; threshold_low = 4; threshold_mid = 5"'
keys both '«th» Tab {threshold_low} «l» Tab {threshold_low} Enter'
goal both 'says 4'

task "complete a file's name"
given both 'echo 1 >"$folder/measured.txt" && echo 2 >"$folder/other.txt"'
keys here '«s="m» Tab {measured.txt} Enter'
keys ipython '«s="me» Tab {measured.txt} «"» Enter'
goal both 'give s && see "measured.txt"'

task 'complete a command and the file that it runs'
given both 'write_scripts'
keys here '«:lo » Tab {sums.lua} Enter'
keys ipython '«run s» Tab {sums.py} Enter'
goal both 'line "the sums ran"'

# ---- What was typed before ----

task 'find a line by a part of it, and run it'
given both 'give "first = 40" && give "first + 2" && give "second = 3"'
keys here 'C-r «+» Enter'
keys ipython 'C-r «+» Enter Enter'
goal both 'wait_until "not twice" has_answers 2 42'

task 'find a line by its beginning, and run it'
given both 'give "x = 40" && give "x = x + 1" && give "x = 50" && give "y = 3"'
keys both '«x» Up Up Enter'
goal both 'answers x 51'

task 'accept a suggestion'
given both 'give "total = 0" && give "total = total + 21" && give "y = 3"'
keys both '«t» {total + 21} Right Enter'
goal both 'answers total 42'

task 'accept a part of a suggestion, and go on'
given both 'give "total = 1" && give "total + 21 + 100" && give "y = 3"'
keys here '«t» {21 + 100} M-f M-f «20» Enter'
keys ipython '«t» {21 + 100} M-f M-f «20» Enter'
goal both 'says 21'

task 'run the last three lines again'
given both 'give "a = 1; b = 1; c = 1" && give "a = a + 1" && give "b = b + a" && give "c = c + b"'
keys here '«:r 3» Enter'
keys ipython '«rer» Tab {%rerun} « 2-4» Enter'
goal both 'answers "a * 100 + b * 10 + c" 370'

task 'run a line again with another number'
given both 'give "first = 40" && give "first + 21"'
keys both 'Up BSpace «2» Enter'
goal both 'says 62'

task 'stop what runs, and run it with a smaller number'
given here 'give "function spin(n) print(n * 2) for i = 1, n do end return n end" && start_spin'
given ipython 'give "def spin(n):
  print(n * 2)
  for i in range(n): pass
  return n" && start_spin'
keys here 'C-c {stopped} Up Left M-BSpace «5» Enter'
keys ipython 'C-c {KeyboardInterrupt} Up Left M-BSpace «5» Enter'
goal both 'says 5'

task 'use the last value'
given both 'give "40 + 1"'
keys both '«_+1» Enter'
goal both 'says 42'

task 'use the third value'
given both 'give 10 && give 20 && give 41 && give 50'
keys both '«_3+1» Enter'
goal both 'says 42'

# ---- Asking ----

task 'time the line that ran last'
given here 'give "function twice(n) return n * 2 end" && give "twice(21)"'
given ipython 'give "twice = lambda n: n * 2" && give "twice(21)"'
keys here 'Up Home «:t » Enter'
keys ipython 'Up Home «time » Enter'
goal here 'see " us"'
goal ipython 'see "Wall time:"'

task 'help of a function'
given both 'import_numpy'
keys both '«np.lins» Tab {linspace} «?» Enter'
goal both 'see evenly'

task 'the source of a function'
given here 'give "function twice(n) return n * 2 end"'
given ipython 'give "def twice(n): return n * 2"'
keys both '«tw» Tab {twice} «??» Enter'
goal here 'see "function twice(n) return n * 2 end"'
goal ipython 'see "Source:"'

task 'list the variables'
given both 'give "answer = 42; total = 3"'
keys here '«:v» Enter'
keys ipython '«who» Enter'
goal here 'wait_until "not listed" grep -qE "^ *answer +42"'
goal ipython 'wait_until "not listed" grep -q "answer.*total *$"'

task 'save what was typed in a file'
given both 'give "answer = 42" && give "total = 3"'
keys here '«:tr s» Enter'
keys ipython '«hist -f s» Enter'
goal here 'has_file s.md "total = 3"'
goal ipython 'has_file s "total = 3"'

task "run the shell's command"
given both 'echo found >"$folder/measured.txt"'
keys both '«!cat m*» Enter'
goal both 'line found'

task 'list the files'
given both 'echo found >"$folder/measured.txt"'
keys both '«ls» Enter'
goal both 'see measured.txt'
