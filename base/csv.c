// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <math.h>
#include <string.h>

static void begin_cell(struct csv *c) {
  if (c->has_cell)
    str_add_char(&c->out, ',');
  c->has_cell = true;
}

// A space at an end is quoted as well: some readers drop it else.
static bool needs_quotes(const char *text) {
  size_t n = strlen(text);
  return strpbrk(text, "\",\r\n") ||
         (n && (*text == ' ' || text[n - 1] == ' '));
}

static void add_cell(struct csv *c, const char *front, const char *text) {
  bool is_quoted = needs_quotes(text);
  begin_cell(c);
  if (is_quoted)
    str_add_char(&c->out, '"');
  str_add(&c->out, front);
  for (const char *p = text; *p; p++) {
    if (*p == '"')
      str_add_char(&c->out, '"');
    str_add_char(&c->out, *p);
  }
  if (is_quoted)
    str_add_char(&c->out, '"');
}

void csv_text(struct csv *c, const char *text) {
  bool is_formula = *text && strchr("=+-@\t\r", *text);
  add_cell(c, is_formula ? "'" : "", text);
}

void csv_key(struct csv *c, const char *text) {
  add_cell(c, "", text);
}

void csv_number(struct csv *c, double v) {
  begin_cell(c);
  if (!isnan(v))
    str_addf(&c->out, "%.10g", v);
}

void csv_end_row(struct csv *c) {
  str_add(&c->out, "\r\n");
  c->has_cell = false;
}

char *csv_take(struct csv *c) {
  return str_take(&c->out);
}
