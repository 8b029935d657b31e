#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that each file and each folder that a README, or a page of docs/, names
# is there. Names with capitals (NAME.c) stand for others, as does what is
# fenced. A file's name may leave out the folders before it, and stars fit
# anything.
set -u
cd "$(dirname "$0")/.." || exit 2
files=$(git ls-files --cached --others --exclude-standard) || exit 2

missing=0
# shellcheck disable=SC2016
while IFS=: read -r readme line name; do
  tail=${name##*../}
  pattern=${tail//./\\.}
  pattern=${pattern//\*/[^/]*}
  case $name in
  */) pattern="(^|/)$pattern" ;;
  *) pattern="(^|/)$pattern\$" ;;
  esac
  grep -qE "$pattern" <<<"$files" && continue
  echo "$readme:$line: there is no $name"
  missing=$((missing + 1))
done < <(grep -E '(^|/)(README|CONTRIBUTING)\.md$|^docs/.*\.md$' <<<"$files" | while read -r readme; do
  sed '/^ *```/,/^ *```/s/.*//' "$readme" |
    grep -noE '[`(][a-z0-9_*][a-z0-9_./*-]*(/|\.(c|h|cu|def|lua|md|ptx|py|sh|txt))[`)]' |
    sed -E "s|^([0-9]+):.(.*).\$|$readme:\1:\2|"
done)
[ "$missing" = 0 ] && echo "readmes: every file that they name is there"
[ "$missing" = 0 ]
