# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# keys_table.sh goes on: the states of the screens, which screens.sh enters. AFTER may
# name another state here. A cell that names several keys is tried with each.

# Keys that mean nothing here, which each says: no_keys_row NAMES KEY...
no_keys_row() {
  local names=$1
  shift
  key "$names" 'nothing: a sentence says so' here "no_key $*"
}
# What all screens do alike.
screen_rows() { # AFTER-CTRL-D [OF-WHAT]
  key 'Ctrl-D' "leaves${2:-}" "$1" 'press C-d'
  key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background && see "$own_mark"'
  key 'resize' 'draws the screen anew' here 'resize 60 16 && wait_until "not of 60" is_drawn_for 60 && see "$own_mark"'
}

state contents 'The workbook'"'"'s contents' '`warpshop learn`, or `:workbook`; its keys are in [workbook.md](workbook.md).'
key 'Enter' 'opens the lesson' reading 'press Enter && see "Enter go on"'
no_keys_row 'Space, Tab, Left, Right, another key' Space Tab Left Right F5
key '`q`' 'leaves' shell 'press q'
key 'Esc' 'says how to leave' here 'press Escape && see "q leaves warpshop"'
key 'Up, Down' 'choose; where the list ends, that is said' here \
  'press Up && see "The list begins here." && press Down && see ">   2 Larger" && press Down Down && see "The list ends here."'
key 'the wheel' 'three times Up or Down; so on every screen' here 'mouse 65 1 1 && see "> " && see "The list ends here." && mouse 64 1 1 && see "The list begins here."'
key 'a click' 'chooses the lesson; of the one that is chosen opens it' here \
  'mouse 64 1 1 && row=$(row_of " 2 Larger") && mouse 0 9 "$row" && see ">   2 Larger" && mouse 2 9 1 && mouse 0 9 1'
key 'Ctrl-C' 'leaves' shell 'press C-c'
key 'paste' 'says where text is pasted: at the prompt' here 'paste "qe" && see "Text is pasted at the prompt"'
key '`:`' 'the prompt' prompt 'press : && prompts 1'
key '`?`' 'shows the keys' keys_of_contents 'press ? && see "The keys of the contents"'
screen_rows shell

state found 'The workbook'"'"'s search' 'Behind `/` in the contents, a part of a name is typed.'
key 'Enter' 'opens what is chosen' reading 'type Twice && see "page 1.2  Twice" && press Down && press Enter && see "What is twice 21?"'
key 'Space' 'a blank' here 'type a && press Space && type b && see "find: a b"'
key '`q`' 'a letter' here 'press q && see "find: q"'
key 'Esc' 'shows all again' contents 'type zzz && see "Nothing is called so" && press Escape && see "Enter open" && see "Larger"'
key 'Up, Down' 'choose' here 'type twice && see ">     exercise  twice" && press Down && see ">     page 1.2  Twice" && press Up && see ">     exercise  twice"'
typed_rows 'find: '
key 'Tab, another key' 'nothing: a name is typed, and the row says which keys end that' here \
  'type la && press Tab F5 && type r && see "find: lar  " && see "Enter opens · Esc shows all"'
key 'Ctrl-C' 'shows all again' contents 'press C-c && wait_until_gone find:'
key 'paste' 'is the name' here 'paste "larger" && see "find: larger"'
key '`:`' 'a character' here 'press : && see "find: :"'
key '`?`' 'a character' here 'press ? && see "find: ?"'
screen_rows shell ' warpshop'

state reading 'A page in the workbook' 'A lesson is open on the screen.'
key 'Enter' 'a screen down; at the end the prompt, which asks what the page asks' prompt 'press Enter && see "your answer" && press Enter && prompts 1'
key 'Space' 'a screen down, and then the next page; what is left undone is said first' here \
  'press Space && see "n goes on without" && press Space && see "page 2 of 3"'
key '`q`' 'the contents' contents 'press q && see "Enter open"'
key 'Esc' 'the contents' contents 'press Escape && see "Enter open"'
no_keys_row 'Tab, another key' Tab F5
key 'Up, Down' 'move; where the page ends, that is said' here \
  'press Up && see "The page begins here" && press Down && see "The page ends here" && resize 60 16 && see "1-13 of" && press Down && see "2-14 of" && press Up && see "1-13 of"'
key 'Left, Right' 'the page before, the next one' here \
  'press Left && see "first page" && press Right && see "n goes on without" && press Right && see "page 2 of 3" && press Left && see "page 1 of 3"'
key 'Ctrl-C' 'the contents' contents 'press C-c && see "Enter open"'
key 'paste' 'says where text is pasted: at the prompt' here 'paste "__global__ void k() { }" "q" && see "Text is pasted at the prompt"'
key '`:`' 'the prompt' prompt 'press : && see "your answer" && press Enter && prompts 1'
key '`?`' 'shows the keys' keys_of_reading 'press ? && see "The keys of a page"'
screen_rows shell ' warpshop'

state opening 'A page of the workbook whose lines run' 'Its lines run when it opens; the status says that Ctrl-C stops one.'
key 'Enter' 'waits, as all keys but Ctrl-C do, and then goes to the prompt' prompt 'press Enter && press C-c && prompts 1'
key '`:`' 'waits, and then goes to the prompt' prompt 'press : && press C-c && prompts 1'
key 'Space' 'waits' reading 'press Space && press C-c && see "That was the last page"'
key '`q`' 'waits, and then shows the contents' contents 'press q && press C-c && see "Enter open"'
key 'Esc' 'waits, and then shows the contents' contents 'press Escape && press C-c && see "Enter open"'
key 'Tab' 'waits' reading 'press Tab && press C-c && see "$nothing"'
key 'another key' 'waits' reading 'press F5 && press C-c && see "$nothing"'
key 'Up' 'waits' reading 'press Up && press C-c && see "The page begins here"'
key 'Down' 'waits' reading 'press Down && press C-c && see "The page ends here"'
key 'Left' 'waits' reading 'press Left && press C-c && see "first page"'
key 'Right' 'waits' reading 'press Right && press C-c && see "That was the last page"'
key 'paste' 'waits' reading 'paste "print(1)" && press C-c && see "Text is pasted at the prompt"'
key '`?`' 'waits' keys_of_reading 'press ? && press C-c && see "The keys of a page"'
key 'Ctrl-C' 'stops the line that runs; the page goes on' reading 'press C-c && see "Behind it."'
key 'Ctrl-D' 'waits, and then leaves warpshop' shell 'press C-d && press C-c'
key 'Ctrl-Z' 'waits, and then stops the program; `fg` comes back' reading \
  'press C-z && press C-c && line "left 148, as it was" && type fg && press Enter && see "Behind it."'
key 'resize' 'the page is drawn for it once its lines have run' reading \
  'resize 60 16 && press C-c && see "Behind it." && wait_until "not of 60" is_drawn_for 60'

exercise_rows() {
  key 'Enter' 'opens the editor; so does `e`' here 'press Enter && wait_until "no editor" was_edited && see "$own_mark"'
  key 'Space' 'a screen down; where the text ends, that is said' here 'press Space && see "All of the text is on the screen."'
  key '`q`' 'back to where it was opened' contents 'press q && see "Enter open"'
  key 'Esc' 'back' contents 'press Escape && see "Enter open"'
  no_keys_row 'Tab, Left, Right, another key' Tab Left Right F5
  key 'Up, Down' 'what is wrong, line by line, or the text; where that ends, it is said' here \
    'press Up && see "All of the text is on the screen." && wrong && see "> twice.cu:3  write" && press Down && see "> twice.cu:3  read" && press Up && see "> twice.cu:3  write"'
  key 'Ctrl-C' 'back' contents 'press C-c && see "Enter open"'
  key 'paste' 'says where text is pasted: at the prompt' here 'paste "q" && see "Text is pasted at the prompt"'
  key '`:`' 'the prompt' prompt 'press : && prompts 1'
  key '`?`' 'shows the keys' keys_of_task 'press ? && see "The keys of an exercise"'
  screen_rows shell ' warpshop'
}
state task 'An exercise in the workbook' 'Its file is judged at each save.'
exercise_rows
state hints 'An exercise with its hints' 'Behind `h`: a hint stands above the task.'
exercise_rows

state solution 'The question before a solution' 'Behind `s` in an exercise that has not passed.'
key 'Enter, Space, `q`, Esc, Tab, Up, Down, Left, Right, Ctrl-C, paste, `:`, `?`, another key' \
  'no: the solution stays hidden, and that is said' task 'each_is_no Enter Space q Escape Tab Up Down Left Right C-c : ? F5'
screen_rows shell ' warpshop'

waits_for_verdict() { key "$1" "waits until it is judged, and then $2" "$3" "press $4 && right && $5"; }
state judging 'An exercise that is judged' 'The status says that `q` gives that up.'
waits_for_verdict 'Enter' 'opens the editor' task Enter 'wait_until "no editor" was_edited && see "e edit  h hint"'
waits_for_verdict 'Space' 'moves' task Space 'see "All of the text"'
key '`q`' 'gives that up, and goes back' contents 'press q && see "Enter open"'
key 'Esc' 'gives that up, and goes back' contents 'press Escape && see "Enter open"'
waits_for_verdict 'Tab' 'says that it does nothing' task Tab 'see "$nothing"'
waits_for_verdict 'Left' 'says that it does nothing' task Left 'see "$nothing"'
waits_for_verdict 'Right' 'says that it does nothing' task Right 'see "$nothing"'
waits_for_verdict 'another key' 'says that it does nothing' task F5 'see "$nothing"'
waits_for_verdict 'Up' 'moves' task Up 'see "All of the text"'
waits_for_verdict 'Down' 'moves' task Down 'see "All of the text"'
key 'Ctrl-C' 'gives that up, and goes back' contents 'press C-c && see "Enter open"'
key 'paste' 'waits until it is judged, and then says where text is pasted' task 'paste "q" && right && see "Text is pasted at the prompt"'
waits_for_verdict '`:`' 'goes to the prompt' prompt : 'prompts 1'
waits_for_verdict '`?`' 'shows the keys' keys_of_task '?' 'see "The keys of an exercise"'
screen_rows shell ' warpshop'

# A page of keys: any key goes back.
help_rows() { # AFTER-CTRL-D; the rest
  key 'Enter, Space, `q`, Esc, Tab, Up, Down, Left, Right, paste, `:`, `?`, another key' 'back to the screen' here \
    'each_goes_back Enter Space q Escape Tab Up Down Left Right : ? F5'
  [ -n "${3:-}" ] || key 'Ctrl-C' 'back to the screen' here 'each_goes_back C-c'
  screen_rows "$1" "$2"
}
state keys_of_contents 'The keys of the contents' 'Behind `?`.'
help_rows shell ' warpshop'
state keys_of_reading 'The keys of a page' 'Behind `?`.'
help_rows shell ' warpshop'
state keys_of_task 'The keys of an exercise' 'Behind `?`.'
help_rows shell ' warpshop'

state stepping 'The debugger'"'"'s screen (`:debug`)' 'Its other keys are in [debug.md](debug.md).'
key 'Enter' 'goes on the way it went on last; at first says that there is no such' here \
  'press Enter && see "nothing to do once more yet" && press n && see "walk.cu:3" && press Enter && see "walk.cu:4"'
key 'Space' 'a breakpoint at the cursor'"'"'s line, or none there' here 'press Space && see "breakpoint 1 at walk.cu:2"'
key '`q`' 'leaves; the launch leaves no trace' prompt 'press q && see "The launch was given up"'
key 'Esc' 'leaves' prompt 'press Escape && see "The launch was given up"'
key 'Tab' 'the next panel' here 'press Tab && see "$own_mark"'
key 'Up, Down' 'the cursor' here 'press Down Down Down Up Space && see "breakpoint 1 at walk.cu:4"'
key 'a click' 'the lane that is clicked gets the focus' here \
  'mouse 0 1 1 && mouse 0 12 "$(row_of "AAAAAAAA AAAAAAAA")" && see "thread (10,0,0)" && type "v" && type "threadIdx.x * 3" && press Enter && see " 93" && mouse 0 "$(column_of " 93")" "$(row_of " 93")" && see "thread (31,0,0)"'
key 'Left, Right' 'the lane in focus' here 'press Right && see "thread (1,0,0)" && press Left && see "thread (0,0,0)"'
key 'Ctrl-C' 'says that nothing runs, and how to leave' here 'press C-c && see "nothing runs; q leaves"'
key 'paste' 'is no key: says so' here 'paste "q" && see "$nothing"'
key '`:`' 'a command' debug_line 'press : && see "Enter does it · Esc gives up"'
key '`?`' 'shows the keys' debug_page 'press ? && see "The keys of the debugger"'
no_keys_row 'another key' F5 z
screen_rows prompt ' the debugger'

state debug_line 'A command on the debugger'"'"'s screen' 'Behind `:`.'
key 'Enter' 'does it' stepping 'type "print 40 + 2" && press Enter && see "40 + 2 = 42"'
key 'Space' 'a blank' here 'type "print" && press Space && type "7" && see ":print 7"'
key '`q`' 'a letter' here 'press q && see ":q "'
key 'Esc' 'gives it up' stepping 'type print && press Escape && wait_until_gone "Esc gives up"'
key 'Tab' 'completes' here 'type loc && press Tab && see ":locals"'
key 'Up, Down' 'earlier commands, and back' here \
  'type "print 7" && press Enter && see "7 = 7" && press : && press Up && see ":print 7" && press Down && wait_until_gone ":print 7"'
typed_rows :
key 'Ctrl-C' 'gives it up' stepping 'type print && press C-c && wait_until_gone "Esc gives up"'
key 'paste' 'is the command, until Enter' here 'paste "print 5" "q" && see ":print 5"'
key '`:`' 'a character' here 'press : && see ":: "'
key '`?`' 'a character' here 'press ? && see ":? "'
key 'another key' 'nothing: a command is typed, and the row says which keys end that' here 'type pri && press F5 && type nt && see ":print   Enter does it · Esc gives up"'
screen_rows prompt ' the debugger'

state debug_page 'A page of the debugger: its keys, an answer, a finding' 'Behind `?`, `e`, `o`, or a command whose answer is long.'
key 'Enter' 'back' stepping 'press Enter && see "q quit"'
key 'Space' 'a page down' here 'resize 60 16 && press Space && see "a breakpoint at the cursor"'
key '`q`' 'back' stepping 'press q && see "q quit"'
key 'Esc' 'back' stepping 'press Escape && see "q quit"'
key 'Up, Down' 'move' here 'resize 60 16 && press Down && wait_until_gone "  q     " && press Up && see "  q     "'
key 'Tab, Left, Right, paste, `:`, another key' 'nothing: a sentence says so' here \
  'no_key Tab Left Right : F5 && paste x && see "$nothing"'
key 'Ctrl-C' 'back' stepping 'press C-c && see "q quit"'
key '`?`' 'back' stepping 'press ? && see "q quit"'
screen_rows prompt ' the debugger'

waits_for_stop() { key "$1" "waits until it stops, and then $2" "$3" "press $4 && press C-c && $5"; }
state going 'The debugger while the launch goes on' 'Behind `c`: the status says that Ctrl-C stops it.'
waits_for_stop 'Enter' 'goes on once more' going Enter 'wait_until_gone "walk.cu:2" && see "running: Ctrl-C"' # from elsewhere
waits_for_stop 'Space' 'sets a breakpoint' stepping Space 'see "breakpoint 1 at"'
waits_for_stop '`q`' 'leaves' prompt q 'see "The launch was given up"'
waits_for_stop 'Esc' 'leaves' prompt Escape 'see "The launch was given up"'
waits_for_stop 'Tab' 'chooses a panel' stepping Tab 'see "Stopped here."'
waits_for_stop 'Up' 'moves the cursor' stepping Up 'see "Stopped here."'
waits_for_stop 'Down' 'moves the cursor' stepping Down 'see "Stopped here."'
waits_for_stop 'Left' 'chooses a lane' stepping Left 'see "thread (31,0,0)"'
waits_for_stop 'Right' 'chooses a lane' stepping Right 'see "thread (1,0,0)"'
key 'Ctrl-C' 'stops it' stepping 'press C-c && see "Stopped here."'
key 'Ctrl-D' 'waits until it stops, and then leaves the debugger' prompt 'press C-d && press C-c && see "The launch was given up"'
key 'Ctrl-Z' 'waits until it stops; `fg` comes back' stepping \
  'press C-z && press C-c && line "left 148, as it was" && type fg && press Enter && see "Stopped here."'
key 'resize' 'is drawn for it when it stops' stepping 'resize 60 16 && press C-c && see "Stopped here." && wait_until "not of 60" is_drawn_for 60'
key 'paste' 'waits until it stops, and then says that it is no key' stepping 'paste "q" && press C-c && see "$nothing"'
waits_for_stop '`:`' 'begins a command' debug_line : 'see "Enter does it"'
waits_for_stop '`?`' 'shows the keys' debug_page '?' 'see "The keys of the debugger"'
waits_for_stop 'another key' 'says that it is no key' stepping F5 'see "$nothing"'

state map 'Who touches what (`:map`)' 'Its other keys are in [pictures.md](pictures.md).'
no_keys_row 'Enter, Space, Tab, `:`, another key' Enter Space Tab : F5 z
key '`q`' 'leaves' prompt 'press q && prompts 5'
key 'Esc' 'leaves' prompt 'press Escape && prompts 5'
key 'Up, Down' 'the rows above and below; where they end, that is said' here \
  'press Up && see "No rows are above." && press Down && see "No rows are below." && resize 60 16 && see "more: down" && press Down && press Up'
key 'Left, Right' 'the access before, the next; at the ends that is said' here \
  'press Left && see "This is the first access" && press Right && see "2 of 2" && press Right && see "This is the last access"'
key 'a click' 'chooses a cell' cell 'mouse 0 9 5 && see "x[5]: "'
key 'Ctrl-C' 'leaves' prompt 'press C-c && prompts 5'
key 'paste' 'says where text is pasted: at the prompt' here 'paste "q" && see "Text is pasted at the prompt"'
key '`?`' 'shows the keys' keys_of_map 'press ? && see "The keys of :map"'
screen_rows prompt
state cell 'A cell of `:map`' 'Behind `c` or a click: who touches it is told.'
no_keys_row 'Enter, Space, Tab, `:`, another key' Enter Space Tab : F5 z
key '`q`' 'leaves' prompt 'press q && prompts 5'
key 'Esc' 'lets it go' map 'press Escape && wait_until_gone "arrows move"'
key 'Up, Down, Left, Right' 'the cell beside it; where there is none, that is said' here \
  'press Up && see "no cell there" && press Down && see "x[32]: " && press Right && see "x[33]: " && press Left && see "x[32]: " && press Up && see "x[0]: " && press Left && see "no cell there"'
key 'Ctrl-C' 'leaves' prompt 'press C-c && prompts 5'
key 'paste' 'says where text is pasted: at the prompt' here 'paste "q" && see "Text is pasted at the prompt"'
key '`?`' 'shows the keys' keys_of_map 'press ? && see "The keys of :map"'
screen_rows prompt
state keys_of_map 'The keys of `:map`' 'Behind `?`.'
help_rows prompt ' `:map`' own
key 'Ctrl-C' 'leaves `:map`' prompt 'press C-c && prompts 5'

state desk 'The class (`class watch`)' 'Its other keys are shown by `?`.'
key 'Enter' 'reads the last hand-in of who is chosen' source 'press Enter && see "read only"'
no_keys_row 'Space, Tab, Left, Right, `:`, another key' Space Tab Left Right : F5
key '`q`' 'leaves' shell 'press q'
key 'Esc' 'says how to leave' here 'press Escape && see "q leaves; ? shows the keys."'
key 'Up, Down' 'choose; where the list ends, that is said' here \
  'press Up && see "The list begins here." && press Down && see "64002: 0 passed" && press End && press Down && see "The list ends here." && press Home && see "64001: 0 passed"'
key 'Ctrl-C' 'leaves' shell 'press C-c'
key 'paste' 'is no key: says so' here 'paste "q" && see "Pasted text does nothing here"'
key '`?`' 'shows the keys' keys_of_desk 'press ? && see "The keys of warpshop class watch"'
screen_rows shell

typed_to_class() { # WHAT IS SHOWN; ENTER DOES; ITS STEPS
  key 'Enter' "$2" desk "$3"
  key 'Space' 'a blank' here "type a && press Space && type b && see '$1a b'"
  key '`q`' 'a letter' here "press q && see '${1}q'"
  key 'Esc' 'gives it up' desk "type zebra && press Escape && wait_until_gone '$1'"
  typed_rows "$1"
  key 'Tab, Up, Down, another key' 'nothing: a text is typed, and the row says which keys end that' here \
    "type ja && press Tab Up Down F5 && type c && see '${1}jac   Enter' && see 'Esc gives up'"
  key 'Ctrl-C' 'gives it up' desk "type zebra && press C-c && wait_until_gone '$1'"
  key 'paste' 'is the text, until Enter' here "paste 'one line' && see '${1}one line'"
  key '`:`' 'a character' here "press : && see '$1:'"
  key '`?`' 'a character' here "press ? && see '$1?'"
  screen_rows shell ' the class'
}
state desk_hint 'A hint to a learner' 'Behind `h` in the class.'
typed_to_class 'hint to 64001: ' 'sends it' 'type "look at line 7" && press Enter && see "Told to 64001 alone"'
state desk_find 'Finding a learner' 'Behind `/` in the class.'
typed_to_class 'find: ' 'chooses who has that, or says that nobody has' \
  'type zebra && press Enter && see "nobody has \"zebra\"" && type / && type guard && press Enter && see "64002: 0 passed"'

state source 'A hand-in that is read' 'Behind Enter in the class.'
key 'Enter' 'back to the class' desk 'press Enter && see "/ find"'
key 'Space, Up, Down' 'move' here 'resize 60 16 && press Space Up Down && see "read only"'
key '`q`' 'back to the class' desk 'press q && see "/ find"'
key 'Esc' 'back to the class' desk 'press Escape && see "/ find"'
key 'Tab, Left, Right, paste, `:`, `?`, another key' 'nothing: a sentence says so' here 'no_key Tab Left Right : ? F5 && paste x && see "$nothing"'
key 'Ctrl-C' 'back to the class' desk 'press C-c && see "/ find"'
screen_rows shell ' the class'
state keys_of_desk 'The keys of the class' 'Behind `?`.'
help_rows shell ' the class'
