// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.h"

#include <stdbool.h>
#include <string.h>

enum { JOINER = 0x200D, MOST_JOINED = 16 };

// They move what stands around them: nothing would be where it is seen.
static bool turns_direction(wchar_t w) {
  return (w >= 0x202A && w <= 0x202E) || (w >= 0x2066 && w <= 0x2069) ||
         w == 0x200E || w == 0x200F;
}

static int columns_of(wchar_t w) {
  return turns_direction(w) ? -1 : wcwidth(w);
}

// One code point: its bytes, 0 where there is none that is whole.
static size_t read_point(const char *text, size_t bytes, wchar_t *out) {
  mbstate_t state = {0};
  size_t n = bytes ? mbrtowc(out, text, bytes, &state) : 0;
  return n > bytes ? 0 : n;
}

struct width_char width_next(const char *text, size_t bytes) {
  struct width_char c = {.bytes = 1, .columns = -1};
  unsigned char byte = (unsigned char)*text;
  if (byte < 128) {
    c.first = byte;
    c.columns = byte >= ' ' && byte < 127 ? 1 : -1;
  } else {
    size_t n = read_point(text, bytes, &c.first);
    if (!n)
      return c;
    c.bytes = n;
    c.columns = columns_of(c.first);
  }
  bool is_joined = false;
  for (int i = 0; c.columns > 0 && i < MOST_JOINED; i++) {
    wchar_t w;
    size_t n = read_point(text + c.bytes, bytes - c.bytes, &w);
    int own = n ? columns_of(w) : -1;
    if (own < 0 || (own > 0 && !is_joined))
      break;
    is_joined = w == JOINER;
    c.bytes += n;
  }
  return c;
}

int width_of(const char *text, size_t bytes) {
  int columns = 0;
  for (size_t i = 0; i < bytes;) {
    struct width_char c = width_next(text + i, bytes - i);
    columns += c.columns < 0 ? 1 : c.columns;
    i += c.bytes;
  }
  return columns;
}

size_t width_bytes(const char *text, size_t bytes, size_t columns) {
  size_t at = 0;
  while (at < bytes) {
    struct width_char c = width_next(text + at, bytes - at);
    size_t own = c.columns < 0 ? 1 : (size_t)c.columns;
    if (own > columns)
      break;
    columns -= own;
    at += c.bytes;
  }
  return at;
}

void width_pad(struct str *out, const char *text, int columns) {
  size_t n = width_bytes(text, strlen(text), columns > 0 ? (size_t)columns : 0);
  str_add_bytes(out, text, n);
  for (int at = width_of(text, n); at < columns; at++)
    str_add_char(out, ' ');
}
