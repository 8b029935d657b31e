// SPDX-License-Identifier: Apache-2.0
// Recognises Python by the patterns of python.def, which have a sentence each
// and an example; the line itself in Lua, where that can be made, is better.
#include "repl/eval/python.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "repl/eval/translate.h"

static const struct {
  const char *pattern;
  const char *answer;
} rows[] = {
#define PYTHON(pattern, answer) {pattern, answer},
#include "repl/eval/python.def"
#undef PYTHON
};

// Longer lines are data that got here by accident, and some patterns take time
// that grows with the square of the line.
enum { GROUPS = 5, LONGEST_LINE = 1000 };

// What a group matched, with Python's operators and values spelt as Lua's, so
// that the answer can be run.
static void add_as_lua(const char *p, const char *end, struct str *out) {
  static const char *const words[][2] = {
      {"!=", "~="},    {"**", "^"},   {"True", "true"}, {"False", "false"},
      {"None", "nil"}, {"&&", "and"}, {"||", "or"}};
  bool in_word = false;
  while (p < end) {
    size_t i = 0, n = 0, count = sizeof words / sizeof *words;
    for (; i < count; i++) {
      n = strlen(words[i][0]);
      bool ends = !isalpha((unsigned char)*p) ||
                  !(isalnum((unsigned char)p[n]) || p[n] == '_');
      if ((size_t)(end - p) >= n && !strncmp(p, words[i][0], n) && ends &&
          !(in_word && isalpha((unsigned char)*p)))
        break;
    }
    in_word = isalnum((unsigned char)*p) || *p == '_';
    if (i < count) {
      str_add(out, words[i][1]);
      p += n;
    } else {
      str_add_char(out, *p++);
    }
  }
}

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
      add_as_lua(line + g->rm_so, line + g->rm_eo, out);
  }
}

// The row that the line matches, and its groups; NULL: none.
static const char *find_row(const char *line, regmatch_t *groups) {
  if (strlen(line) > LONGEST_LINE)
    return NULL;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    regex_t re;
    if (regcomp(&re, rows[i].pattern, REG_EXTENDED))
      continue;
    bool hit = !regexec(&re, line, GROUPS, groups, 0);
    regfree(&re);
    if (hit)
      return message(rows[i].answer);
  }
  return NULL;
}

bool python_is(const char *line) {
  regmatch_t groups[GROUPS];
  return find_row(line, groups) != NULL;
}

// The answer with `lua` in place of its example, the lines that are indented.
static void with_example(const char *answer, const char *lua, struct str *out) {
  const char *example = strstr(answer, "\n  ");
  const char *end = example;
  while (str_starts(end, "\n  "))
    end += 1 + strcspn(end + 1, "\n");
  str_add_bytes(out, answer, (size_t)(example - answer));
  str_addf(out, "\n  %s%s", lua, end);
}

bool python_answer(lua_State *L, const char *line, bool even_lua,
                   struct str *answer) {
  regmatch_t groups[GROUPS];
  if (strlen(line) > LONGEST_LINE)
    return false;
  const char *row = find_row(line, groups);
  bool takes_line = !row || strstr(row, "\n  ");
  char *lua = takes_line ? translate_line(L, line, even_lua) : NULL;
  struct str own = STR_INIT;
  if (row)
    fill_in(row, line, groups, &own);
  if (lua)
    with_example(row ? own.data : message("This line in Lua:\n  "), lua,
                 answer);
  else if (row)
    str_add(answer, own.data);
  str_free(&own);
  free(lua);
  return row || answer->len;
}
