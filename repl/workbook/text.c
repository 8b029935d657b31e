// SPDX-License-Identifier: Apache-2.0
#include "repl/workbook/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"

// Longer lines are hard to read.
int text_columns(int columns) {
  enum { MOST = 101 };
  return columns < MOST ? columns : MOST;
}

// ---- Taking it apart ----

// What is written, while a text is read.
struct writer {
  struct text *t;
  struct str span;
  enum display_role role;
  int column, columns;
};

static struct text_line *last_line(struct text *t) {
  return &t->lines[t->count - 1];
}

static void add_line(struct text *t) {
  t->lines = xrealloc(t->lines, (size_t)(t->count + 1) * sizeof *t->lines);
  t->lines[t->count++] = (struct text_line){0};
}

static void end_span(struct writer *w) {
  struct text_line *l = last_line(w->t);
  if (!w->span.len)
    return;
  l->spans = xrealloc(l->spans, (size_t)(l->count + 1) * sizeof *l->spans);
  l->spans[l->count++] = (struct text_span){w->role, str_take(&w->span)};
}

static void end_line(struct writer *w) {
  end_span(w);
  add_line(w->t);
  w->column = 0;
}

static void free_line(struct text_line *l) {
  for (int i = 0; i < l->count; i++)
    free(l->spans[i].text);
  free(l->spans);
  *l = (struct text_line){0};
}

// A line that is written over from its beginning.
static void begin_again(struct writer *w) {
  str_clear(&w->span);
  free_line(last_line(w->t));
  w->column = 0;
}

// As repl/tui writes them: one style at a time.
static enum display_role role_of(int style) {
  switch (style) {
  case 1: return ROLE_TITLE;
  case 2: return ROLE_QUIET;
  case 31: return ROLE_BAD;
  case 32: return ROLE_GOOD;
  case 36: return ROLE_CODE;
  default: return ROLE_PLAIN;
  }
}

// Behind an escape byte; of what it may say, styles alone count.
static const char *take_escape(struct writer *w, const char *p) {
  if (*p != '[')
    return p;
  const char *from = p + 1;
  p += strcspn(p, "@ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  if (*p == 'm') {
    end_span(w);
    w->role = role_of(atoi(from));
  }
  return *p ? p + 1 : p;
}

static void add_character(struct writer *w, const char *p, size_t bytes) {
  int width = display_width(p, bytes);
  if (w->column + width > w->columns)
    end_line(w);
  str_add_bytes(&w->span, p, bytes);
  w->column += width;
}

static const char *take_character(struct writer *w, const char *p) {
  size_t bytes = 1;
  if (*p == '\t') {
    do
      add_character(w, " ", 1);
    while (w->column % 8 && w->column < w->columns);
    return p + 1;
  }
  while ((p[bytes] & 0xC0) == 0x80)
    bytes++;
  add_character(w, p, bytes);
  return p + bytes;
}

static void read_text(struct writer *w, const char *p) {
  while (*p) {
    if (*p == '\n') {
      end_line(w);
      p++;
    } else if (*p == '\r') {
      if (p[1] != '\n')
        begin_again(w);
      p++;
    } else if (*p == '\033') {
      p = take_escape(w, p + 1);
    } else {
      p = take_character(w, p);
    }
  }
  end_span(w);
}

static void free_lines(struct text *t) {
  for (int i = 0; i < t->count; i++)
    free_line(&t->lines[i]);
  free(t->lines);
  t->lines = NULL;
  t->count = 0;
}

void text_set(struct text *t, const char *styled, int columns) {
  struct writer w = {t, STR_INIT, ROLE_PLAIN, 0, columns < 1 ? 1 : columns};
  free_lines(t);
  add_line(t);
  read_text(&w, styled);
  str_free(&w.span);
  while (t->count && !last_line(t)->count) // blank ones at its end
    free_line(&t->lines[--t->count]);
}

void text_free(struct text *t) {
  free_lines(t);
  *t = (struct text){0};
}

// ---- In a pane ----

static void keep_inside(struct text *t) {
  int last = t->count - t->rows;
  t->first = t->first > last ? last : t->first;
  t->first = t->first < 0 ? 0 : t->first;
}

void text_draw(struct text *t, const struct pane *p) {
  t->rows = p->rows;
  keep_inside(t);
  for (int row = 0; row < p->rows && t->first + row < t->count; row++) {
    const struct text_line *l = &t->lines[t->first + row];
    int at = 0;
    for (int i = 0; i < l->count; i++)
      at = pane_put(p, row, at, l->spans[i].role, l->spans[i].text);
  }
}

bool text_move(struct text *t, int key) {
  int page = t->rows > 2 ? t->rows - 1 : 1, first = t->first;
  switch (key) {
  case DISPLAY_UP: t->first--; break;
  case DISPLAY_DOWN: t->first++; break;
  case DISPLAY_PAGE_UP: t->first -= page; break;
  case DISPLAY_PAGE_DOWN:
  case ' ': t->first += page; break;
  case DISPLAY_HOME: t->first = 0; break;
  case DISPLAY_END: t->first = t->count; break;
  default: return false;
  }
  keep_inside(t);
  t->has_moved = t->first != first;
  return true;
}

bool text_is_at_end(const struct text *t) {
  return t->first + t->rows >= t->count;
}

void text_add_place(const struct text *t, struct str *out) {
  int end = t->first + t->rows;
  if (t->count > t->rows)
    str_addf(out, message("%d-%d of %d"), t->first + 1,
             end > t->count ? t->count : end, t->count);
}
