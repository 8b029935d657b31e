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

// ---- What the order made ----

static bool is_access(const struct race_side *s, const char *access) {
  return !strcmp(s->access, access);
}

// Both write: who came last is seen later.
static void add_two_writes(struct str *out, const struct race *r) {
  const struct race_side *a = &r->side[r->first == 2],
                         *b = &r->side[r->first != 2];
  if (!*a->value || !*b->value)
    return;
  if (!r->first)
    str_addf(out,
             message("Both write at once: whether %s or %s stays there is "
                     "luck."),
             a->value, b->value);
  else
    str_addf(out,
             message("In this run %s came first, and %s took its place. The "
                     "other way round %s stays."),
             a->value, b->value, a->value);
}

// One writes, one reads.
static void add_write_and_read(struct str *out, const struct race *r) {
  int write = is_access(&r->side[1], "write");
  const char *put = r->side[write].value, *got = r->side[!write].value;
  if (r->first == write + 1 && *got)
    str_addf(out,
             message("In this run the write came first, and %s was read. The "
                     "other way round it would be what stood there before."),
             got);
  else if (r->first == write + 1)
    str_add(out, message("In this run the write came first. The other way "
                         "round what stood there before is read."));
  else if (*put && *got)
    str_addf(out,
             message("In this run the read came first, and got %s. The other "
                     "way round it would be %s."),
             got, put);
  else
    str_add(out, message("In this run the read came first. The other way "
                         "round it gets what is written."));
}

static void add_order(struct str *out, const struct race *r) {
  bool writes[2] = {is_access(&r->side[0], "write"),
                    is_access(&r->side[1], "write")};
  if (writes[0] && writes[1])
    add_two_writes(out, r);
  else if (r->first &&
           (writes[0] ? is_access(&r->side[1], "read")
                      : writes[1] && is_access(&r->side[0], "read")))
    add_write_and_read(out, r);
}

// ---- Side by side ----

// Without the blanks at its end.
static void end_line(struct str *out) {
  str_trim_end(out);
  str_add_char(out, '\n');
}

static void add_pair(struct str *out, const struct race *r, const char *left,
                     const char *right, int each) {
  str_add(out, "  ");
  width_pad(out, left, each);
  str_add(out, r->is_ascii ? " | " : " │ ");
  width_pad(out, right, each);
  end_line(out);
}

static void add_rule(struct str *out, bool is_ascii, int each) {
  str_add(out, "  ");
  for (int k = 0; k < 2 * each + GAP; k++)
    str_add(out, k == each + 1 ? (is_ascii ? "+" : "┼") : is_ascii ? "-" : "─");
  str_add_char(out, '\n');
}

// As text of its own; to be freed.
static char *who(const struct race_side *s) {
  const uint32_t *t = s->thread;
  struct str text = STR_INIT;
  str_addf(&text, message("thread (%u,%u,%u)"), t[0], t[1], t[2]);
  if (s->warp >= 0)
    str_addf(&text, message(", warp %d"), s->warp);
  return str_take(&text);
}

static char *block_of(const struct race_side *s) {
  const uint32_t *b = s->block;
  struct str text = STR_INIT;
  str_addf(&text, message("block (%u,%u,%u)"), b[0], b[1], b[2]);
  return str_take(&text);
}

// The heads of the columns.
static void add_both(struct str *out, const struct race *r,
                     char *(*of)(const struct race_side *), int each) {
  char *left = of(&r->side[0]), *right = of(&r->side[1]);
  add_pair(out, r, left, right, each);
  free(left);
  free(right);
}

static char *what(const struct race *r, int side) {
  const struct race_side *s = &r->side[side];
  struct str text = STR_INIT;
  if (r->first)
    str_addf(&text, "%d. ", r->first == side + 1 ? 1 : 2);
  str_addf(&text, "%s %s", verb(s), cell_of(r));
  if (*s->value)
    str_addf(&text, is_access(s, "read") ? ": %s" : " = %s", s->value);
  return str_take(&text);
}

// Time goes down: what came first stands above.
static void add_events(struct str *out, const struct race *r, int each) {
  char *did[2] = {what(r, 0), what(r, 1)};
  if (!r->first) {
    add_pair(out, r, did[0], did[1], each);
  } else {
    bool is_right = r->first == 2;
    for (int k = 0; k < 2; k++)
      add_pair(out, r, k == is_right ? did[0] : "", k == is_right ? "" : did[1],
               each);
  }
  free(did[0]);
  free(did[1]);
}

static void add_head(struct str *out, const struct race *r) {
  const uint32_t *b = r->side[0].block;
  str_addf(out, message("Race on %s"), cell_of(r));
  if (*r->space)
    str_addf(out, " (%s)", r->space);
  if (*r->function)
    str_addf(out, " in %s", r->function);
  if (*r->file)
    str_addf(out, ", %s", r->file);
  if (is_one_block(r))
    str_addf(out, message(", block (%u,%u,%u)"), b[0], b[1], b[2]);
}

// The bytes of its first row; the blank that ends it, where one is near.
static size_t row_bytes(const char *text, int room) {
  size_t fits = width_bytes(text, strlen(text), (size_t)room), n = fits;
  while (n > fits / 2 && text[fits] && text[n] != ' ')
    n--;
  return text[n] == ' ' || !text[n] ? n : fits;
}

// A line that is too long goes on below itself.
static void add_line_of_source(struct str *out, const struct race_side *s,
                               int room, const char *mark) {
  const char *rest = trimmed(s->text);
  for (bool is_first = true; is_first || *rest; is_first = false) {
    size_t n = row_bytes(rest, room);
    char *row = xstrndup(rest, n);
    if (is_first)
      str_addf(out, "%5d | ", s->line);
    else
      str_add(out, "      | ");
    width_pad(out, row, room);
    str_addf(out, " %s", is_first ? mark : "");
    end_line(out);
    free(row);
    rest = trimmed(rest + n);
  }
}

// A line of source with what is done there; the lines stand in the source's order.
static void add_source(struct str *out, const struct race *r, int columns) {
  const struct race_side *a = &r->side[0], *b = &r->side[1];
  bool is_one = a->line == b->line;
  if (a->line > b->line) {
    a = b;
    b = &r->side[0];
  }
  for (int k = 0; k < (is_one ? 1 : 2); k++) {
    const struct race_side *s = k ? b : a;
    if (s->line <= 0 || !*s->text)
      continue;
    const char *mark = is_one ? "" : verb(s);
    int room = columns - 9 - width_of(mark, strlen(mark));
    add_line_of_source(out, s, room > 20 ? room : 20, mark);
  }
}

static void add_columns(struct str *out, const struct race *r, int columns) {
  int each = (columns - 2 - GAP) / 2;
  add_head(out, r);
  str_add_char(out, '\n');
  if (!is_one_block(r))
    add_both(out, r, block_of, each);
  add_both(out, r, who, each);
  add_rule(out, r->is_ascii, each);
  add_events(out, r, each);
  add_source(out, r, columns);
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

// A sentence of one of those, as a line of its own.
static void add_line(struct str *out, const struct race *r,
                     void (*add)(struct str *, const struct race *)) {
  size_t before = out->len;
  add(out, r);
  if (out->len > before)
    str_add_char(out, '\n');
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
  add_line(out, r, add_order);
  add_line(out, r, add_between);
  if (!*r->why)
    return;
  message_report(r->why, out);
  str_add_char(out, '\n');
}
