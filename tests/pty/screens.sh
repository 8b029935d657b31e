# shellcheck shell=bash disable=SC2034,SC2154 # of who sources it
# SPDX-License-Identifier: Apache-2.0
# The states of screens_table.sh: enter_STATE brings one about, still_STATE shows that it
# is there and leaves the program. Sourced by keys.sh.
workbook=$root/tests/fixtures/workbook/course
nothing='This key does nothing here'
own_mark='' back=Home

# mouse BUTTON COLUMN ROW: pressed and let go, as xterm's mode 1006 tells it.
mouse() {
  press -l -- $'\x1b'"[<$1;$2;$3M" && press -l -- $'\x1b'"[<$1;$2;$3m"
}
# Of the last character of the text, from 1; of ASCII before it.
column_of() { tmux capture-pane -p -t main | awk -v t="$1" 'i = index($0, t) {print i + length(t) - 1; exit}'; }
row_of() { tmux capture-pane -p -t main | grep -nF -- "$1" | head -n 1 | cut -d: -f1; }

# no_key KEY...: each says that it is none.
no_key() {
  local k
  for k; do
    press "$k" && see "$nothing" || { echo "# $k" && return 1; }
    # shellcheck disable=SC2086 # keys
    press $back && wait_until_gone "$nothing" || return 1
  done
}
# Keys of a help page, which then shows the screen; a paste does, too.
each_goes_back() {
  local k
  for k; do
    press "$k" && see "$own_screen" && press '?' && see "$own_mark" || { echo "# $k" && return 1; }
  done
  paste q && see "$own_screen" && press '?' && see "$own_mark"
}
leaves_with() { # KEY...
  press "$@" && line 'left 0, as it was'
}

# ---- The workbook ----

in_folder() { # WORD...
  folder=$scratch/folder-$number home=$root
  mkdir -p "$folder"
  printf '#!/bin/sh\n: >>%s/edited\n' "$folder" >"$own_folder/editor"
  chmod +x "$own_folder/editor"
  editor=$own_folder/editor
  (cd "$folder" && in_shell "$@")
}
was_edited() {
  cat >/dev/null
  [ -e "$folder/edited" ]
}
enter_contents() { own_mark='Enter open' back=Home && in_folder learn "$workbook" && see 'Enter open'; }
still_contents() { press / && see 'find:' && press Escape && wait_until_gone find: && leaves_with q; }

enter_found() { enter_contents && press / && own_mark='find:' && see 'Esc shows all'; }
still_found() { type z && see 'z  ' && press Escape && still_contents; }

enter_reading() { own_mark='Enter go on' back=p && in_folder learn "$workbook" 1 && see 'Enter go on' && wait_until_gone 'Ctrl-C stops one'; }
still_reading() { press '?' && see 'The keys of a page' && press x && see 'Enter go on' && leaves_with C-d; }

enter_opening() {
  rm -rf "$scratch/endless" && cp -r "$workbook" "$scratch/endless" && rm "$scratch"/endless/lessons/0[23]* &&
    echo 01-first.md >"$scratch/endless/lessons/index" || return 1
  printf '%s\n' --- 'title: Endless' 'minutes: 5' --- '### Page' '```lua run' 'while true do end' '```' 'Behind it.' \
    >"$scratch/endless/lessons/01-first.md"
  in_folder learn "$scratch/endless" 1 && see 'Ctrl-C stops one'
}

enter_task() { enter_contents && press e && own_mark='e edit  h hint' && see 'is judged at each save'; }
still_task() {
  see "e edit  h hint" && right && see 'done in' && leaves_with C-d
}
kernel_file() { # LINE
  printf '%s\n' '__global__ void twice(const int *x, int *out, int n) {' \
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;' "$1" '}' >"$folder/twice.cu"
}
right() { kernel_file "  if (i < n) out[i] = 2 * x[i]; // $SRANDOM"; }
wrong() { kernel_file '  out[i] = 2 * x[i];'; }
enter_hints() { enter_task && press h && see '(1 of 2)' && back=Home; }
still_hints() { still_task; }

enter_solution() { enter_task && press s && see 'y: yes' && own_mark='y: yes'; }
still_solution() { press y && see 'out[i] = 2 * x[i];' && still_task; }
each_is_no() {
  local k
  for k; do
    press "$k" && see 'The solution stays hidden.' && press s && see 'y: yes' || { echo "# $k" && return 1; }
  done
  paste y && see 'The solution stays hidden.'
}

enter_judging() {
  enter_task && kernel_file '  for (volatile int k = 0; k >= 0; k += 0) out[threadIdx.x] = k;' &&
    see 'judging twice.cu' && own_mark='judging twice.cu' && see 'q gives that up'
}
still_judging() { see 'judging twice.cu' && still_task; }

enter_keys_of_contents() { enter_contents && own_screen='Enter open' own_mark='The keys of the contents' && press '?' && see "$own_mark"; }
still_keys_of_contents() { see 'any key goes back' && press x && see 'Enter open' && leaves_with C-d; }
enter_keys_of_reading() { enter_reading && own_screen='Enter go on' own_mark='The keys of a page' && press '?' && see "$own_mark"; }
still_keys_of_reading() { see 'any key goes back' && press x && see 'Enter go on' && leaves_with C-d; }
enter_keys_of_task() { enter_task && own_screen='e edit  h hint' own_mark='The keys of an exercise' && press '?' && see "$own_mark"; }
still_keys_of_task() { see 'any key goes back' && press x && see 'e edit  h hint' && leaves_with C-d; }

# ---- The debugger, the map ----

cat >"$own_folder/walk.cu" <<'KERNEL'
__global__ void walk(float *out) {
  int i = threadIdx.x;
  int k = i * 2;
  while (out[i] > 0)
    out[i] += 1;
  out[i] = k;
}
__global__ void turn(const float *x, float *out) { out[threadIdx.x] = x[threadIdx.x]; }
KERNEL
with_kernels() {
  home=$root
  in_shell repl && prompts 1 && type ":load $own_folder/walk.cu" && press Enter && prompts 2
}
enter_stepping() {
  with_kernels && type ":debug walk[{1, 40}](np.full(40, 1, \"f32\"))" && press Enter && see 'q quit' && see 'walk.cu:2' &&
    own_mark='lanes of warp 0' back=': Escape' nothing='no key of this screen'
}
still_stepping() { press -l ':print 6 * 7' && press Enter && see '6 * 7 = 42' && press q && at_prompt; }
enter_debug_line() { enter_stepping && press : && see 'Enter does it · Esc gives up' && own_mark='Esc gives up'; }
still_debug_line() { press C-u && type 'print 6 * 8' && press Enter && see '6 * 8 = 48' && press q && at_prompt; }
enter_debug_page() {
  enter_stepping && press '?' && see 'The keys of the debugger' && own_mark='The keys of the debugger' back=Up nothing='This key does nothing here'
}
still_debug_page() { see 'The keys of the debugger' && press q && see 'q quit' && press q && at_prompt; }
enter_going() { enter_stepping && press c && see 'running: Ctrl-C stops it'; }
still_going() { press C-c && see 'Stopped here.' && still_stepping; }

enter_map() {
  with_kernels && type 'x = np.ones({32, 32}, "f32"); y = x + 0' && press Enter && prompts 3 &&
    type 'turn[{1, 1024}](x, y)' && press Enter && see '1 block x 1024 threads' && prompts 4 && type ':map' && press Enter &&
    see '1 of 2 · line 8' && own_mark=' of 2 · line 8' back=w
}
still_map() { press Home && see '1 of 2' && press End && see '2 of 2' && press q && at_prompt; }
enter_cell() { enter_map && press c && own_mark='arrows move' && see 'x[0]: thread (0,0,0) reads · warp 0, lane 0' && see "$own_mark"; }
still_cell() { press w && see 'arrows move' && press c && wait_until_gone 'arrows move' && still_map; }
enter_keys_of_map() { enter_map && own_screen=' of 2 · line 8' own_mark='The keys of :map' && press '?' && see "$own_mark"; }
still_keys_of_map() { see 'any key goes back' && press x && see '1 of 2' && press q && at_prompt; }

# ---- The class ----

. tests/fixtures/desk_room.sh
of_the_class='desk|desk_hint|desk_find|source|keys_of_desk' # which need a room of several users
enter_desk() {
  [ -e "$room" ] || { chmod 755 "$own_folder" && make_room; } || return 1
  home=$root
  in_shell class watch "$room" && see '/ find' && see '64001: 0 passed' && own_mark='/ find' back=Home
}
still_desk() { press '?' && see 'The keys of warpshop class watch' && press x && see '/ find' && leaves_with q; }
enter_desk_hint() { enter_desk && press h && own_mark='hint to 64001:' && see "$own_mark"; }
still_desk_hint() { type zz && see 'zz  ' && press Escape && wait_until_gone 'hint to' && still_desk; }
enter_desk_find() { enter_desk && press / && own_mark='find:' && see "find:    Enter"; }
still_desk_find() { type zz && see 'zz  ' && press Escape && wait_until_gone find: && still_desk; }
enter_source() { enter_desk && press Enter && own_mark='read only' && see 'read only'; }
still_source() { see 'read only' && press q && see '/ find' && still_desk; }
enter_keys_of_desk() { enter_desk && own_screen='/ find' own_mark='The keys of warpshop class watch' && press '?' && see "$own_mark"; }
still_keys_of_desk() { see 'any key goes back' && press x && see '/ find' && leaves_with q; }

# ---- top, whose rows are in keys_table.sh ----

enter_top() { in_shell top --interval 3600 && see 'use 87 %'; }
