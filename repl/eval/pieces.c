// SPDX-License-Identifier: Apache-2.0
// The CUDA C that was typed so far.
#include "repl/eval/pieces.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/eval/input.h"

static bool is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// The text without comments, every run of blanks one space, so that names
// compare equal however they were laid out.
static void squeeze(const char *text, struct str *out) {
  for (const char *p = text; *p;) {
    if (p[0] == '/' && p[1] == '/') {
      p += strcspn(p, "\n");
    } else if (p[0] == '/' && p[1] == '*') {
      const char *end = strstr(p + 2, "*/");
      p = end ? end + 2 : p + strlen(p);
    } else if (isspace((unsigned char)*p)) {
      if (out->len && out->data[out->len - 1] != ' ')
        str_add_char(out, ' ');
      p++;
    } else {
      str_add_char(out, *p++);
    }
  }
}

static const char *find_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *p = text; (p = strstr(p, word)); p += n)
    if ((p == text || !is_word_char(p[-1])) && !is_word_char(p[n]))
      return p;
  return NULL;
}

bool piece_is_kernel(const char *text) {
  struct str plain = STR_INIT;
  squeeze(text, &plain);
  bool found = find_word(plain.data, "__global__") != NULL;
  str_free(&plain);
  return found;
}

// The last thing before "__global__" that could end a declaration comes before
// the word "template".
bool piece_is_template(const char *text) {
  struct str plain = STR_INIT;
  squeeze(text, &plain);
  const char *global = find_word(plain.data, "__global__"), *from = global;
  while (from && from > plain.data && !strchr(";}", from[-1]))
    from--;
  const char *word = from ? find_word(from, "template") : NULL;
  bool found = word && word < global;
  str_free(&plain);
  return found;
}

// ---- What a declaration declares ----

// Behind "template <...>", whose angle brackets may nest.
static const char *skip_template(const char *p) {
  while (str_starts(p, "template")) {
    int depth = 0;
    p = strchr(p, '<');
    if (!p)
      return "";
    do {
      depth += (*p == '<') - (*p == '>');
      p++;
    } while (*p && depth);
    p += *p == ' ';
  }
  return p;
}

// The identifier that ends at `end` (blanks before `end` do not count).
static char *word_before(const char *start, const char *end) {
  while (end > start && !is_word_char(end[-1]))
    end--;
  const char *from = end;
  while (from > start && is_word_char(from[-1]))
    from--;
  return xstrndup(from, (size_t)(end - from));
}

static char *type_name(const char *p, size_t keyword) {
  size_t n = keyword + strspn(p + keyword, " ");
  while (is_word_char(p[n]))
    n++;
  return xstrndup(p, n);
}

// Past one "(...)" that begins at `open`.
static const char *past_parentheses(const char *open) {
  int depth = 0;
  do {
    depth += (*open == '(') - (*open == ')');
    open++;
  } while (*open && depth);
  return open;
}

// "__launch_bounds__(256) void f(int)": the first list of an attribute is not
// the parameters.
static const char *parameters_of(const char *p) {
  static const char *const attributes[] = {"__launch_bounds__", "__align__",
                                           "__attribute__", "__cluster_dims__"};
  const char *open = strchr(p, '(');
  while (open) {
    char *word = word_before(p, open);
    bool is_attribute = false;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
      is_attribute |= !strcmp(word, attributes[i]);
    free(word);
    if (!is_attribute)
      return open;
    open = strchr(past_parentheses(open), '(');
  }
  return NULL;
}

static char *function_name(const char *p, const char *open) {
  char *word = word_before(p, open);
  const char *end = past_parentheses(open);
  char *name = xasprintf("%s%.*s", word, (int)(end - open), open);
  free(word);
  return name;
}

static char *declared(const char *p) {
  static const char *const types[] = {"struct ", "union ", "class ", "enum ",
                                      "namespace "};
  p = skip_template(p);
  if (*p == '#') {
    const char *define = str_starts(p, "#define ") ? p + 8 : NULL;
    return define ? xstrndup(p, 8 + strcspn(define, " ("))
                  : xstrndup(p, strcspn(p, "\n"));
  }
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (str_starts(p, types[i]))
      return type_name(p, strlen(types[i]));
  if (str_starts(p, "using ") && strchr(p, '='))
    return word_before(p, strchr(p, '='));
  const char *open = parameters_of(p);
  size_t head = strcspn(p, "=;{[");
  if (open && (size_t)(open - p) < head)
    return function_name(p, open);
  if (str_starts(p, "typedef ") && strrchr(p, ';'))
    return word_before(p, strrchr(p, ';'));
  return word_before(p, p + head);
}

char *piece_name(const char *text) {
  struct str plain = STR_INIT;
  squeeze(text, &plain);
  char *name = declared(plain.data);
  str_free(&plain);
  return name;
}

void piece_kernel_name(const char *text, char *out, size_t bytes) {
  struct str plain = STR_INIT;
  squeeze(text, &plain);
  const char *global = find_word(plain.data, "__global__");
  const char *open = global ? parameters_of(global) : NULL;
  char *name = open ? word_before(global, open) : xstrdup("");
  snprintf(out, bytes, "%s", name);
  free(name);
  str_free(&plain);
}

const char *piece_after_kernel(const char *text) {
  const char *global = find_word(text, "__global__");
  return global ? global + strlen("__global__") : text + strlen(text);
}

// ---- Several declarations ----

// The first whole declaration of `text`, with what stands before it: its bytes,
// or those of the whole text when no line ends one.
static size_t first_declaration(const char *text) {
  struct str unit = STR_INIT;
  size_t at = 0;
  bool whole = false;
  while (text[at] && !whole) {
    size_t n = strcspn(text + at, "\n");
    n += text[at + n] == '\n';
    str_add_bytes(&unit, text + at, n);
    at += n;
    whole = input_cuda_is_whole(unit.data);
  }
  str_free(&unit);
  return at;
}

// The names that `text` declares, one after the other; the caller frees each
// and the list.
static int declared_names(const char *text, char ***names) {
  int count = 0;
  *names = NULL;
  while (*text) {
    size_t n = first_declaration(text);
    char *unit = xstrndup(text, n);
    *names = xrealloc(*names, (size_t)(count + 1) * sizeof **names);
    (*names)[count++] = piece_name(unit);
    free(unit);
    text += n;
  }
  return count;
}

static bool is_among(char *const *names, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

// ---- The list ----

static int find_piece(const struct pieces *p, const char *name) {
  for (int i = 0; i < p->count; i++)
    if (!strcmp(p->list[i].name, name))
      return i;
  return -1;
}

static void keep_one(struct pieces *p, const char *text) {
  char *name = piece_name(text);
  int i = find_piece(p, name);
  if (i >= 0) {
    free(p->list[i].text);
    p->list[i].text = xstrdup(text);
    free(name);
    return;
  }
  p->list = xrealloc(p->list, (size_t)(p->count + 1) * sizeof *p->list);
  p->list[p->count++] = (struct piece){name, xstrdup(text)};
}

void pieces_keep(struct pieces *p, const char *text) {
  while (*text) {
    size_t n = first_declaration(text);
    char *unit = xstrndup(text, n);
    if (unit[strspn(unit, " \t\r\n")])
      keep_one(p, unit);
    free(unit);
    text += n;
  }
}

void pieces_source(const struct pieces *p, const char *text, const char *file,
                   struct str *out) {
  char **names;
  int count = declared_names(text, &names);
  for (int i = 0; i < p->count; i++) {
    if (is_among(names, count, p->list[i].name))
      continue;
    if (file)
      str_add(out, "#line 1 \"earlier.cu\"\n");
    str_addf(out, "%s\n", p->list[i].text);
  }
  if (file && out->len)
    str_addf(out, "#line 1 \"%s\"\n", file);
  str_add(out, text);
  str_add_char(out, '\n');
  for (int i = 0; i < count; i++)
    free(names[i]);
  free(names);
}

void pieces_free(struct pieces *p) {
  for (int i = 0; i < p->count; i++) {
    free(p->list[i].name);
    free(p->list[i].text);
  }
  free(p->list);
  p->list = NULL;
  p->count = 0;
}
