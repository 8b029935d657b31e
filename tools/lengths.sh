#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that no function is longer than MOST lines, from its name to its last
# brace; also those that macros stamp. Reads what clang-format leaves: a body ends
# with a brace that stands where the function begins.
set -u
cd "$(dirname "$0")/.." || exit 2
MOST=60

found=$(find base cluster display gpu kernels lua grade class repl tests bench tools -name '*.[ch]' \
  -not -path '*/include/*' -print0 |
  xargs -0 awk -v most=$MOST '
    FNR == 1 { open = 0; head = 0 }
    { sub(/[ \t]*\\$/, "") }
    open && $0 == margin "}" {
      if (FNR - from >= most)
        print FILENAME ":" from ": a function of " FNR - from + 1 " lines, of " most " at most"
      open = 0
    }
    open { next }
    /^(  )?[A-Za-z_]/ && !/^ *(struct|union|enum|typedef|else|case|default)\>[^(]*$/ {
      head = FNR
      margin = /^  / ? "  " : ""
    }
    head && /\) \{$/ && FNR - head < 12 { open = 1; from = head }
    /[;}]$/ { head = 0 }')
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "lengths: no function has more than $MOST lines"
