# shellcheck shell=bash disable=SC2154 # of who sources it
# SPDX-License-Identifier: Apache-2.0
# Pictures of a screen as text, in $pictures. Sourced behind lib.sh. With
# WARPSHOP_PTY_MAKE=1 they are written anew, as they stand once nothing has changed for
# a second, to be looked at.
page() { tmux capture-pane -p -t main; }
# wait_for_page FILE: until the screen is that picture, word for word.
wait_for_page() {
  local file=$pictures/$1 end=$((SECONDS + limit))
  [ -n "${WARPSHOP_PTY_MAKE:-}" ] && make_page "$file"
  until page >"$scratch/page" && cmp -s "$file" "$scratch/page"; do
    [ "$SECONDS" -gt "$end" ] && {
      echo "# not $1:"
      diff "$file" "$scratch/page" | sed 's/^/#   /'
      return 1
    }
    nap
  done
}
make_page() {
  local before=''
  until [ -n "$before" ] && [ "$(page)" = "$before" ]; do
    before=$(page)
    sleep 1
  done
  page >"$1"
}
