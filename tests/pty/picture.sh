#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# :map on a screen: each picture compared as text, at each size, and the prompt as it
# was behind it. Speaks TAP. WARPSHOP_PTY_ONLY=NAME runs one case; with
# WARPSHOP_PTY_MAKE=1 the pictures are written anew, to be looked at.
set -u
cd "$(dirname "$0")/../.." || exit 2
unset WARPSHOP_PLAIN
. tests/pty/lib.sh
. tests/pty/pages.sh
pictures=tests/fixtures/picture


open_map() { # COLUMNS ROWS
  columns=$1 rows=$2
  cat >"$scratch/turn.cu" <<'END'
__global__ void turn(const float *x, float *out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x * 32 + threadIdx.y] = tile[threadIdx.x][threadIdx.y];
}
END
  start repl
  wait_for_prompt 1 || return 1
  keys ":load $scratch/turn.cu"
  wait_for_prompt 2 || return 1
  keys 'x = np.ones({32, 32}, "f32"); y = x + 0'
  wait_for_prompt 3 || return 1
  keys 'turn[{1, {32, 32}}](x, y)'
  wait_for '1 block x (32 x 32) threads' || return 1
  wait_for_prompt 4 || return 1
  keys ':map'
  wait_for '1 of 4 · line 3 reads x, before any barrier'
}

pictures() { # COLUMNS ROWS
  open_map "$1" "$2" && press Right && wait_for '2 of 4' && wait_for_page "$1x$2-warps.txt" || return 1
  press Right && press l && wait_for '3 of 4' && wait_for_page "$1x$2-lanes.txt" || return 1
  press Right && press b && wait_for '4 of 4' && wait_for_page "$1x$2-blocks.txt" || return 1
  press '?' && wait_for 'The keys of :map' && wait_for_page "$1x$2-help.txt" && press x && wait_for '4 of 4' || return 1
  press q && wait_for 'virtual:0> :map' && wait_for_prompt 5 && keys '6 * 7' && wait_for 42
}
pictures_80x24() { pictures 80 24; }
pictures_60x16() { pictures 60 16; }
pictures_120x40() { pictures 120 40; }
pictures_200x50() { pictures 200 50; }

every_key_answers() {
  open_map 80 24 || return 1
  press Left && wait_for 'This is the first access' || return 1
  press a && wait_for '2 of 4 · line 3 writes tile' || return 1
  press i && wait_for '2 of 4 · all that is done to tile' || return 1
  press End && wait_for '4 of 4 · all that is done to out' || return 1
  press i && press Home && wait_for '1 of 4 · line 3 reads x' || return 1
  press z && wait_for 'This key does nothing here' && press Up && press '>' && press Enter && press Right && wait_for '2 of 4' || return 1
  tmux resize-window -t main -x 60 -y 16
  wait_for '32 x 32 cells · more: down 24' && press PageDown || return 1
  wait_for '31 ffffffff' && wait_for '32 x 32 cells · more: up 24' && press C-c && wait_for_prompt 5
}

# A window of an array, and the keys that lead to the rest.
where_it_goes_on() {
  columns=60 rows=16
  start repl
  wait_for_prompt 1 && keys '__global__ void put(float *m, float *v) { m[blockIdx.x * 50 + threadIdx.x] = v[threadIdx.x]; }' || return 1
  wait_for 'put: ' && keys 'm = np.zeros({40, 50}, "f32"); v = np.zeros(4097, "f32")' && wait_for_prompt 3 || return 1
  keys ':map m put[{40, 50}](m, v)' && wait_for '40 x 50 cells · more: down 32, > 18' || return 1
  press '>' && wait_for '40 x 50 cells · more: down 32, < 32' && press PageDown && press PageDown || return 1
  wait_for 'more: up 32, < 32' && press '<' a && wait_for 'rows of 32 of 4097 cells · more: down 121' || return 1
  press q && wait_for_prompt 4
}

# A window that is too small for both threads: a screen at a time, and nothing is cut.
race_in_a_small_window() {
  columns=60 rows=16
  printf '%s\n' '__global__ void sums(float *out) {' '  __shared__ float part[64];' '  part[threadIdx.x] = out[threadIdx.x];' \
    '  out[threadIdx.x] = part[threadIdx.x] + part[(threadIdx.x + 4) % 64] + part[63];' '}' >"$scratch/sums.cu"
  start repl
  wait_for_prompt 1 && keys ":load $scratch/sums.cu" && wait_for_prompt 2 || return 1
  keys 'sums[{1, 64}](np.zeros(64, "f32"))' && wait_for 'race on part' && wait_for_prompt 3 && press C-l || return 1
  keys ':race' && wait_for '-- more --' && page >"$scratch/page" && head -n 1 "$scratch/page" | grep -q '^Race on part' || return 1
  grep -q 'part\[63\];' "$scratch/page" && press Space && wait_for 'what each thread has.'
}

# at COLUMN ROW: clicked, both from 1.
at() { press -l -- $'\x1b'"[<0;$1;$2M" && press -l -- $'\x1b'"[<0;$1;$2m"; }
marked() { # the character that stands in reverse
  cat >/dev/null
  tmux capture-pane -p -e -t main | head -n 20 | grep -qE $'\x1b\\[7m(\x1b\\[[0-9]*m)*'"$1"$'\x1b'
}

# A cell is chosen with the mouse or with keys, in both halves, and seen from all sides.
cell_is_chosen() {
  open_map 80 24 && press Right && wait_for '2 of 4' && at 5 4 || return 1
  wait_for 'tile[0][1]: thread (1,0,0) writes · warp 0, lane 1' && wait_until 'not marked' marked A || return 1
  at 1 1 && at 3 4 && at 12 4 && at 5 20 && at 80 24 && press Right Left n && wait_for '3 of 4' && wait_for 'tile[0][1]: thread (0,1,0) reads · warp 1, lane 0' || return 1
  at 45 5 && wait_for 'tile[17][2]: thread (17,2,0)' || return 1
  press Up Left && wait_for 'tile[16][1]: thread (16,1,0)' && press i && wait_for '3 of 4 · all that is done to tile' && press l && wait_until 'not marked' marked G || return 1
  press PageDown && wait_for 'The array has no cell there.' && press Escape && wait_until_gone 'arrows move' || return 1
  press c && wait_for 'tile[0][0]: ' && press c && wait_until_gone 'arrows move' || return 1
  tmux resize-window -t main -x 60 -y 16
  wait_for 'more: down 23' && press End c Up && wait_for 'The array has no cell there' && press Down Down Down Down Down Down Down Down Down && wait_for 'out[288]:' && wait_until_gone ' 0 00000000' || return 1
  press C-c && wait_for_prompt 5
}

# Several threads in one cell, and none; of a cell of many blocks.
cell_of_several() {
  columns=60 rows=16
  start repl
  wait_for_prompt 1 && keys '__global__ void add(int *v) { atomicAdd(&v[threadIdx.x / 2], 1); }' && wait_for 'add: ' || return 1
  keys 'v = np.zeros(4097, "i32")' && wait_for_prompt 3 && keys ':map add[{2, 64}](v)' && wait_for '1 of 1' && press c || return 1
  wait_for 'v[0]: 4 threads · block (0,0,0) thread (0,0,0) updates' && wait_for 'block (0,0,0) thread (1,0,0) updates' || return 1
  press Down && wait_for 'v[32]: no thread touches it here' && press '>' && wait_for 'The array has no cell there' || return 1
  press PageDown && wait_for 'v[1056]:' && press q && wait_for_prompt 4
}

# All at once, as a hand on a slow line does: what comes behind q is the prompt's.
no_key_is_lost() {
  open_map 80 24 && press -l 'q6 * 7' && press Enter && wait_for_line 42
}

leaves_with_each() {
  local key
  for key in q Escape C-c C-d; do
    open_map 80 24 && press "$key" && wait_for_prompt 5 || return 1
  done
}

text_where_it_is_wanted() {
  columns=80 rows=50
  export WARPSHOP_PLAIN=1
  tmux set-environment -g WARPSHOP_PLAIN 1
  open_map 80 50
  local rc=$?
  tmux set-environment -gu WARPSHOP_PLAIN
  unset WARPSHOP_PLAIN
  [ $rc = 0 ] && wait_for '4 of 4 · line 5 writes out (y), after barrier 1' && lacks 'AAAAAAAA' && wait_for_prompt 5
}

for case in pictures_80x24 pictures_60x16 pictures_120x40 pictures_200x50 every_key_answers where_it_goes_on cell_is_chosen cell_of_several race_in_a_small_window no_key_is_lost leaves_with_each \
  text_where_it_is_wanted; do
  run_case "$case"
done
echo "1..$number"
