// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/verbatim.h"

#include <string.h>

#include "base/str.h"
#include "base/text/text.h"
#include "repl/tui/tui.h"

int verbatim_width(const char *text) {
  int widest = 0;
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n");
    int width = screen_width_of(p, n);
    widest = width > widest ? width : widest;
    p += n + (p[n] == '\n');
  }
  return widest;
}

// A drawing whose lines do not fit, folded, shows nothing: its words do.
static void add_words(const struct screen *room, const struct lesson_item *item,
                      struct str *out) {
  int indent = item->indent + VERBATIM_INDENT;
  screen_wrap(room, item->spoken, 0, out);
  if (room->is_plain)
    return;
  struct str note = STR_INIT;
  str_addf(&note, message("A window of %d columns shows it as a drawing."),
           verbatim_width(item->text) + indent);
  screen_wrap(room, note.data, 0, out);
  str_free(&note);
}

void verbatim_add(const struct screen *s, const struct lesson_item *item,
                  struct str *out) {
  struct str fitted = STR_INIT;
  struct screen room = *s;
  int indent = item->indent + VERBATIM_INDENT;
  room.columns -= indent;
  if (item->spoken &&
      (s->is_plain ||
       (s->is_terminal && verbatim_width(item->text) > room.columns)))
    add_words(&room, item, &fitted);
  else if (item->is_table)
    screen_fit(&room, item->text, &fitted);
  else
    str_add(&fitted, item->text);
  for (const char *p = fitted.data; *p;) {
    size_t n = strcspn(p, "\n");
    str_addf(out, n ? "%*s%.*s\n" : "\n", indent, "", (int)n, p);
    p += n + (p[n] == '\n');
  }
  str_free(&fitted);
}
