// SPDX-License-Identifier: Apache-2.0
// What a page shows as it stands: code, tables, drawings.
#ifndef REPL_LESSON_VERBATIM_H
#define REPL_LESSON_VERBATIM_H

#include "repl/lesson/lesson.h"
#include "repl/tui/tui.h"

// Adds it indented: a table fitted to the screen, code as it is, and a drawing too, or,
// where it is wider than the screen, its words.
void verbatim_add(const struct screen *s, const struct lesson_item *item,
                  struct str *out);

// Is it a table for which that screen has no room, so that its rows are said?
bool verbatim_is_said(const struct screen *s, const struct lesson_item *item);

int verbatim_width(const char *text); // of its widest line, in columns

#endif
