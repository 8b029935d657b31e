#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources themselves, as TAP. Usage: tests/source.sh rules | made
# rules: what `make lint` checks without any tool. made: files that a generator
# writes are what it writes; PYTHON is one with NumPy and JAX, where there is
# one.
set -u
cd "$(dirname "$0")/.." || exit 2
number=0 failed=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

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

# shellcheck disable=SC2317 # check calls it
scripts_are_whole() {
  local script rc=0
  for script in $(grep -rlI '^#!/.*sh$' .ci tools tests bench) tests/*/*.sh; do
    bash -n "$script" || rc=1
  done
  return "$rc"
}
rules() {
  check 'includes point up the table of folders' tools/layers.sh
  check 'functions are declared where one looks, and no folder is too full' tools/headers.sh
  check 'rooms have one header for others, or a reason' tools/doors.sh
  check 'files that READMEs name are there' tools/readmes.sh
  check 'no script ends in the middle' scripts_are_whole
  check 'what can change and outlives a call has its reason' tools/globals.sh
  check 'no function takes more than six parameters' tools/parameters.sh
  check 'no function has more than 60 lines' tools/lengths.sh
  check 'sentences of repl/ are fitted to the terminal' tools/prints.sh
}

# shellcheck disable=SC2317 # check calls it
ptx_is_as_written() {
  python3 tests/ptx/make/make.py --into "$scratch/ptx" && diff -rq "$scratch/ptx" tests/ptx/made
}
# What NumPy, SciPy and JAX give, written by tests/fixtures/NAME.py.
# shellcheck disable=SC2317 # check calls it
cases_are_as_written() {
  JAX_PLATFORMS=cpu "$python" -W ignore "tests/fixtures/$1.py" >"$scratch/$1.lua" &&
    "$python" tests/fixtures/same_cases.py "$scratch/$1.lua" "tests/fixtures/$1.lua"
}
made() {
  local python=${PYTHON:-python3} name wanted
  check 'tests/ptx/made is what tests/ptx/make/make.py writes' ptx_is_as_written
  wanted=$(sed -n '1s/.* NumPy \([0-9.]*\);.*/\1/p' tests/fixtures/np_cases.lua)
  for name in np_cases np_linear_cases; do
    if "$python" -c "import jax.numpy, ml_dtypes, numpy, scipy.special
assert numpy.__version__ == '$wanted'" 2>"$scratch/said"; then
      check "$name.lua is what $name.py writes" cases_are_as_written "$name"
    else
      number=$((number + 1))
      echo "ok $number - $name.lua # SKIP $python lacks NumPy $wanted, SciPy or JAX"
    fi
  done
}

case ${1-} in
rules) rules ;;
made) made ;;
*) echo 'usage: tests/source.sh rules | made' >&2 && exit 2 ;;
esac
echo "1..$number"
exit $failed
