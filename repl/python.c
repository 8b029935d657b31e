// SPDX-License-Identifier: Apache-2.0
// Recognises Python by the patterns of python.def.
#include "repl/python.h"

#include <regex.h>
#include <string.h>

static const struct {
  const char *pattern;
  const char *answer;
} rows[] = {
#define PYTHON(pattern, answer) {pattern, answer},
#include "repl/python.def"
#undef PYTHON
};

// Longer lines are data that got here by accident, and some patterns take time
// that grows with the square of the line.
enum { GROUPS = 4, LONGEST_LINE = 1000 };

// Copies the answer with \1 ... replaced by what the groups matched.
static void fill_in(const char *answer, const char *line,
                    const regmatch_t *groups, struct str *out) {
  for (const char *p = answer; *p; p++) {
    if (*p != '\\' || p[1] < '1' || p[1] >= '0' + GROUPS) {
      str_add_char(out, *p);
      continue;
    }
    const regmatch_t *g = &groups[*++p - '0'];
    if (g->rm_so >= 0)
      str_add_bytes(out, line + g->rm_so, (size_t)(g->rm_eo - g->rm_so));
  }
}

bool python_answer(const char *line, struct str *answer) {
  if (strlen(line) > LONGEST_LINE)
    return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    regex_t re;
    regmatch_t groups[GROUPS];
    if (regcomp(&re, rows[i].pattern, REG_EXTENDED))
      continue;
    bool hit = !regexec(&re, line, GROUPS, groups, 0);
    regfree(&re);
    if (hit) {
      fill_in(rows[i].answer, line, groups, answer);
      return true;
    }
  }
  return false;
}
