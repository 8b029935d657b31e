# SPDX-License-Identifier: Apache-2.0
# What the tests of rooms share: TAP, the subcommand, other users. Sourced from the
# project's folder; learners are numeric user ids without accounts, which needs root.
# shellcheck shell=bash disable=SC2034 # out, err and rc are for who sources it
shop=$PWD/${BUILD:-build}/warpshop
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
[ "${WARPSHOP_DEVICE:-}" = virtual:0 ] && unset WARPSHOP_DEVICE
export WARPSHOP_HOME=$PWD XDG_STATE_HOME=$scratch/state XDG_DATA_HOME=$scratch/data
chmod 755 "$scratch"
group=$(id -gn)
. tests/tap.sh

# class ARG...: leaves $out, $err, $rc
class() {
  out=$("$shop" class "$@" 2>"$scratch/err" </dev/null)
  rc=$?
  err=$(cat "$scratch/err")
}
# as UID COMMAND...: another user, with a home of their own
as() {
  local uid=$1
  shift
  mkdir -p "$scratch/home-$uid" && chown "$uid:$uid" "$scratch/home-$uid" &&
    setpriv --reuid "$uid" --regid "$uid" --clear-groups env HOME="$scratch/home-$uid" \
      XDG_STATE_HOME="$scratch/home-$uid/state" XDG_DATA_HOME="$scratch/home-$uid/data" \
      XDG_CACHE_HOME="$scratch/home-$uid/cache" "$@" </dev/null
}
# on_terminal TYPED ARG...: the subcommand on a terminal of its own; leaves $out
on_terminal() {
  out=$(printf %s "$1" | TERM=xterm python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
    "$shop" class "${@:2}")
}
# says UID ARG...: as that user, leaves $out (both outputs) and $rc
says() {
  out=$(as "$1" "$shop" class "${@:2}" 2>&1)
  rc=$?
}
# Can other users be tried here?
has_users() {
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && as 64001 test -x "$shop" 2>/dev/null
}
# own ROOM UID: that learner's folder
own() { find "$1" -maxdepth 1 -name "$2-*" -user "$2"; }
# refuses UID COMMAND...: each must fail as that user; leaves $refused, $tried
refuses() {
  local uid=$1 what
  shift
  refused=0 tried=0
  for what in "$@"; do
    tried=$((tried + 1))
    if as "$uid" sh -c "$what" >"$scratch/out" 2>&1; then
      echo "# $uid could: $what: $(head -c 200 "$scratch/out")"
    else
      refused=$((refused + 1))
    fi
  done
  [ $refused = $tried ]
}
# shim NAME <SOURCE: $scratch/NAME.so, to be preloaded; false where that cannot be.
shim() {
  {
    printf '#include <%s.h>\n' fcntl signal stdlib sys/stat sys/syscall time unistd
    cat
  } >"$scratch/$1.c"
  ! grep -q asan <<<"$(ldd "$shop")" && cc -D_GNU_SOURCE -shared -fPIC -o "$scratch/$1.so" "$scratch/$1.c"
}
# shim_nfs: $scratch/nfs.so, to which every file lies on NFS
shim_nfs() {
  shim nfs <<'END'
#include <sys/statfs.h>
#define SAYS(name, call, type, kind)                                                        \
  int name(type at, struct kind *out) {                                                         \
    long rc = syscall(call, at, out);                                                           \
    out->f_type = 0x6969;                                                                       \
    return (int)rc;                                                                             \
  }
SAYS(statfs, SYS_statfs, const char *, statfs)
SAYS(statfs64, SYS_statfs, const char *, statfs64)
SAYS(fstatfs, SYS_fstatfs, int, statfs)
SAYS(fstatfs64, SYS_fstatfs, int, statfs64)
END
}
finish() {
  echo "1..$number"
  [ $failed = 0 ]
  exit
}
