#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: link-flags.sh [--shared] PACKAGE...
# Prints the link flags of the pkg-config packages named. A library in one of
# the system's folders is replaced by its archive where that is installed: what
# is linked statically travels to machines that lack the library. A library
# from elsewhere (conda, environment modules: PKG_CONFIG_PATH or LIBRARY_PATH)
# is linked as it is, and its folder becomes a run path, so that the program
# starts without LD_LIBRARY_PATH. --shared leaves the archives alone.
set -u
shared=false
[ "$1" = --shared ] && shared=true && shift
flags=$(${PKG_CONFIG:-pkg-config} --libs "$@" 2>/dev/null)
folders=$(
  for flag in $flags; do
    case $flag in -L*) printf '%s\n' "${flag#-L}" ;; esac
  done
  printf '%s\n' "${LIBRARY_PATH-}" | tr : '\n' | grep -vE '^(/usr)?/lib(/|64|$)'
)

# own NAME: the folder outside the system's that holds libNAME.so.
own() {
  for folder in $folders; do
    [ -e "$folder/lib$1.so" ] && echo "$folder" && return
  done
  return 1
}

for flag in $flags; do
  case $flag in
  -l*)
    name=${flag#-l}
    if folder=$(own "$name"); then
      echo "-L$folder -Wl,-rpath,$folder $flag"
    elif $shared; then
      echo "$flag"
    else
      archive=$(${CC:-cc} -print-file-name="lib$name.a")
      [ "$archive" = "lib$name.a" ] && echo "$flag" || echo "$archive"
    fi
    ;;
  *) echo "$flag" ;;
  esac
done
