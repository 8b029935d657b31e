#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make lint` checks without any tool, as TAP.
set -u
cd "$(dirname "$0")/.." || exit 2
number=0 failed=0

check() { # NAME COMMAND...
  local name=$1 said
  shift
  number=$((number + 1))
  if said=$("$@" 2>&1); then
    echo "ok $number - $name"
  else
    failed=1
    echo "not ok $number - $name"
    echo "# ${said//$'\n'/$'\n'# }"
  fi
}

check 'includes point up the table of folders' tools/layers.sh
check 'files that READMEs name are there' tools/readmes.sh
# shellcheck disable=SC2317 # check calls it
made_is_as_written() {
  local into rc
  into=$(mktemp -d) || return 1
  python3 tests/ptx/make/make.py --into "$into" && diff -rq "$into" tests/ptx/made
  rc=$?
  rm -rf "$into"
  return "$rc"
}
check 'tests/ptx/made is what tests/ptx/make/make.py writes' made_is_as_written
check 'sentences of repl/ are fitted to the terminal' tools/prints.sh
echo "1..$number"
exit $failed
