// SPDX-License-Identifier: Apache-2.0
// Comments, literals and preprocessor lines of a source in C++ ("lex" of the
// standard: comments, string literals with their raw form, line splices).
#include "gpu/nvrtc/source/lex.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static void blank(char *from, char *to) {
  for (; from < to; from++)
    if (*from != '\n')
      *from = ' ';
}

// A backslash before the end of the line, which may be "\r\n".
static bool is_splice(const char *p) {
  return *p == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'));
}

static char *end_of_line(char *p) {
  for (; *p && *p != '\n'; p++)
    if (is_splice(p))
      p += p[1] == '\r' ? 2 : 1;
  return p;
}

static char *end_of_quoted(char *p) {
  char quote = *p++;
  for (; *p && *p != quote && *p != '\n'; p++)
    if (*p == '\\' && p[1])
      p += is_splice(p) && p[1] == '\r' ? 2 : 1;
  return *p ? p + 1 : p;
}

// R"name( ... )name"; `p` is at the quote.
static char *end_of_raw(char *p) {
  size_t n = strcspn(p + 1, "( \n");
  if (n > 16 || p[1 + n] != '(')
    return end_of_quoted(p);
  for (char *q = p + n + 2; (q = strchr(q, ')')); q++)
    if (!strncmp(q + 1, p + 1, n) && q[1 + n] == '"')
      return q + n + 2;
  return p + strlen(p);
}

static char *end_of_comment(char *p) {
  if (p[1] == '/')
    return end_of_line(p);
  char *end = strstr(p + 2, "*/");
  return end ? end + 2 : p + strlen(p);
}

// In a number, ' only separates digits.
static bool is_quote(const char *text, const char *p) {
  return *p == '"' || (*p == '\'' && !(p > text && is_word(p[-1])));
}

static void blank_noise(char *text) {
  for (char *p = text, *end; *p; p = end) {
    end = p + 1;
    if (*p == '/' && (p[1] == '/' || p[1] == '*'))
      end = end_of_comment(p);
    else if (*p == '"' && p > text && p[-1] == 'R')
      end = end_of_raw(p);
    else if (is_quote(text, p))
      end = end_of_quoted(p);
    else
      continue;
    blank(p, end);
  }
}

// Once comments are gone: a line that begins with #.
static void blank_directives(char *text) {
  for (char *p = text; *p; p += *p == '\n') {
    bool is_directive = p[strspn(p, " \t")] == '#';
    char *end = is_directive ? end_of_line(p) : p + strcspn(p, "\n");
    if (is_directive)
      blank(p, end);
    p = end;
  }
}

void lex_blank(char *text, bool directives) {
  blank_noise(text);
  if (directives)
    blank_directives(text);
}
