// SPDX-License-Identifier: Apache-2.0
// Tab inside CUDA C: what the language has, and what the text itself names.
#include "repl/prompt/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "repl/edit/edit.h"
#include "repl/eval/eval.h"

static const char *const names[] = {
#define NAME(name) #name,
#include "gpu/nvrtc/words/nvrtc_names.def"
#undef NAME
    "char2",   "char4",   "uchar4", "short2",   "ushort2",       "long2",
    "double3", "double4", "half2",  "half",     "__nv_bfloat16", "dim3",
    "if",      "else",    "for",    "do",       "switch",        "case",
    "default", "typedef", "enum",   "typename", "static",        "inline",
    "using",   "true",    "false",  "volatile", "#include",      "#define",
    "#pragma"};

bool complete_is_cuda(const char *text, size_t at) {
  struct edit_scan s;
  edit_scan_begin(&s, text, at, input_starts_cuda);
  struct edit_token t = edit_scan_next(&s);
  while (t.kind != EDIT_END)
    t = edit_scan_next(&s);
  return t.is_cuda && !s.has_ended;
}

static bool is_name(const struct edit_token *t) {
  return t->kind == EDIT_NAME;
}

void complete_own_names(const char *text, size_t start, size_t end,
                        struct complete_matches *m) {
  struct edit_scan s;
  struct edit_token t;
  edit_scan_begin(&s, text, strlen(text), input_starts_cuda);
  while ((t = edit_scan_next(&s)).kind != EDIT_END)
    if (is_name(&t) && t.at != start && t.bytes >= end - start &&
        !strncmp(text + t.at, text + start, end - start))
      complete_add(m, xstrndup(text + t.at, t.bytes));
}

static bool is_word_before(const char *text, size_t end, const char *word) {
  size_t n = strlen(word);
  return end >= n && !strncmp(text + end - n, word, n) &&
         (end == n || !(isalnum((unsigned char)text[end - n - 1]) ||
                        text[end - n - 1] == '_'));
}

// x, y and z of threadIdx; w, too, of what may be a float4; and the members that
// the text has named so far.
static void add_members(const char *text, size_t dot, const char *head,
                        const char *part, struct complete_matches *m) {
  static const char *const places[] = {"threadIdx", "blockIdx", "blockDim",
                                       "gridDim"};
  bool is_place = false;
  for (int i = 0; i < 4; i++)
    is_place |= is_word_before(text, dot, places[i]);
  for (const char *c = is_place ? "xyz" : "xyzw"; *c; c++)
    if (!*part || (*part == *c && !part[1]))
      complete_add(m, xasprintf("%s%c", head, *c));
  struct edit_scan s;
  struct edit_token t, before = {0};
  edit_scan_begin(&s, text, strlen(text), input_starts_cuda);
  for (; !is_place && (t = edit_scan_next(&s)).kind != EDIT_END; before = t)
    if (is_name(&t) && before.kind == EDIT_MARK && text[before.at] == '.' &&
        before.at != dot && t.bytes > strlen(part) &&
        !strncmp(text + t.at, part, strlen(part)))
      complete_add(m, xasprintf("%s%.*s", head, (int)t.bytes, text + t.at));
}

void complete_cuda(const char *text, size_t start, size_t end,
                   struct complete_matches *m) {
  char *word = xstrndup(text + start, end - start), *dot = strrchr(word, '.');
  if (dot) {
    char *head = xstrndup(word, (size_t)(dot - word) + 1);
    add_members(text, start + (size_t)(dot - word), head, dot + 1, m);
    free(head);
  } else {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (str_starts(names[i], word) && !(*word == 0 && names[i][0] == '_'))
        complete_add(m, xstrdup(names[i]));
    complete_own_names(text, start, end, m);
  }
  free(word);
}

// ---- What the text says of a name of its own ----

// Words that stand before a name that is used there, not declared.
static bool is_verb(const char *name, size_t bytes) {
  static const char *const verbs[] = {"return", "else", "case",  "goto",
                                      "sizeof", "new",  "delete"};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strlen(verbs[i]) == bytes && !memcmp(verbs[i], name, bytes))
      return true;
  return false;
}

// A declaration as it is read: where its first word begins, and what came since.
struct declaration {
  size_t from;
  int names;        // behind each other
  bool is_type;     // begins with a word of CUDA C
  bool is_adjacent; // the last token was a name
  bool is_broken;   // by what stands in no declaration
};

static void note_token(struct declaration *d, const char *text,
                       const struct edit_token *t,
                       const unsigned char *styles) {
  char c = text[t->at];
  d->is_adjacent = is_name(t);
  if (is_name(t)) {
    if (!d->names++) {
      d->from = t->at;
      d->is_type = styles[t->at] != EDIT_STYLE_PLAIN;
    }
    d->is_broken |= is_verb(text + t->at, t->bytes);
  } else if (t->kind == EDIT_DIRECTIVE ||
             (t->kind == EDIT_MARK && strchr("(){};,", c))) {
    *d = (struct declaration){0};
  } else if (t->kind == EDIT_MARK && !strchr("*&<>:", c)) {
    d->is_broken = true;
  }
}

// Behind the name: an array's sizes, a function's parameters.
static size_t declarator_end(const char *text, size_t at) {
  int depth = 0;
  char first = text[at];
  if (first != '[' && first != '(')
    return at;
  for (; text[at]; at++) {
    depth += strchr("[(", text[at]) ? 1 : strchr("])", text[at]) ? -1 : 0;
    if (depth == 0 && !(first == '[' && text[at + 1] == '['))
      return at + 1;
  }
  return at;
}

static void add_in_one_line(struct str *out, const char *text, size_t from,
                            size_t to) {
  for (; from < to; from++)
    if (!isspace((unsigned char)text[from]))
      str_add_char(out, text[from]);
    else if (out->len && out->data[out->len - 1] != ' ')
      str_add_char(out, ' ');
}

void complete_declaration(const char *text, const char *name, size_t but_at,
                          struct str *out) {
  struct edit_scan s;
  struct edit_token t;
  struct declaration d = {0};
  unsigned char *styles = xcalloc(strlen(text) + 1, 1);
  edit_colour(text, input_starts_cuda, styles);
  edit_scan_begin(&s, text, strlen(text), input_starts_cuda);
  while (!out->len && (t = edit_scan_next(&s)).kind != EDIT_END) {
    bool is_it = is_name(&t) && t.is_cuda && t.at != but_at &&
                 t.bytes == strlen(name) && !memcmp(text + t.at, name, t.bytes);
    if (is_it && d.names && !d.is_broken && (d.is_adjacent || d.is_type))
      add_in_one_line(out, text, d.from, declarator_end(text, t.at + t.bytes));
    note_token(&d, text, &t, styles);
  }
  free(styles);
}
