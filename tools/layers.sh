#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that includes point only the way the table of folders allows
# (README.md, "The map"). Prints each breach; exit status 1 if there is one.
# In gpu/ the parser knows no engine, and no engine knows another.
set -u
cd "$(dirname "$0")/.." || exit 2

# Folder, and the folders that its files may include besides themselves.
allowed() {
  local nvrtc="gpu/nvrtc/toolkit gpu/nvrtc/source gpu/nvrtc/image" # for all above
  local shop="base gpu gpu/nvrtc $nvrtc gpu/remote kernels lua/bind grade repl"
  case $1 in
  base) echo "" ;;
  gpu/ptx) echo "base" ;;
  # nvrtc.h is the contract, which the rooms below speak of.
  gpu/nvrtc/source) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/words) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/toolkit) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/worker) echo "base gpu/nvrtc" ;;
  gpu/nvrtc/image) echo "base gpu/nvrtc gpu/nvrtc/source gpu/nvrtc/words gpu/nvrtc/toolkit" ;;
  gpu/nvrtc/cache) echo "base gpu/nvrtc gpu/nvrtc/image gpu/nvrtc/toolkit" ;;
  gpu/nvrtc) echo "base $nvrtc gpu/nvrtc/words gpu/nvrtc/worker gpu/nvrtc/cache" ;;
  gpu/cuda) echo "base gpu gpu/nvrtc/toolkit" ;; # cuBLAS lies where NVRTC does
  gpu/vgpu) echo "base gpu gpu/ptx" ;;
  gpu/remote) echo "base gpu" ;;
  gpu) echo "base gpu/nvrtc gpu/nvrtc/worker gpu/nvrtc/toolkit gpu/remote" ;; # device_main.c starts both servers
  kernels) echo "base" ;;
  lua/bind) echo "base gpu gpu/nvrtc $nvrtc gpu/ptx gpu/remote kernels" ;; # ptx: what a replay copies
  grade) echo "base gpu gpu/nvrtc $nvrtc gpu/remote kernels lua/bind" ;;
  repl/tui) echo "$shop" ;;
  repl/eval) echo "$shop repl/tui" ;;
  repl/lesson) echo "$shop repl/eval repl/tui" ;;
  repl/command) echo "$shop repl/lesson repl/eval repl/tui" ;;
  repl/prompt) echo "$shop repl/command repl/lesson repl/eval repl/tui" ;;
  repl/subcommand) echo "$shop repl/prompt repl/command repl/lesson repl/eval repl/tui" ;;
  # shop.h is what all rooms of repl/ share, so it names what they keep there.
  repl) echo "$shop repl/prompt repl/command repl/lesson repl/eval repl/tui repl/subcommand" ;;
  *) return 1 ;;
  esac
}

breaches=0
while IFS=: read -r file _ include; do
  from=$(dirname "$file")
  to=$(dirname "$include")
  [ "$from" = "$to" ] && continue
  case " $(allowed "$from") " in
  *" $to "*) ;;
  *)
    echo "$file includes $include: $from may use: $(allowed "$from")"
    breaches=$((breaches + 1))
    ;;
  esac
done < <(find base gpu kernels lua grade repl -name '*.[ch]' -not -path 'gpu/nvrtc/include/*' \
  -exec grep -HnE '^# *include "' {} + |
  sed -E 's/^([^:]+):([0-9]+):# *include "([^"]+)".*/\1:\2:\3/')
# The device library runs without Lua and without a terminal.
while IFS= read -r line; do
  echo "$line: base/ and gpu/ know no Lua, no terminal and no documents"
  breaches=$((breaches + 1))
done < <(grep -nE '^# *include <(lua|lauxlib|lualib|readline/|n?curses|cmark|jansson)' \
  -r --include='*.[ch]' base gpu)
[ "$breaches" = 0 ] && echo "layers: every include points up the table"
[ "$breaches" = 0 ]
