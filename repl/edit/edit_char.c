// SPDX-License-Identifier: Apache-2.0
// One character of a text: its bytes, its columns, and what stands for it where
// no terminal shows it.
#include "repl/edit/edit.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

static struct edit_char escaped(int bytes, const char *form, unsigned value) {
  struct edit_char c = {.bytes = bytes};
  c.columns = snprintf(c.shown, sizeof c.shown, form, value);
  return c;
}

// They move what stands around them: nothing would be where it is seen.
static bool turns_direction(wchar_t w) {
  return (w >= 0x202A && w <= 0x202E) || (w >= 0x2066 && w <= 0x2069) ||
         w == 0x200E || w == 0x200F;
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
  mbstate_t state = {0};
  wchar_t w;
  size_t n = mbrtowc(&w, text, bytes, &state);
  if (n == 0 || n > 4)
    return escaped(1, "\\x%02x", first);
  int columns = wcwidth(w);
  if (columns < 0 || turns_direction(w))
    return escaped((int)n, "\\u%04x", (unsigned)w);
  c.bytes = (int)n;
  c.columns = columns;
  memcpy(c.shown, text, n);
  return c;
}
