#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# warpshop in one file: this script, and behind it an archive. The first start unpacks
# the archive into a folder of the user's own, named by its hash; later ones find it there.
#   WARPSHOP_UNPACKED  another folder to unpack into, where programs may be run
#   --unpack FOLDER    unpacks into a new FOLDER, for all users, and starts nothing
set -u
hash=@HASH@
lines=@LINES@ # of this script
file=$0

die() {
  printf 'warpshop: %s\n' "$1" >&2
  exit 3
}
# unpack FOLDER: whole and as it was packed, or not at all
unpack() {
  mkdir -p "$(dirname "$1")" 2>/dev/null
  mkdir -m 700 "$1" 2>/dev/null || die "no folder can be made at $1: set WARPSHOP_UNPACKED to one that can be written"
  tail -n +$((lines + 1)) "$file" >"$1/archive" 2>/dev/null &&
    [ "$(sha256sum "$1/archive" | cut -d ' ' -f 1)" = "$hash" ] &&
    (umask 022 && tar -C "$1" -xzf "$1/archive" 2>/dev/null) && rm "$1/archive" || {
    rm -rf "$1"
    die "$file could not be unpacked into $1: the disk is full, or the file is not whole"
  }
}

if [ "${1-}" = --unpack ]; then
  [ -n "${2-}" ] || die "--unpack takes a folder that is not there yet"
  unpack "$2"
  chmod 755 "$2"
  exit 0
fi
home=${WARPSHOP_UNPACKED:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/warpshop/program}
own=$home/$hash
if [ ! -e "$own" ]; then
  # What a start that was killed has left: its number is nobody's any more.
  for left in "$home/$hash".new.*; do
    [ -d "$left" ] && ! kill -0 "${left##*.}" 2>/dev/null && rm -rf "$left"
  done
  new=$own.new.$$
  trap 'rm -rf "$new"; exit 130' INT TERM HUP
  unpack "$new"
  # Of two starts one is first; the other's copy, moved into it, goes.
  mv "$new" "$own" 2>/dev/null || [ -e "$own" ] || die "$new could not be moved to $own"
  rm -rf "${own:?}/${new##*/}" "$new"
  trap - INT TERM HUP
fi
# Nobody else may have laid it there.
[ -O "$own" ] && [ ! -L "$own" ] || die "$own is not yours: take it away, or set WARPSHOP_UNPACKED to another folder"
"$own/bin/warpshop" --version >/dev/null 2>&1 ||
  die "$own/bin/warpshop cannot be run: programs may not be run there (noexec), or this system is no Linux with glibc 2.31 or later on a processor of this kind; WARPSHOP_UNPACKED names another folder"
exec "$own/bin/warpshop" "$@"
