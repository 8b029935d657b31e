#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that no function takes more than MOST parameters: those that belong
# together have a name, and become a struct. Reads definitions, also in headers
# and in macros that stamp them. OTHERS: libFuzzer and AFL++ call the first two,
# the third has a place and a format, as printf has, and the last are NCCL's, which a
# library with its names must have as they are.
set -u
cd "$(dirname "$0")/.." || exit 2
MOST=6
OTHERS='LLVMFuzzerCustomCrossOver afl_custom_fuzz err_set_at
  ncclAllReduce ncclReduce ncclBroadcast ncclReduceScatter'

# shellcheck disable=SC2016 # of awk
found=$(find base cluster display gpu kernels lua grade class repl tests bench tools -name '*.[ch]' \
  -not -path '*/include/*' -print0 |
  xargs -0 awk -v most=$MOST -v others=" ${OTHERS//$'\n'/} " '
    # What stands between the last ";" or brace and a "{": the head of a function,
    # of a loop, of a struct, of an initialiser.
    function look(head,   name, n, depth, c, commas, i) {
      gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", head)
      i = index(head, "(")
      if (!i || index(substr(head, 1, i), "=")) return
      name = substr(head, 1, i - 1)
      sub(/ *$/, "", name)
      sub(/^.*[^A-Za-z0-9_]/, "", name)
      if (name ~ /^(if|for|while|switch|return|)$/ || index(others, " " name " ")) return
      # The last brackets: those before may make the name, as in FN(add)(int x).
      for (n = length(head); i <= n; i++) {
        c = substr(head, i, 1)
        if (c == "(" && !depth++) commas = 0
        else if (c == ")") depth--
        else if (c == "," && depth == 1) commas++
      }
      if (!depth && commas >= most)
        print FILENAME ":" line ": " name " takes " commas + 1 " parameters, of " most " at most"
    }
    FNR == 1 { head = ""; cut = 0 }
    {
      gsub(/"([^"\\]|\\.)*"/, "\"\"")
      gsub(/\047([^\047\\]|\\.)*\047/, "0")
      sub(/\/\/.*/, "")
      is_macro = cut || /^ *#/
      cut = /\\$/
      sub(/\\$/, "")
      if (/^ *#/) {
        head = ""
        if (!sub(/^ *# *define +[A-Za-z0-9_]+(\([^()]*\))?/, "")) next
      }
      else if (!is_macro && was_macro) head = ""
      was_macro = is_macro
      for (text = $0; match(text, /[;{}]/); text = substr(text, RSTART + 1)) {
        head = head " " substr(text, 1, RSTART - 1)
        if (substr(text, RSTART, 1) == "{") look(head)
        head = ""
      }
      if (head !~ /[^ ]/) line = FNR
      head = head " " text
    }')
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "parameters: no function takes more than $MOST"
