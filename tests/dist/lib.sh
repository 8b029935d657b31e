# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A bare Debian, and what is run in it. Sourced behind tests/tap.sh; `root` is its
# folder and `scratch` this script's.
# shellcheck disable=SC2154 # the caller has them
nobody=65534
home=$root/home/learner

# bare SUITE: `root` is a Debian with its /proc, and a home for somebody
bare() {
  [ -e "$root/bin/sh" ] || debootstrap --variant=minbase "$1" "$root" >"$scratch/out" 2>&1
  report "a bare Debian, $1" $((1 - $?))
  mount -t proc proc "$root/proc" && mount_made=1
  report 'with its /proc' "${mount_made-0}"
  [ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
  rm -rf "$home" && mkdir -p "$home" && chown $nobody:$nobody "$home"
}

# in_root COMMAND: as a plain user; its output and status are noted
in_root() {
  chroot --userspec=$nobody:$nobody "$root" env -i HOME=/home/learner PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
    sh -c "$1" >"$scratch/out" 2>&1 </dev/null
}
says() { grep -qF -- "$1" "$scratch/out"; }

# lay_nvrtc: this machine's, where NVRTC.txt says that pip puts it
lay_nvrtc() {
  local library folder to=$home/.local/share/warpshop/nvrtc/nvidia/cu13
  library=$("${BUILD:-build}/warpshop-device" --find-nvrtc 2>/dev/null | head -n 1)
  case $library in *libnvrtc.so.13*) ;; *) return 1 ;; esac
  folder=$(dirname "$(readlink -f "$library")")
  while [ ! -d "$folder/include" ]; do
    [ "$folder" != / ] || return 1
    folder=$(dirname "$folder")
  done
  mkdir -p "$to/lib"
  cp -RL "$folder/include" "$to/"
  cp -P "$(dirname "$(readlink -f "$library")")"/libnvrtc*.so* "$to/lib/"
  chown -R $nobody:$nobody "$home/.local"
}

# plays_lesson PROGRAM: the first, whole where there is NVRTC
plays_lesson() {
  in_root "yes '' | head -n 40 | $1 learn 1" # ends at its first kernel, without NVRTC
  says 'page 2 of 6' && says 'array on virtual:0, shape (8,), f32'
  report 'lesson 1 plays, on the virtual GPU' $((1 - $?))
  if ! lay_nvrtc; then
    skip 'with NVRTC lesson 1 plays to its end' 'this machine has no NVRTC 13'
    return
  fi
  in_root "yes '' | head -n 40 | $1 learn 1"
  says 'page 6 of 6' && says '25 cells run, 0 failed'
  report 'with NVRTC lesson 1 plays to its end' $((1 - $?))
  cp exercises/vector-add/solution.cu "$home/k.cu" && chmod 644 "$home/k.cu"
  in_root "cd && $1 grade vector-add k.cu" && says 'pass'
  report 'and kernels are judged' $((1 - $?))
}
