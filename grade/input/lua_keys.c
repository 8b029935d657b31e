// SPDX-License-Identifier: Apache-2.0
// A source in tokens, of which names, texts and braces matter.
#include "grade/input/lua_keys.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum token { TOKEN_END, TOKEN_NAME, TOKEN_TEXT, TOKEN_OTHER };

struct scan {
  const char *p;
  int line, depth;
  enum token token; // the last one read
  const char *at;   // of a text: within its quotes
  size_t n;
};

static void move(struct scan *s, size_t n) {
  for (; n && *s->p; n--)
    s->line += *s->p++ == '\n';
}

// The equals signs of "[[", "[=[" ... ; -1: it is none.
static int long_bracket(const char *p) {
  size_t level = *p == '[' ? strspn(p + 1, "=") : 0;
  return *p == '[' && p[1 + level] == '[' ? (int)level : -1;
}

static void read_long(struct scan *s, int level) {
  move(s, (size_t)level + 2);
  s->at = s->p;
  while (*s->p && !(*s->p == ']' && strspn(s->p + 1, "=") == (size_t)level &&
                    s->p[1 + level] == ']'))
    move(s, 1);
  s->n = (size_t)(s->p - s->at);
  move(s, (size_t)level + 2);
}

static void read_quoted(struct scan *s) {
  char quote = *s->p;
  move(s, 1);
  s->at = s->p;
  while (*s->p && *s->p != quote)
    move(s, *s->p == '\\' ? 2 : 1);
  s->n = (size_t)(s->p - s->at);
  move(s, 1);
}

static void skip_blanks(struct scan *s) {
  for (;;) {
    if (isspace((unsigned char)*s->p)) {
      move(s, 1);
    } else if (s->p[0] == '-' && s->p[1] == '-') {
      move(s, 2);
      int level = long_bracket(s->p);
      if (level >= 0)
        read_long(s, level);
      else
        move(s, strcspn(s->p, "\n"));
    } else {
      return;
    }
  }
}

static bool is_part(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static enum token next(struct scan *s) {
  skip_blanks(s);
  s->at = s->p;
  s->n = 1;
  int level = long_bracket(s->p);
  s->token = *s->p ? TOKEN_OTHER : TOKEN_END;
  if (is_part(*s->p)) {
    while (is_part(*s->p))
      s->p++;
    s->n = (size_t)(s->p - s->at);
    s->token = isdigit((unsigned char)*s->at) ? TOKEN_OTHER : TOKEN_NAME;
  } else if (level >= 0) {
    read_long(s, level);
    s->token = TOKEN_TEXT;
  } else if (*s->p == '"' || *s->p == '\'') {
    read_quoted(s);
    s->token = TOKEN_TEXT;
  } else {
    s->depth += *s->p == '{' ? 1 : *s->p == '}' ? -1 : 0;
    move(s, 1);
  }
  return s->token;
}

// What the source says at the token that was just read: nothing of `key`, its
// name, or that a constructor's field is called so.
enum mention { MENTION_NONE, MENTION_USE, MENTION_KEY };

// `before`: the character that the token before ended with.
static enum mention mention_of(const struct scan *s, const char *key,
                               char before) {
  if (s->token == TOKEN_OTHER || s->n != strlen(key) ||
      strncmp(s->at, key, s->n))
    return MENTION_NONE;
  struct scan after = *s;
  if (s->token == TOKEN_TEXT && (before != '[' || next(&after) == TOKEN_END))
    return MENTION_USE;
  next(&after);
  bool is_given =
      after.token == TOKEN_OTHER && *after.at == '=' && after.at[1] != '=';
  bool is_field = before == '[' || before == '{' || before == ',' ||
                  before == ';' || before == '.';
  return is_given && is_field ? MENTION_KEY : MENTION_USE;
}

int lua_key_line(const char *source, const char *key, int depth) {
  struct scan s = {.p = source, .line = 1};
  int anywhere = 0;
  for (char before = 0; next(&s) != TOKEN_END; before = s.p[-1]) {
    if (mention_of(&s, key, before) != MENTION_KEY)
      continue;
    if (s.depth == depth)
      return s.line;
    anywhere = anywhere ? anywhere : s.line;
  }
  return anywhere;
}

bool lua_key_is_used(const char *source, const char *key) {
  struct scan s = {.p = source, .line = 1};
  for (char before = 0; next(&s) != TOKEN_END; before = s.p[-1])
    if (mention_of(&s, key, before) == MENTION_USE)
      return true;
  return false;
}
