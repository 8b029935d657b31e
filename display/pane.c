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

size_t display_fit_words(const char *text, int columns) {
  size_t fits = display_fit(text, columns), n = fits;
  while (text[fits] && n && text[n] != ' ')
    n--;
  return n ? n : fits;
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

static int key_width(const struct display_key *k) {
  const char *name = message(k->name), *word = message(k->word);
  return display_width(name, strlen(name)) + 1 +
         display_width(word, strlen(word));
}

static int put_key(const struct pane *p, int row, int at,
                   const struct display_key *k) {
  at = pane_put(p, row, at, ROLE_KEY, message(k->name));
  return pane_put(p, row, at + 1, ROLE_PLAIN, message(k->word)) + 2;
}

// The way out, and "?", which leads to all the others, have their places in any width.
static bool is_kept(const struct display_key *k) {
  return k->word && (!strcmp(k->name, "q") || !strcmp(k->name, "?"));
}

// Columns that those take.
static int kept_width(const struct display_key *keys, int count) {
  int width = 0;
  for (int i = 0; i < count; i++)
    width += is_kept(&keys[i]) ? key_width(&keys[i]) + 2 : 0;
  return width;
}

void pane_put_keys(const struct pane *p, int row,
                   const struct display_key *keys, int count) {
  bool is_full = false;
  for (int i = 0, at = 0; i < count; i++) {
    const struct display_key *k = &keys[i];
    if (!k->word)
      continue;
    int behind = kept_width(k + 1, count - i - 1);
    is_full |= !is_kept(k) && at + key_width(k) + 2 + behind > p->columns + 2;
    if (is_kept(k) || !is_full)
      at = put_key(p, row, at, k);
  }
}

int pane_put_words(const struct pane *p, int row, int column, const char *text,
                   bool is_seen) {
  int rows = 0;
  do {
    size_t n = display_fit_words(text, p->columns - column);
    char *part = xstrndup(text, n);
    if (is_seen)
      pane_put(p, row + rows, column, ROLE_PLAIN, part);
    free(part);
    text += n ? n : strlen(text);
    text += strspn(text, " ");
    rows++;
  } while (*text);
  return rows;
}

void pane_put_help(struct pane p, const char *title,
                   const struct display_key *keys, int count) {
  int widest = 0, rows = 0;
  for (int i = 0; i < count; i++) {
    const char *name = message(keys[i].name);
    int width = display_width(name, strlen(name));
    widest = width > widest ? width : widest;
  }
  for (int i = 0; i < count; i++)
    rows += pane_put_words(&p, 0, widest + 4, message(keys[i].help), false);
  pane_put(&p, 0, 0, ROLE_TITLE, message(title));
  pane_put_right(&p, 0, ROLE_QUIET, message("any key goes back"));
  for (int i = 0, row = rows + 2 > p.rows ? 1 : 2; i < count; i++) {
    pane_put(&p, row, 2, ROLE_TITLE, message(keys[i].name));
    row += pane_put_words(&p, row, widest + 4, message(keys[i].help), true);
  }
}
