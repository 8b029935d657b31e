// SPDX-License-Identifier: Apache-2.0
// What a person is typing: commands, Lua and CUDA C told apart and put
// together from lines.
#include "repl/eval/input.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/bind/state/bind.h"
#include "repl/eval/python.h"

void input_init(struct input *in) {
  memset(in, 0, sizeof *in);
  str_init(&in->text);
}

void input_clear(struct input *in) {
  str_clear(&in->text);
  in->is_cuda = false;
  in->empty_lines = in->lines = 0;
}

void input_free(struct input *in) {
  str_free(&in->text);
}

// ---- CUDA C ----

static const char *const cuda_starts[] = {
    "__global__",  "__device__",      "__host__",     "__constant__",
    "__managed__", "__forceinline__", "__noinline__", "__launch_bounds__",
    "__shared__",  "template",        "extern",       "//",
    "/*",          "struct",          "class",        "union",
    "enum",        "typedef",         "using",        "namespace",
    "static",      "inline",          "constexpr",    "const",
};

static bool is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p) {
  while (*p == ' ' || *p == '\t')
    p++;
  return p;
}

// `static = 1` and `class.x()` are Lua; a C declaration goes on with a word,
// a "<" or a string.
static bool goes_on_as_c(const char *rest) {
  rest = skip_blanks(rest);
  return !*rest || is_word_char(*rest) || strchr("<\"{[:/\\", *rest) != NULL;
}

// `#x` is Lua's length.
static bool starts_directive(const char *line) {
  static const char *const names[] = {"include", "define", "undef", "if",
                                      "ifdef",   "ifndef", "pragma"};
  const char *name = skip_blanks(line + 1);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n = strlen(names[i]);
    if (!strncmp(name, names[i], n) && !is_word_char(name[n]))
      return true;
  }
  return false;
}

// "void k(", "float *f(": a type of C's, a name and a parenthesis. In Lua two
// names never stand side by side.
static bool starts_function(const char *line) {
  static const char *const types[] = {
      "void",   "bool", "char",     "short",   "int",      "long",
      "float",  "half", "unsigned", "signed",  "double",   "size_t",
      "float2", "int2", "uint2",    "double2", "int32_t",  "uint8_t",
      "float3", "int3", "uint3",    "dim3",    "uint32_t", "int64_t",
      "float4", "int4", "uint4",    "half2",   "uint64_t", "auto"};
  int words = 0;
  bool is_type = false;
  for (const char *p = line; is_word_char(*p) && !isdigit((unsigned char)*p);) {
    size_t n = 0;
    while (is_word_char(p[n]))
      n++;
    for (size_t i = 0; !words && i < sizeof types / sizeof *types; i++)
      is_type |= strlen(types[i]) == n && !strncmp(p, types[i], n);
    p = skip_blanks(p + n);
    if (++words > 1 && *p == '(')
      return is_type;
    while (*p == '*' || *p == '&')
      p = skip_blanks(p + 1);
  }
  return false;
}

bool input_starts_cuda(const char *line) {
  line = skip_blanks(line);
  if (*line == '#')
    return starts_directive(line);
  if (starts_function(line))
    return true;
  for (size_t i = 0; i < sizeof cuda_starts / sizeof *cuda_starts; i++) {
    const char *word = cuda_starts[i];
    size_t n = strlen(word);
    if (strncmp(line, word, n))
      continue;
    if (!is_word_char(word[0]))
      return true;
    if (is_word_char(line[n]))
      continue;
    return word[0] == '_' || goes_on_as_c(line + n);
  }
  return false;
}

// A scanner over C text that knows what braces count.
struct scan {
  const char *p;
  int depth;        // of braces, brackets and parentheses
  int conditionals; // open #if
  bool in_comment;  // the text ended inside one
  bool in_string;
  char last;            // last byte that is neither blank nor comment; 0: none
  bool needs_semicolon; // a struct, union, class, enum or typedef
  bool is_fresh;        // at the start of a declaration
};

static void skip_comment(struct scan *s) {
  const char *end = strstr(s->p + 2, "*/");
  s->in_comment = !end;
  s->p = end ? end + 2 : s->p + strlen(s->p);
}

static void skip_quoted(struct scan *s, char quote) {
  const char *p = s->p + 1;
  while (*p && *p != quote && *p != '\n')
    p += p[0] == '\\' && p[1] ? 2 : 1;
  s->p = *p == quote ? p + 1 : p;
  s->last = quote;
}

// R"delimiter( ... )delimiter"
static void skip_raw(struct scan *s) {
  char end[24] = ")";
  const char *open = strchr(s->p, '(');
  size_t n = open ? (size_t)(open - s->p) - 2 : sizeof end;
  if (n > 16) {
    s->p += 2;
    return;
  }
  memcpy(end + 1, s->p + 2, n);
  memcpy(end + 1 + n, "\"", 2);
  const char *close = strstr(open, end);
  s->in_string = !close;
  s->p = close ? close + strlen(end) : s->p + strlen(s->p);
  s->last = '"';
}

static bool is_directive(const char *p, const char *name) {
  p = skip_blanks(p + 1);
  return !strncmp(p, name, strlen(name));
}

// A line of the preprocessor, with the lines that "\" joins to it.
static void skip_directive(struct scan *s) {
  if (is_directive(s->p, "if"))
    s->conditionals++;
  else if (is_directive(s->p, "endif"))
    s->conditionals--;
  const char *p = s->p;
  while (*p && *p != '\n')
    p += p[0] == '\\' && p[1] == '\n' ? 2 : 1;
  // Ended by a "\" that nothing follows: the directive goes on.
  s->in_string = !*p && p > s->p && p[-1] == '\\';
  s->p = p;
  if (s->depth == 0 && (s->last == 0 || s->last == ';' || s->last == '}'))
    s->last = ';';
}

static void take_word(struct scan *s) {
  static const char *const types[] = {"struct", "union", "class", "enum",
                                      "typedef"};
  size_t n = 0;
  while (is_word_char(s->p[n]) ||
         (s->p[n] == '\'' && is_word_char(s->p[n + 1])))
    n++;
  for (size_t i = 0; s->is_fresh && i < sizeof types / sizeof *types; i++)
    if (strlen(types[i]) == n && !strncmp(s->p, types[i], n))
      s->needs_semicolon = true;
  s->is_fresh = false;
  s->last = s->p[n - 1];
  s->p += n;
}

static void take_mark(struct scan *s) {
  char c = *s->p++;
  s->last = c;
  if (c == '{' || c == '(' || c == '[')
    s->depth++;
  else if (c == '}' || c == ')' || c == ']')
    s->depth -= s->depth > 0;
  // A function that returns a struct is no type.
  if (c == '(' && s->depth == 1)
    s->needs_semicolon = false;
  if (s->depth == 0 && (c == ';' || (c == '}' && !s->needs_semicolon))) {
    s->needs_semicolon = false;
    s->is_fresh = true;
  }
}

static bool at_line_start(const struct scan *s, const char *text) {
  const char *p = s->p;
  while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
    p--;
  return p == text || p[-1] == '\n';
}

static void scan_on(struct scan *s, const char *text) {
  if (isspace((unsigned char)*s->p))
    s->p++;
  else if (s->p[0] == '/' && s->p[1] == '*')
    skip_comment(s);
  else if (s->p[0] == '/' && s->p[1] == '/')
    s->p += strcspn(s->p, "\n");
  else if (*s->p == '#' && at_line_start(s, text))
    skip_directive(s);
  else if (s->p[0] == 'R' && s->p[1] == '"')
    skip_raw(s);
  else if (*s->p == '"' || *s->p == '\'')
    skip_quoted(s, *s->p);
  else if (is_word_char(*s->p))
    take_word(s);
  else
    take_mark(s);
}

static bool is_whole(const struct scan *s) {
  return s->depth == 0 && s->conditionals <= 0 && !s->in_comment &&
         !s->in_string && !s->needs_semicolon &&
         (s->last == ';' || s->last == '}');
}

bool input_cuda_is_whole(const char *text) {
  struct scan s = {.p = text, .is_fresh = true};
  while (*s.p)
    scan_on(&s, text);
  return is_whole(&s);
}

size_t input_cuda_first(const char *text) {
  struct scan s = {.p = text, .is_fresh = true};
  while (*s.p && (*s.p != '\n' || !is_whole(&s)))
    scan_on(&s, text);
  return (size_t)(s.p - text) + (*s.p == '\n');
}

// ---- Lines ----

static bool is_blank(const char *line) {
  return !line[strspn(line, " \t\r")];
}

static enum input_state add_cuda(const struct input *in) {
  return input_cuda_is_whole(in->text.data) ? INPUT_CUDA : INPUT_MORE;
}

static int is_global(lua_State *L) {
  lua_pushglobaltable(L);
  lua_insert(L, 1);
  lua_pushboolean(L, lua_rawget(L, 1) != LUA_TNIL);
  return 1;
}

// `struct {x = 1}` and `float * f(2)` are Lua where the learner has a variable
// of that name.
static bool is_lua_anyway(lua_State *L, const char *line) {
  const char *word = skip_blanks(line);
  word += *word == '#';
  size_t n = 0;
  while (is_word_char(word[n]))
    n++;
  lua_pushcfunction(L, is_global);
  lua_pushlstring(L, word, n);
  bool known = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (!known)
    return false;
  bool is_unfinished;
  bool is_whole = bind_compile(L, line, "=prompt", &is_unfinished) == LUA_OK;
  lua_pop(L, 1);
  return is_whole || is_unfinished;
}

bool input_asks(const char *line) {
  size_t n = 0;
  line = skip_blanks(line);
  while (is_word_char(line[n]) || line[n] == '.')
    n++;
  const char *marks = line + n;
  return n && *marks == '?' && !marks[strspn(marks, "? \t")];
}

const char *input_lone_command(lua_State *L, const char *line) {
  static const char *const commands[][2] = {
      {"ls", "!ls"}, {"pwd", "!pwd"}, {"who", ":who"}, {"whos", ":who"}};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    size_t n = strlen(commands[i][0]);
    if (strncmp(line, commands[i][0], n) || !is_blank(line + n))
      continue;
    lua_pushcfunction(L, is_global);
    lua_pushstring(L, commands[i][0]);
    bool is_variable = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_variable ? NULL : commands[i][1];
  }
  return NULL;
}

// "class A:" of Python, "const n = 3" of JavaScript: words of C++, too.
static bool is_other_language(const char *line) {
  size_t n = strlen(line);
  line = skip_blanks(line);
  if (!strncmp(line, "class ", 6))
    return n && line[strlen(line) - 1] == ':';
  if (strncmp(line, "const ", 6))
    return false;
  const char *p = skip_blanks(line + 6);
  while (is_word_char(*p))
    p++;
  p = skip_blanks(p);
  return *p == '=' && p[1] != '=';
}

static enum input_state first_line(struct input *in, lua_State *L,
                                   const char *line) {
  const char *start = skip_blanks(line);
  if (is_blank(line))
    return INPUT_EMPTY;
  if (strchr(":?!%", *start) || input_asks(line) || input_lone_command(L, line))
    return INPUT_COMMAND;
  in->is_cuda = input_starts_cuda(line) && !is_lua_anyway(L, line) &&
                !is_other_language(line);
  return INPUT_MORE;
}

static bool is_word_at(const char *line, const char *at, const char *word) {
  size_t n = strlen(word);
  return !strncmp(at, word, n) && !is_word_char(at[n]) &&
         (at == line || !is_word_char(at[-1]));
}

// "for v in x: print(v)": a colon before a blank, and no do or then of Lua's
// nor a text before it.
static bool is_python_loop(const char *line) {
  const char *p = line = skip_blanks(line);
  if (!is_word_at(line, line, "for") && !is_word_at(line, line, "while"))
    return false;
  for (; *p && (*p != ':' || (p[1] && p[1] != ' ')); p++)
    if (strchr("\"'[", *p) || is_word_at(line, p, "do"))
      return false;
  return *p == ':';
}

// A colon at the end or before a blank, outside texts.
static bool has_colon(const char *line) {
  char quote = 0;
  for (const char *p = line; *p; p++) {
    if (!quote && *p == ':' && (!p[1] || p[1] == ' '))
      return true;
    if (*p == '\\' && p[1])
      p++;
    else if (quote ? *p == quote : *p == '"' || *p == '\'')
      quote = quote ? 0 : *p;
  }
  return false;
}

// "if x:" and "if x: y" could start a Lua method call; they are Python.
static bool is_python_block(const char *line) {
  return has_colon(line) && (python_is(line) || is_python_loop(line));
}

// ---- Long texts ----

// A text of thousands of lines is not compiled after each of them.
enum { LONG_LINES = 64 };

static bool is_cuda_anyway(const char *line) {
  (void)line;
  return true;
}

// Inside brackets, a block, a string or a comment, as far as tokens tell: then
// one line more cannot have made it whole. A mistake that hides that from them
// is found at the next power of two.
static bool is_surely_open(struct input *in) {
  struct edit_token t;
  if (++in->lines < LONG_LINES)
    return false;
  if (in->lines == LONG_LINES)
    edit_scan_begin(&in->scan, in->text.data, 0,
                    in->is_cuda ? is_cuda_anyway : NULL);
  in->scan.text = in->text.data;
  in->scan.bytes = in->text.len;
  while ((t = edit_scan_next(&in->scan)).kind != EDIT_END && !t.is_open)
    continue;
  if (t.is_open)
    in->scan.at = t.at;
  return (t.is_open || in->scan.depth > 0) && (in->lines & (in->lines - 1));
}

enum input_state input_add(struct input *in, lua_State *L, const char *line) {
  bool is_first = in->text.len == 0;
  if (!is_first)
    str_add_char(&in->text, '\n');
  str_add(&in->text, line);
  if (is_first) {
    enum input_state state = first_line(in, L, line);
    if (state != INPUT_MORE)
      return state;
  }
  in->empty_lines = is_blank(line) ? in->empty_lines + 1 : 0;
  if (is_surely_open(in))
    return INPUT_MORE;
  if (in->is_cuda)
    return add_cuda(in);
  bool is_unfinished;
  bind_compile(L, in->text.data, "=prompt", &is_unfinished);
  lua_pop(L, 1);
  return is_unfinished && !is_python_block(line) ? INPUT_MORE : INPUT_LUA;
}

bool input_is_whole(lua_State *L, const char *text, int *empty_lines) {
  struct input in;
  char *copy = xstrdup(text), *rest = copy;
  bool is_unfinished = false;
  input_init(&in);
  for (char *line; (line = strsep(&rest, "\n"));) {
    is_unfinished = input_add(&in, L, line) == INPUT_MORE;
    if (!is_unfinished)
      input_clear(&in);
  }
  *empty_lines = in.is_cuda ? in.empty_lines : 0;
  input_free(&in);
  free(copy);
  return !is_unfinished;
}
