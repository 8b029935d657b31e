// SPDX-License-Identifier: Apache-2.0
// Lines and keys from a terminal, and the signals that come while one waits.
#ifndef REPL_TUI_TERMINAL_H
#define REPL_TUI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "base/str.h"

struct shop;

// How what was left running is.
enum terminal_left { LEFT_NOTHING, LEFT_RUNNING, LEFT_FAILED };

// What the session behind the prompt is asked for.
struct terminal_session {
  void *context;
  void (*reap)(void *context); // a child has ended
  // The matches for what stands at `start` of `line`, in Readline's form.
  char **(*complete)(void *context, const char *line, int start, int end,
                     bool is_debugging);
  char *(*breaks)(void); // which characters end a name, where it stands
  // May this text run as it is? Where not, `note` can say why.
  bool (*is_whole)(void *context, const char *text, struct str *note);
  bool (*is_cuda_line)(const char *line); // does it begin CUDA C?
  // Lets the person edit the text in their editor; false where that failed.
  bool (*edit)(void *context, struct str *text);
  // While a text is waited for, now and then as long as something runs. Of what has
  // failed `tell` prints why.
  enum terminal_left (*look)(void *context);
  void (*tell)(void *context);
  bool has_colour;
};
void terminal_open(const struct terminal_session *s);
// plain_want has said otherwise; the next line that is read shows it.
void terminal_turn_plain(bool has_colour);
void terminal_close(void);

// Reads one line: NULL at its end (Ctrl-D). `*cleared` is set when Ctrl-C
// threw it away: then what stood there is returned. The caller frees it.
char *terminal_line(const char *prompt, bool *cleared);
// The same of a text that may have several lines, with `more` before all but the
// first: Enter ends it where it is whole.
char *terminal_text(const char *prompt, const char *more, bool *cleared);
// Can the terminal show such a text? Where not, one line is read.
bool terminal_has_texts(void);
// Said below the text that is read, until the next key.
void terminal_note(const char *text);
// Asks for one line; NULL at the end of input, and when Ctrl-C came where nothing
// stood. `way_out` is said below it behind a key that means nothing there. The
// caller frees it.
char *terminal_ask(const char *question, const char *way_out);
// Reads a command whose first key was typed already.
char *terminal_command_from(int key);
// The next line that is read begins with that key, which was read already.
void terminal_keep_key(int key);
// Keys that a whole screen has read and not taken are typed next.
void terminal_keep_keys(const char *keys);
// Waits for one key, which acts at once; the question is taken away again. Esc,
// Ctrl-C and Ctrl-D are 'q'. A letter or digit that means nothing here is not
// lost, nor is what is pasted: the next line that is read begins with it.
int terminal_key(const char *question);
// What stands there instead behind Up.
#define TERMINAL_NOTHING_ABOVE                                                 \
  message("-- more -- (space: on, q: stop; scroll back for what is above) ")
// Keys that act at once, unseen, while other things are waited for, too.
struct terminal_keys {
  bool is_on; // there is a terminal, and it is ours
  bool is_guarded;
  struct termios lines;
};
void terminal_keys_begin(struct terminal_keys *k);
void terminal_keys_end(struct terminal_keys *k); // as it was found
// Waits up to `ms` for a key, which is returned, or until `fd` (-1: none) can be
// read: 0. KEY_INTERRUPT: Ctrl-C, or the program is to end.
// KEY_OTHER: an arrow and the like, all of it; KEY_PASTE: what was pasted is gone.
enum {
  KEY_INTERRUPT = 3,
  KEY_END = 4,
  KEY_ESCAPE = 27,
  KEY_UP = 256,
  KEY_OTHER,
  KEY_PASTE
};
int terminal_wait(const struct terminal_keys *k, int fd, int ms);

// Opens a file in the person's editor; false, with a sentence, where that did
// not end well.
bool terminal_edit(struct shop *s, const char *path);
// The same at a line, where the editor is known to take one; 0: anywhere.
bool terminal_edit_at(struct shop *s, const char *path, int line);

// Reads one line of a prompt inside a command, from a terminal or a pipe; NULL
// at the end of input, and when Ctrl-C cleared it. The caller frees it.
char *terminal_read(struct shop *s, const char *prompt, bool *cleared);

// Up finds it again; false for an empty line, and for the last one once more.
bool terminal_remember(const char *text);
// The i-th of what Up finds, oldest first from 0; NULL past the last.
const char *terminal_remembered(int i);
// A line of a text that is not whole yet: Up inside it finds these alone.
void terminal_remember_line(const char *line);
void terminal_end_text(void);
// The debugger's prompt has a history and a completion of its own.
void terminal_enter_debug(bool on);

// Ctrl-C stops what runs from here on; off: it clears the line again.
void terminal_catch_interrupts(bool is_running);
void terminal_catch_signals(void);

#endif
