// SPDX-License-Identifier: Apache-2.0
#include "repl/lesson/verbatim.h"

#include <string.h>

#include "base/str.h"
#include "base/text/text.h"
#include "repl/tui/tui.h"

static int indent_of(const struct lesson_item *item) {
  enum { INDENT = 2 };
  return item->indent + INDENT;
}

// What is left of the screen behind the indent.
static struct screen room_of(const struct screen *s,
                             const struct lesson_item *item) {
  struct screen room = *s;
  room.columns -= indent_of(item);
  return room;
}

bool verbatim_is_said(const struct screen *s, const struct lesson_item *item) {
  const struct screen room = room_of(s, item);
  return item->is_table && !screen_draws_table(&room, item->text);
}

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
  screen_wrap(room, item->spoken, 0, out);
  if (room->is_plain)
    return;
  struct str note = STR_INIT;
  str_addf(&note, message("A window of %d columns shows it as a drawing."),
           verbatim_width(item->text) + indent_of(item));
  screen_wrap(room, note.data, 0, out);
  str_free(&note);
}

void verbatim_add(const struct screen *s, const struct lesson_item *item,
                  struct str *out) {
  struct str fitted = STR_INIT;
  const struct screen room = room_of(s, item);
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
    str_addf(out, n ? "%*s%.*s\n" : "\n", indent_of(item), "", (int)n, p);
    p += n + (p[n] == '\n');
  }
  str_free(&fitted);
}
