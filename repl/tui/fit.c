// SPDX-License-Identifier: Apache-2.0
// Text made to fit the terminal: prose is wrapped at words, under its own
// indent or its second column; tables of Markdown are aligned; lines of source
// are cut to what stands around their carets.
#include "repl/tui/tui.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/tui/screen.h"

static int width_of_line(const char *text) {
  return screen_width_of(text, strlen(text));
}

struct lines {
  char **list;
  int count;
};

static struct lines split_lines(char *text) {
  struct lines l = {0};
  for (char *line; (line = strsep(&text, "\n"));) {
    l.list = xrealloc(l.list, (size_t)(l.count + 1) * sizeof *l.list);
    l.list[l.count++] = line;
  }
  if (l.count && !*l.list[l.count - 1]) // behind the last line's end
    l.count--;
  return l;
}

// ---- Source and carets ----

// "  3 |   int i = ..." and "    |         ^": a number or none, then a bar.
static const char *after_bar(const char *line) {
  line += strspn(line, " ");
  line += strspn(line, "0123456789");
  line += strspn(line, " ");
  return *line == '|' && line[1] == ' ' ? line + 1 : NULL;
}

// A line of marks: where the first caret stands in it, or NULL.
static const char *caret_of(const char *bar) {
  const char *caret = bar + strspn(bar, " ~");
  return *caret == '^' ? caret : NULL;
}

// Behind `columns` characters of UTF-8 text, at most at its end.
static const char *skip_columns(const char *p, int columns) {
  return p + width_bytes(p, strlen(p), columns > 0 ? (size_t)columns : 0);
}

// What is left out on the left of a line of source, so that the mark below it
// is seen, in columns behind the bar.
static int cut_of(const struct screen *s, const char *source, int bar_column,
                  const char *marks_bar) {
  const char *caret = marks_bar ? caret_of(marks_bar) : NULL;
  int room = s->columns - 1 - bar_column;
  int at = caret ? (int)(caret - marks_bar) : 0;
  int marked = caret ? (int)strspn(caret, "^~") : 0;
  if (width_of_line(source) <= room || at + marked <= room - 4)
    return 0;
  int cut = at - room / 3;
  return cut > 0 ? cut : 0;
}

// "v[0] = 1;  thread (0,0,0) writes": the end of the source, or NULL.
static const char *note_of(const char *source) {
  const char *thread = strstr(source, "  thread (");
  const char *block = strstr(source, "  block (");
  return thread && (!block || thread < block) ? thread : block;
}

// One line of source from column `cut` on, as much as fits.
static void add_source(const struct screen *s, const char *line,
                       const char *bar, int cut, struct str *out) {
  int head = screen_width_of(line, (size_t)(bar - line));
  int room = s->columns - 1 - head;
  const char *from = skip_columns(bar, cut);
  str_add_bytes(out, line, (size_t)(bar - line));
  if (cut) {
    str_add(out, " ...");
    from = skip_columns(from, 4);
    room -= 4;
  }
  bool is_cut = width_of_line(from) > room;
  const char *note = is_cut && !cut ? note_of(from) : NULL;
  if (note) { // what is said beside the source goes below it, whole
    while (note > from && note[-1] == ' ')
      note--;
    str_add_bytes(out, from, (size_t)(note - from));
    str_add(out, "\n    ");
    screen_wrap(s, note, 4, out);
    return;
  }
  const char *end = skip_columns(from, is_cut ? room - 4 : room);
  str_add_bytes(out, from, (size_t)(end - from));
  str_add(out, is_cut ? " ...\n" : "\n");
}

// The marks below it, and what is said behind them on a line of its own.
static void add_marks(const struct screen *s, const char *line, const char *bar,
                      int cut, struct str *out) {
  const char *caret = caret_of(bar);
  size_t n = caret ? strspn(caret, "^~") : 0;
  const char *note = caret ? caret + n + strspn(caret + n, " ") : bar;
  int head = (int)(bar - line), at = caret ? (int)(caret - bar) - cut : 0;
  int room = s->columns - 1 - head - at;
  if (!caret || (!cut && width_of_line(line) < s->columns)) {
    str_addf(out, "%s\n", line);
    return;
  }
  if (room < 1)
    room = 1;
  str_addf(out, "%.*s%*s%.*s\n", head, line, at, "",
           (int)n < room ? (int)n : room, caret);
  if (*note) {
    str_add(out, "    ");
    screen_wrap(s, note, 4, out);
  }
}

// ---- Tables of Markdown ----

enum { MAX_CELLS = 12 };

struct row {
  char *text;
  char *cells[MAX_CELLS];
  int count;
};

// A "|" inside `code` ends no cell.
static void split_row(struct row *r, const char *line) {
  r->text = xstrdup(line + 1 + strspn(line + 1, " "));
  r->count = 0;
  bool in_code = false;
  char *cell = r->text, *p = cell;
  for (; *p && r->count < MAX_CELLS; p++) {
    in_code ^= *p == '`';
    if (*p != '|' || in_code)
      continue;
    char *end = p;
    while (end > cell && end[-1] == ' ')
      end--;
    *end = 0;
    r->cells[r->count++] = cell;
    cell = p + 1 + strspn(p + 1, " ");
    p = cell - 1;
  }
}

static bool is_rule(const struct row *r) {
  for (int i = 0; i < r->count; i++)
    if (r->cells[i][strspn(r->cells[i], ":-")])
      return false;
  return r->count > 0;
}

static void measure_cells(const struct row *rows, int count, int *widths) {
  memset(widths, 0, MAX_CELLS * sizeof *widths);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < rows[k].count && !is_rule(&rows[k]); i++)
      if (width_of_line(rows[k].cells[i]) > widths[i])
        widths[i] = width_of_line(rows[k].cells[i]);
}

// Where its last cell begins.
static int last_column(const struct row *r, const int *widths, int indent) {
  for (int i = 0; i + 1 < r->count; i++)
    indent += widths[i] + 2;
  return indent;
}

static bool is_wrapped_at(const struct screen *s, int column) {
  return column < s->columns / 2;
}

// Does each row's last cell stand whole where it begins, or can it be wrapped there?
static bool has_room(const struct screen *s, const struct row *rows, int count,
                     const int *widths, int indent) {
  for (int k = 0; k < count; k++) {
    int at = last_column(&rows[k], widths, indent), last = rows[k].count - 1;
    if (last >= 0 && !is_rule(&rows[k]) && !is_wrapped_at(s, at) &&
        at + width_of_line(rows[k].cells[last]) >= s->columns)
      return false;
  }
  return true;
}

// A table that is too wide, a sentence for each row: "name: c; what: ...".
static void add_records(const struct screen *s, char **lines, int count,
                        struct str *out) {
  struct str table = STR_INIT, said = STR_INIT;
  int indent = (int)strspn(lines[0], " ");
  for (int k = 0; k < count; k++)
    str_addf(&table, "%s\n", lines[k] + strspn(lines[k], " "));
  plain_spell(table.data, &said);
  struct lines l = split_lines(said.data);
  for (int k = 0; k < l.count; k++) {
    str_addf(out, "%*s", indent, "");
    screen_wrap(s, l.list[k], indent + 2, out);
  }
  free(l.list);
  str_free(&said);
  str_free(&table);
}

// The last cell is wrapped under itself.
static void add_row(const struct screen *s, const struct row *r,
                    const int *widths, int indent, struct str *out) {
  int at = last_column(r, widths, indent);
  str_addf(out, "%*s", indent, "");
  for (int i = 0; i + 1 < r->count; i++)
    str_addf(out, "%s%*s", r->cells[i],
             widths[i] - width_of_line(r->cells[i]) + 2, "");
  screen_wrap(s, r->count ? r->cells[r->count - 1] : "",
              is_wrapped_at(s, at) ? at : indent + 4, out);
}

static void add_rows(const struct screen *s, const struct row *rows, int count,
                     const int *widths, int indent, struct str *out) {
  for (int k = 0; k < count; k++)
    if (!is_rule(&rows[k]))
      add_row(s, &rows[k], widths, indent, out);
    else
      str_addf(out, "%*s%.*s\n", indent, "", widths[0],
               "----------------------------------------");
}

static bool is_table_line(const char *line) {
  line += strspn(line, " ");
  return *line == '|' && strchr(line + 1, '|');
}

// Drawn, or said where there is no room; which of them.
static bool add_table(const struct screen *s, char **lines, int count,
                      struct str *out) {
  struct row *rows = xcalloc((size_t)count, sizeof *rows);
  int widths[MAX_CELLS], indent = (int)strspn(lines[0], " ");
  for (int k = 0; k < count; k++)
    split_row(&rows[k], lines[k] + strspn(lines[k], " "));
  measure_cells(rows, count, widths);
  bool is_drawn = has_room(s, rows, count, widths, indent);
  if (is_drawn)
    add_rows(s, rows, count, widths, indent, out);
  else
    add_records(s, lines, count, out);
  for (int k = 0; k < count; k++)
    free(rows[k].text);
  free(rows);
  return is_drawn;
}

// ---- Lines ----

// Where the rest of a line too long goes: under its second column, as in
// "  :name args    what it does", else under its first word.
static int hanging_indent(const struct screen *s, const char *line) {
  int indent = (int)strspn(line, " ");
  const char *gap = strstr(line + indent, "  ");
  if (!gap)
    return indent;
  const char *second = gap + strspn(gap, " ");
  int column = screen_width_of(line, (size_t)(second - line));
  return *second && column <= s->columns / 2 ? column : indent;
}

// What stands before the second column keeps its blanks.
static void add_prose(const struct screen *s, const char *line,
                      struct str *out) {
  int indent = hanging_indent(s, line);
  const char *from = skip_columns(line, indent);
  str_add_bytes(out, line, (size_t)(from - line));
  screen_wrap(s, from, indent, out);
}

bool screen_draws_table(const struct screen *s, const char *table) {
  char *text = xstrdup(table);
  struct lines l = split_lines(text);
  struct str out = STR_INIT;
  bool is_drawn = !l.count || add_table(s, l.list, l.count, &out);
  str_free(&out);
  free(l.list);
  free(text);
  return is_drawn;
}

// Lines that belong together from `i` on: adds them, returns how many.
static int fit_some(const struct screen *s, const struct lines *l, int i,
                    struct str *out) {
  char *line = l->list[i];
  const char *bar = after_bar(line);
  const char *next = i + 1 < l->count ? after_bar(l->list[i + 1]) : NULL;
  bool has_marks = next && caret_of(next);
  int tables = 0;
  while (i + tables < l->count && is_table_line(l->list[i + tables]))
    tables++;
  if (tables > 1) {
    add_table(s, l->list + i, tables, out);
    return tables;
  }
  if (bar && !caret_of(bar)) {
    int head = screen_width_of(line, (size_t)(bar - line));
    int cut = cut_of(s, bar, head, has_marks ? next : NULL);
    add_source(s, line, bar, cut, out);
    if (has_marks)
      add_marks(s, l->list[i + 1], next, cut, out);
    return 1 + has_marks;
  }
  if (bar) {
    add_marks(s, line, bar, 0, out);
  } else if (width_of_line(line) < s->columns) {
    str_addf(out, "%s\n", line);
  } else {
    add_prose(s, line, out);
  }
  return 1;
}

static void fit_terminal(const struct screen *s, const char *text,
                         struct str *out) {
  size_t before = out->len;
  char *copy = xstrdup(text);
  struct lines l = split_lines(copy);
  for (int i = 0; i < l.count;)
    i += fit_some(s, &l, i, out);
  // The last line ends as it did.
  if (out->len > before && !str_ends(text, "\n"))
    out->data[--out->len] = 0;
  free(l.list);
  free(copy);
}

void screen_fit(const struct screen *s, const char *text, struct str *out) {
  struct str spelled = STR_INIT;
  if (s->is_plain) {
    plain_spell(text, &spelled);
    text = spelled.data;
  }
  if (s->is_terminal)
    fit_terminal(s, text, out);
  else
    str_add(out, text);
  str_free(&spelled);
}
