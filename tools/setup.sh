#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gets what the build needs, and does nothing twice.
#
#   setup.sh packages [tests]   the libraries (and what the tests use), and
#                               NVRTC where none is in sight
#   setup.sh nvrtc              after the build: NVRTC, if the one in sight
#                               cannot be used
#   setup.sh lua                prints pkg-config's name of Lua 5.4
#   setup.sh how                prints how a user of an installed warpshop gets NVRTC
#
# It says what is missing before it does anything. At a terminal it asks; where
# there is none, silence means yes. Exit status 3 when the machine lacks
# something that could not be installed, with the way out.
set -u
cd "$(dirname "$0")/.." || exit 3
build=${BUILD:-build}
pkg_config=${PKG_CONFIG:-pkg-config}
scratch=

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$*"
  exit 3
}
have() { command -v "$1" >/dev/null 2>&1; }

# Nothing half installed stays behind, whatever ends this script.
clean_up() { rm -rf .deps.new ${scratch:+"$scratch"}; }
stop() {
  trap '' INT TERM HUP
  clean_up
  printf '\nStopped; nothing half done was left. Run make again to go on.\n' >&3
  exit 130
}
make_scratch() {
  exec 3>&2 # a step may be running, whose output goes to its log
  trap clean_up EXIT
  trap stop INT TERM HUP
  scratch=$(mktemp -d) || die "No temporary folder can be made in ${TMPDIR:-/tmp}: is the disk full?"
}

at_terminal() { [ -t 0 ] && [ -t 2 ]; }

# step LINE COMMAND... : shows the line, asks, runs the command with its output
# in $scratch/log, and says how long it took. Status 1: the answer was no;
# 2: the command failed.
step() {
  line=$1
  shift
  if at_terminal; then
    printf '  %s [Y/n] ' "$line" >&2
    read -r answer || return 1
    case $answer in [nN]*) return 1 ;; esac
  else
    printf '  %-66s ' "$line" >&2
  fi
  from=$(date +%s)
  "$@" >"$scratch/log" 2>&1 </dev/null
  status=$?
  if [ $status = 0 ]; then
    say "... $(($(date +%s) - from)) s"
    return 0
  fi
  say "... failed"
  return 2
}

# ---- What is needed ----

# How to recognise it, and its name for apt, dnf and pacman. cmd:NAME is a
# command; pc:NAME[,NAME] a library that pkg-config knows by one of these; so:NAME one
# that is loaded at run time, which needs no header.
lua_names=lua5.4,lua-5.4,lua54,lua
needs() {
  cat <<END
cmd:$pkg_config  pkg-config         pkgconf-pkg-config  pkgconf
pc:$lua_names    liblua5.4-dev      lua-devel           lua54
pc:readline      libreadline-dev    readline-devel      readline
pc:libcmark      libcmark-dev       cmark-devel         cmark
pc:jansson       libjansson-dev     jansson-devel       jansson
pc:libsodium     libsodium-dev      libsodium-devel     libsodium
pc:sqlite3       libsqlite3-dev     sqlite-devel        sqlite
pc:fftw3         libfftw3-dev       fftw-devel          fftw
pc:lapack        liblapack-dev      lapack-devel        lapack
pc:blas          libblas-dev        blas-devel          blas
pc:zlib          zlib1g-dev         zlib-devel          zlib
pc:libseccomp    libseccomp-dev     libseccomp-devel    libseccomp
so:libncursesw.so.6  libncursesw6   ncurses-libs        ncurses
END
  [ "$1" = tests ] && cat <<END
pc:cmocka        libcmocka-dev      libcmocka-devel     cmocka
cmd:tmux         tmux               tmux                tmux
cmd:jq           jq                 jq                  jq
cmd:h5dump       hdf5-tools         hdf5                hdf5
cmd:pgrep        procps             procps-ng           procps-ng
cmd:python3      python3            python3             python
py:Python.h      python3-dev        python3-devel       python
END
  return 0
}

# The first of the comma-separated names that pkg-config knows. Fedora's and
# conda's Lua is plain "lua", whatever its version.
find_pc() {
  have "$pkg_config" || return 1
  for name in $(echo "$1" | tr , ' '); do
    case $name in
    lua*) "$pkg_config" --exists "$name >= 5.4" "$name < 5.5" 2>/dev/null || continue ;;
    *) "$pkg_config" --exists "$name" || continue ;;
    esac
    echo "$name"
    return
  done
  return 1
}

# Does the loader know it? Where it cannot be asked, nobody is made to install anything.
has_library() {
  known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) || return 0
  echo "$known" | grep -qF "$1 "
}

# Of the Python that is called: another's headers are of no use. Where there is none yet,
# its own row gets it first.
has_python_header() {
  have python3 || return 1
  folder=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)
  [ -f "$folder/$1" ]
}

is_there() {
  case $1 in
  cmd:*) have "${1#cmd:}" ;;
  pc:*) find_pc "${1#pc:}" >/dev/null ;;
  so:*) has_library "${1#so:}" ;;
  py:*) has_python_header "${1#py:}" ;;
  esac
}

# missing GROUP MANAGER: the packages to install, on one line; the things'
# own names where MANAGER is none that we know.
missing() {
  needs "$1" | while read -r what apt dnf pacman; do
    is_there "$what" && continue
    case $2 in
    apt-get) echo "$apt" ;;
    dnf) echo "$dnf" ;;
    pacman) echo "$pacman" ;;
    *) echo "${what#*:}" ;;
    esac
  done | paste -s -d ' ' -
}

manager() {
  for m in apt-get dnf pacman; do
    have "$m" && echo "$m" && return
  done
}

# ---- Packages ----

# The command that installs the named packages, as a line to run.
install_line() {
  case $1 in
  apt-get) echo "apt-get install -y --no-install-recommends $2" ;;
  dnf) echo "dnf install -y $2" ;;
  pacman) echo "pacman -S --noconfirm --needed $2" ;;
  esac
}

# Package lists may be old or, on a fresh machine, empty; dnf sees to its own.
refresh() {
  case $1 in
  apt-get) echo "apt-get update && " ;;
  pacman) echo "pacman -Sy && " ;;
  esac
}

# How to become root: nothing to do, sudo, or not at all. Without a terminal
# sudo must not wait for a password that nobody will type.
root_prefix() {
  if [ "$(id -u)" = 0 ]; then
    echo env
  elif ! have sudo; then
    return 1
  elif at_terminal; then
    sudo -v && echo sudo
  else
    sudo -n true 2>/dev/null && echo "sudo -n"
  fi
}

run_as_root() {
  # shellcheck disable=SC2086 # the prefix is words
  DEBIAN_FRONTEND=noninteractive LC_ALL=C $1 sh -c "export DEBIAN_FRONTEND=noninteractive; $2 || { $3$2; }"
}

without_root() {
  say "
To go on, have an administrator run this line, and run make again:
  $1
Without root, libraries from environment modules or conda will do: they are
found through pkg-config (PKG_CONFIG_PATH, CPATH, LIBRARY_PATH)."
  exit 3
}

# install MANAGER PACKAGES: both kinds of refusal name the line to run.
install() {
  line=$(install_line "$1" "$2")
  prefix=$(root_prefix) || {
    say "Installing needs root, and sudo is refused or not there."
    without_root "$(refresh "$1")$line"
  }
  [ "$prefix" = env ] && shown=$line || shown="$prefix $line"
  step "$shown" run_as_root "$prefix" "$line" "$(refresh "$1")"
  case $? in
  0) return ;;
  1) die "Nothing was installed. To go on, run it yourself, and make again:
  $shown" ;;
  esac
  tail -n 6 "$scratch/log" >&2
  without_root "$(refresh "$1")$line"
}

# ---- NVRTC ----

# Which CUDA the machine's driver and GPU can use: 12 for drivers before 580
# and for capabilities below 7.5 (CUDA 13 dropped them), else 13.
cuda_major() {
  gpus=$(nvidia-smi --query-gpu=compute_cap,driver_version --format=csv,noheader 2>/dev/null)
  echo "$gpus" | awk -F '[ ,.]+' '
    /^[0-9]+\.[0-9]+, *[0-9]+\./ && ($1 * 10 + $2 < 75 || $3 < 580) { old = 1 }
    END { print old ? 12 : 13 }'
}

# NVIDIA's wheels: the compiler, and the headers that kernels include.
wheels() {
  case $1 in
  12) echo "nvidia-cuda-nvrtc-cu12==12.9.* nvidia-cuda-runtime-cu12==12.9.* nvidia-cuda-nvcc-cu12==12.9.* nvidia-curand-cu12==10.3.10.* nvidia-cuda-cccl-cu12==12.9.* nvidia-nvfatbin-cu12==12.9.*" ;;
  13) echo "nvidia-cuda-nvrtc==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-crt==13.0.* nvidia-curand==10.4.0.* nvidia-cuda-cccl==13.0.* nvidia-nvfatbin==13.0.*" ;;
  esac
}

# is_usable MAJOR: CUDA_HOME and CUDA_PATH are a person's own choice.
is_usable() {
  [ -n "$1" ] || return 1
  [ -n "${CUDA_HOME-}${CUDA_PATH-}" ] || [ "$1" -le "$(cuda_major)" ]
}

nvrtc_in_sight() {
  ${MAKE:-make} -s "$build/find-nvrtc" >&2 || die "The C compiler, ${CC:-cc}, cannot build a small program."
  is_usable "$("$build/find-nvrtc" | cut -d ' ' -f 1)"
}

# The program's own search: its library loads, compiles and has its headers.
nvrtc_works() {
  is_usable "$("$build/warpshop-device" --find-nvrtc 2>/dev/null | sed -n 's/.*NVRTC \([0-9]*\)\..*/\1/p')"
}

find_pip() {
  for pip in "python3 -m pip" pip3 pip; do
    $pip --version >/dev/null 2>&1 && echo "$pip" && return
  done
  return 1
}

pip_packages() {
  find_pip >/dev/null && return
  case $1 in
  apt-get | dnf) echo "python3-pip" ;;
  pacman) echo "python-pip" ;;
  esac
}

# Into a folder beside the final one, so that .deps is there whole or not at
# all. What warpshop never loads is not kept.
fetch_wheels() {
  rm -rf .deps.new
  mkdir -p .deps.new/tmp || return
  # shellcheck disable=SC2086 # the command and the list are words
  TMPDIR=$PWD/.deps.new/tmp PIP_USER=0 $1 install --quiet --disable-pip-version-check \
    --no-input --no-cache-dir --no-deps --no-compile --only-binary=:all: \
    --target .deps.new/wheels $2 || return
  find .deps.new/wheels \( -name 'libcurand*.so*' -o -name 'libcudart*' -o -name '*.a' \
    -o -name 'libnvrtc*.alt.*' \) -delete || return
  rm -rf .deps.new/wheels/nvidia/cuda_nvcc/bin .deps.new/wheels/nvidia/cuda_nvcc/nvvm .deps
  mv .deps.new/wheels .deps && rm -rf .deps.new
}

install_nvrtc() {
  pip=$(find_pip) || die "NVRTC comes as Python wheels, and there is no pip: install python3 with pip,
or set CUDA_HOME to a CUDA toolkit, and run make again."
  list=$(wheels "$(cuda_major)")
  step "pip install --target .deps $(echo "$list" | sed 's/==[^ ]*//g; s/nvidia-//g; s/^/nvidia-{/; s/ /,/g; s/$/}/')" \
    fetch_wheels "$pip" "$list"
  case $? in
  0) return ;;
  1) die "Nothing was installed. Set CUDA_HOME to a CUDA toolkit instead, and run make again." ;;
  esac
  grep -v '^ *$' "$scratch/log" | tail -n 3 | cut -c 1-300 >&2
  if grep -qi 'no space left\|quota exceeded' "$scratch/log"; then
    die "The disk is full: NVRTC needs 700 MB for a moment, and 150 MB to stay, in $PWD/.deps.
Nothing was left behind. Make room, and run make again."
  fi
  die "pip could not fetch NVRTC; nothing was left behind. Is this machine online, and is
pip at least 20.3 ($($pip --version | cut -d ' ' -f 1-2))? A CUDA toolkit does as well:
set CUDA_HOME to it, and run make again."
}

# pip's packages of a major version, one a line, as the shell goes on.
wheel_lines() { wheels "$1" | sed 's/ / \\\n    /g; s/[^ \\]*==[^ ]*/"&"/g'; }

how_to_get() {
  cat <<END
NVRTC, the compiler of CUDA C
=============================

warpshop compiles kernels with NVRTC, which is NVIDIA's, under NVIDIA's own licence,
and no part of this package. Without it np, Lua and the lessons run up to their first
kernel. \`warpshop doctor\` says which one is found, and where it was looked for.

It is found by itself in a CUDA toolkit (12 or 13) below /usr/local/cuda or /opt/cuda,
in the folders of a distribution's packages, in conda and in Python's wheels; CUDA_HOME=/path/of/a/toolkit names another.

Without a toolkit, and without root: NVIDIA's wheels, 180 MB (python3 with pip).

  python3 -m pip install --no-deps --target ~/.local/share/warpshop/nvrtc \\
    $(wheel_lines 13)

With a GPU older than compute capability 7.5, or a driver older than 580, in its place:

  python3 -m pip install --no-deps --target ~/.local/share/warpshop/nvrtc \\
    $(wheel_lines 12)
END
}

# ---- The two stages ----

setup_packages() {
  have "${CC:-cc}" || have gcc || die "There is no C compiler: install gcc (Debian: build-essential)."
  m=$(manager)
  packages=$(missing "$1" "$m")
  nvrtc_in_sight && with_nvrtc= || with_nvrtc=yes
  [ -n "$packages$with_nvrtc" ] || return 0
  all=$packages
  [ -n "$with_nvrtc" ] && all=$(echo "$packages $(pip_packages "$m")" | sed 's/^ *//; s/ *$//')
  needed=$all
  [ -n "$with_nvrtc" ] && needed="${all:+$all · }NVRTC, CUDA's compiler (NVIDIA's wheels, 180 MB)"
  say "warpshop needs: $needed"
  if [ -n "$all" ]; then
    [ -n "$m" ] || die "There is no apt, dnf or pacman here: please install these yourself, and run make again."
    install "$m" "$all"
  fi
  [ -n "$with_nvrtc" ] && install_nvrtc
  packages=$(missing "$1" "")
  [ -z "$packages" ] || die "Installed, and pkg-config still does not find: $packages
(Lua must be 5.4.) Set PKG_CONFIG_PATH to the folder of their .pc files, and run make again."
}

setup_nvrtc() {
  nvrtc_works && return
  say "warpshop needs: NVRTC, CUDA's compiler (NVIDIA's wheels, 180 MB); the one that is here cannot be used:
  $("$build/warpshop-device" --find-nvrtc 2>&1 | head -n 2)"
  install_nvrtc
  nvrtc_works || die "NVRTC was fetched and still cannot be used: \`$build/warpshop doctor\` says why."
}

case ${1-} in
packages)
  make_scratch
  setup_packages "${2-}"
  ;;
nvrtc)
  make_scratch
  setup_nvrtc
  ;;
lua) find_pc "$lua_names" ;;
how) how_to_get ;;
*) die "usage: tools/setup.sh packages [tests] | nvrtc | lua | how" ;;
esac
