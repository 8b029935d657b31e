# shellcheck shell=bash disable=SC2154 # of who sources it
# SPDX-License-Identifier: Apache-2.0
# What a newcomer does at the prompt: waits, reads, answers, types, and looks for a way
# out. Sourced behind lib.sh by newcomer.sh and newcomer_workbook.sh.
last_line() { tmux capture-pane -p -J -t main | grep -v '^ *$' | tail -n 1 | sed 's/ *$//'; }
show() { screen | grep -v '^$' | tail -n 24 | sed 's/^/#   /'; }

# What waits for a person shows how to go on, or is a prompt (whose way out is a step
# of its own).
waits='^-- more -- .*q stops|Enter to pass\)|\[y/N\]$'
is_prompt() { [[ $1 =~ ^([a-z0-9-]+\ )?([0-9]+\.[0-9]+\ )?virtual:0\>$ ]]; }
# settle: until something waits; its line is then in $line.
settle() {
  local end=$((SECONDS + limit))
  until line=$(last_line) && { is_prompt "$line" || { [[ $line =~ $waits || $line =~ ^your\ (answer|guess)|^--\ more ]]; }; }; do
    [ "$SECONDS" -gt "$end" ] && echo "# nothing waits: $line" && show && return 1
    nap
  done
  is_prompt "$line" || [[ $line =~ $waits ]] || { echo "# no way out is shown: $line" && show && return 1; }
}
# settle_after SEEN KEY: until another screen than that stands there, and waits.
settle_after() {
  local end=$((SECONDS + limit))
  while [ "$(seen)" = "$1" ]; do
    [ "$SECONDS" -gt "$end" ] && echo "# nothing happens after $2" && show && return 1
    nap
  done
  settle
}
# All that is on the terminal and above it, and where the cursor is.
seen() { tmux capture-pane -p -J -t main -S - | md5sum; tmux display -p -t main '#{history_size} #{cursor_x} #{cursor_y}'; }
fresh() {
  keys ':clear'
  wait_until 'not cleared' is_clear && tmux clear-history -t main
}
is_clear() {
  cat >/dev/null
  [ "$(tmux display -p -t main '#{cursor_y}')" = 0 ] && is_prompt "$(last_line)"
}
# ask LINE: typed; what stands below it, once something waits again, is in $said.
ask() {
  fresh || return 1
  keys "$1"
  wait_until "no answer to $1" is_answered || return 1
  said=$(screen | sed 1d | sed 's/ *$//')
}
is_answered() {
  cat >/dev/null
  [ "$(tmux display -p -t main '#{cursor_y}')" -gt 0 ] || [ "$(tmux display -p -t main '#{history_size}')" -gt 0 ] || return 1
  local line
  line=$(last_line)
  is_prompt "$line" || [[ $line =~ $waits ]]
}
wrong='attempt to |syntax error|There is no command|unexpected symbol|no variable is called|Nothing is known'

# Rows above the cursor, those that have scrolled away too.
place() {
  local above row
  read -r above row < <(tmux display -p -t main '#{history_size} #{cursor_y}')
  echo $((above + row))
}
is_asked_anew() { # PLACE: below it, and nothing is typed yet
  cat >/dev/null
  [ "$(place)" -gt "$1" ] && [[ $(last_line) =~ ^your\ .*:$ ]]
}
# Reads with space; answers with words first, then with a number.
read_page() {
  local before at
  while settle; do
    before=$(seen)
    case $line in
    '-- more'*) press Space && settle_after "$before" space || return 1 ;;
    *'your answer'*)
      at=$(place)
      keys help && wait_until 'not asked anew' is_asked_anew "$at" && wait_for 'A number from 1 to' && wait_for 'Enter alone to pass' && press 1 Enter && answered || return 1 ;;
    *'your guess'*)
      at=$(place)
      keys ten && wait_until 'not asked anew' is_asked_anew "$at" && wait_for_any 'A number, please, or Enter alone to pass' 'more tries' && press Enter && answered || return 1 ;;
    *) return 0 ;;
    esac
  done
  return 1
}
is_not_asked() { ! tail -n 1 <<<"$(grep -v '^ *$')" | grep -q '^your'; }
answered() { wait_until 'asked again' is_not_asked; }
# The line that the page asks for, as it stands there ("Type 6 * 7 behind").
asked_line() { screen | tr '\n' ' ' | tr -s ' ' | grep -oE '\? .*' | grep -oE '(Type|type) [^.]* (behind|into|and press)' | tail -n 1 | sed -E 's/^[Tt]ype //; s/ (behind|into|and press)$//'; }

# suggests TYPED REGEX [SHOWS]: the answer holds what the regex finds; typed, it runs,
# and shows that.
suggests() {
  local line
  ask "$1" || return 1
  line=$(grep -oE -- "$2" <<<"$said" | head -n 1 | sed 's/^ *//')
  [ -n "$line" ] || { echo "# $1 gets no line like $2:" && show && return 1; }
  ask "$line" || return 1
  [[ $(last_line) =~ ^-- ]] && press q && wait_until 'no prompt' is_answered
  ! grep -qE -- "$wrong" <<<"$said" && grep -qF -- "${3:-}" <<<"$said" && return
  echo "# $1 suggests $line, which says:"
  show
  return 1
}
