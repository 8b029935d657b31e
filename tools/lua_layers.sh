#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks what the Lua files of jax use of one another (lua/jax/README.md): rooms
# only in the direction of the table, each file at its top, none in a circle.
# Prints each breach; exit status 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 2

# A room, and the rooms that its files may use besides it. "jax" is lua/jax
# itself, where init.lua puts all together.
allowed() {
  case $1 in
  core) echo "" ;;
  compile) echo "core" ;;
  mesh) echo "core compile" ;;
  explain) echo "core compile" ;;
  transforms) echo "core compile mesh explain" ;;
  prims) echo "core compile mesh transforms" ;;
  jnp) echo "core compile explain transforms prims" ;;
  extra) echo "core mesh transforms jnp" ;;
  random) echo "core transforms jnp extra" ;;
  jax) echo "core compile mesh explain transforms prims jnp extra random" ;;
  cuda) echo "core compile mesh transforms" ;;
  *) return 1 ;;
  esac
}

breaches=0
breach() {
  echo "$1"
  breaches=$((breaches + 1))
}

# Lines "file:line:text" where use is called, without comments.
uses=$(grep -nE '\buse *\(' -r --include='*.lua' lua/jax lua/cuda | grep -vE '^[^:]+:[0-9]+: *--')

# Inside of a function a use is late: nobody sees it, and it lets circles be.
while IFS= read -r line; do
  breach "$line: a file says at its top what it uses, outside of functions"
done < <(grep -E '^[^:]+:[0-9]+:( |.*\bfunction\b)' <<<"$uses")
while IFS= read -r line; do
  breach "$line: use(\"room/file\") names a file in plain words"
done < <(sed -E 's/\buse\("[a-z_/]+"\)//g' <<<"$uses" | grep -E '\buse *\(')

# Lines "file used", by their names in use().
edges=$(grep -oE '^[^:]+|\buse\("[a-z_/]+"\)' <<<"$uses" | awk '
  /^lua\// { file = $0; sub(/^lua\/(jax\/)?/, "", file); sub(/\.lua$/, "", file); next }
  { used = $0; gsub(/^use\("|"\)$/, "", used); print file, used }' | sort -u)
while read -r file used; do
  from=${file%%/*} to=${used%%/*}
  [ "$from" = "$file" ] && from=jax
  [ "$to" = "$used" ] && to=jax
  may=$(allowed "$from") || { breach "lua/jax/$from/ is not in the table of tools/lua_layers.sh" && continue; }
  [ -f "lua/jax/$used.lua" ] || [ -f "lua/$used.lua" ] || breach "$file uses $used, which is not there"
  [ "$from" = "$to" ] && continue
  case " $may " in
  *" $to "*) ;;
  *) breach "$file uses $used: $from may use: $may" ;;
  esac
done <<<"$edges"
circle=$(tsort <<<"$edges" 2>&1 >/dev/null)
[ -n "$circle" ] &&
  breach "files use one another in a circle: $(sed -n '/contains a loop/!s/^tsort: //p' <<<"$circle" | paste -sd ' ' -)"

[ "$breaches" = 0 ] && echo "lua_layers: every use() stands at a file's top and points up the table"
[ "$breaches" = 0 ]
