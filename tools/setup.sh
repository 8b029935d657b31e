#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gets what the build needs. `setup.sh packages [tests]` finds or installs the
# libraries (and what the tests use), `setup.sh nvrtc` NVIDIA's compiler.
# Says what is missing before it does anything; asks when there is a terminal,
# and takes silence for yes when there is none. Never does a thing twice.
set -u
cd "$(dirname "$0")/.." || exit 3

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$*"
  exit 3
}
have() { command -v "$1" >/dev/null 2>&1; }

# ask QUESTION: yes unless a person at a terminal says no.
ask() {
  [ -t 0 ] && [ -t 2 ] || return 0
  printf '%s [Y/n] ' "$1" >&2
  read -r answer || return 1
  case $answer in [nN]*) return 1 ;; esac
}

# ---- Packages ----

# What is needed: how to recognise it, and its name for apt, dnf and pacman.
# cmd:NAME a command; pc:NAME[,NAME] a library that pkg-config knows by one of
# these names; header:FILE a header that the compiler finds.
needs() {
  cat <<'EOF'
cmd:pkg-config           pkg-config         pkgconf-pkg-config  pkgconf
pc:lua5.4,lua-5.4,lua54  liblua5.4-dev      lua-devel           lua54
pc:readline              libreadline-dev    readline-devel      readline
pc:libcmark              libcmark-dev       cmark-devel         cmark
pc:jansson               libjansson-dev     jansson-devel       jansson
pc:libsodium             libsodium-dev      libsodium-devel     libsodium
pc:libseccomp            libseccomp-dev     libseccomp-devel    libseccomp
EOF
  [ "$1" = tests ] && cat <<'EOF'
pc:cmocka                libcmocka-dev      libcmocka-devel     cmocka
cmd:tmux                 tmux               tmux                tmux
cmd:jq                   jq                 jq                  jq
EOF
  return 0
}

has_pc() {
  have pkg-config || return 1
  for name in $(echo "$1" | tr , ' '); do
    pkg-config --exists "$name" && return 0
  done
  # Fedora's and conda's Lua 5.4 is plain "lua".
  case $1 in
  lua5.4*) pkg-config --exists 'lua >= 5.4' 'lua < 5.5' ;;
  *) return 1 ;;
  esac
}

is_there() {
  case $1 in
  cmd:*) have "${1#cmd:}" ;;
  pc:*) has_pc "${1#pc:}" ;;
  esac
}

manager() {
  for m in apt-get dnf pacman; do
    have "$m" && echo "$m" && return
  done
}

# The command that installs the named packages, as a line to run.
install_line() {
  case $1 in
  apt-get) echo "apt-get install -y --no-install-recommends $2" ;;
  dnf) echo "dnf install -y $2" ;;
  pacman) echo "pacman -S --noconfirm --needed $2" ;;
  esac
}

refresh_line() {
  case $1 in
  apt-get) echo "apt-get update -q" ;;
  dnf) echo true ;;
  pacman) echo "pacman -Sy" ;;
  esac
}

# Runs a line as root: ourselves, or through sudo. Its output goes to a log.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    DEBIAN_FRONTEND=noninteractive sh -c "$1"
  elif have sudo; then
    sudo env DEBIAN_FRONTEND=noninteractive sh -c "$1"
  else
    return 1
  fi
}

missing_packages() {
  column=$2
  needs "$1" | while read -r what apt dnf pacman; do
    is_there "$what" && continue
    case $column in
    apt-get) echo "$apt" ;;
    dnf) echo "$dnf" ;;
    pacman) echo "$pacman" ;;
    *) echo "${what#*:}" ;;
    esac
  done | tr '\n' ' '
}

no_root_help() {
  die "That was refused. Ask an administrator to run
  $1
or, without root, provide the libraries through environment modules or conda
(conda install -c conda-forge pkg-config lua=5.4 readline cmark jansson
libsodium libseccomp cmocka) so that pkg-config finds them (PKG_CONFIG_PATH,
CPATH, LIBRARY_PATH), and run make again."
}

install_packages() {
  m=$(manager)
  missing=$(missing_packages "$1" "$m")
  [ -z "$missing" ] && return 0
  say "warpshop needs: $missing"
  [ -n "$m" ] || die "There is no apt, dnf or pacman here: please install them yourself."
  line=$(install_line "$m" "$missing")
  ask "  $line" || die "Nothing was installed. To go on, run: $line"
  log=$(mktemp) || exit 3
  if ! as_root "$line" >"$log" 2>&1; then
    # Package lists may be old or, on a fresh machine, empty.
    as_root "$(refresh_line "$m") && $line" >"$log" 2>&1 || {
      tail -n 5 "$log" >&2
      rm -f "$log"
      no_root_help "$line"
    }
  fi
  rm -f "$log"
  still=$(missing_packages "$1" "$m")
  [ -z "$still" ] || die "Installed, and still not found: $still
Set PKG_CONFIG_PATH to the folder of their .pc files."
}

check_compiler() {
  have "${CC:-cc}" || have gcc || die "There is no C compiler: install gcc (Debian: build-essential)."
}

# ---- NVRTC ----

# Which CUDA the machine's driver and GPU can use: 12 for drivers before 580
# and for capabilities below 7.5 (CUDA 13 dropped them), else 13.
cuda_major() {
  cap=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -V | head -n 1)
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
  case $cap in [0-9]*.[0-9]*) [ "$(echo "$cap" | tr -d .)" -lt 75 ] && echo 12 && return ;; esac
  case $driver in [0-9]*) [ "${driver%%.*}" -lt 580 ] && echo 12 && return ;; esac
  echo 13
}

# NVIDIA's wheels: the compiler, and the headers that kernels include.
wheels() {
  case $1 in
  12) echo "nvidia-cuda-nvrtc-cu12==12.9.* nvidia-cuda-runtime-cu12==12.9.* nvidia-cuda-nvcc-cu12==12.9.* nvidia-curand-cu12 nvidia-cuda-cccl-cu12==12.9.*" ;;
  13) echo "nvidia-cuda-nvrtc==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-crt==13.0.* nvidia-curand nvidia-cuda-cccl==13.0.*" ;;
  esac
}

has_pip() { python3 -m pip --version >/dev/null 2>&1; }

install_pip() {
  has_pip && return
  m=$(manager)
  case $m in
  apt-get | dnf) packages="python3 python3-pip" ;;
  pacman) packages="python python-pip" ;;
  *) die "NVRTC comes as Python wheels, and there is no pip: install python3 with pip." ;;
  esac
  line=$(install_line "$m" "$packages")
  say "warpshop needs pip to fetch NVRTC: $packages"
  ask "  $line" || die "Nothing was installed. To go on, run: $line"
  as_root "$line" >/dev/null 2>&1 ||
    as_root "$(refresh_line "$m") && $line" >/dev/null 2>&1 || no_root_help "$line"
}

install_nvrtc() {
  build=${BUILD:-build}
  "$build/warpshop-device" --find-nvrtc >/dev/null 2>&1 && return 0
  list=$(wheels "$(cuda_major)")
  say "warpshop needs: NVRTC, NVIDIA's CUDA compiler (Python wheels, about 110 MB to fetch, into .deps/)"
  install_pip
  ask "  pip install --target .deps $list" ||
    die "Nothing was installed. Set CUDA_HOME to a CUDA toolkit instead, and run make again."
  rm -rf .deps.new
  # shellcheck disable=SC2086 # the list is words
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
    --only-binary=:all: --target .deps.new $list >&2 || {
    rm -rf .deps.new
    die "pip could not fetch NVRTC. Is this machine online? Otherwise set CUDA_HOME to a CUDA toolkit."
  }
  rm -rf .deps && mv .deps.new .deps
  "$build/warpshop-device" --find-nvrtc >/dev/null ||
    die "NVRTC was fetched and still cannot be used: see $build/warpshop doctor"
}

case ${1-} in
packages)
  check_compiler
  install_packages "${2-}"
  ;;
nvrtc) install_nvrtc ;;
*) die "usage: tools/setup.sh packages [tests] | nvrtc" ;;
esac
