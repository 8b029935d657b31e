#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sources that attack the compiler, typed at the prompt of one session, through
# a pipe and in a pseudo-terminal: each gets one clear error, no byte of a
# foreign file or of the environment is shown, and the session goes on with its
# variables and its kernels. Speaks TAP.
set -u
cd "$(dirname "$0")/../.." || exit 2
program=$PWD/${BUILD:-build}/warpshop
command -v script >/dev/null || {
  echo "ok 1 # SKIP script (of util-linux) is not installed"
  exit 0
}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
export WARPSHOP_HOME=$PWD WARPSHOP_DEVICE=${WARPSHOP_DEVICE:-virtual:0}
export TERM=dumb NO_COLOR=1 LC_ALL=C.UTF-8
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$scratch/cache}
export XDG_STATE_HOME=$scratch/state XDG_DATA_HOME=$scratch/data
# What must never be shown: of the environment, of a file of ours, of the
# machine's.
export WARPSHOP_TEST_SECRET=zebra_crossing_in_the_environment
file_secret=okapi_sleeping_in_a_file
echo "$file_secret" >"$scratch/secret"

number=0
tap() {
  number=$((number + 1))
  if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

hundred() { printf '%s' "$1"; printf ",$1%.0s" {2..100}; }
attacks=(passwd environ hostname secret bomb array escape recursion)
attack() { # the text of one
  case $1 in
  passwd) echo '#include "/etc/passwd"' ;;
  environ) echo '#include "/proc/self/environ"' ;;
  hostname) echo '#include "../../../../../../etc/hostname"' ;;
  secret) echo "#include <$scratch/secret>" ;;
  bomb)
    echo "#define A $(hundred 1)"
    echo "#define B $(hundred A)"
    echo "#define C $(hundred B)"
    echo "#define D $(hundred C)"
    echo '__device__ int x[] = {D};'
    ;;
  array) echo '__device__ int big[1ul << 33] = {1};' ;;
  escape) printf '__device__ int e = 1; \033[2J \033]0;taken\007\n' ;;
  recursion)
    echo 'template <int N> struct R { static const int v = R<N + 1>::v; };'
    echo '__device__ int z = R<0>::v;'
    ;;
  esac
  [ "$1" = bomb ] || [ "$1" = array ] || echo '__global__ void f(int *p) { *p = 1; }'
}
error_of() { # what the answer must hold
  case $1 in
  passwd) echo 'cannot include "/etc/passwd"' ;;
  environ) echo 'cannot include "/proc/self/environ"' ;;
  hostname) echo 'cannot include "../../../../../../etc/hostname"' ;;
  secret) echo "cannot include" ;;
  bomb) echo 'the compiler needed more than' ;;
  array) echo 'and was stopped' ;;
  escape) echo 'error:' ;;
  recursion) echo 'error:' ;;
  esac
}
right='__global__ void right(const int *x, int *y) { y[threadIdx.x] = x[threadIdx.x] * 3; }'
use() { echo "right[{1, 32}](keep, out); print(string.format('%s=%d %d', '$1', out[31], keep[5]))"; }

# clean FILE: no secret, no line of /etc/passwd, nothing of the environment.
clean() {
  ! grep -qaF -e "$WARPSHOP_TEST_SECRET" -e "$file_secret" -e 'root:' \
    -e 'PATH=' "$1"
}

# ---- Typed through a pipe, and at a terminal ----

# At a terminal the long one and the one with bytes that are keys are loaded
# from a file: a terminal keeps 4 KiB that nobody has read yet.

session() {
  local name
  echo 'keep = np.arange(32, "i32"); out = np.zeros(32, "i32")'
  for name in "${attacks[@]}"; do
    attack "$name" >"$scratch/$name.cu"
    echo "print('begin' .. '-$name')"
    case $1-$name in
    terminal-escape | terminal-bomb) echo ":load $scratch/$name.cu" ;;
    *) cat "$scratch/$name.cu" ;;
    esac
    echo "print('end' .. '-$name')"
    echo "$right"
    use "after-$name"
  done
  echo ':quit'
}

# What the session said between two marks, without carriage returns.
part() { # part NAME FILE
  tr -d '\r' <"$2" | sed -n "/^begin-$1\$/,/^end-$1\$/p"
}

judge() { # judge HOW FILE
  local name
  for name in "${attacks[@]}"; do
    part "$name" "$2" >"$scratch/part"
    grep -qaF "$(error_of "$name")" "$scratch/part"
    tap $? "$1: $name gets a clear error"
    grep -qaF "$(error_of "$name")" "$scratch/part" ||
      head -c 1500 "$scratch/part" | cat -v | sed 's/^/#   /'
    [ "$(wc -c <"$scratch/part")" -lt 8000 ]
    tap $? "$1: $name is answered in a few lines"
    tr -d '\r' <"$2" | grep -qxF "after-$name=93 5"
    tap $? "$1: a right kernel works after $name"
  done
  clean "$2"
  tap $? "$1: nothing foreign is shown"
  # Only the marks of pasting, which Readline itself writes.
  ! sed 's/\x1b\[?2004[hl]//g' "$2" | grep -qaP '\x1b|\x07'
  tap $? "$1: no escape byte is passed on"
}

session piped >"$scratch/typed"
timeout "${HANG_S:-300}" "$program" repl <"$scratch/typed" >"$scratch/piped.out" 2>&1
judge piped "$scratch/piped.out"
session terminal >"$scratch/typed"
timeout "${HANG_S:-300}" script -qec "$program repl" /dev/null <"$scratch/typed" \
  >"$scratch/terminal.out" 2>&1
judge terminal "$scratch/terminal.out"
