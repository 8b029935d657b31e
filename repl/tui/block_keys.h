// SPDX-License-Identifier: Apache-2.0
// What block.c, which draws a text, and block_keys.c, which changes it, share.
#ifndef REPL_TUI_BLOCK_KEYS_H
#define REPL_TUI_BLOCK_KEYS_H

#include <stdbool.h>

#include "base/str.h"
#include "repl/edit/edit.h"

struct terminal_session;

// Readline's hooks take no context.
struct block {
  const struct terminal_session *session; // NULL: Readline draws
  const char *more;                       // NULL: one line is read
  struct edit_picture picture;            // what the terminal shows
  int top;       // the first row of the text that is shown
  int goal;      // the column that Up and Down keep to
  int own_line;  // where the line begins whose indentation is ours, or -1
  int note_keys; // that were pressed since there is a note
  int marked;    // bytes of the text in which lines were marked, or -1
  bool wants_editor;
  struct str note;       // below the text
  struct str suggestion; // behind the text: how an earlier one goes on
  struct str prefix;     // that Up and Down look for, from a line of one's own
  const char *way_out;
};
extern struct block block;

// Before Readline is made ready: an inputrc may name our functions.
void block_keys_name(void);
// Behind it: the keys that an inputrc has not moved.
void block_keys_set(void);
// The terminal's own keys for erasing are bound again whenever it is made ready.
void block_keys_change(void);
// "}" and "end" move to where their block began as they are typed, and back if
// the word goes on.
void block_mend_indent(void);

#endif
