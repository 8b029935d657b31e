// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest name by edit distance, among CUDA's own names
// and those of the source.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvrtc/nvrtc_log.h"

enum { MAX_NAME = 40, FAR = 99 };

static const char *const names[] = {
#define NAME(name) #name,
#include "gpu/nvrtc/nvrtc_names.def"
#undef NAME
};

static int smallest(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

// Edit distance with swapped neighbours counted once; upper and lower case
// differ by half an edit, so everything is counted in halves.
static int distance(const char *a, size_t n, const char *b, size_t m) {
  int d[MAX_NAME + 1][MAX_NAME + 1];
  if (n > MAX_NAME || m > MAX_NAME)
    return FAR;
  for (size_t i = 0; i <= n; i++)
    d[i][0] = 2 * (int)i;
  for (size_t j = 0; j <= m; j++)
    d[0][j] = 2 * (int)j;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) {
      unsigned char x = (unsigned char)a[i - 1], y = (unsigned char)b[j - 1];
      int change = x == y ? 0 : tolower(x) == tolower(y) ? 1 : 2;
      d[i][j] =
          smallest(d[i - 1][j] + 2, d[i][j - 1] + 2, d[i - 1][j - 1] + change);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 2 < d[i][j])
        d[i][j] = d[i - 2][j - 2] + 2;
    }
  return d[n][m];
}

struct best {
  const char *word, *name;
  size_t word_bytes, name_bytes;
  int distance;
};

static void consider(struct best *b, const char *name, size_t bytes) {
  if (bytes == b->word_bytes && !memcmp(name, b->word, bytes))
    return; // the word itself
  int d = distance(b->word, b->word_bytes, name, bytes);
  if (d < b->distance) {
    b->distance = d;
    b->name = name;
    b->name_bytes = bytes;
  }
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

char *nvrtc_suggest(const char *word, const char *source) {
  size_t n = strlen(word);
  // One edit in a short name, two from five letters on; a name of one letter
  // is like every other.
  struct best b = {.word = word,
                   .word_bytes = n,
                   .distance = n < 2   ? 0
                               : n < 5 ? 3
                                       : 5};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    consider(&b, names[i], strlen(names[i]));
  for (const char *p = source; *p;) {
    const char *from = p;
    while (is_word(*p))
      p++;
    if (p - from > 1 && !isdigit((unsigned char)*from))
      consider(&b, from, (size_t)(p - from));
    p += p == from;
  }
  return b.name ? xstrndup(b.name, b.name_bytes) : NULL;
}
