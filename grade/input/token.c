// SPDX-License-Identifier: Apache-2.0
// Reads the tokens of CUDA C and of Lua.
#include "grade/input/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

// The longest come first.
static const char *const cuda_signs[] = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", NULL};
static const char *const lua_signs[] = {
    "...", "..", "==", "~=", "<=", ">=", "//", "<<", ">>", "::", NULL};

struct reader {
  const char *at, *line_start;
  int line;
  bool is_lua, begins_line; // nothing but blanks stands before in this line
  struct tokens *out;
};

static void move_to(struct reader *r, const char *to) {
  for (; r->at < to; r->at++)
    if (*r->at == '\n') {
      r->line++;
      r->line_start = r->at + 1;
      r->begins_line = true;
    }
}

static const char *end_of_line(const char *p) {
  return p + strcspn(p, "\n");
}

static const char *behind(const char *p, const char *mark) {
  const char *hit = strstr(p, mark);
  return hit ? hit + strlen(mark) : p + strlen(p);
}

// [[ text ]], [==[ text ]==]; NULL: `p` begins none.
static const char *long_bracket(const char *p) {
  char mark[20] = "]";
  size_t level = *p == '[' ? strspn(p + 1, "=") : 0;
  if (*p != '[' || p[1 + level] != '[' || level > sizeof mark - 3)
    return NULL;
  memset(mark + 1, '=', level);
  mark[1 + level] = ']';
  return behind(p + 2 + level, mark);
}

// A directive with the lines that it goes on in.
static const char *end_of_directive(const char *p) {
  for (p = end_of_line(p); *p && p[-1] == '\\';)
    p = end_of_line(p + 1);
  return p;
}

// What is no code here; NULL: it is code.
static const char *skip_comment(const struct reader *r) {
  const char *p = r->at;
  if (isspace((unsigned char)*p))
    return p + 1;
  if (r->is_lua) {
    if (!str_starts(p, "--"))
      return NULL;
    const char *end = long_bracket(p + 2);
    return end ? end : end_of_line(p);
  }
  if (str_starts(p, "//"))
    return end_of_line(p);
  if (str_starts(p, "/*"))
    return behind(p + 2, "*/");
  return *p == '#' && r->begins_line ? end_of_directive(p) : NULL;
}

// In Lua \z leaves out the blanks behind it, ends of lines as well.
static const char *end_of_string(const char *p, bool is_lua) {
  char quote = *p;
  for (p++; *p && *p != quote && *p != '\n'; p++) {
    bool is_escape = *p == '\\' && p[1];
    p += is_escape;
    if (is_lua && is_escape && *p == 'z')
      p += strspn(p + 1, " \t\r\n");
  }
  return *p == quote ? p + 1 : p;
}

// With its suffix, and the sign of an exponent.
static const char *end_of_number(const char *p, bool is_lua) {
  bool is_hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
  const char *exponents = is_hex ? "pP" : "eE";
  for (;; p++) {
    if (strchr(exponents, *p) && *p && (p[1] == '+' || p[1] == '-'))
      p++;
    else if (is_lua && p[0] == '.' && p[1] == '.') // 1..2 joins two numbers
      return p;
    else if (!isalnum((unsigned char)*p) && *p != '.')
      return p;
  }
}

static const char *end_of_name(const char *p) {
  while (isalnum((unsigned char)*p) || *p == '_')
    p++;
  return p;
}

static const char *end_of_sign(const char *p, bool is_lua) {
  for (const char *const *s = is_lua ? lua_signs : cuda_signs; *s; s++)
    if (str_starts(p, *s))
      return p + strlen(*s);
  return p + 1;
}

static const char *measure(const struct reader *r, enum token_kind *kind) {
  const char *p = r->at;
  const char *bracketed = r->is_lua ? long_bracket(p) : NULL;
  if (bracketed || *p == '"' || *p == '\'') {
    *kind = TOKEN_TEXT;
    return bracketed ? bracketed : end_of_string(p, r->is_lua);
  }
  if (isdigit((unsigned char)*p) ||
      (*p == '.' && isdigit((unsigned char)p[1]))) {
    *kind = TOKEN_NUMBER;
    return end_of_number(p, r->is_lua);
  }
  *kind = isalpha((unsigned char)*p) || *p == '_' ? TOKEN_NAME : TOKEN_SIGN;
  return *kind == TOKEN_NAME ? end_of_name(p) : end_of_sign(p, r->is_lua);
}

static void add_token(struct reader *r) {
  struct tokens *t = r->out;
  enum token_kind kind;
  const char *end = measure(r, &kind);
  if (t->count % 256 == 0)
    t->list = xrealloc(t->list, (size_t)(t->count + 256) * sizeof *t->list);
  t->list[t->count++] = (struct token){
      .kind = kind,
      .offset = (size_t)(r->at - t->text),
      .bytes = (size_t)(end - r->at),
      .line = r->line,
      .column = (int)(r->at - r->line_start) + 1,
      .partner = -1,
      .outer = -1,
  };
  r->begins_line = false;
  move_to(r, end);
}

// Brackets that do not fit stay without a partner.
static void pair_brackets(struct tokens *t) {
  int open = -1;
  for (int i = 0; i < t->count; i++) {
    struct token *k = &t->list[i];
    char c = k->kind == TOKEN_SIGN && k->bytes == 1 ? t->text[k->offset] : 0;
    if (c && strchr(")]}", c) && open >= 0) {
      k->partner = open;
      t->list[open].partner = i;
      open = t->list[open].outer;
    }
    k->outer = open;
    if (c && strchr("([{", c))
      open = i;
  }
}

void tokens_read(const char *text, bool is_lua, struct tokens *out) {
  *out = (struct tokens){.text = text, .is_lua = is_lua};
  struct reader r = {text, text, 1, is_lua, true, out};
  while (*r.at) {
    const char *end = skip_comment(&r);
    if (end)
      move_to(&r, end);
    else
      add_token(&r);
  }
  pair_brackets(out);
  out->end = out->count;
}

void tokens_free(struct tokens *t) {
  free(t->list);
  *t = (struct tokens){0};
}

bool token_is(const struct tokens *t, int i, const char *word) {
  return i >= 0 && i < t->count && t->list[i].bytes == strlen(word) &&
         !memcmp(t->text + t->list[i].offset, word, t->list[i].bytes);
}

bool token_is_any(const struct tokens *t, int i, const char *words) {
  if (i < 0 || i >= t->count)
    return false;
  char *word =
      xasprintf(" %.*s ", (int)t->list[i].bytes, t->text + t->list[i].offset);
  bool is = strstr(words, word) != NULL;
  free(word);
  return is;
}

size_t token_span(const struct tokens *t, int first, int last) {
  return t->list[last].offset + t->list[last].bytes - t->list[first].offset;
}

enum { SHOWN_BYTES = 40 };

char *token_flatten(const char *text, size_t bytes) {
  struct str s = STR_INIT;
  for (size_t i = 0; i < bytes; i++) {
    bool is_space = isspace((unsigned char)text[i]);
    if (!is_space)
      str_add_char(&s, text[i]);
    else if (s.len && s.data[s.len - 1] != ' ')
      str_add_char(&s, ' ');
  }
  while (s.len && s.data[s.len - 1] == ' ')
    s.data[--s.len] = 0;
  if (s.len > SHOWN_BYTES) {
    s.len = SHOWN_BYTES - 3;
    str_add(&s, "...");
  }
  char *flat = str_take(&s);
  return flat ? flat : xstrdup("");
}

char *token_show(const struct tokens *t, int first, int last) {
  return token_flatten(t->text + t->list[first].offset,
                       token_span(t, first, last));
}

// ---- Statements ----

// Behind what ends the one before, and behind the head of an if or a loop.
static bool begins_cuda(const struct tokens *t, int i) {
  int outer = t->list[i].outer;
  if (outer >= 0 && !token_is(t, outer, "{"))
    return false;
  if (i == t->first || token_is_any(t, i - 1, " ; { } else do "))
    return true;
  int open = token_is(t, i - 1, ")") ? t->list[i - 1].partner : -1;
  return open > 0 && token_is_any(t, open - 1, " if while for switch ");
}

static const char lua_words[] =
    " and break do else elseif end false for function goto if in local nil not "
    "or repeat return then true until while ";

bool token_ends_value(const struct tokens *t, int i) {
  if (i < 0)
    return false;
  if (t->list[i].kind == TOKEN_NAME)
    return !token_is_any(t, i, lua_words) ||
           token_is_any(t, i, " nil true false end ");
  return t->list[i].kind != TOKEN_SIGN || token_is_any(t, i, " ) ] } ... ");
}

// In no expression two values stand beside each other.
static bool begins_lua(const struct tokens *t, int i) {
  if (token_is_any(t, i, " local return if for while repeat break goto "))
    return true;
  if (t->list[i].kind != TOKEN_NAME || token_is_any(t, i, lua_words))
    return false;
  return i == t->first || token_ends_value(t, i - 1) ||
         token_is_any(t, i - 1, " then do else repeat ; ");
}

bool token_begins_statement(const struct tokens *t, int i) {
  return t->is_lua ? begins_lua(t, i) : begins_cuda(t, i);
}
