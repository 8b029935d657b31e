// SPDX-License-Identifier: Apache-2.0
// One character of a text: its bytes, its columns, and what stands for it where
// no terminal shows it.
#include "repl/edit/edit.h"

#include <stdio.h>
#include <string.h>

#include "base/text/text.h"

static struct edit_char escaped(int bytes, const char *form, unsigned value) {
  struct edit_char c = {.bytes = bytes};
  c.columns = snprintf(c.shown, sizeof c.shown, form, value);
  return c;
}

struct edit_char edit_char_at(const char *text, size_t bytes) {
  unsigned char first = (unsigned char)*text;
  struct edit_char c = {.bytes = 1};
  if (first == '\n' || first == '\t')
    return c;
  if (first < ' ' || first == 127)
    return escaped(1, "^%c", first ^ 64);
  if (first < 127) {
    c.columns = 1;
    c.shown[0] = (char)first;
    return c;
  }
  struct width_char w = width_next(text, bytes);
  if (!w.first || w.bytes >= sizeof c.shown)
    return escaped(1, "\\x%02x", first);
  if (w.columns < 0)
    return escaped((int)w.bytes, "\\u%04x", (unsigned)w.first);
  c.bytes = (int)w.bytes;
  c.columns = w.columns;
  memcpy(c.shown, text, w.bytes);
  return c;
}
