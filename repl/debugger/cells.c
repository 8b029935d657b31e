// SPDX-License-Identifier: Apache-2.0
// Values in cells, and texts in rows.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "display/display.h"
#include "repl/debugger/cells.h"

// As much of it as a cell has bytes for, whole characters alone.
static void set_cell(char out[CELL_BYTES], const char *text, size_t bytes) {
  if (bytes >= CELL_BYTES) {
    bytes = CELL_BYTES - 1;
    while (bytes && ((unsigned char)text[bytes] & 0xC0) == 0x80)
      bytes--;
  }
  memcpy(out, text, bytes);
  out[bytes] = 0;
}

void cells_read_lanes(const char *text, struct lane_values *out) {
  memset(out, 0, sizeof *out);
  for (const char *s = text; *s; s += *s == '\n') {
    char *end;
    long lane = strtol(s, &end, 10);
    const char *value = end + (*end == ' ');
    size_t bytes = strcspn(value, "\n");
    s = value + bytes;
    if (end == value || lane < 0 || lane >= LANES)
      continue;
    out->has[lane] = true;
    set_cell(out->text[lane], value, bytes);
    int k = 0;
    while (k < lane && !(out->has[k] && !strcmp(out->text[k], out->text[lane])))
      k++;
    out->kind[lane] = k < lane ? out->kind[k] : out->kinds++;
  }
}

struct cell_grid cells_grid(int count, int width, int label, int columns) {
  struct cell_grid g = {.per_row = LANES, .width = width};
  while (g.per_row > 1 && label + g.per_row * (width + 1) > columns)
    g.per_row /= 2;
  g.rows = (count + g.per_row - 1) / g.per_row;
  return g;
}

// ---- Elements ----

// Behind the text of one element: at the comma or bracket that ends it.
static const char *skip_element(const char *s) {
  for (int depth = 0; *s && (depth || !strchr(",}", *s)); s++) {
    depth += *s == '{';
    depth -= *s == '}';
  }
  return s;
}

// "{x = 1", not "{1, 2".
static bool is_structure(const char *s) {
  size_t blanks = strspn(s + 1, " "), word = strcspn(s + 1 + blanks, "=,{}\n");
  return *s == '{' && s[1 + blanks + word] == '=';
}

int cells_split(const char *list, char (*out)[CELL_BYTES], int most) {
  int count = 0;
  for (const char *s = list; *s && count < most;) {
    if (strchr(",} \n", *s) || (*s == '{' && !is_structure(s))) {
      s++;
      continue;
    }
    if (!strncmp(s, "... (",
                 strlen("... ("))) // that there are more is no element
      break;
    const char *end = skip_element(s);
    set_cell(out[count++], s, (size_t)(end - s));
    s = end;
  }
  return count;
}

// ---- Rows ----

size_t cells_wrap(const char *text, int columns, size_t *skip) {
  size_t line = strcspn(text, "\n");
  size_t fits = display_fit(text, columns < 1 ? 1 : columns);
  *skip = 0;
  if (fits >= line) {
    *skip = text[line] == '\n';
    return line;
  }
  size_t word = fits;
  while (word && text[word] != ' ')
    word--;
  if (word > strspn(text, " ")) { // a row of blanks alone is none
    *skip = strspn(text + word, " ");
    return word;
  }
  return fits ? fits : 1;
}

int cells_rows(const char *text, int columns) {
  int rows = 0;
  size_t skip;
  for (; *text; rows++) {
    size_t n = cells_wrap(text, columns, &skip);
    text += n + skip;
  }
  return rows;
}
