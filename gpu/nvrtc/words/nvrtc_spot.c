// SPDX-License-Identifier: Apache-2.0
// Reads around a place in CUDA C without parsing it: enough to say for sure
// what a compiler's message is about, or to say nothing.
#include "gpu/nvrtc/words/nvrtc_spot.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

// ---- Words ----

bool nvrtc_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

size_t nvrtc_word_bytes(const char *p) {
  size_t n = 0;
  while (nvrtc_is_word(p[n]))
    n++;
  return n;
}

bool nvrtc_word_is(const char *p, const char *word) {
  size_t n = strlen(word);
  return !strncmp(p, word, n) && !nvrtc_is_word(p[n]);
}

static const char *const type_words[] = {
    "bool",     "char",         "short",        "int",      "long",
    "unsigned", "signed",       "float",        "double",   "half",
    "size_t",   "const",        "auto",         "extern",   "static",
    "volatile", "__shared__",   "__constant__", "int8_t",   "uint8_t",
    "int16_t",  "uint16_t",     "int32_t",      "uint32_t", "int64_t",
    "uint64_t", "__restrict__", "void",
};

// float4, uint2: a basic type and its number of parts.
static bool is_vector_type(const char *p, size_t n) {
  static const char *const stems[] = {
      "char", "uchar", "short", "ushort",   "int",       "uint",
      "long", "ulong", "float", "longlong", "ulonglong", "double"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
    if (strlen(stems[i]) + 1 == n && !strncmp(p, stems[i], n - 1) &&
        p[n - 1] >= '1' && p[n - 1] <= '4')
      return true;
  return false;
}

bool nvrtc_starts_type(const char *p) {
  for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
    if (nvrtc_word_is(p, type_words[i]))
      return true;
  return is_vector_type(p, nvrtc_word_bytes(p));
}

// ---- Plain text ----

static void blank(char *from, const char *to) {
  for (; from < to; from++)
    if (*from != '\n')
      *from = ' ';
}

static char *line_end(char *p) {
  while (*p && *p != '\n')
    p += p[0] == '\\' && p[1] ? 2 : 1;
  return p;
}

static char *quote_end(char *p) {
  char quote = *p++;
  while (*p && *p != quote && *p != '\n')
    p += p[0] == '\\' && p[1] ? 2 : 1;
  return p;
}

static bool at_line_start(const char *text, const char *p) {
  while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
    p--;
  return p == text || p[-1] == '\n';
}

char *nvrtc_plain(const char *source) {
  char *text = xstrdup(source);
  for (char *p = text; *p;) {
    char *end = p + 1;
    if (p[0] == '/' && p[1] == '/') {
      end = line_end(p);
      blank(p, end);
    } else if (p[0] == '/' && p[1] == '*') {
      end = strstr(p + 2, "*/");
      end = end ? end + 2 : p + strlen(p);
      blank(p, end);
    } else if (*p == '#' && at_line_start(text, p)) {
      end = line_end(p);
      blank(p, end);
    } else if (*p == '"' || *p == '\'') {
      end = quote_end(p);
      blank(p + 1, end);
      end += *end != 0 && *end != '\n';
    }
    p = end;
  }
  return text;
}

// ---- Places ----

int nvrtc_spot_line(const char *text, const char *at) {
  int line = 1;
  for (const char *p = text; p < at; p++)
    line += *p == '\n';
  return line;
}

int nvrtc_spot_column(const char *text, const char *at) {
  const char *p = at;
  while (p > text && p[-1] != '\n')
    p--;
  return (int)(at - p) + 1;
}

enum { MOST_OPEN = 64 };

static void walk(struct nvrtc_spot *s) {
  const char *open[MOST_OPEN];
  int count = 0;
  s->statement = s->text;
  for (const char *p = s->text; p < s->at; p++) {
    if ((*p == '(' || *p == '[') && count < MOST_OPEN)
      open[count++] = p;
    else if ((*p == ')' || *p == ']') && count)
      count--;
    else if (*p == '{' || *p == '}') {
      count = 0;
      s->braces += *p == '{' ? 1 : s->braces > 0 ? -1 : 0;
      if (*p == '}' && s->braces == 0)
        s->ended = p;
    }
    if (*p == '{' || *p == '}' || (*p == ';' && count == 0))
      s->statement = p + 1;
  }
  s->statement += strspn(s->statement, " \t\n");
  if (s->statement > s->at)
    s->statement = s->at;
  s->open = count ? open[count - 1] : NULL;
}

bool nvrtc_spot_find(const char *plain, int line, int column,
                     struct nvrtc_spot *out) {
  const char *p = plain;
  *out = (struct nvrtc_spot){.text = plain};
  for (; line > 1 && p; line--)
    p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
  if (!p || line < 1 || column < 1 || (size_t)column > strcspn(p, "\n") + 1)
    return false;
  out->at = p + column - 1;
  walk(out);
  return true;
}

const char *nvrtc_before(const char *text, const char *at) {
  while (at > text && isspace((unsigned char)at[-1]))
    at--;
  return at > text ? at - 1 : NULL;
}

const char *nvrtc_word_start(const char *text, const char *last) {
  while (last > text && nvrtc_is_word(last[-1]))
    last--;
  return last;
}

const char *nvrtc_closing(const char *open) {
  int depth = 0;
  for (const char *p = open; *p; p++) {
    depth += strchr("([{", *p) ? 1 : strchr(")]}", *p) ? -1 : 0;
    if (depth == 0)
      return p;
  }
  return NULL;
}

// ---- Declarations ----

// From the name back over "const float *", or "float a, *b" back over the
// names in front: to the words that say the type.
static const char *type_before(const char *text, const char *name) {
  const char *found = NULL, *p = name;
  for (;;) {
    const char *last = nvrtc_before(text, p);
    if (!last)
      return found;
    if (*last == '*' || *last == '&') {
      p = last;
      continue;
    }
    if (!nvrtc_is_word(*last))
      return found;
    p = nvrtc_word_start(text, last);
    if (!nvrtc_starts_type(p))
      return found;
    found = p;
  }
}

// In "float *a, b" the type of b stands in front of a.
static const char *type_of_list(const char *text, const char *name) {
  const char *p = nvrtc_before(text, name);
  if (!p || *p != ',')
    return NULL;
  while (p > text && !strchr(";{}()", p[-1]))
    p--;
  if (p > text && p[-1] == '(') // parameters have a type each
    return NULL;
  p += strspn(p, " \t\n");
  return nvrtc_starts_type(p) ? p : NULL;
}

// The T of const T *x: what it stands before is declared, not it.
static bool is_type_behind_const(const char *text, const char *name, size_t n) {
  const char *last = nvrtc_before(text, name);
  const char *next = name + n + strspn(name + n, " \t\n");
  return last && last - text >= 4 && !strncmp(last - 4, "const", 5) &&
         (last - text == 4 || !nvrtc_is_word(last[-5])) &&
         (*next == '*' || *next == '&' || nvrtc_is_word(*next));
}

static bool describe(const char *text, const char *name, size_t n,
                     struct nvrtc_declared *out) {
  const char *last = nvrtc_before(text, name);
  const char *type = type_before(text, name);
  if (!type && name > text)
    type = type_of_list(text, last && *last == '*' ? last : name);
  if (!type || type == name || is_type_behind_const(text, name, n))
    return false;
  const char *behind = name + n + strspn(name + n, " \t");
  *out = (struct nvrtc_declared){.name = name, .type = type};
  out->is_array = *behind == '[';
  out->is_pointer = out->is_array || (last && *last == '*');
  out->is_function = *behind == '(';
  for (const char *p = type; p < name; p++)
    if (nvrtc_word_is(p, "const") && (p == type || !nvrtc_is_word(p[-1])))
      out->is_const = true;
  return true;
}

bool nvrtc_find_declared(const char *text, const char *word, const char *limit,
                         struct nvrtc_declared *out) {
  size_t n = nvrtc_word_bytes(word);
  bool found = false;
  for (const char *p = text; n && *p && (!limit || p < limit);) {
    struct nvrtc_declared each;
    size_t bytes = nvrtc_word_bytes(p);
    if (bytes == n && !strncmp(p, word, n) && describe(text, p, n, &each)) {
      *out = each;
      found = true;
      if (!limit)
        break;
    }
    p += bytes ? bytes : 1;
  }
  return found;
}
