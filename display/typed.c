// SPDX-License-Identifier: Apache-2.0
// A line that is typed on a screen. Its cursor stands between characters as a terminal
// shows them: a letter with its accents is one.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "display/display.h"

// ---- Characters ----

// Where the character begins that ends at `at`.
static size_t before(const struct typed *t, size_t at) {
  size_t from = 0, next = 0;
  while (next < at) {
    from = next;
    next += width_next(t->text + from, strlen(t->text + from)).bytes;
  }
  return from;
}

static size_t behind(const struct typed *t, size_t at) {
  return t->text[at] ? at + width_next(t->text + at, strlen(t->text + at)).bytes
                     : at;
}

// The word that ends at the cursor begins there, with the blanks behind it.
static size_t before_word(const struct typed *t) {
  size_t at = t->at;
  while (at && t->text[at - 1] == ' ')
    at--;
  while (at && t->text[at - 1] != ' ')
    at--;
  return at;
}

static void erase(struct typed *t, size_t from, size_t to) {
  memmove(t->text + from, t->text + to, strlen(t->text + to) + 1);
  t->at = from;
}

// One code point; false: there is no room.
static bool insert(struct typed *t, const char *text, size_t bytes) {
  size_t n = strlen(t->text);
  if (n + bytes >= sizeof t->text)
    return false;
  memmove(t->text + t->at + bytes, t->text + t->at, n - t->at + 1);
  memcpy(t->text + t->at, text, bytes);
  t->at += bytes;
  return true;
}

static void insert_character(struct typed *t, int key) {
  char text[MB_LEN_MAX];
  mbstate_t state = {0};
  size_t bytes = wcrtomb(text, (wchar_t)key, &state);
  if (bytes != (size_t)-1 && width_next(text, bytes).columns >= 0)
    insert(t, text, bytes);
}

// ---- For whoever has one ----

void typed_set(struct typed *t, const char *text) {
  t->text[0] = 0;
  t->at = 0;
  typed_insert(t, text);
}

// What is no character would be seen as "?", and be something else.
void typed_insert(struct typed *t, const char *text) {
  size_t bytes = strcspn(text, "\r\n");
  for (size_t i = 0; i < bytes;) {
    struct width_char c = width_next(text + i, bytes - i);
    bool is_tab = text[i] == '\t';
    if ((is_tab || c.columns >= 0) &&
        !insert(t, is_tab ? " " : text + i, c.bytes))
      return;
    i += c.bytes;
  }
}

bool typed_press(struct typed *t, int key, const char *pasted) {
  size_t end = strlen(t->text);
  switch (key) {
  case DISPLAY_PASTED: typed_insert(t, pasted); break;
  case DISPLAY_BACKSPACE: erase(t, before(t, t->at), t->at); break;
  case DISPLAY_DELETE: erase(t, t->at, behind(t, t->at)); break;
  case 'U' - '@': erase(t, 0, t->at); break;
  case 'K' - '@': erase(t, t->at, end); break;
  case 'W' - '@': erase(t, before_word(t), t->at); break;
  case 'B' - '@':
  case DISPLAY_LEFT: t->at = before(t, t->at); break;
  case 'F' - '@':
  case DISPLAY_RIGHT: t->at = behind(t, t->at); break;
  case 'A' - '@':
  case DISPLAY_HOME: t->at = 0; break;
  case 'E' - '@':
  case DISPLAY_END: t->at = end; break;
  default:
    if (key < ' ' || key >= DISPLAY_UP)
      return false;
    insert_character(t, key);
    break;
  }
  return true;
}

// ---- In a row ----

static int columns_of(const char *text) {
  return display_width(text, strlen(text));
}

// The columns that are left out at its beginning where `room` is shown of `all`, so that
// the cursor is in it, with a part of what stands before and behind it.
static int left_out(int cursor, int all, int room) {
  int out = cursor - room * 2 / 3;
  if (out > all - room)
    out = all - room;
  return out < 0 ? 0 : out;
}

// From a byte of the text on, as much as the row takes; the column behind it.
static int put_from(const struct pane *row, int at, const struct typed *t,
                    size_t from) {
  size_t next = behind(t, t->at);
  char *head = xstrndup(t->text + from, t->at - from);
  char *under =
      t->text[t->at] ? xstrndup(t->text + t->at, next - t->at) : xstrdup(" ");
  at = pane_put(row, 0, at, ROLE_PLAIN, head);
  at = pane_put(row, 0, at, ROLE_SELECTED, under);
  at = pane_put(row, 0, at, ROLE_PLAIN, t->text + next);
  free(head);
  free(under);
  return at;
}

// The text in a row, with a mark where it goes on beyond it.
static int put_text(struct pane row, const struct typed *t) {
  enum { MARKS = 2 };
  int all = columns_of(t->text) + 1; // with the cursor behind the last one
  if (all <= row.columns)
    return put_from(&row, 0, t, 0);
  int cursor = display_width(t->text, t->at);
  int out = left_out(cursor, all, row.columns - MARKS);
  size_t from = display_fit(t->text, out);
  if (display_width(t->text, from) < out) // half of a wide one
    from = behind(t, from);
  struct pane left = pane_cut_left(&row, from > 0), right = row;
  row = pane_cut_left(&right, right.columns - 1);
  pane_put(&left, 0, 0, ROLE_QUIET, "<");
  put_from(&row, 0, t, from);
  if (all - out > row.columns)
    pane_put(&right, 0, 0, ROLE_QUIET, ">");
  return row.columns + 1;
}

void pane_put_typed(struct pane p, const char *label, const struct typed *t,
                    const char *ways_out) {
  enum { LEAST = 16, GAP = 2 };
  const char *told = ways_out + strspn(ways_out, " "), *dot = " · ",
             *last = strstr(told, dot);
  int labelled = columns_of(label), wanted = columns_of(t->text) + 1;
  if (wanted < LEAST)
    wanted = LEAST;
  if (last && labelled + wanted + GAP + columns_of(told) > p.columns)
    told = last + strlen(dot);
  int room = p.columns - GAP - columns_of(told);
  if (labelled > room - LEAST)
    labelled = room - LEAST;
  struct pane foot = p, head = pane_cut_left(&foot, labelled), text = foot;
  pane_put(&head, 0, 0, ROLE_PLAIN, label);
  text.columns = room - head.columns;
  pane_put(&foot, 0, put_text(text, t) + GAP, ROLE_QUIET, told);
}
