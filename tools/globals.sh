#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that what outlives a call and can change is known: a variable outside of
# functions, or a static one in them, needs a row here with its reason. Reads the
# objects, so that it says nothing before a build. Signal flags and what a library's
# interface forces are the usual reasons; a pointer to a context is better.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}

# Lines "FILE variable...: reason".
known='
base/file.c set_program: what counts as the running executable, set once by a library of ours
base/log.c log_to: the hook and its context, set once by main
base/mem.c fatal_hook fail_after: the hook, set once by main; the allocation that a test lets fail
base/text/message.c chosen known: the language that all is said in, set by the options and :set; the catalogues that were read
display/restore.c open_screen: of signal handlers, which get no context
gpu/nvrtc/worker/nvrtc_confine.c broker: of the signal handler that answers a forbidden call
gpu/vgpu/check/spy.c locks: held for an instant, by whoever comes
gpu/vgpu/code/handlers.c isa_limit: how wide the vectors of this host are, or a test wants them
lua/bind/state/bind.c states stopped_by: signal flags
lua/bind/h5/hdf5_library.c library is_loaded: a library is loaded once in the process
python/array.c array_methods array_properties array_slots array_spec names: tables that the interface of Python takes, which knows no const
python/array.c array_type was_said: the type, made once by the import; a warning is said once in the process
python/arrow_lend.c was_said: a warning is said once in the process
python/borrow.c was_said: a warning is said once in the process
python/driver.c driver is_open lock: the one driver of the process, found once
python/link.c imports links lock mappings: what the deleters of others end, which get no context but one mapping
python/module.c definition functions slots: tables that the interface of Python takes, which knows no const
python/shop.c shop: the one Lua state of the process, for its callbacks, which get no context
python/table.c frame_properties frame_slots frame_spec names series_properties series_slots series_spec table_methods: tables that the interface of Python takes, which knows no const
python/table.c frame_type series_type: the types, made once by the import
python/values.c value_slots value_spec value_type: likewise; the type, made once by the import
repl/eval/deadline.c seconds_over: a signal flag
repl/tui/block.c block: of the text that Readline edits; its hooks get no context
repl/tui/terminal.c signals: signal flags
repl/tui/terminal.c terminal: of the one that Readline serves; its hooks get no context
repl/tui/unread.c unread: of the one terminal that Readline serves; its hooks get no context
repl/tui/transcript.c transcript: what the process wrote to its two outputs
'
[ -f "$build/repl/main.o" ] || exit 0

# Not what is not built: python, where its headers are not.
known=$(while IFS= read -r line; do
  file=${line%% *}
  [ -z "$file" ] || [ -f "$build/${file%c}o" ] || [ ! -f "$file" ] || continue
  echo "$line"
done <<<"$known")

# Lines "FILE variable". Zeroed, or with a value; not what is constant once loaded.
found=$(find base cluster display gpu kernels lua grade class repl python -name '*.c' -not -path '*/include/*' |
  sed "s|.*|$build/&|; s|c\$|o|" | xargs objdump -t 2>/dev/null | awk -v build="$build/" '
    /file format/ { file = $1; sub(build, "", file); sub(/o:$/, "c", file) }
    / O \.t?(bss|data|data\.rel|data\.rel\.local)\t| O \*COM\*/ {
      name = $NF; sub(/\.[0-9]+$/, "", name); print file, name }' | sort -u)
said=$(awk '
  NR == FNR { if (!/:/) next
    sub(/:.*/, ""); for (i = 2; i <= NF; i++) known[$1 " " $i]; next }
  !($0 in known) { print $1 ": " $2 " can change and outlives a call, and tools/globals.sh has no reason for it" }
  { seen[$0] }
  END { for (k in known) if (!(k in seen)) print "tools/globals.sh: " k " is gone" }' \
  <(echo "$known") <(echo "$found"))
[ -z "$said" ] || { echo "$said"; exit 1; }
echo "globals: $(wc -l <<<"$found") can change, each with its reason"
