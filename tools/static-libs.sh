#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the link flags of the pkg-config packages named, with each -lNAME
# replaced by its archive where one is installed: what is linked statically
# travels to machines that lack the library.
for flag in $(${PKG_CONFIG:-pkg-config} --libs "$@" 2>/dev/null); do
  case $flag in
  -l*)
    name=lib${flag#-l}.a
    archive=$(${CC:-cc} -print-file-name="$name")
    [ "$archive" = "$name" ] && echo "$flag" || echo "$archive"
    ;;
  *) echo "$flag" ;;
  esac
done
