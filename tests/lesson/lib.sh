# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A command, its exit status, and what its outputs hold: each a line of TAP.
# Sourced from the project's folder; $scratch/out keeps both outputs of the last.
. tests/tap.sh

# check NAME STATUS COMMAND...
check() {
  local name=$1 wanted=$2 got
  shift 2
  "$@" >"$scratch/out" 2>&1 </dev/null
  got=$?
  [ "$got" = "$wanted" ]
  report "$name" $((1 - $?)) "exit status $got, not $wanted
$(tail -n 20 "$scratch/out")"
}
# holds NAME TEXT, lacks NAME TEXT
holds() {
  grep -qF -- "$2" "$scratch/out"
  report "$1" $((1 - $?)) "\"$2\" is missing
$(tail -n 5 "$scratch/out")"
}
lacks() {
  ! grep -qF -- "$2" "$scratch/out"
  report "$1" $((1 - $?)) "\"$2\" is there"
}
