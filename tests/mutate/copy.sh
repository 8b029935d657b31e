# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The copy of the sources in which mistakes are planted: sourced from the checkout's root,
# with `copy` the folder's absolute name. JOBS: compilers at once.
top=$PWD
: "${copy:?}"
unset BUILD WARPSHOP_HOME
compiler=cc
command -v ccache >/dev/null && compiler='ccache cc'
# What else make is told.
make_flags=()

make_copy() { [ -d "$copy/.git" ] || git init -q "$copy"; }

# refresh_copy: it holds what the working tree holds, new files too. Git writes only
# those that differ, so that make compiles no others.
refresh_copy() {
  local tree index=$copy/.git/theirs objects
  objects=$(git rev-parse --path-format=absolute --git-path objects)
  echo "$objects" >"$copy/.git/objects/info/alternates"
  cp "$(git rev-parse --git-path index)" "$index"
  tree=$(export GIT_INDEX_FILE=$index GIT_OBJECT_DIRECTORY=$copy/.git/objects \
    GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects
  git add -A && git write-tree) || return 1
  git -C "$copy" read-tree --reset -u "$tree" || return 1
  [ ! -e .deps ] || ln -sfn "$top/.deps" "$copy/.deps"
}

# build PROGRAM...: what these test programs need, in the copy. Some unit programs start
# no other process, and are linked alone.
build() {
  local program targets=()
  for program in "$@"; do
    case $program in
    # What stands for NVIDIA's libraries there.
    cli/top | pty/top | pty/desk | pty/keys) targets+=(build/tests/unit/fake_nvml_top.so) ;;
    cli/hardware) targets+=(build/tests/unit/cupti) ;;
    esac
    case $program in
    unit/vgpu_tier*) targets+=(build/warpshop-device "build/tests/$program") ;; # its compiler
    unit/vgpu_* | unit/record | unit/book_* | unit/turn_policy | unit/grade_compare)
      targets+=("build/tests/$program")
      ;;
    unit/*) targets+=(build/warpshop-device build/warpshop-learner "build/tests/$program") ;;
    *) targets+=(build/warpshop build/warpshop-device build/warpshop-learner) ;;
    esac
  done
  make -s -C "$copy" -j"${JOBS:-$(nproc)}" CC="$compiler" "${make_flags[@]}" "${targets[@]}" >"$copy/.git/said" 2>&1 9>&-
}
