# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What each key does in each state: the one source of docs/keys.md, which
# `tests/pty/keys.sh --page` writes, and of the test of every row, which is that script.
# Sourced there.
#
# state NAME TITLE ABOUT: the rows behind it are of that state; keys.sh has
# enter_NAME, and still_NAME, which shows that it is still there and leaves it.
# key KEY WORDS AFTER STEPS: from a fresh state, the steps must hold; AFTER says what is
# there then: here (the state), prompt, or shell (the program has ended, with status 0
# or the one behind a colon).

state prompt 'The prompt' 'One line, or none, has been typed.'
key 'Enter' 'runs the line; on an empty one, in a lesson, the next page' here \
  'type "6 * 7" && press Enter && line 42 && press Enter && prompts 3'
key 'Space' 'a blank' here 'type "\"a" && press Space && type "b\"" && press Enter && line "\"a b\""'
key '`q`' 'a letter; `:quit` leaves' here 'type "\"" && press q && type "\"" && press Enter && line "\"q\""'
key 'Esc' 'what is typed stays; a note says how to leave. Before another key (within half a second) it is Alt; in vi mode it is vi'"'"'s' here \
  'press Escape && see "Ctrl-D leaves, :help says more" && type "\"kept\"" && see "\"kept\"" && press Escape && see "Ctrl-C clears what is typed" && press Enter && line "\"kept\""'
key 'Tab' 'completes what stands there' here \
  'type "np.arang" && press Tab && see "$prompt np.arange" && press C-u'
key 'Up, Down' 'earlier lines, and back; behind what is typed, those that begin so' here \
  'type "\"first\"" && press Enter && line "\"first\"" && press Up && lines 2 "$prompt \"first\"" && press Down && wait_for_cursor 11 3 && type "\"f" && press Up && wait_for_cursor 18 3 && press Down && wait_for_cursor 13 3 && press C-c'
key 'Right, End, Ctrl-F, Ctrl-E behind the last character' 'take what is suggested there in grey; Enter does not' here \
  'type "\"hint\"" && press Enter && line "\"hint\"" && type "\"h" && lines 2 "$prompt \"hint\"" && press Right Enter && lines 2 "\"hint\"" && type "\"h" && lines 3 "$prompt \"hint\"" && press End && type " .. 1" && press Enter && line "\"hint1\""'
key 'Alt-F' 'a word further, or takes a word of what is suggested' here \
  'type "40 + 1 + 1" && press Enter && line 42 && type 4 && lines 2 "$prompt 40 + 1 + 1" && press M-f M-f && type 6 && press Enter && line 46'
key 'F2, Ctrl-X Ctrl-E' 'opens what is typed in `$EDITOR`; what it leaves stands there' here \
  'type "6 * 7" && press F2 && lines 2 "$prompt 6 * 7" && press C-x C-e && lines 3 "$prompt 6 * 7" && press Enter && line 42'
key 'Left, Right' 'move in the line' here \
  'type "\"ac\"" && press Left Left && type b && press Enter && line "\"abc\""'
key 'Ctrl-C' 'clears the line' here 'type "error(\"no\")" && see "error(\"no\")" && press C-c && prompts 2'
key 'Ctrl-D' 'takes out the character at the cursor; behind the last one a note says how to clear the line' here \
  'type "\"xab\"" && press Home Right C-d End C-d && see "Ctrl-C clears what is typed" && press Enter && line "\"ab\""'
key 'Ctrl-D, nothing typed' 'leaves' shell 'press C-d'
key 'Ctrl-Z' 'stops the program; `fg` comes back, and the line is there' here \
  'type "40 +" && see "40 +" && background && lines 2 "$prompt 40 +" && type " 2" && press Enter && line 42'
key 'resize' 'draws the line anew' here \
  'type "\"0123456789012345678901234567890123456789\"" && see "6789\"" && resize 40 16 && rows 2 "$prompt \"0123456789012345678901234567" && press Enter && line "\"0123456789012345678901234567890123456789\""'
key 'paste' 'stands there, to be looked at, until Enter' here \
  'paste "a = 6" "a * 7" && line "$more a * 7" && press Enter && line 42'
key '`:`' 'begins a command' here 'type ":history zebra" && press Enter && see "Nothing that you typed holds"'
key '`?`' 'asks what something is' here 'type "?warp" && press Enter && see "32 threads of a block"'
key 'another key, such as F5' 'a note says that it does nothing' here \
  'press F5 && see "$does_nothing" && type "\"F5\"" && press Enter && line "\"F5\"" && type x && see "$prompt x" && press F1 && see "$does_nothing" && press C-u'

state block 'A text of several lines' 'What was typed is not whole yet: a block without its `end`, a kernel without its `}`.'
key 'Enter' 'runs the text where it is whole; else a line more, indented' here \
  'press Enter && wait_for_cursor 13 3'
key 'Space' 'a blank; at a line'"'"'s beginning, the indentation is yours' here \
  'press Space && type "+ 0" && see "return 42 + 0"'
key '`q`' 'a letter' here 'type " --" && press q && see "return 42 --q"'
key 'Esc' 'as at the prompt' here 'press Escape && see "Ctrl-C clears what is typed"'
key 'Tab' 'at a line'"'"'s beginning two blanks more, else completes' here \
  'press Enter Tab && type "--x" && line "$more     --x"'
key 'Up, Down' 'the line above, below; from the first and the last line the entry before, after' here \
  'press Up End && type " --u" && line "$prompt function f() --u" && press Down End && wait_for_cursor 22 2'
key 'Alt-K' 'cuts the line; Ctrl-Y puts it in where the cursor is, as a line' here \
  'press M-k C-y C-y && wait_for_cursor 22 3 && lines 2 "$more   return 42" && press M-k && wait_for_cursor 22 2'
key 'Ctrl-Space, then Tab, Shift-Tab' 'move the lines from there to the cursor a step in, out' here \
  'press C-Space && see "Tab and Shift-Tab move the lines" && press Up Tab && line "$prompt   function f()" && line "$more     return 42" && press BTab && line "$more   return 42" && press Down End'
key 'Ctrl-Alt-F, Ctrl-Alt-B' 'over the next pair of brackets, over the one before' here \
  'press C-M-b && wait_for_cursor 21 1 && press C-M-f && wait_for_cursor 23 1 && press C-M-f && see "no bracket opens and closes ahead" && press Down End'
key 'F2, Ctrl-X Ctrl-E' 'opens the text in `$EDITOR`; what it leaves stands there' here \
  'press F2 && lines 2 "$more   return 42"'
key 'Left, Right' 'move in the text' here 'press Left && wait_for_cursor 21 2 && press Right && wait_for_cursor 22 2'
key 'Ctrl-C' 'gives the text up; CUDA C is kept for `:edit`' prompt 'press C-c && prompts 2'
key 'Ctrl-D' 'as at the prompt' here 'press C-d && see "Ctrl-C clears what is typed"'
key 'Ctrl-Z' 'stops the program; `fg` comes back, and the text is there' here 'background && lines 2 "return 42"'
key 'resize' 'draws the text anew' here 'resize 60 16 && line "$more   return 42"'
key 'paste' 'stands there as it was' here 'paste " --[[ one" "two ]]" && line "$more two ]]"'
key '`:`' 'a character; behind a line like `:quit` a note says that Ctrl-C gives up' prompt \
  'press C-c && prompts 2 && type "__global__ void k(int *a) {" && press Enter && type ":quit" && press Enter && see "not whole yet: Ctrl-C gives it up" && press C-c && see "given up"'

key '`?`' 'a character' here 'type " --" && press ? && see "return 42 --?"'
key 'another key' 'a note says that it does nothing' here 'press F5 && see "$does_nothing"'

state search 'Search (Ctrl-R)' 'Something of an earlier line has been typed behind Ctrl-R.'
key 'Enter' 'runs the line that was found' prompt 'press Enter && lines 2 "\"findme\""'
key 'Space' 'is searched, too' here 'press Space && see "find '"'"':"'
key '`q`' 'is searched, too' here 'press q && see "findq'"'"':"'
key 'Esc' 'ends the search with the line as it was found, to be changed' prompt \
  'press Escape && wait_until "still searching" lacks_search && press Enter && lines 2 "\"findme\""'
key 'Tab' 'the same, and completes' prompt 'press Tab && wait_until "still searching" lacks_search && press Enter && lines 2 "\"findme\""'
key 'Up' 'the line before' prompt 'press Up && wait_until "still searching" lacks_search && press C-c'
key 'Down' 'the line after' prompt 'press Down && wait_until "still searching" lacks_search && press C-c'
key 'Left' 'ends the search, in the line' prompt 'press Left && wait_until "still searching" lacks_search && press Enter && lines 2 "\"findme\""'
key 'Right' 'ends the search, in the line' prompt 'press Right && wait_until "still searching" lacks_search && press Enter && lines 2 "\"findme\""'
key 'Ctrl-C' 'back to an empty prompt' prompt 'press C-c'
key 'Ctrl-D' 'ends the search, and takes out the character at the cursor' prompt \
  'press C-d && wait_until "still searching" lacks_search && press C-c'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background && lines 2 "find'"'"':"'
key 'resize' 'draws the line anew' here 'resize 60 16 && see "find'"'"':"'
key 'paste' 'is searched, too' here 'paste ".." && see "find..'"'"':"'
key '`:`' 'is searched, too' here 'type ":" && see "find:'"'"':"'

key '`?`' 'is searched, too' here 'press ? && see "find?'"'"':"'
key 'another key' 'ends the search with the line as it was found' prompt 'press F5 && wait_until "still searching" lacks_search && press Enter && lines 2 "\"findme\""'

state pager 'A long answer' 'The last line is `-- more --`.'
key 'Enter' 'shows the next screen' prompt 'press Enter && see "$second_screen" && press q'
key 'Space' 'shows the next screen' here 'press Space && see "$second_screen"'
key '`q`' 'stops' prompt 'press q && prompts 2 && lacks "$second_screen"'
key 'Esc' 'stops' prompt 'press Escape && prompts 2 && lacks "$second_screen"'
key 'Tab' 'shows the next screen' here 'press Tab && see "$second_screen"'
key 'Up' 'says where the lines above are: the terminal scrolls back' here 'press Up && see "scroll back for what is above"'
for arrow in Down Left Right; do
  key "$arrow" 'shows the next screen' here "press $arrow && see \"\$second_screen\""
done
key 'Ctrl-C' 'stops' prompt 'press C-c && prompts 2 && lacks "$second_screen"'
key 'Ctrl-D' 'stops' prompt 'press C-d && prompts 2 && lacks "$second_screen"'
key 'Ctrl-Z' 'stops the program; `fg` comes back, and it is asked again' here 'background && lines 2 "-- more --"'
key 'resize' 'the next screen is as large as the window' here 'resize 80 10 && press Space && see "$second_screen" && waits_within 10'
key 'paste' 'begins the next line' prompt 'paste "quite = 6 * 7" && see "$second_screen" && press q && see "$prompt quite = 6 * 7" && press Enter && type quite && press Enter && line 42'
key '`:`' 'stops, and begins a command' prompt 'type ":history zebra" && press Enter && see "Nothing that you typed holds" && lacks "$second_screen"'
key '`?`' 'stops, and asks what something is' prompt 'type "?warp" && press Enter && see "32 threads of a block" && lacks "$second_screen"'
key 'another key' 'shows the next screen' here 'press F5 && see "$second_screen"'
key 'a letter' 'shows the next screen, and begins the next line' prompt 'press x && see "$second_screen" && press q && see "$prompt x" && press C-u'

state page 'A page of a lesson' 'A page is longer than the screen: the last line is `-- more --`.'
key 'Enter' 'goes on' here 'press Enter && see "Line 12"'
key 'Space' 'goes on' here 'press Space && see "Line 12"'
key '`q`' 'stops reading: the rest runs unseen, and what the page asks for is asked' prompt \
  'press q && see "ran unseen" && see "? Type six times seven." && lacks "Line 12"'
key 'Esc' 'stops reading' prompt 'press Escape && see "ran unseen" && see "? Type six times seven."'
key 'Tab' 'goes on' here 'press Tab && see "Line 12"'
key 'Up' 'says where the lines above are' here 'press Up && see "scroll back for what is above"'
for arrow in Down Left Right; do key "$arrow" 'goes on' here "press $arrow && see 'Line 12'"; done
key 'Ctrl-C' 'stops reading' prompt 'press C-c && see "ran unseen" && see "? Type six times seven."'
key 'Ctrl-D' 'stops reading' prompt 'press C-d && see "ran unseen" && see "? Type six times seven."'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background && lines 2 "-- more --"'
key 'resize' 'the next part is as large as the window' here 'resize 80 10 && press Space && see "Line 12" && waits_within 10'
key 'paste' 'goes on, and begins the line that is typed next' prompt \
  'paste "quite = 6 * 7" && see "Line 12" && press q && see "$prompt quite = 6 * 7" && press C-u'
key '`:`' 'a command, and back to the page' here 'type ":history zebra" && press Enter && see "Nothing that you typed holds"'

key '`?`' 'asks what something is, and back to the page' here 'type "?warp" && press Enter && see "32 threads of a block"'
key 'another key' 'goes on' here 'press F5 && see "Line 12"'

state quiz 'A question with choices' 'The line is `your answer (a number; Enter to pass):`.'
key 'Enter' 'passes; the right choice and the reason are shown' prompt 'press Enter && see "Two are two."'
key 'Space' 'a blank, which counts as nothing' here 'press Space'
key '`q`' 'is no answer: how to pass is said' here 'press q Enter && see "Enter alone to pass" && lines 2 "your answer"'
key 'Esc' 'a note says how to go on' here 'press Escape && see "Enter alone passes; :leave leaves the page"'
key 'Tab' 'the same; behind a `:` completes commands' here 'press Tab && see "Enter alone passes; :leave leaves the page"'
key 'Up, Down' 'earlier lines, and back' here 'type "9" && press Enter && lines 2 "your answer" && press Up && press Down'
key 'Left, Right' 'move in the line' here 'type 2 && press Left && type 9 && press Enter && lines 2 "your answer"'
key 'Ctrl-C' 'clears the line' here 'type 9 && see ": 9" && press C-c && lines 2 "your answer"'
key 'Ctrl-C, nothing typed' 'passes' prompt 'press C-c && see "Two are two."'
key 'Ctrl-D' 'passes' prompt 'press C-d && see "Two are two."'
key 'Ctrl-Z' 'stops the program; `fg` comes back, and it is asked again' here 'background && lines 2 "your answer"'
key 'resize' 'draws the line anew' here 'resize 60 16'
key 'paste' 'is the answer, until Enter' here 'paste "print(1)" && see ": print(1)" && press Enter && see "Enter alone to pass"'
key '`:`' 'a command, and the question again' here 'type ":history zebra" && press Enter && see "Nothing that you typed holds" && lines 2 "your answer"'

key '`?`' 'asks what something is, and the question again' here 'type "?warp" && press Enter && see "32 threads of a block" && lines 2 "your answer"'
key 'another key' 'a note says that it does nothing' here 'press F5 && see "$does_nothing"'

state prediction 'A prediction' 'The line is `your guess (Enter to pass):`.'
key 'Enter' 'passes; what was measured is shown' prompt 'press Enter && see "Measured: 2."'
key 'Space' 'a blank, which counts as nothing' here 'press Space'
key '`q`' 'is no number: how to pass is said' here 'press q Enter && see "Enter alone to pass" && lines 2 "your guess"'
key 'Esc' 'a note says how to go on' here 'press Escape && see "Enter alone passes; :leave leaves the page"'
key 'Tab' 'the same; behind a `:` completes commands' here 'press Tab && see "Enter alone passes; :leave leaves the page"'
key 'Up, Down' 'earlier lines, and back' here 'press Up && press Down'
key 'Left, Right' 'move in the line' here 'type 2 && press Left && type x && press Enter && lines 2 "your guess"'
key 'Ctrl-C' 'clears the line' here 'type 9 && see ": 9" && press C-c && lines 2 "your guess"'
key 'Ctrl-C, nothing typed' 'passes' prompt 'press C-c && see "Measured: 2."'
key 'Ctrl-D' 'passes' prompt 'press C-d && see "Measured: 2."'
key 'Ctrl-Z' 'stops the program; `fg` comes back, and it is asked again' here 'background && lines 2 "your guess"'
key 'resize' 'draws the line anew' here 'resize 60 16'
key 'paste' 'is the guess, until Enter' here 'paste "print(1)" && see ": print(1)" && press Enter && see "Enter alone to pass"'
key '`:`' 'a command, and the question again' here 'type ":history zebra" && press Enter && see "Nothing that you typed holds" && lines 2 "your guess"'

key '`?`' 'asks what something is, and the question again' here 'type "?warp" && press Enter && see "32 threads of a block" && lines 2 "your guess"'
key 'another key' 'a note says that it does nothing' here 'press F5 && see "$does_nothing"'

state confirm 'A question of yes or no' 'The line ends in `[y/N]`.'
key 'Enter' 'no' prompt 'press Enter && lines 2 "$prompt" && kept'
key 'Space' 'a blank, which is no yes' prompt 'press Space Enter && kept'
key '`q`' 'no' prompt 'press q Enter && kept'
key 'Esc' 'a note says what Enter does' here 'press Escape && see "Enter alone is no"'
key 'Tab' 'the same' here 'press Tab && see "Enter alone is no"'
key 'Up, Down' 'earlier lines, and back' here 'press Up && press Down'
key 'Left, Right' 'move in the line' here 'press Left'
key 'Ctrl-C' 'no' prompt 'press C-c && kept'
key 'Ctrl-D' 'no' prompt 'press C-d && kept'
key 'Ctrl-Z' 'stops the program; `fg` comes back, and it is asked again' here 'background && lines 2 "[y/N]"'
key 'resize' 'draws the line anew' here 'resize 60 16'
key 'paste' 'is the answer, until Enter' prompt 'paste "no" && see "[y/N] no" && press Enter && kept'
key '`:`' 'no command: no' prompt 'type ":history zebra" && press Enter && kept && lacks "Nothing that you typed"'

key '`?`' 'no' prompt 'press ? Enter && kept'
key 'another key' 'a note says that it does nothing' here 'press F5 && see "$does_nothing"'

compiling_and_running() {
  key 'Enter' 'is kept for the prompt, as all that is typed: a line that is typed meanwhile runs then' here \
    'type "\"ahe\" .. \"ad\"" && press Enter && release && line "\"ahead\""'
  key 'Space' 'is kept for the prompt' here 'type "\"a" && press Space && type "b\"" && release && see "$prompt \"a b\"" && press C-u'
  key '`q`' 'is kept for the prompt' here 'press q && release && see "$prompt q" && press C-u'
  key 'Esc' 'is kept for the prompt' here 'press Escape && release && see "Ctrl-D leaves, :help says more"'
  key 'Tab' 'is kept for the prompt, and completes there' here \
    'type "np.arang" && press Tab && release && see "$prompt np.arange" && press C-u'
  key 'Up, Down, Left, Right' 'are kept for the prompt' here 'press Up Down Up Left Right && release && lines 2 "$work" && press C-u'
  key 'Ctrl-D' 'leaves, once it is done' shell 'press C-d && release'
  key 'Ctrl-Z' 'stops the program; `fg` goes on' here 'background'
  key 'resize' 'what comes next is as wide as the window' here 'resize 60 16 && release && type ":help" && press Enter && see "-- more --" && fits 60 && press q'
  key 'paste' 'is kept for the prompt' here 'type "1 +" && type " 41" && release && see "$prompt 1 + 41" && press Enter && line 42'
  key '`:`' 'is kept for the prompt' here 'type ":history zebra" && press Enter && release && see "Nothing that you typed holds"'
  key '`?`' 'is kept for the prompt' here 'type "?warp" && press Enter && release && see "32 threads of a block"'
  key 'another key' 'is kept for the prompt, where a note says that it does nothing' here 'press F5 && release && see "$does_nothing"'
}

state compiling 'Compiling' 'A kernel was typed, and the compiler has not answered yet.'
compiling_and_running
key 'Ctrl-C' 'stops the compiler; what was typed meanwhile is gone' prompt 'press C-c && see "stopped"'

state running 'Running' 'A line runs: Lua, or a kernel that it waits for.'
compiling_and_running
key 'Ctrl-C' 'stops Lua and the kernel; what was typed meanwhile is gone' prompt \
  'release && see "1 block x 1 thread" && prompts 2 && type "cuda.set_budget(1 << 60) spin[{1, 1}](a)" && press Enter && see "running · " && press C-c && see "the kernel was stopped"'

state debugger 'The debugger in text (`:debug`)' 'The prompt is `(debug)`.'
key 'Enter' 'the last command once more; at first nothing' here 'press Enter && lines 2 "(debug)"'
key 'Space' 'a blank' here 'type "where" && press Space Enter && lines 2 "(debug)"'
key '`q`' 'with Enter: leaves; the launch leaves no trace' prompt 'press q Enter && see "The launch was given up"'
key 'Esc' 'a note says how to leave' here 'press Escape && see "quit leaves"'
key 'Tab' 'completes commands' here 'type "undisp" && press Tab && see "(debug) undisplay" && press C-u'
key 'Up, Down' 'earlier commands, and back' here 'type "where" && press Enter && lines 2 "(debug)" && press Up && lines 2 "(debug) where" && press C-u'
key 'Left, Right' 'move in the line' here 'type "here" && press Home && type w && press Right Left && press Enter && lines 2 "(debug)"'
key 'Ctrl-C' 'clears the line; stops what runs' here 'type "undisplay" && see "undisplay" && press C-c && lines 2 "(debug)"'
key 'Ctrl-D' 'leaves' prompt 'press C-d && see "The launch was given up"'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background && lines 2 "(debug)"'
key 'resize' 'draws the line anew' here 'resize 60 16 && see "(debug)"'
key 'paste' 'stands there until Enter' here 'paste "where" && see "(debug) where" && press Enter && lines 2 "(debug)"'
key '`:`' 'no command here: what there is, is said' here 'type ":help" && press Enter && see "There is no command" && see "did you mean help?"'

key '`?`' 'no command here: what there is, is said' here 'type "?" && press Enter && see "There is no command" && see "help lists them"'
key 'another key' 'a note says that it does nothing' here 'press F5 && see "$does_nothing"'

state watch '`warpshop watch`' 'A file is judged each time it is saved; the last line names the keys.'
key 'Enter' 'opens the editor; so does `e`' here 'press Enter && see "edited"'
key 'Space' 'shows the keys again' here 'press Space && lines 2 "$watch_keys"'
key '`q`' 'leaves' shell 'press q'
key 'Esc' 'shows the keys again' here 'press Escape && lines 2 "$watch_keys"'
key 'Tab' 'shows the keys again' here 'press Tab && lines 2 "$watch_keys"'
key 'Up, Down, Left, Right' 'show the keys again' here 'press Up Down Left Right && lines 5 "$watch_keys"'
key 'Ctrl-C' 'leaves' shell:130 'press C-c'
key 'Ctrl-D' 'leaves' shell 'press C-d'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background'
key 'resize' 'what comes next is as wide as the window' here 'resize 60 16 && press h && see "(1 of 4)" && fits 60'
key 'paste' 'is no key: shows the keys again' here 'paste "qsq" && lines 2 "$watch_keys"'
key '`:`' 'shows the keys again' here 'type ":" && lines 2 "$watch_keys"'

key '`?`' 'shows the keys again' here 'press ? && lines 2 "$watch_keys"'
key 'another key' 'shows the keys again' here 'press F5 && lines 2 "$watch_keys"'

unknown_in_top() {
  key "$1" "$2 says that \`?\` shows the keys" here "press $3 && see 'no key of this screen: ? shows them'"
}
state top '`warpshop top`' 'The screen; its other keys are in [top.md](top.md).'
key 'Enter' 'selects a process, whose whole command is told; again: none' here \
  'press Enter && see "> 4001 root python3 train.py" && press Enter && see "sorted by gpu"'
key 'a click' 'selects the process' here 'mouse 0 1 1 && mouse 0 9 "$(row_of "1.7  4004")" && see "> 4004 4000000 ./jacobi" && press Down && see "> 5001 root" && press Escape && see "sorted by gpu"'
key 'Space' 'pauses, and goes on' here 'press Space && see paused && press Space && wait_until "still paused" lacks_paused'
key '`q`' 'leaves' shell 'press q'
key 'Esc' 'shows all again, without the filter' here \
  'type /jacobi && press Enter && see "filter: jacobi" && press Escape && wait_until "still filtered" lacks_filter'
unknown_in_top 'Tab' 'means nothing here:' Tab
key 'Up, Down' 'move through the list; where a process is selected, select another' here 'press Enter && press Down && see "> 4003 N/A N/A" && press Up && see "> 4001 root" && press Enter && resize 60 16 && see "more below" && press End && wait_until "not at the end" lacks_below && press Home && see "more below" && press Down && press Up'
unknown_in_top 'Left' 'means nothing here:' Left
unknown_in_top 'Right' 'means nothing here:' Right
key 'Ctrl-C' 'leaves' shell 'press C-c'
key 'Ctrl-D' 'leaves' shell 'press C-d'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background && see "use 87 %"'
key 'resize' 'draws the screen anew' here 'resize 60 16 && wait_until "not of 60" is_drawn_for 60'
key 'paste' 'is no key: says that `?` shows the keys' here 'paste "q" && see "no key of this screen: ? shows them"'
unknown_in_top '`:`' 'means nothing here:' :
key '`?`' 'shows the keys' keys_of_top 'press ? && see "$keys_title"'
unknown_in_top 'another key' 'means nothing here:' F5

state filter 'The filter of `warpshop top`' 'Behind `/`, a part of a name is typed.'
key 'Enter' 'keeps the filter' here 'type jac && press Enter && see "filter: jac" && type / && see "Enter keeps it"'
key 'Space' 'a blank' here 'type a && press Space && type b && see "filter: a b"'
key '`q`' 'a letter' here 'press q && see "filter: q"'
key 'Esc' 'shows all again' here 'type jac && press Escape && wait_until "still filtered" lacks_filter && type / && see "Enter keeps it"'
key 'Tab, Up, Down, another key' 'nothing: a name is typed, and the row says which keys end that' here \
  'type ja && press Tab Up Down F5 && type c && see "filter: jac" && see "Enter keeps it · Esc shows all"'
typed_rows 'filter: '
key 'Ctrl-C' 'leaves' shell 'press C-c'
key 'Ctrl-D' 'leaves' shell 'press C-d'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'type jac && see "filter: jac" && background && see "filter: jac"'
key 'resize' 'draws the screen anew' here 'resize 60 16 && wait_until "not of 60" is_drawn_for 60'
key 'paste' 'is the name' here 'paste "jacobi" && see "filter: jacobi"'
key '`:`' 'a character' here 'type ":" && see "filter: :"'
key '`?`' 'a character' here 'press ? && see "filter: ?"'

state keys_of_top 'The keys of `warpshop top`' 'Behind `?`.'
key 'Enter, Space, `q`, Esc, Tab, Up, Down, Left, Right, paste, `:`, `?`, another key' 'back to the screen' here \
  'for k in Enter Space q Escape Tab Up Down Left Right : ? F5; do press "$k" && see "use 87 %" && type "?" && see "$keys_title" || return 1; done; paste q && see "use 87 %" && type "?" && see "$keys_title"'
key 'Ctrl-C' 'leaves' shell 'press C-c'
key 'Ctrl-D' 'leaves' shell 'press C-d'
key 'Ctrl-Z' 'stops the program; `fg` comes back' here 'background && see "$keys_title"'
key 'resize' 'draws the page anew' here 'resize 60 16 && wait_until "not of 60" is_drawn_for 60'
