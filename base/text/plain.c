// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"

bool plain_is_wanted(void) {
  const char *value = getenv("WARPSHOP_PLAIN");
  return value && *value && strcmp(value, "0") != 0;
}

void plain_want(bool is_wanted) {
  setenv("WARPSHOP_PLAIN", is_wanted ? "1" : "0", 1);
}

struct piece {
  const char *text;
  size_t bytes;
};

static size_t line_bytes(const char *p) {
  return strcspn(p, "\n");
}

static const char *next_line(const char *p) {
  p += line_bytes(p);
  return p + (*p == '\n');
}

// ---- Source and carets ----

// "  3 | int i = ..." and "    |     ^": what stands behind the bar and its blank, or
// NULL. `*number` is empty where there is none.
static const char *behind_bar(const char *line, struct piece *number) {
  line += strspn(line, " ");
  *number = (struct piece){line, strspn(line, "0123456789")};
  line += number->bytes;
  line += strspn(line, " ");
  return line[0] == '|' && line[1] == ' ' ? line + 2 : NULL;
}

// The first caret of a line of marks, or NULL.
static const char *caret_of(const char *marks) {
  const char *caret = marks + strspn(marks, " ~");
  return *caret == '^' ? caret : NULL;
}

static bool is_of_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// What the carets stand under; one alone may point at the start of a name.
static struct piece marked_of(const char *source, size_t at, size_t count) {
  size_t bytes = line_bytes(source), from = width_bytes(source, bytes, at);
  struct piece p = {source + from, 0};
  p.bytes = width_bytes(p.text, bytes - from, count);
  while (count == 1 && p.bytes && is_of_name(p.text[0]) &&
         is_of_name(p.text[p.bytes]))
    p.bytes++;
  return p;
}

static void add_marks(struct str *out, const char *source, const char *marks) {
  const char *caret = caret_of(marks), *first = marks + strspn(marks, " ");
  size_t at = (size_t)(first - marks), count = strspn(first, "^~");
  struct piece marked = marked_of(source, at, count);
  const char *note = caret + strspn(caret, "^~");
  note += strspn(note, " ");
  str_addf(out, message("  column %zu"), at + 1);
  if (marked.bytes)
    str_addf(out, message(", at %.*s"), (int)marked.bytes, marked.text);
  if (line_bytes(note))
    str_addf(out, ": %.*s", (int)line_bytes(note), note);
  str_add_char(out, '\n');
}

// A line of source, and what stands below it; the line behind, or NULL where there is
// none.
static const char *add_source(struct str *out, const char *line) {
  struct piece number, none;
  const char *source = behind_bar(line, &number);
  if (!source || (!number.bytes && !caret_of(source)))
    return NULL;
  if (!number.bytes) { // marks alone
    add_marks(out, "", source);
    return next_line(line);
  }
  const char *words = source + strspn(source, " ");
  str_addf(out, message("  line %.*s: %.*s\n"), (int)number.bytes, number.text,
           (int)line_bytes(words), words);
  line = next_line(line);
  const char *marks = behind_bar(line, &none);
  if (!marks || none.bytes || !caret_of(marks))
    return line;
  add_marks(out, source, marks);
  return next_line(line);
}

// ---- Tables ----

enum { MAX_CELLS = 12 };

struct cells {
  struct piece list[MAX_CELLS];
  int count;
};

static bool is_table_line(const char *line) {
  line += strspn(line, " ");
  return *line == '|' && memchr(line + 1, '|', line_bytes(line + 1));
}

// A "|" inside `code` ends no cell.
static struct cells split_cells(const char *line) {
  struct cells c = {.count = 0};
  bool in_code = false;
  const char *p = line + strspn(line, " ") + 1, *end = line + line_bytes(line);
  const char *from = p;
  for (; p < end && c.count < MAX_CELLS; p++) {
    in_code ^= *p == '`';
    if (*p != '|' || in_code)
      continue;
    const char *to = p;
    from += strspn(from, " ");
    while (to > from && to[-1] == ' ')
      to--;
    c.list[c.count++] = (struct piece){from, (size_t)(to - from)};
    from = p + 1;
  }
  return c;
}

static bool is_rule(const char *line) {
  line += strspn(line, " ");
  return strspn(line, "|:- ") == line_bytes(line);
}

static void add_row(struct str *out, const struct cells *head,
                    const struct cells *row) {
  for (int i = 0; i < row->count; i++) {
    struct piece name = i < head->count ? head->list[i] : (struct piece){0};
    str_add(out, i ? "; " : "");
    if (name.bytes)
      str_addf(out, "%.*s: ", (int)name.bytes, name.text);
    str_add_bytes(out, row->list[i].text, row->list[i].bytes);
  }
  str_add_char(out, '\n');
}

// A table from its first line on; the line behind it, or NULL where there is none.
static const char *add_table(struct str *out, const char *line) {
  const char *next = next_line(line);
  if (!is_table_line(line) || !is_table_line(next))
    return NULL;
  struct cells head = {.count = 0};
  if (is_rule(next)) {
    head = split_cells(line);
    line = next_line(next);
  }
  for (; is_table_line(line); line = next_line(line)) {
    struct cells row = split_cells(line);
    if (!is_rule(line))
      add_row(out, &head, &row);
  }
  return line;
}

void plain_spell(const char *text, struct str *out) {
  size_t before = out->len;
  const char *behind;
  for (const char *line = text; *line; line = behind) {
    if ((behind = add_table(out, line)) || (behind = add_source(out, line)))
      continue;
    behind = next_line(line);
    str_add_bytes(out, line, (size_t)(behind - line));
  }
  // The last line ends as it did.
  if (out->len > before && !str_ends(text, "\n") && str_ends(out->data, "\n"))
    out->data[--out->len] = 0;
}
