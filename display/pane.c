// SPDX-License-Identifier: Apache-2.0
// Panes, and text measured and put into them. A character is whole or not there: a
// wide one that would stick out at the edge leaves a blank.
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "display/screen.h"

// ---- Measuring ----

int display_width(const char *text, size_t bytes) {
  return width_of(text, bytes);
}

size_t display_fit(const char *text, int columns) {
  return width_bytes(text, strlen(text), columns > 0 ? (size_t)columns : 0);
}

// What ncurses puts into one cell for a character: itself, and the accents over it. To
// what a joiner joins to it ncurses would give columns of its own.
static size_t cell_of(const struct width_char *c, const char *text,
                      wchar_t *cell) {
  enum { MOST_ACCENTS = 4, JOINER = 0x200D };
  mbstate_t state = {0};
  size_t count = 1, at;
  cell[0] = c->columns < 0 ? L'?' : c->first;
  if (c->columns < 0)
    return count;
  at = mbrtowc(cell, text, c->bytes, &state);
  while (at < c->bytes && count <= MOST_ACCENTS) {
    at += mbrtowc(&cell[count], text + at, c->bytes - at, &state);
    if (cell[count] == JOINER)
      break;
    count++;
  }
  return count;
}

// ---- Panes ----

static int least(int a, int b) {
  return a < 0 ? 0 : a < b ? a : b;
}

struct pane pane_cut_top(struct pane *p, int rows) {
  struct pane cut = *p;
  cut.rows = least(rows, p->rows);
  p->row += cut.rows;
  p->rows -= cut.rows;
  return cut;
}

struct pane pane_cut_bottom(struct pane *p, int rows) {
  struct pane cut = *p;
  cut.rows = least(rows, p->rows);
  p->rows -= cut.rows;
  cut.row = p->row + p->rows;
  return cut;
}

struct pane pane_cut_left(struct pane *p, int columns) {
  struct pane cut = *p;
  cut.columns = least(columns, p->columns);
  p->column += cut.columns;
  p->columns -= cut.columns;
  return cut;
}

// ---- Text ----

static unsigned attributes_of(enum display_role role) {
  static const unsigned attributes[] = {
#define ROLE(name, attributes, c16, c256, rgb) attributes,
#include "display/role.def"
#undef ROLE
  };
  return attributes[role];
}

static void begin_role(struct display *d, enum display_role role) {
  int *pair = &d->pairs[role];
  // The pair's number by its address: there may be more than a short can count.
  d->curses.wattr_set(*d->curses.stdscr, attributes_of(role), (short)*pair,
                      pair);
}

int pane_put(const struct pane *p, int row, int column, enum display_role role,
             const char *text) {
  struct display *d = p->display;
  if (row < 0 || row >= p->rows || column < 0 || column >= p->columns)
    return column;
  int room = p->columns - column, used = 0;
  size_t bytes = strlen(text), count = 0;
  wchar_t *line = xcalloc(bytes + 2, sizeof *line);
  for (size_t i = 0; i < bytes;) {
    struct width_char c = width_next(text + i, bytes - i);
    int columns = c.columns < 0 ? 1 : c.columns;
    if (used + columns > room) {
      if (used < room) // half of a wide one
        line[count++] = L' ', used++;
      break;
    }
    used += columns;
    count += cell_of(&c, text + i, line + count);
    i += c.bytes;
  }
  begin_role(d, role);
  d->curses.wmove(*d->curses.stdscr, p->row + row, p->column + column);
  d->curses.waddnwstr(*d->curses.stdscr, line, (int)count);
  free(line);
  return column + used;
}

void pane_put_right(const struct pane *p, int row, enum display_role role,
                    const char *text) {
  int width = display_width(text, strlen(text));
  pane_put(p, row, width < p->columns ? p->columns - width : 0, role, text);
}

void pane_put_row(const struct pane *p, int row, enum display_role role,
                  const char *text) {
  int at = pane_put(p, row, 0, role, text);
  while (at < p->columns) {
    int next = pane_put(p, row, at, role, "                    ");
    if (next == at) // no such row
      return;
    at = next;
  }
}

// ---- Keys ----

void pane_put_keys(const struct pane *p, int row,
                   const struct display_key *keys, int count) {
  int at = 0;
  for (int i = 0; i < count; i++) {
    if (!keys[i].word)
      continue;
    const char *name = message(keys[i].name), *word = message(keys[i].word);
    int width = display_width(name, strlen(name)) + 1 +
                display_width(word, strlen(word));
    if (at + width > p->columns)
      return;
    at = pane_put(p, row, at, ROLE_KEY, name);
    at = pane_put(p, row, at + 1, ROLE_PLAIN, word) + 2;
  }
}

void pane_put_help(struct pane p, const char *title,
                   const struct display_key *keys, int count) {
  int widest = 0;
  for (int i = 0; i < count; i++) {
    const char *name = message(keys[i].name);
    int width = display_width(name, strlen(name));
    widest = width > widest ? width : widest;
  }
  pane_put(&p, 0, 0, ROLE_TITLE, message(title));
  pane_put_right(&p, 0, ROLE_QUIET, message("any key goes back"));
  for (int i = 0; i < count; i++) {
    pane_put(&p, i + 2, 2, ROLE_TITLE, message(keys[i].name));
    pane_put(&p, i + 2, widest + 4, ROLE_PLAIN, message(keys[i].help));
  }
}
