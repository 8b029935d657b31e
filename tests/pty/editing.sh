#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # names that lib.sh uses
# The editing tasks of bench/editing, with exactly the keys that bench/RESULTS.md
# counts; IPython's are only counted here. Speaks TAP. WARPSHOP_PTY_ONLY=task_3 runs one.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/pty/lib.sh
. bench/editing/lib.sh
. bench/editing/tasks.sh

# Each task has its row there, and takes no more keys here.
table_is_counted() {
  local n here theirs fine=true
  for n in $(seq ${#titles[@]}); do
    here=$(count_keys "${keys_of[${n}here]}") theirs=$(count_keys "${keys_of[${n}ipython]}")
    [ "$here" -le "$theirs" ] || { echo "# ${titles[n - 1]}: $here keys for IPython's $theirs" && fine=false; }
    grep -qxF -- "$(row_of "$n" "$here" "$theirs")" bench/RESULTS.md ||
      { echo "# bench/RESULTS.md lacks: $(row_of "$n" "$here" "$theirs")" && fine=false; }
  done
  $fine
}
run_case table_is_counted
for n in $(seq ${#titles[@]}); do
  eval "task_$n() { editor=\$tasks_editor; try_task $n here; }"
  run_case "task_$n"
done
echo "1..$number"
