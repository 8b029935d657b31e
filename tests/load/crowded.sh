#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does a verdict or a test depend on how busy the machine is? The suites that wait for
# other programs (terminals, the judge, the walls) so many times, beside four busy
# processes a core.
#   tests/load/crowded.sh [PASSES [SUITE...]]      PASSES at once; 1 unless it says otherwise
# JOBS is how many programs each pass runs at once: one a core, shared out.
set -u
cd "$(dirname "$0")/../.." || exit 2
passes=${1:-1}
shift
[ $# -gt 0 ] || set -- pty sessions grade unit/nvrtc_hostile unit/confine
cores=$(nproc)
jobs=${JOBS:-$(((cores + passes - 1) / passes))}
scratch=$(mktemp -d) || exit 2
busy=()
trap 'kill "${busy[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT
for ((i = 0; i < 4 * cores; i++)); do
  sh -c 'while :; do :; done' &
  busy+=($!)
done
runs=()
for ((i = 0; i < passes; i++)); do
  JOBS=$jobs tests/run "$@" >"$scratch/pass.$i" 2>&1 &
  runs+=($!)
done
failed=0
for run in "${runs[@]}"; do
  wait "$run" || failed=1
done
for ((i = 0; i < passes; i++)); do
  grep -A 60 FAILED "$scratch/pass.$i"
  echo "pass $((i + 1)) beside $((4 * cores)) busy processes on $cores cores: $(tail -n 1 "$scratch/pass.$i")"
done
exit "$failed"
