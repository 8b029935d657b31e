// SPDX-License-Identifier: Apache-2.0
// Filters text that a submission had a hand in.
// UTF-8: RFC 3629, section 4.
#include "grade/input/input.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

// The code point at `p` and its length; length 0 where it is not UTF-8.
static int decode(const unsigned char *p, size_t left, uint32_t *out) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = p[0] < 0x80   ? 1
          : p[0] < 0xc0 ? 0
          : p[0] < 0xe0 ? 2
          : p[0] < 0xf0 ? 3
          : p[0] < 0xf8 ? 4
                        : 0;
  if (!n || (size_t)n > left)
    return 0;
  uint32_t c = n == 1 ? p[0] : p[0] & (0x7f >> n);
  for (int i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (p[i] & 0x3f);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
    return 0;
  *out = c;
  return n;
}

// Code points that are no characters and never will be (Unicode, section
// 23.7). Two of them, U+FFFE and U+FFFF, may not stand in XML 1.0 (section 2.2).
static bool is_character(uint32_t c) {
  return (c & 0xfffe) != 0xfffe && !(c >= 0xfdd0 && c <= 0xfdef);
}

// C0, DEL, C1, and the marks that turn the reading direction: the latter can
// show a name as another one.
static bool is_shown(uint32_t c, bool lines) {
  if (c == '\n' || c == '\t')
    return lines;
  if (!is_character(c))
    return false;
  return c >= 0x20 && !(c >= 0x7f && c < 0xa0) &&
         !(c >= 0x200e && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
         !(c >= 0x2066 && c <= 0x2069) && c != 0xfeff;
}

// How many bytes from there on are characters of ASCII that are shown, of at most `n`.
static size_t plain_run(const char *bytes, size_t n) {
  size_t i = 0;
  while (i < n && bytes[i] >= 0x20 && bytes[i] < 0x7f)
    i++;
  return i;
}

char *text_clean(const char *bytes, size_t n, size_t max_bytes, int lines) {
  struct str s = STR_INIT;
  for (size_t i = 0; i < n && s.len < max_bytes;) {
    uint32_t c;
    size_t left = max_bytes - s.len;
    size_t run = plain_run(bytes + i, n - i < left ? n - i : left);
    if (run) {
      str_add_bytes(&s, bytes + i, run);
      i += run;
      continue;
    }
    int width = decode((const unsigned char *)bytes + i, n - i, &c);
    if (width && s.len + (size_t)width > max_bytes)
      break;
    if (width && is_shown(c, lines))
      str_add_bytes(&s, bytes + i, (size_t)width);
    else if (!(lines && bytes[i] == '\r'))
      str_add_char(&s, '?');
    i += width ? (size_t)width : 1;
  }
  return str_take(&s);
}

char *text_file_name(const char *path) {
  enum { NAME_BYTES = 120 };
  const char *slash = strrchr(path, '/');
  const char *name = slash && slash[1] ? slash + 1 : path;
  return text_clean(name, strlen(name), NAME_BYTES, 0);
}
