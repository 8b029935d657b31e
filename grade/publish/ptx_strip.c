// SPDX-License-Identifier: Apache-2.0
// By lines and words: PTX of NVRTC has a statement a line.
#include "grade/publish/ptx_strip.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct names {
  char **of;
  int count;
};

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t word_bytes(const char *p) {
  size_t n = 0;
  while (is_letter(p[n]))
    n++;
  return n;
}

static const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t");
}

// ---- What goes ----

// The end of a string, which holds no comment.
static const char *end_of_string(const char *p) {
  for (p++; *p && *p != '"' && *p != '\n'; p++)
    p += *p == '\\' && p[1];
  return *p == '"' ? p + 1 : p;
}

static char *without_comments(const char *ptx) {
  struct str out = STR_INIT;
  str_add(&out, "");
  for (const char *p = ptx; *p;) {
    if (*p == '"') {
      const char *end = end_of_string(p);
      str_add_bytes(&out, p, (size_t)(end - p));
      p = end;
    } else if (str_starts(p, "//")) {
      p += strcspn(p, "\n");
    } else if (str_starts(p, "/*")) {
      const char *end = strstr(p, "*/");
      p = end ? end + 2 : p + strlen(p);
    } else {
      str_add_char(&out, *p++);
    }
  }
  return str_take(&out);
}

// Without .file, .loc and sections, which are of the source.
static char *without_places(const char *ptx) {
  struct str out = STR_INIT;
  bool in_section = false;
  str_add(&out, "");
  for (const char *p = ptx; *p;) {
    size_t n = strcspn(p, "\n");
    const char *word = skip_blanks(p);
    bool is_empty = word >= p + n;
    in_section |= str_starts(word, ".section");
    if (!in_section && !is_empty && !str_starts(word, ".file") &&
        !str_starts(word, ".loc\t") && !str_starts(word, ".loc ")) {
      str_add_bytes(&out, p, n);
      str_add_char(&out, '\n');
    }
    in_section &= !memchr(p, '}', n);
    p += n + (p[n] == '\n');
  }
  return str_take(&out);
}

// ---- Names ----

static void take_name(struct names *names, const char *p,
                      const char *const *keep) {
  size_t n = word_bytes(p);
  if (!n || isdigit((unsigned char)*p))
    return;
  for (; *keep; keep++)
    if (strlen(*keep) == n && !memcmp(*keep, p, n))
      return;
  names->of =
      xrealloc(names->of, (size_t)(names->count + 1) * sizeof *names->of);
  names->of[names->count++] = xstrndup(p, n);
}

// Behind ".func": past the result in brackets.
static const char *name_of_function(const char *p) {
  p = skip_blanks(p);
  if (*p == '(')
    p = skip_blanks(p + strcspn(p, ")") + 1);
  return p;
}

// Behind ".shared": past ".align 4 .b8" and the like.
static const char *name_of_variable(const char *p) {
  for (p = skip_blanks(p); *p == '.' || isdigit((unsigned char)*p);
       p = skip_blanks(p)) {
    if (*p == '.')
      p++;
    p += word_bytes(p);
    if (*p == '(')
      p += strcspn(p, ")") + 1;
  }
  return p;
}

// What the line at `p` declares.
static void take_declared(struct names *names, const char *p,
                          const char *const *keep) {
  static const char *const spaces[] = {".global", ".const", ".shared",
                                       ".local"};
  static const char *const linkage[] = {".visible", ".weak", ".common"};
  p = skip_blanks(p);
  for (size_t i = 0; i < sizeof linkage / sizeof *linkage; i++)
    if (str_starts(p, linkage[i]))
      p = skip_blanks(p + strlen(linkage[i]));
  if (str_starts(p, ".extern")) {
    p = skip_blanks(p + strlen(".extern"));
    if (!str_starts(p, ".shared"))
      return;
  }
  if (str_starts(p, ".func"))
    take_name(names, name_of_function(p + strlen(".func")), keep);
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (str_starts(p, spaces[i]) &&
        isspace((unsigned char)p[strlen(spaces[i])]))
      take_name(names, name_of_variable(p + strlen(spaces[i])), keep);
}

static struct names declared_in(const char *ptx, const char *const *keep) {
  struct names names = {0};
  for (const char *p = ptx; *p;) {
    size_t n = strcspn(p, "\n");
    take_declared(&names, p, keep);
    p += n + (p[n] == '\n');
  }
  return names;
}

// The number of the name that the word is, or begins with as a parameter does;
// -1: none. `*bytes` is how much of the word it is.
static int find_name(const struct names *names, const char *word, size_t n,
                     size_t *bytes) {
  for (int i = 0; i < names->count; i++) {
    *bytes = strlen(names->of[i]);
    bool begins = *bytes <= n && !memcmp(names->of[i], word, *bytes);
    if (begins && (*bytes == n || str_starts(word + *bytes, "_param_")))
      return i;
  }
  return -1;
}

static char *renamed(const char *ptx, const struct names *names) {
  struct str out = STR_INIT;
  str_add(&out, "");
  for (const char *p = ptx; *p;) {
    size_t n = word_bytes(p), bytes;
    bool is_other = p > ptx && (p[-1] == '.' || p[-1] == '%');
    int i = n && !is_other ? find_name(names, p, n, &bytes) : -1;
    if (i >= 0) {
      str_addf(&out, "v%d", i + 1);
      str_add_bytes(&out, p + bytes, n - bytes);
    } else {
      n = n ? n : 1;
      str_add_bytes(&out, p, n);
    }
    p += n;
  }
  return str_take(&out);
}

char *ptx_strip(const char *ptx, const char *const *keep) {
  char *bare = without_comments(ptx), *text = without_places(bare);
  struct names names = declared_in(text, keep);
  char *stripped = renamed(text, &names);
  for (int i = 0; i < names.count; i++)
    free(names.of[i]);
  free(names.of);
  free(text);
  free(bare);
  return stripped;
}
