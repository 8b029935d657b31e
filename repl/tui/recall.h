// SPDX-License-Identifier: Apache-2.0
// What Readline's history has that begins like what is typed.
#ifndef REPL_TUI_RECALL_H
#define REPL_TUI_RECALL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

// How many entries before (`by` -1) or after (1) the one at hand stands the next
// that begins with these bytes and is not `text`; 0 where there is none.
int recall_steps(const char *prefix, size_t bytes, const char *text, int by);

// Adds how the last line of `text` goes on, to its end, in the newest entry that
// begins with all of `text`; behind other lines, else as in the newest line that
// begins as it does. False where there is none.
bool recall_rest(const char *text, struct str *out);

#endif
