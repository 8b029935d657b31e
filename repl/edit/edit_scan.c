// SPDX-License-Identifier: Apache-2.0
// Tokens of a text that holds Lua, CUDA C and commands, one after another, with
// what is open at each. It never fails: what is no token is a mark.
#include "repl/edit/edit.h"

#include <ctype.h>
#include <string.h>

static bool is_name_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

void edit_scan_begin(struct edit_scan *s, const char *text, size_t bytes,
                     edit_is_cuda *is_cuda_line) {
  memset(s, 0, offsetof(struct edit_scan, nests));
  s->text = text;
  s->bytes = bytes;
  s->is_cuda_line = is_cuda_line;
  s->is_line_start = true;
  s->has_ended = true;
}

static char byte_at(const struct edit_scan *s, size_t at) {
  return at < s->bytes ? s->text[at] : 0;
}

// ---- What is open ----

static void open_nest(struct edit_scan *s, char kind, bool is_head) {
  if (s->depth < EDIT_NESTS)
    s->nests[s->depth] = (struct edit_nest){kind, is_head, s->line_indent};
  s->depth++;
}

// False where something else is open: a mistake, which Lua or the compiler says.
static bool close_nest(struct edit_scan *s, char kind) {
  if (s->depth == 0 ||
      (s->depth <= EDIT_NESTS && s->nests[s->depth - 1].kind != kind))
    return false;
  s->depth--;
  // What the rest of the line opens belongs to where this was begun.
  if (s->depth < EDIT_NESTS)
    s->line_indent = s->nests[s->depth].indent;
  return true;
}

static bool is_one_of(const char *name, size_t bytes,
                      const char *const *names) {
  for (; *names; names++)
    if (strlen(*names) == bytes && !memcmp(*names, name, bytes))
      return true;
  return false;
}

static void note_lua_name(struct edit_scan *s, const char *name, size_t n) {
  static const char *const opens[] = {"function", "do", "then", "repeat", NULL};
  static const char *const closes[] = {"end", "until", "elseif", NULL};
  static const char *const turns[] = {"else", NULL};
  if (is_one_of(name, n, turns)) {
    if (close_nest(s, 'b'))
      open_nest(s, 'b', false);
  } else if (is_one_of(name, n, opens)) {
    open_nest(s, 'b', false);
  } else if (is_one_of(name, n, closes)) {
    close_nest(s, 'b');
  }
}

static void note_cuda_name(struct edit_scan *s, const char *name, size_t n) {
  static const char *const heads[] = {"if", "for", "while", "switch", NULL};
  static const char *const waits[] = {"else", "do", NULL};
  s->was_head = is_one_of(name, n, heads);
  s->waits = is_one_of(name, n, waits);
}

static void note_mark(struct edit_scan *s, char c) {
  bool is_head = s->was_head;
  s->waits = s->was_head = false;
  if (c == '(' || c == '[' || c == '{') {
    open_nest(s, c, c == '(' && is_head);
    return;
  }
  char open = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : 0;
  if (open && close_nest(s, open) && s->depth < EDIT_NESTS)
    s->waits = s->is_cuda && s->nests[s->depth].is_head;
  if (s->is_cuda && s->depth == 0)
    s->has_ended = c == ';' || c == '}';
}

// ---- Tokens ----

static size_t name_bytes(const struct edit_scan *s) {
  size_t n = 0;
  while (is_name_char(byte_at(s, s->at + n)))
    n++;
  return n;
}

// "0x1.8p-3f", "1e+5", "1'000": a sign belongs to it behind an exponent.
static size_t number_bytes(const struct edit_scan *s) {
  size_t n = 1;
  for (;; n++) {
    char c = byte_at(s, s->at + n), before = byte_at(s, s->at + n - 1);
    bool is_sign = (c == '+' || c == '-') && strchr("eEpP", before) &&
                   isdigit((unsigned char)byte_at(s, s->at + n + 1));
    bool is_part = c == '\'' && s->is_cuda &&
                   isalnum((unsigned char)byte_at(s, s->at + n + 1));
    bool is_dot = c == '.' && (s->is_cuda || byte_at(s, s->at + n + 1) != '.');
    if (!isalnum((unsigned char)c) && c != '_' && !is_dot && !is_sign &&
        !is_part)
      return n;
  }
}

static size_t quoted_bytes(const struct edit_scan *s) {
  char quote = byte_at(s, s->at);
  size_t n = 1;
  for (; byte_at(s, s->at + n) && byte_at(s, s->at + n) != '\n'; n++) {
    if (byte_at(s, s->at + n) == quote)
      return n + 1;
    if (byte_at(s, s->at + n) == '\\' && byte_at(s, s->at + n + 1))
      n++;
  }
  return n;
}

// Bytes up to and with `end`, or the rest of the text, which then is open.
static size_t bytes_until(const struct edit_scan *s, size_t skip,
                          const char *end, bool *is_open) {
  size_t n = strlen(end);
  for (size_t i = s->at + skip; i + n <= s->bytes; i++)
    if (!memcmp(s->text + i, end, n))
      return i + n - s->at;
  *is_open = true;
  return s->bytes - s->at;
}

static size_t line_bytes(const struct edit_scan *s) {
  size_t n = 0;
  while (byte_at(s, s->at + n) && byte_at(s, s->at + n) != '\n')
    n++;
  return n;
}

// The "=" signs of "[==[" at `at`; -1 where there is no long bracket.
static int long_level(const struct edit_scan *s, size_t at) {
  int level = 0;
  while (byte_at(s, at + 1 + (size_t)level) == '=' && level < 20)
    level++;
  return byte_at(s, at) == '[' && byte_at(s, at + 1 + (size_t)level) == '['
             ? level
             : -1;
}

// Lua's [==[ ... ]==], behind `skip` bytes.
static size_t long_bytes(const struct edit_scan *s, size_t skip, int level,
                         bool *is_open) {
  char end[32] = "]";
  memset(end + 1, '=', (size_t)level);
  end[level + 1] = ']';
  end[level + 2] = 0;
  return bytes_until(s, skip + 2 + (size_t)level, end, is_open);
}

// R"delimiter( ... )delimiter"
static size_t raw_bytes(const struct edit_scan *s, bool *is_open) {
  char end[24] = ")";
  size_t n = 0;
  while (n < 16 && byte_at(s, s->at + 2 + n) &&
         byte_at(s, s->at + 2 + n) != '(')
    n++;
  if (byte_at(s, s->at + 2 + n) != '(')
    return 1;
  memcpy(end + 1, s->text + s->at + 2, n);
  memcpy(end + 1 + n, "\"", 2);
  return bytes_until(s, 3 + n, end, is_open);
}

static size_t directive_bytes(const struct edit_scan *s) {
  size_t n = 0;
  for (char c; (c = byte_at(s, s->at + n)) && c != '\n'; n++)
    if (c == '\\' && byte_at(s, s->at + n + 1) == '\n')
      n++;
  return n;
}

static bool take_lua(struct edit_scan *s, char c, struct edit_token *t) {
  int level;
  if (c == '-' && byte_at(s, s->at + 1) == '-') {
    level = long_level(s, s->at + 2);
    t->kind = EDIT_COMMENT;
    t->bytes =
        level >= 0 ? long_bytes(s, 2, level, &t->is_open) : line_bytes(s);
    return true;
  }
  if (c != '[' || (level = long_level(s, s->at)) < 0)
    return false;
  t->kind = EDIT_STRING;
  t->bytes = long_bytes(s, 0, level, &t->is_open);
  return true;
}

static bool take_cuda(struct edit_scan *s, char c, bool is_first,
                      struct edit_token *t) {
  char next = byte_at(s, s->at + 1);
  if (c == '/' && next == '*') {
    t->kind = EDIT_COMMENT;
    t->bytes = bytes_until(s, 2, "*/", &t->is_open);
  } else if (c == '/' && next == '/') {
    t->kind = EDIT_COMMENT;
    t->bytes = line_bytes(s);
  } else if (c == '#' && is_first) {
    t->kind = EDIT_DIRECTIVE;
    t->bytes = directive_bytes(s);
  } else if (c == 'R' && next == '"') {
    t->kind = EDIT_STRING;
    t->bytes = raw_bytes(s, &t->is_open);
  } else {
    return false;
  }
  return true;
}

static void take_token(struct edit_scan *s, bool is_first,
                       struct edit_token *t) {
  char c = byte_at(s, s->at);
  if (s->is_cuda ? take_cuda(s, c, is_first, t) : take_lua(s, c, t))
    return;
  if (c == '"' || c == '\'') {
    t->kind = EDIT_STRING;
    t->bytes = quoted_bytes(s);
  } else if (isdigit((unsigned char)c) ||
             (c == '.' && isdigit((unsigned char)byte_at(s, s->at + 1)))) {
    t->kind = EDIT_NUMBER;
    t->bytes = number_bytes(s);
  } else if (is_name_char(c)) {
    t->kind = EDIT_NAME;
    t->bytes = name_bytes(s);
  } else {
    t->kind = EDIT_MARK;
    t->bytes = 1;
  }
}

static void note(struct edit_scan *s, const struct edit_token *t) {
  if (t->kind == EDIT_COMMENT)
    return;
  if (t->kind == EDIT_MARK) {
    note_mark(s, s->text[t->at]);
    return;
  }
  s->waits = s->was_head = false;
  if (s->is_cuda && s->depth == 0)
    s->has_ended = t->kind == EDIT_DIRECTIVE;
  if (t->kind == EDIT_NAME && s->is_cuda)
    note_cuda_name(s, s->text + t->at, t->bytes);
  else if (t->kind == EDIT_NAME)
    note_lua_name(s, s->text + t->at, t->bytes);
}

// ---- Lines ----

static bool is_command_start(const struct edit_scan *s) {
  return s->depth == 0 && !s->is_cuda && byte_at(s, s->at) &&
         strchr(":?!%", byte_at(s, s->at)) != NULL;
}

// At the first character of a line: how far in it stands, and, where nothing
// is open, which language it is.
static void begin_line(struct edit_scan *s) {
  s->line_indent = 0;
  while (byte_at(s, s->at) == ' ' || byte_at(s, s->at) == '\t') {
    s->line_indent += byte_at(s, s->at) == '\t' ? EDIT_TAB : 1;
    s->at++;
  }
  char c = byte_at(s, s->at);
  if (s->depth == 0 && c && c != '\n' && (!s->is_cuda || s->has_ended)) {
    s->is_cuda = s->is_cuda_line && s->is_cuda_line(s->text + s->at);
    s->has_ended = !s->is_cuda || c == '/';
  }
}

static struct edit_token line_end(struct edit_scan *s) {
  struct edit_token t = {EDIT_LINE_END, s->at, 1, s->is_cuda, false};
  s->at++;
  s->is_line_start = true;
  if (s->is_command)
    s->depth = 0;
  s->is_command = false;
  return t;
}

struct edit_token edit_scan_next(struct edit_scan *s) {
  bool is_first = s->is_line_start;
  if (is_first)
    begin_line(s);
  s->is_line_start = false;
  while (s->at < s->bytes && s->text[s->at] != '\n' &&
         isspace((unsigned char)s->text[s->at]))
    s->at++;
  if (s->at >= s->bytes)
    return (struct edit_token){EDIT_END, s->at, 0, s->is_cuda, false};
  if (s->text[s->at] == '\n')
    return line_end(s);
  struct edit_token t = {.at = s->at, .is_cuda = s->is_cuda};
  if (is_first && is_command_start(s)) {
    s->is_command = true;
    t.kind = EDIT_COMMAND;
    while (t.at + t.bytes < s->bytes &&
           !isspace((unsigned char)s->text[t.at + t.bytes]))
      t.bytes++;
  } else {
    take_token(s, is_first, &t);
    note(s, &t);
  }
  s->at = t.at + t.bytes;
  return t;
}
