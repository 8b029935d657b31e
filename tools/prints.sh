#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sentences reach the terminal through shop_print, shop_note, shop_warn and
# shop_say, which fit them to it. Names the lines of repl/ that print two words
# in a row by themselves; those of a lesson's test are read by programs.
cd "$(dirname "$0")/.." || exit 2
found=$(grep -nE '\b(f?printf|f?puts|screen_print)\([^"]*"[^"]*[[:alpha:]]{2} [[:alpha:]]{2}' repl/*.c repl/*/*.c |
  grep -v ' cells\(,\| run,\) %d failed')
multi=$(grep -nEA2 '\b(f?printf|f?puts|screen_print)\([^"]*$' repl/*.c repl/*/*.c |
  grep -E '^[^ ]+-[0-9]+-[^"]*"[^"]*[[:alpha:]]{2} [[:alpha:]]{2}')
[ -z "$found$multi" ] && exit 0
printf '%s\n' "$found" "$multi"
exit 1
