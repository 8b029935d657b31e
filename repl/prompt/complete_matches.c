// SPDX-License-Identifier: Apache-2.0
// The list of matches, as Readline wants it.
#include "repl/prompt/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void complete_add(struct complete_matches *m, char *text) {
  for (int i = 1; i <= m->count; i++)
    if (!strcmp(m->list[i], text)) {
      free(text);
      return;
    }
  m->list = xrealloc(m->list, (size_t)(m->count + 3) * sizeof *m->list);
  m->list[++m->count] = text;
}

static size_t common_bytes(const struct complete_matches *m) {
  size_t n = strlen(m->list[1]);
  for (int i = 2; i <= m->count; i++) {
    size_t same = 0;
    while (same < n && m->list[i][same] == m->list[1][same])
      same++;
    n = same;
  }
  return n;
}

// Lessons are numbers: 2 stands before 10.
static int compare(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
    long left = strtol(x, NULL, 10), right = strtol(y, NULL, 10);
    if (left != right)
      return left < right ? -1 : 1;
  }
  return strcmp(x, y);
}

char **complete_finish(struct complete_matches *m) {
  if (!m->count) {
    free(m->list);
    return NULL;
  }
  qsort(m->list + 1, (size_t)m->count, sizeof *m->list, compare);
  m->list[0] = xstrndup(m->list[1], common_bytes(m));
  m->list[m->count + 1] = NULL;
  return m->list;
}
