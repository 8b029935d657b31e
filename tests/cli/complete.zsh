# SPDX-License-Identifier: Apache-2.0
# zsh -f complete.zsh FOLDER LINE: what zsh offers for the last word of LINE, a line
# each, with FOLDER/_warpshop as its completion. A second zsh in a pseudo-terminal is
# asked, as completion works at a prompt alone: all that is added by compadd is noted.
zmodload zsh/zpty || exit 1
folder=$1 line=$2
cat >$folder/.zshrc <<END
PS1='ready> ' PS2= fpath=(${(q)folder} \$fpath)
autoload -Uz compinit && compinit -D -u
compadd() {
  local -a offered
  # With one of these it adds nothing, and tells its caller what fits.
  if [[ " \$* " != *' -'[AOD]' '* ]]; then
    builtin compadd -A offered "\$@"
    (( \$#offered )) && print -rl -- \$offered >>${(q)folder}/offered
  fi
  builtin compadd "\$@"
}
said-all() { : >${(q)folder}/done; }
zle -N said-all
bindkey '^I' complete-word
bindkey '^G' said-all
END
rm -f $folder/done
: >$folder/offered
export ZDOTDIR=$folder
zpty asked zsh -d -i
zpty -r asked said '*ready> *' || exit 1
zpty -w -n asked $line$'\t\a'
while [[ ! -e $folder/done ]]; do
  zpty -r -t asked said || read -t 0.02 <>/dev/null # what it draws is of no interest
done
zpty -d asked
last=${line##* }
prefix=${last%${last##*/}} # of a path compadd has the last part alone
while read -r name; do print -r -- $prefix$name; done <$folder/offered | sort -u
