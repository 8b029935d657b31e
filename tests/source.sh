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
# Programs that no row of tests/check names for a file outside tests/, by design:
unchecked='
programs programs/unoptimised # every textbook program: minutes
jax/* # values of a thousand programs: minutes; jax/train stands for them
sessions/* # many prompts at once: what many processes do, not one file
slurm/device # a device behind a Slurm of its own
grade/exercises_* # `exercise test` of what differs stands for them
pty/first_hour pty/newcomer pty/newcomer_workbook pty/killed pty/hostile # whole sessions of many rooms: minutes
'
# shellcheck disable=SC2317 # check calls it
programs_have_rows() {
  local program wanted rc=0 but
  but=$(cut -d '#' -f 1 <<<"$unchecked")
  wanted=$(find base cluster class course display docs exercises gpu grade kernels lessons lua \
    repl skeleton tools bench Makefile -type f | tests/check -n -) || return 1
  units_have_their_own_rows || rc=1
  tests/run -n >"$scratch/programs" || return 1
  [ "$(wc -l <"$scratch/programs")" -gt 200 ] || { echo 'tests/run -n names too few' && rc=1; }
  while IFS= read -r program; do
    is_named "$program" "$wanted" || is_named "$program" "$but" ||
      { echo "tests/check has no row that runs $program" && rc=1; }
  done <"$scratch/programs"
  return "$rc"
}
# And each name that a row adds is one of a program or a suite: a row whose program
# has another name now would run nothing.
# shellcheck disable=SC2317 # check calls it
rows_name_programs() {
  local name names rc=0
  tests/run -n >"$scratch/programs" || return 1
  read -r -d '' -a names < <(find base cluster class course display docs gpu grade kernels lua repl \
    skeleton tools bench tests Makefile -type f | tests/check -n - | sed 's/.*: //')
  [ "${#names[@]}" -gt 100 ] || { echo 'tests/check -n names too few' && rc=1; }
  for name in "${names[@]}"; do
    has_program "$name" || { echo "tests/check names $name, which is no program of tests/run" && rc=1; }
  done
  return "$rc"
}
# shellcheck disable=SC2317 # as above
has_program() { # NAME
  local program
  while IFS= read -r program; do
    # shellcheck disable=SC2053 # a pattern
    [[ $program == $1 || ${program%%/*} == "$1" ]] && return 0
  done <"$scratch/programs"
  return 1
}
# A unit program is about the headers that it includes: a change of one of their
# rooms runs it. base/ is everybody's, and counts where there is nothing else.
# shellcheck disable=SC2317 # as above
units_have_their_own_rows() {
  local source program of rc=0
  for source in tests/unit/*.c; do
    program=unit/$(basename "$source" .c)
    of=$(sed -nE 's|^#include "([a-z]+/[^"]*)".*|\1|p' "$source")
    grep -qv '^base/' <<<"$of" && of=$(grep -vE '^(base|tests)/' <<<"$of")
    [ -z "$of" ] || is_named "$program" "$(tests/check -n - <<<"$of")" ||
      { echo "tests/check has no row that runs $program for ${of//$'\n'/ }" && rc=1; }
  done
  return "$rc"
}
# Is the program, or its suite, among these names? Stars are fine.
# shellcheck disable=SC2317 # as above
is_named() { # PROGRAM NAMES
  local name names
  read -r -d '' -a names <<<"$2"
  for name in "${names[@]}"; do
    # shellcheck disable=SC2053 # a pattern
    [[ $1 == $name || ${1%%/*} == "$name" ]] && return 0
  done
  return 1
}
rules() {
  check 'each test program has a row in tests/check' programs_have_rows
  check 'each row of tests/check names test programs' rows_name_programs
  check 'includes point up the table of folders' tools/layers.sh
  check 'functions are declared where one looks, and no folder is too full' tools/headers.sh
  check 'rooms have one header for others, or a reason' tools/doors.sh
  check 'files that READMEs name are there' tools/readmes.sh
  check 'no script ends in the middle' scripts_are_whole
  check 'what can change and outlives a call has its reason' tools/globals.sh
  check 'no function takes more than six parameters' tools/parameters.sh
  check 'no function has more than 60 lines' tools/lengths.sh
  check 'mistakes that make mutate plants have their places' tests/mutate/run -n
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
  local python=${PYTHON:-python3} name from wanted
  check 'tests/ptx/made is what tests/ptx/make/make.py writes' ptx_is_as_written
  check 'what JAX, NumPy and nvcc wrote is of its generator' tests/fixtures/made.sh
  for name in np_cases np_linear_cases jax_rnn jax_random; do
    read -r from wanted < <(sed -nE '1s/.* (NumPy|JAX) ([0-9.]*);.*/\1 \2/p' "tests/fixtures/$name.lua")
    if "$python" -c "import jax.numpy, ml_dtypes, numpy, scipy.special
assert ${from,,}.__version__ == '$wanted'" 2>"$scratch/said"; then
      check "$name.lua is what $name.py writes" cases_are_as_written "$name"
    else
      number=$((number + 1))
      echo "ok $number - $name.lua # SKIP $python lacks NumPy, SciPy or JAX: $from $wanted"
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
