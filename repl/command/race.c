// SPDX-License-Identifier: Apache-2.0
// Two threads of a race, side by side or in sentences: a pure function of what was
// found. What is not known is left out.
#include "repl/command/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/tui/tui.h"

enum { GAP = 3 }; // " | "

static bool is_one_block(const struct race *r) {
  return !memcmp(r->side[0].block, r->side[1].block, sizeof r->side[0].block);
}

static bool is_one_warp(const struct race *r) {
  return is_one_block(r) && r->side[0].warp >= 0 &&
         r->side[0].warp == r->side[1].warp;
}

static const char *verb(const struct race_side *s) {
  return !strcmp(s->access, "read")    ? message("reads")
         : !strcmp(s->access, "write") ? message("writes")
                                       : message("updates with an atomic");
}

static const char *cell_of(const struct race *r) {
  return *r->cell ? r->cell : message("the same place");
}

static const char *trimmed(const char *line) {
  return line + strspn(line, " \t");
}

// ---- What orders them ----

// Of what is read through a cache of its own, and of copies that come by themselves,
// a barrier alone says nothing.
static bool is_about_barriers(const struct race *r) {
  bool is_memory = !strcmp(r->space, "shared") || !strcmp(r->space, "global");
  return is_memory && !str_starts(r->why, "An asynchronous copy");
}

// Barriers count as the block passes them: one in a loop does so in each round.
static void add_interval(struct str *out, const struct race *r) {
  if (r->interval == 1)
    str_add(out, message("Between them: no __syncthreads(). Both come before "
                         "the first barrier of the block, and which goes first "
                         "is luck."));
  else if (r->interval > 1)
    str_addf(
        out,
        message("Between them: no __syncthreads(). Both come after barrier "
                "%d that the block passed, and before the next, and which "
                "goes first is luck."),
        r->interval - 1);
  else
    str_add(out, message("Between them: no __syncthreads(). Both are in the "
                         "same interval between two barriers of the block, and "
                         "which goes first is luck."));
}

static void add_between(struct str *out, const struct race *r) {
  if (!is_about_barriers(r))
    return;
  if (!is_one_block(r))
    str_add(out, message("Between them: nothing. They are of different blocks, "
                         "and a barrier orders the threads of one block "
                         "alone."));
  else if (is_one_warp(r))
    str_add(out, message("Between them: no __syncthreads(), and no "
                         "__syncwarp() for threads of one warp. Which goes "
                         "first is luck."));
  else
    add_interval(out, r);
}

// ---- Side by side ----

// The bytes of the text's next row, in so many columns; words are kept whole where
// they can be.
static size_t next_row(const char *text, int columns, size_t *skip) {
  size_t bytes = 0, word = 0, n = strlen(text);
  *skip = 0;
  while (bytes < n) {
    size_t one = 1;
    while ((text[bytes + one] & 0xC0) == 0x80)
      one++;
    if (screen_width_of(text, bytes + one) > columns)
      break;
    if (text[bytes] == ' ')
      word = bytes;
    bytes += one;
  }
  if (bytes == n || !word)
    return bytes ? bytes : n;
  *skip = 1;
  return word;
}

static void add_padded(struct str *out, const char *text, size_t bytes,
                       int columns) {
  str_add_bytes(out, text, bytes);
  for (int at = screen_width_of(text, bytes); at < columns; at++)
    str_add_char(out, ' ');
}

// One below the other in each column, as many rows as the longer one takes.
static void add_rows(struct str *out, const char *left, const char *right,
                     int columns) {
  while (*left || *right) {
    size_t skip[2], n = next_row(left, columns, &skip[0]),
                    m = next_row(right, columns, &skip[1]);
    str_add(out, "  ");
    add_padded(out, left, n, columns);
    str_addf(out, " | %.*s", (int)m, right);
    while (out->len && out->data[out->len - 1] == ' ')
      out->data[--out->len] = 0;
    str_add_char(out, '\n');
    left += n + skip[0];
    right += m + skip[1];
  }
}

// What one row says of a side, as text of its own; to be freed.
static char *row_of(const struct race *r, const struct race_side *s, int row) {
  const uint32_t *b = s->block, *t = s->thread;
  struct str text = STR_INIT;
  if (row == 0)
    str_addf(&text, "%s %s", verb(s), cell_of(r));
  else if (row == 1 && *s->value)
    str_addf(&text, message("value %s in this run"), s->value);
  else if (row == 2 && s->line > 0)
    str_addf(&text, message("line %d"), s->line);
  else if (row == 3)
    str_addf(&text, "  %s", trimmed(s->text));
  else if (row == 4)
    str_addf(&text, "block (%u,%u,%u)", b[0], b[1], b[2]);
  else if (row == 5)
    str_addf(&text, "thread (%u,%u,%u)", t[0], t[1], t[2]);
  if (row == 5 && s->warp >= 0)
    str_addf(&text, ", warp %d", s->warp);
  return str_take(&text);
}

static void add_head(struct str *out, const struct race *r) {
  str_addf(out, message("Race on %s"), cell_of(r));
  if (*r->space)
    str_addf(out, " (%s)", r->space);
  if (*r->function)
    str_addf(out, " in %s", r->function);
  if (*r->file)
    str_addf(out, ", %s", r->file);
}

static void add_columns(struct str *out, const struct race *r, int columns) {
  enum { ROWS = 6 };
  int each = (columns - 2 - GAP) / 2;
  add_head(out, r);
  str_add_char(out, '\n');
  for (int row = 0; row < ROWS; row++) {
    char *left = row_of(r, &r->side[0], row),
         *right = row_of(r, &r->side[1], row);
    if (*trimmed(left) || *trimmed(right))
      add_rows(out, left, right, each);
    free(left);
    free(right);
  }
}

// ---- In sentences ----

static void add_sentence(struct str *out, const struct race *r,
                         const struct race_side *s) {
  const uint32_t *b = s->block, *t = s->thread;
  str_addf(out, message("Thread (%u,%u,%u) of block (%u,%u,%u)"), t[0], t[1],
           t[2], b[0], b[1], b[2]);
  if (s->warp >= 0)
    str_addf(out, message(", in warp %d,"), s->warp);
  str_addf(out, " %s %s", verb(s), cell_of(r));
  if (*s->value)
    str_addf(out, message(" (value %s in this run)"), s->value);
  if (s->line > 0)
    str_addf(out, message(" in line %d"), s->line);
  str_add(out, *s->text ? ": " : ".");
  str_addf(out, "%s\n", trimmed(s->text));
}

void race_add(struct str *out, const struct race *r, int columns) {
  if (columns) {
    add_columns(out, r, columns);
  } else {
    add_head(out, r);
    str_add(out, ".\n");
    for (int i = 0; i < 2; i++)
      add_sentence(out, r, &r->side[i]);
  }
  size_t before = out->len;
  add_between(out, r);
  if (out->len > before)
    str_add_char(out, '\n');
  if (!*r->why)
    return;
  message_report(r->why, out);
  str_add_char(out, '\n');
}
