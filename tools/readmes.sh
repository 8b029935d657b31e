#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that each folder of sources has a README (tests/, the course and a folder inside
# a system's one are told of by the README above), and that each file and each folder
# that a README, or a page of docs/, names is there. Names with capitals (NAME.c) stand
# for others, as does what is fenced. A file's name may leave out the folders before it,
# and stars fit anything.
set -u
cd "$(dirname "$0")/.." || exit 2
files=$(git ls-files --cached --others --exclude-standard) || exit 2

bare=$(grep -E '\.(c|h|lua|sh|def)$' <<<"$files" | grep / | sed 's|/[^/]*$||' | sort -u |
  grep -vE '^(tests|exercises|lessons|skeleton)/|/sys$' |
  while read -r folder; do grep -qxF "$folder/README.md" <<<"$files" || echo "$folder: it has no README.md"; done)
[ -z "$bare" ] || { echo "$bare"; exit 1; }

# Lines "README:LINE:NAME" of what is named.
# shellcheck disable=SC2016
named() {
  grep -E '(^|/)(README|CONTRIBUTING)\.md$|^docs/.*\.md$' <<<"$files" | while read -r readme; do
    sed '/^ *```/,/^ *```/s/.*//' "$readme" |
      grep -noE '[`(][a-z0-9_*][a-z0-9_./*-]*(/|\.(c|h|cu|def|lua|md|ptx|py|sh|txt))[`)]' |
      sed -E "s|^([0-9]+):.(.*).\$|$readme:\1:\2|"
  done
}

# Every end of a path, and of a folder's, from a slash on: one look-up a name.
named | awk -F: '
  NR == FNR { n = split($0, part, "/"); end = ""
    for (i = n; i; i--) { end = part[i] end; ends[end]; end = "/" end }
    for (j = n - 1; j; j--) { end = ""
      for (i = j; i; i--) { end = part[i] "/" end; ends[end] } }
    next }
  function is_there(name,  pattern, end) {
    sub(/^.*\.\.\//, "", name)
    if (name !~ /\*/) return name in ends
    pattern = name; gsub(/\./, "\\.", pattern); gsub(/\*/, "[^/]*", pattern)
    for (end in ends) if (end ~ "^" pattern "$") return 1
    return 0 }
  !is_there($3) { print $1 ":" $2 ": there is no " $3; missing = 1 }
  END { if (!missing) print "readmes: every file that they name is there"
    exit missing }' <(printf '%s\n' "$files") -
