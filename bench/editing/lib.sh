# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154,SC2034 # of tests/pty/lib.sh; by reference
# Plays the tasks of tasks.sh in a terminal, and counts keys. Sourced behind
# tests/pty/lib.sh, which has the terminal; says "here" of warpshop and "ipython" of
# IPython.

side=here # whose terminal it is
folder=''

# ---- The two programs ----

press() { tmux send-keys -t main "$@"; }

# open_here, open_ipython: a fresh program, with no history and in a folder of its own.
open_here() {
  local real=$program
  mkdir -p "$folder"
  program=/usr/bin/env start -C "$folder" "$real" repl
  wait_for_prompt 1
}
open_ipython() {
  local prompt='In [1]:'
  mkdir -p "$folder"
  program=/usr/bin/env start -C "$folder" IPYTHONDIR="$folder.ipython" "$ipython" --no-banner --no-tip
  wait_for "$prompt"
}

# ready: a prompt waits, and nothing is typed.
prompt_of_here() { echo "$device> *"; }
prompt_of_ipython() { echo 'In \[[0-9]+\]: *'; }
is_ready() { grep -v '^ *$' | tail -n 1 | grep -qxE "$(prompt_of_$side)"; }
ready() { wait_until 'no prompt' is_ready; }

# ---- Before and after: nothing here is counted ----

# put TEXT: stands behind the prompt, as pasted.
put() {
  printf '%s' "$1" >"$scratch/put"
  tmux load-buffer "$scratch/put" && tmux paste-buffer -p -r -t main
  wait_until "not there: $1" has_tail "${1##*$'\n'}"
}
has_tail() { grep -v '^$' | tail -n 4 | grep -qF -- "$1"; }
# give TEXT: put, run, and a prompt is there again.
give() {
  ready && put "$1" || return 1
  if [ $side = ipython ]; then press M-Enter; else press Enter; fi
  ready
}

# answers EXPRESSION VALUE: what the program says of it.
answers() {
  give "$1"
  wait_until "$1 is not $2" has_answer "$2"
}
has_answer() { grep -qE "^(Out\[[0-9]+\]: )?$1\$"; }

# line TEXT, see TEXT: as everywhere in tests/pty.
line() { wait_for_line "$1"; }
see() { wait_for "$1"; }

# has_file NAME TEXT: the folder has it, with that text in it.
has_file() { wait_until "no file $1 with $2" file_holds "$1" "$2"; }
file_holds() {
  cat >/dev/null
  grep -qF -- "$2" "$folder/$1"
}

# ---- Keys ----

# One token of $keys at a time: its kind in $kind, its text in $token.
#   «text»  typed, each character a key     {text}  no key: waits until it is seen
#   paste   one key: $clip is pasted        Name    a key as tmux names it
next_token() {
  keys=${keys#"${keys%%[! ]*}"}
  case $keys in
  «*) kind=text token=${keys#«} token=${token%%»*} keys=${keys#*»} ;;
  \{*) kind=wait token=${keys#\{} token=${token%%\}*} keys=${keys#*\}} ;;
  '') return 1 ;;
  *)
    kind=key token=${keys%% *} keys=${keys#"$token"}
    if [ "$token" = paste ]; then kind='paste'; fi
    ;;
  esac
}

# count_keys KEYS: how many that are.
count_keys() {
  local keys=$1 kind token count=0
  while next_token; do
    case $kind in
    text) count=$((count + ${#token})) ;;
    key | paste) count=$((count + 1)) ;;
    esac
  done
  echo "$count"
}

# keys_as_text KEYS: those, without what is waited for.
keys_as_text() {
  local keys=$1 kind token text=''
  while next_token; do
    case $kind in
    text) text+=" «$token»" ;;
    key | paste) text+=" $token" ;;
    esac
  done
  echo "${text# }"
}

# play KEYS: {text} waits until it is seen once more than before the key in front of it.
play() {
  local keys=$1 kind token before=''
  while next_token; do
    [ "$kind" = wait ] || before=$(screen)
    case $kind in
    text) type_text "$token" ;;
    wait) wait_until "not there: $token" has_one_more "$token" || return 1 ;;
    paste) put "$clip" || return 1 ;;
    key) press "$token" ;;
    esac
  done
}
has_one_more() { [ "$(grep -oF -- "$1" | wc -l)" -gt "$(grep -oF -- "$1" <<<"$before" | wc -l)" ]; }
# (A ";" at the end would end tmux's command.)
type_text() {
  local text=$1
  [[ $text == *';' ]] && text=${text%;}'\;'
  press -l -- "$text"
}

# ---- Tasks ----

# What tasks.sh says of a task, by side; "both" is said of each.
titles=()
declare -A given keys_of goal
task() { titles+=("$1"); }
note_side() { # TABLE SIDE TEXT
  local -n table=$1
  local s
  for s in here ipython; do
    case $2 in "$s" | both) table[${#titles[@]}$s]=$3 ;; esac
  done
}
given() { note_side given "$1" "$2"; }
keys() { note_side keys_of "$1" "$2"; }
goal() { note_side goal "$1" "$2"; }

# row_of NUMBER HERE IPYTHON: the table's.
row_of() {
  echo "| ${titles[$1 - 1]} | $2 | $3 | $(keys_as_text "${keys_of[$1here]}") | $(keys_as_text "${keys_of[$1ipython]}") |"
}

# try_task NUMBER SIDE: plays it from a fresh program to its goal.
try_task() {
  local n=$1 clip=''
  side=$2 folder=$scratch/folder-$1-$2
  "open_$side" || return 1
  eval "${given[$n$side]}" || { echo "# not ready: ${titles[n - 1]}" && return 1; }
  play "${keys_of[$n$side]}" || return 1
  eval "${goal[$n$side]}"
}
