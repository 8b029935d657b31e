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

// The last thing before "__global__" that could end a declaration comes before
// the word "template".
static bool is_template(const char *plain, const char *global) {
  const char *from = global;
  while (from > plain && !strchr(";}", from[-1]))
    from--;
  const char *word = find_word(from, "template");
  return word && word < global;
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

// ---- A text ----

static void read_kernels(struct cuda_text *c) {
  static const char word[] = "__global__";
  struct str plain = STR_INIT;
  squeeze(c->text, &plain);
  const char *global = find_word(plain.data, word);
  bool has_template = global && is_template(plain.data, global);
  for (; global; global = find_word(global + strlen(word), word)) {
    const char *open = parameters_of(global);
    if (!open)
      break;
    c->kernels = xrealloc(c->kernels,
                          (size_t)(c->kernel_count + 1) * sizeof *c->kernels);
    c->kernels[c->kernel_count++] = word_before(global, open);
  }
  c->is_template = c->kernel_count && has_template;
  str_free(&plain);
}

static void add_piece(struct pieces *p, char *name, char *text) {
  p->list = xrealloc(p->list, (size_t)(p->count + 1) * sizeof *p->list);
  p->list[p->count++] = (struct piece){name, text};
}

void cuda_text_read(struct cuda_text *c, const char *text) {
  *c = (struct cuda_text){.text = text};
  read_kernels(c);
  for (size_t n; *text; text += n) {
    n = input_cuda_first(text);
    char *unit = xstrndup(text, n);
    if (!unit[strspn(unit, " \t\r\n")]) {
      free(unit);
      continue;
    }
    struct str plain = STR_INIT;
    squeeze(unit, &plain);
    add_piece(&c->pieces, declared(plain.data), unit);
    str_free(&plain);
  }
}

void cuda_text_free(struct cuda_text *c) {
  for (int i = 0; i < c->kernel_count; i++)
    free(c->kernels[i]);
  free(c->kernels);
  pieces_free(&c->pieces);
}

// ---- The list ----

static int find_piece(const struct pieces *p, const char *name) {
  for (int i = 0; i < p->count; i++)
    if (!strcmp(p->list[i].name, name))
      return i;
  return -1;
}

void pieces_keep(struct pieces *p, const struct cuda_text *c) {
  for (int n = 0; n < c->pieces.count; n++) {
    const struct piece *one = &c->pieces.list[n];
    int i = find_piece(p, one->name);
    if (i < 0) {
      add_piece(p, xstrdup(one->name), xstrdup(one->text));
      continue;
    }
    free(p->list[i].text);
    p->list[i].text = xstrdup(one->text);
  }
}

void pieces_source(const struct pieces *p, const struct cuda_text *c,
                   const char *file, struct str *out) {
  for (int i = 0; i < p->count; i++) {
    if (find_piece(&c->pieces, p->list[i].name) >= 0)
      continue;
    if (file)
      str_add(out, "#line 1 \"earlier.cu\"\n");
    str_addf(out, "%s\n", p->list[i].text);
  }
  if (file && out->len)
    str_addf(out, "#line 1 \"%s\"\n", file);
  str_add(out, c->text);
  str_add_char(out, '\n');
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
