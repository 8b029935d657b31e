# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts share that call the judge as a command. Sourced in the tree's root;
# such a script ends as one of tests/tap.sh does.
shop=${BUILD:-build}/warpshop
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
# The verdict is the virtual GPU's; tests/gpu adds the other one.
[ "${WARPSHOP_DEVICE:-}" = virtual:0 ] && unset WARPSHOP_DEVICE
unset WARPSHOP_COURSE_SECRET WARPSHOP_COURSE_SECRET_FILE
hang_s=${HANG_S:-300} # after so long a command hangs; tests/run says more
. tests/tap.sh

# judge ARG... : leaves $out (JSON or text), $scratch/err and $rc.
judge() {
  out=$(timeout -k 5 "$hang_s" "$shop" "$@" 2>"$scratch/err" </dev/null)
  rc=$?
}

verdict() { sed -n 's/^  "verdict": "\([a-z-]*\)".*/\1/p' <<<"$out"; }

# expect NAME EXERCISE FILE VERDICT RC
expect() {
  judge grade "$2" "$3" --json
  local ok=0
  [ "$(verdict)" = "$4" ] && [ "$rc" = "$5" ] && ok=1
  report "$1" $ok "wanted $4 and $5, got $(verdict) and $rc: $out"
}
