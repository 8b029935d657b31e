#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `warpshop top` costs: processor time of the dashboard and of the process that
# asks NVML, over SECONDS (60) at a look a second, in a terminal of 120x40 under tmux,
# after the first five seconds. Without a GPU it shows GPUS (8) of a library with
# NVML's names; then NVIDIA's own cost is not in it. Usage: bench/top.sh [SECONDS [GPUS]]
set -u
cd "$(dirname "$0")/.." || exit 2
seconds=${1:-60} gpus=${2:-8} build=${BUILD:-build}
scratch=$(mktemp -d) || exit 2
tmux() { command tmux -S "$scratch/tmux" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT
set -- WARPSHOP_HOME="$PWD" XDG_RUNTIME_DIR="$scratch" TERM=screen LC_ALL=C.UTF-8
what='the GPUs of this machine'
if [ ! -e /dev/nvidiactl ]; then
  make -s "$build/tests/unit/fake_nvml_top.so" || exit 2
  set -- "$@" WARPSHOP_NVML="$PWD/$build/tests/unit/fake_nvml_top.so" FAKE_NVML_GPUS="$gpus"
  what="$gpus GPUs of a library that says what it likes"
fi
tmux start-server \; set-option -s exit-empty off
tmux new-session -d -s main -x 120 -y 40 env "$@" "$build/warpshop" top
sleep 5
shop=$(tmux display -p -t main '#{pane_pid}')
asks=$(pgrep -P "$shop" -f -- --watch-gpus) || { echo 'it does not run' >&2 && exit 3; }
ticks() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$1/stat"; }
from=$(($(ticks "$shop"))) from_asks=$(($(ticks "$asks"))) start=$(date +%s.%N)
sleep "$seconds"
awk -v a=$(($(ticks "$shop") - from)) -v b=$(($(ticks "$asks") - from_asks)) -v hz="$(getconf CLK_TCK)" \
  -v t="$(echo "$(date +%s.%N) $start" | awk '{print $1 - $2}')" -v what="$what" \
  -v processes="$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)" 'BEGIN {
    printf "%s, %d processes on the machine, %.0f s\n", what, processes, t
    printf "dashboard %.2f s, asking NVML %.2f s: %.2f%% of a core (limit 1%%)\n", a / hz, b / hz, 100 * (a + b) / hz / t }'
