// SPDX-License-Identifier: Apache-2.0
// A growing string of bytes.
#include "base/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void str_init(struct str *s) {
  *s = (struct str)STR_INIT;
}

void str_free(struct str *s) {
  if (s->cap)
    free(s->data);
  str_init(s);
}

void str_clear(struct str *s) {
  s->len = 0;
  if (s->cap)
    s->data[0] = 0;
}

// Makes room for `more` bytes and the zero behind them.
static void reserve(struct str *s, size_t more) {
  size_t need = s->len + more + 1;
  if (need <= s->cap)
    return;
  size_t cap = s->cap ? s->cap : 64;
  while (cap < need)
    cap *= 2;
  s->data = xrealloc(s->cap ? s->data : NULL, cap);
  s->cap = cap;
}

void str_add_bytes(struct str *s, const void *bytes, size_t n) {
  reserve(s, n);
  if (n)
    memcpy(s->data + s->len, bytes, n);
  s->len += n;
  s->data[s->len] = 0;
}

void str_add(struct str *s, const char *text) {
  str_add_bytes(s, text, strlen(text));
}

void str_add_char(struct str *s, char c) {
  str_add_bytes(s, &c, 1);
}

// At first into the room that there is, which most often is enough.
void str_addv(struct str *s, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  size_t room = s->cap ? s->cap - s->len : 0;
  int n = vsnprintf(room ? s->data + s->len : NULL, room, fmt, ap);
  if (n >= 0 && (size_t)n >= room) {
    reserve(s, (size_t)n);
    vsnprintf(s->data + s->len, (size_t)n + 1, fmt, again);
  }
  if (n >= 0)
    s->len += (size_t)n;
  else if (room)
    s->data[s->len] = 0;
  va_end(again);
}

void str_addf(struct str *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  str_addv(s, fmt, ap);
  va_end(ap);
}

void str_trim_end(struct str *s) {
  while (s->len && s->data[s->len - 1] == ' ')
    s->data[--s->len] = 0;
}

char *str_take(struct str *s) {
  char *data = s->cap ? s->data : xstrdup("");
  str_init(s);
  return data;
}

void str_add_float(struct str *s, double x, bool is_single) {
  char text[40];
  for (int digits = is_single ? 6 : 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    double back = strtod(text, NULL);
    if (is_single ? (float)back == (float)x : back == x)
      break;
  }
  str_add(s, text);
}

const char *str_bytes(char out[STR_BYTES], double bytes) {
  static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 5; unit++)
    bytes /= 1024;
  bool is_whole = bytes == (double)(long long)bytes;
  snprintf(out, STR_BYTES, is_whole ? "%.0f %s" : "%.1f %s", bytes,
           units[unit]);
  return out;
}

bool str_starts(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix) {
  size_t n = strlen(text), m = strlen(suffix);
  return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

char *str_trimmed(const char *text, size_t n) {
  while (n && isspace((unsigned char)*text))
    text++, n--;
  while (n && isspace((unsigned char)text[n - 1]))
    n--;
  return xstrndup(text, n);
}
