// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 40, FAR = 99 };

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

static size_t common_beginning(const char *word, const char *name,
                               size_t bytes) {
  size_t n = 0;
  while (n < bytes && word[n] == name[n])
    n++;
  return n;
}

// Of two names as near, which come in any order: the one that begins more like
// the word, then the shorter one, then the first of the alphabet.
static bool wins(const struct nearest *n, const char *name, size_t bytes) {
  size_t mine = common_beginning(n->word, name, bytes);
  size_t best = common_beginning(n->word, n->name, n->bytes);
  if (mine != best)
    return mine > best;
  if (bytes != n->bytes)
    return bytes < n->bytes;
  return memcmp(name, n->name, bytes) < 0;
}

// A name of one letter is like every other.
struct nearest nearest_to(const char *word) {
  size_t n = strlen(word);
  return (struct nearest){.word = word, .distance = n < 2 ? 0 : n < 5 ? 3 : 5};
}

void nearest_try(struct nearest *n, const char *name, size_t bytes) {
  size_t word_bytes = strlen(n->word);
  if (bytes == word_bytes && !memcmp(name, n->word, bytes))
    return; // the word itself
  int d = distance(n->word, word_bytes, name, bytes);
  if (d < n->distance ||
      (n->name && d == n->distance && wins(n, name, bytes))) {
    n->distance = d;
    n->name = name;
    n->bytes = bytes;
  }
}

const char *nearest_hint(char out[NEAREST_HINT], const struct nearest *n,
                         const char *before, const char *behind) {
  *out = 0;
  if (n->name)
    snprintf(out, NEAREST_HINT, "; did you mean %s%.*s%s", before,
             (int)n->bytes, n->name, behind);
  return out;
}
