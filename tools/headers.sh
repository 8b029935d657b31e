#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that one finds a function's declaration without a search: of the
# functions that another file calls, ENOUGH of a hundred are declared in the
# header with their file's name (`warp_call.h`, or `warp.h`, of what `warp.c`
# shares with it) or in their room's (`run/run.h`, of gpu/vgpu/run). And that no
# header, the tests' included, is longer than MOST lines, and no folder has more
# than FULL files of one kind. Prints the figures, and with --list the functions
# that are declared elsewhere. Reads the objects, so that it says nothing of
# functions before a build.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
ENOUGH=95
MOST=250
FULL=30

long=$(find base cluster display gpu kernels lua grade class repl python tests -name '*.h' -not -path '*/include/*' \
  -exec wc -l {} + |
  awk -v most=$MOST '$2 != "total" && $1 >= most {print $2 " has " $1 " lines, of " most " at most"}')
[ -n "$long" ] && echo "$long"

# Beyond FULL files of one kind nobody knows a folder: there is a room in it. (Not of
# tests/, whose files are alike: its README says so.)
folders=$(find base cluster display gpu kernels lua grade class repl python -name '*.[ch]' -o -name '*.def' -o -name '*.lua' |
  grep -v /include/ | sed -E 's|/[^/]*\.([a-z]+)$| .\1|' | sort | uniq -c | sort -k1,1nr -k2)
awk 'NR <= 3 {printf "%s%s %s of %s", NR == 1 ? "folders: the fullest are " : ", ", $2, $1, $3}
  END {print ""}' <<<"$folders"
full=$(awk -v most=$FULL '$1 > most {print $2 " has " $1 " of " $3 ", of " most " at most"}' <<<"$folders")
[ -n "$full" ] && echo "$full"

[ -f "$build/repl/main.o" ] || [ -z "$long$full" ] || exit 1
[ -f "$build/repl/main.o" ] || exit 0

# shellcheck disable=SC2016 # of awk
# Lines "name header": what stands before a bracket outside of all braces.
declared() {
  find base cluster display gpu kernels lua grade class repl python -name '*.h' -not -path '*/include/*' -print0 |
    xargs -0 awk '
      FNR == 1 { depth = 0; text = "" }
      { sub(/\/\/.*/, ""); if (/^ *#/ || cut) { cut = /\\$/; next } }
      { line = $0
        gsub(/[^a-zA-Z0-9_(){}]+/, " ", line)
        gsub(/ \(/, "(", line)
        n = length(line); word = ""
        for (i = 1; i <= n; i++) {
          c = substr(line, i, 1)
          if (c == "{") depth++
          else if (c == "}") depth--
          else if (c == "(" && !depth && word != "") print word, FILENAME
          word = c ~ /[a-zA-Z0-9_]/ ? word c : ""
        } }'
  # A row of these tables declares its function, through the header beside it.
  sed -nE 's|^CMD\(.*\<(command_[a-z]+),.*|\1|p' repl/command/command.def |
    sed 's|$| repl/command/command.h|'
  sed -nE 's|^COMMAND\(.*\<(book_[a-z]+), .*|\1|p' class/book/command.def |
    sed 's|$| class/book/book_main.h|'
  sed -nE 's|^CLASS\(.*\<(class_[a-z]+),.*|\1|p' class/class.def | sed 's|$| class/class.h|'
  sed -nE 's|^FORM\(([a-z0-9]+),.*|report_\1|p' grade/report/forms.def |
    sed 's|$| grade/report/report.h|'
  sed -nE 's|^SUB\(.*\<(sub_[a-z]+),.*|\1|p' repl/subcommand.def | sed 's|$| repl/shop.h|'
  # The references of a part need no header of their own: call.h declares them.
  sed -nE 's|^REFERENCE\(([a-z]+), *([a-z0-9_]+),.*|reference_\2 kernels/\1/\1.h|p' \
    kernels/reference/references.def
}

# Lines "name file" of the functions that another file calls.
public() {
  find base cluster display gpu kernels lua grade class repl python -name '*.c' -not -path '*/include/*' |
    sed "s|.*|$build/&|; s|c\$|o|" | xargs nm -A 2>/dev/null | sed "s|^$build/||" | awk '
      { file = $1; sub(/:.*/, "", file); sub(/o$/, "c", file) }
      $(NF - 1) == "T" { home[$NF] = file }
      $(NF - 1) == "U" { called[$NF] = 1 }
      END { for (f in called) if (f in home) print f, home[f] }'
}

declared | sort -u | awk -v list="${1:-}" -v enough=$ENOUGH '
  NR == FNR { where[$1] = where[$1] " " $2; next }
  { all++
    stem = $2; sub(/\.c$/, "", stem)
    room = $2; sub(/\/[^\/]*$/, "", room)
    last = room; sub(/.*\//, "", last)
    found = index(where[$1] " ", " " room "/" last ".h ")
    for (s = stem; !found && length(s) > length(room); ) {
      found = index(where[$1] " ", " " s ".h ")
      if (!sub(/_[^_\/]*$/, "", s)) break
    }
    if (found) good++
    else if (list == "--list") print $2 ": " $1 ":" where[$1] }
  END { if (!all) exit 0
        printf "headers: %d of %d public functions (%.1f%%) in their own or their room\047s\n", good, all, 100 * good / all
        exit 100 * good < enough * all }' - <(public | sort) && [ -z "$long$full" ]
