// SPDX-License-Identifier: Apache-2.0
// One style for each byte of a text, and the bracket that belongs to the one at
// the cursor.
#include "repl/edit/edit.h"

#include <string.h>

static const char *const lua_words[] = {
    "and",    "break", "do",   "else",  "elseif", "end",     "false", "for",
    "goto",   "if",    "in",   "local", "nil",    "not",     "or",    "repeat",
    "return", "then",  "true", "until", "while",  "function"};
static const char *const cuda_words[] = {
    "auto",      "bool",      "break",    "case",     "char",     "class",
    "const",     "constexpr", "continue", "default",  "delete",   "do",
    "double",    "else",      "enum",     "extern",   "false",    "float",
    "for",       "goto",      "if",       "inline",   "int",      "long",
    "namespace", "new",       "operator", "private",  "public",   "return",
    "short",     "signed",    "sizeof",   "static",   "struct",   "switch",
    "template",  "this",      "true",     "typedef",  "typename", "union",
    "unsigned",  "using",     "void",     "volatile", "while",    "half",
    "size_t",    "float2",    "float3",   "float4",   "int2",     "int3",
    "int4",      "uint2",     "uint3",    "uint4",    "double2",  "dim3"};
static const char *const cuda_builtins[] = {
    "threadIdx", "blockIdx",   "blockDim",  "gridDim",
    "warpSize",  "atomicAdd",  "atomicCAS", "atomicMax",
    "atomicMin", "atomicExch", "printf"};

#define IS_ONE_OF(name, bytes, names)                                          \
  is_one_of(name, bytes, names, sizeof(names) / sizeof *(names))

static bool is_one_of(const char *name, size_t bytes, const char *const *names,
                      size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strlen(names[i]) == bytes && !memcmp(names[i], name, bytes))
      return true;
  return false;
}

static enum edit_style style_of_name(const char *name, size_t n, bool is_cuda) {
  if (!is_cuda)
    return IS_ONE_OF(name, n, lua_words) ? EDIT_STYLE_KEYWORD
                                         : EDIT_STYLE_PLAIN;
  if (IS_ONE_OF(name, n, cuda_words))
    return EDIT_STYLE_KEYWORD;
  bool is_builtin =
      (n > 2 && !memcmp(name, "__", 2)) || IS_ONE_OF(name, n, cuda_builtins);
  return is_builtin ? EDIT_STYLE_BUILTIN : EDIT_STYLE_PLAIN;
}

static enum edit_style style_of(const char *text, const struct edit_token *t) {
  switch (t->kind) {
  case EDIT_NAME: return style_of_name(text + t->at, t->bytes, t->is_cuda);
  case EDIT_NUMBER: return EDIT_STYLE_NUMBER;
  case EDIT_STRING: return EDIT_STYLE_STRING;
  case EDIT_COMMENT: return EDIT_STYLE_COMMENT;
  case EDIT_DIRECTIVE: return EDIT_STYLE_BUILTIN;
  case EDIT_COMMAND: return EDIT_STYLE_COMMAND;
  default: return EDIT_STYLE_PLAIN;
  }
}

void edit_colour(const char *text, edit_is_cuda *is_cuda_line,
                 unsigned char *styles) {
  struct edit_scan s;
  struct edit_token t;
  size_t bytes = strlen(text);
  memset(styles, EDIT_STYLE_PLAIN, bytes);
  edit_scan_begin(&s, text, bytes, is_cuda_line);
  while ((t = edit_scan_next(&s)).kind != EDIT_END)
    memset(styles + t.at, style_of(text, &t), t.bytes);
}

// ---- Brackets ----

static const char opening[] = "([{", closing[] = ")]}";

// Brackets in strings and comments are text.
static int direction_of(const char *text, const unsigned char *styles,
                        size_t at) {
  if (!text[at] || styles[at] != EDIT_STYLE_PLAIN)
    return 0;
  return strchr(opening, text[at]) ? 1 : strchr(closing, text[at]) ? -1 : 0;
}

static bool is_pair(char a, char b) {
  const char *left = strchr(opening, a), *right = strchr(closing, b);
  return left && right && left - opening == right - closing;
}

// Where the other half of the bracket at `from`, which opens towards `by`, is.
static bool find_half(const char *text, const unsigned char *styles,
                      size_t from, int by, size_t *found) {
  int depth = 0;
  for (size_t at = from; by < 0 || text[at]; at += (size_t)by) {
    depth += direction_of(text, styles, at) * by;
    if (depth == 0) {
      *found = at;
      return by > 0 ? is_pair(text[from], text[at])
                    : is_pair(text[at], text[from]);
    }
    if (by < 0 && at == 0)
      return false;
  }
  return false;
}

void edit_match(const char *text, size_t point, unsigned char *styles) {
  size_t from = point, at;
  int by = direction_of(text, styles, from);
  if (!by && point > 0)
    by = direction_of(text, styles, from = point - 1);
  if (by && find_half(text, styles, from, by, &at))
    styles[at] = styles[from] = EDIT_STYLE_MATCH;
}

bool edit_over_brackets(const char *text, const unsigned char *styles,
                        size_t *at, int by) {
  size_t from = *at;
  int direction = 0;
  while (!direction && (by > 0 ? text[from] != 0 : from > 0)) {
    from -= by < 0;
    direction = direction_of(text, styles, from);
    from += by > 0 && !direction;
  }
  size_t half;
  if (direction != by || !find_half(text, styles, from, by, &half))
    return false;
  *at = by > 0 ? half + 1 : half;
  return true;
}
