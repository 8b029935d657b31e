# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts that test commands say (TAP). Sourced; such a script ends with
# echo "1..$number" and says with its exit status whether $failed is 0.
number=0 failed=0

# report NAME OK [WHY]: OK is 1 or 0; without WHY, $scratch/out says why.
report() {
  number=$((number + 1))
  if [ "$2" = 1 ]; then
    echo "ok $number - $1"
  else
    failed=$((failed + 1))
    echo "not ok $number - $1"
    printf '%s\n' "${3-$(cat "$scratch/out")}" | tr -d '\033' | head -c 3000 | sed 's/^/# /'
    echo
    [ -z "${FIRST_FAILURE_ENDS-}" ] || exit 1
  fi
}
# await COMMAND...: until it succeeds; false where it never does.
await() {
  local end=$((SECONDS + ${HANG_S:-300}))
  until "$@"; do
    [ "$SECONDS" -gt "$end" ] && return 1
    sleep 0.1
  done
}
# skip NAME WHY
skip() {
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}
