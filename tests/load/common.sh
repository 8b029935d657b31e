# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What both scripts share: programs of our own, submissions, and a verdict
# without its times. Sourced from the project's root.
scratch=$(mktemp -d) || exit 2
mkdir "$scratch/bin" "$scratch/hand-in" || exit 2
cp "${BUILD:-build}/warpshop" "${BUILD:-build}/warpshop-device" \
  "$scratch/bin/" || exit 2
program=$scratch/bin/warpshop
unset WARPSHOP_COURSE_SECRET WARPSHOP_COURSE_SECRET_FILE WARPSHOP_DEVICE
export WARPSHOP_HOME=$PWD NO_COLOR=1 LC_ALL=C.UTF-8 XDG_STATE_HOME=$scratch

. tests/tap.sh

# Lines "EXERCISE FILE": what is to be judged, the right but long ones first.
submissions() {
  local file exercise
  for file in tests/load/*.cu; do
    read -r _ _ exercise _ < <(head -n 1 "$file")
    echo "$exercise $file"
  done
  for exercise in vector-add saxpy block-sum; do
    echo "$exercise exercises/$exercise/solution.cu"
    "$program" exercise start "$exercise" "$scratch/hand-in/$exercise.cu" \
      >"$scratch/said" && echo "$exercise $scratch/hand-in/$exercise.cu"
  done
  for file in tests/grade/hostile/*.cu; do
    read -r _ _ exercise _ < <(head -n 1 "$file")
    echo "$exercise $file"
  done
}

# judge EXERCISE FILE: the verdict without what is measured; all is compiled.
judge() {
  local cache
  cache=$(mktemp -d "$scratch/cache-XXXXXX")
  XDG_CACHE_HOME=$cache "$program" grade "$1" "$2" --json 2>&1 |
    grep -vE '"(kernel|mad|reference|judge)_us"'
  rm -rf "$cache"
}
