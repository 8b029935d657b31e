// SPDX-License-Identifier: Apache-2.0
// Which declarations of a source are the host's.
//
// Theory of operation: comments, literals and directives are blanked (lex.c);
// what is left is cut into declarations at namespace scope, by brackets and
// semicolons alone. One with __global__, __device__ and their kin in its head,
// also by way of a macro, is never touched. Of the others the compiler decides:
// what it complains of goes, and what the rest then lacks comes back. Names are
// compared as words; scopes are the compiler's business.
#include "gpu/nvrtc/host.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/source/lex.h"

enum part { PART_KEPT, PART_OUT, PART_NEEDED };

struct declaration {
  size_t from, to; // bytes of the source
  int first, last; // lines
  char *name;      // of a function or a variable, else NULL
  bool is_device;
  bool is_hosts; // a function's body, a variable: NVRTC refuses it for sure
  enum part part;
};

struct host {
  char *source;
  char *code; // without comments and literals
  char *flat; // without directives as well
  struct declaration *list;
  int count;
  char **macros; // those that stand for an execution or a memory space
  int macro_count;
  bool has_learnt;
};

// ---- Words ----

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

static size_t word_bytes(const char *p) {
  size_t n = 0;
  while (is_word(p[n]))
    n++;
  return n;
}

static bool is_text(const char *p, size_t n, const char *text) {
  return strlen(text) == n && !memcmp(p, text, n);
}

static bool is_one_of(const char *p, size_t n, const char *const *list) {
  for (; *list; list++)
    if (is_text(p, n, *list))
      return true;
  return false;
}

// The next word in [p, end); NULL: none.
static const char *find_word(const char *p, const char *end, size_t *n) {
  while (p < end && !is_word(*p))
    p++;
  *n = p < end ? word_bytes(p) : 0;
  return *n ? p : NULL;
}

static bool has_word(const char *p, const char *end, const char *name) {
  size_t n;
  for (; (p = find_word(p, end, &n)); p += n)
    if (is_text(p, n, name))
      return true;
  return false;
}

// ---- Spaces ----

static bool is_space(const struct host *h, const char *p, size_t n) {
  static const char *const spaces[] = {
      "__global__",  "__device__",        "__constant__",       "__shared__",
      "__managed__", "__grid_constant__", "__device_builtin__", NULL};
  for (int i = 0; i < h->macro_count; i++)
    if (is_text(p, n, h->macros[i]))
      return true;
  return is_one_of(p, n, spaces);
}

static bool has_space(const struct host *h, const char *p, const char *end) {
  size_t n;
  for (; (p = find_word(p, end, &n)); p += n)
    if (is_space(h, p, n))
      return true;
  return false;
}

static const char *end_of_line(const char *p) {
  while (*p && !(*p == '\n' && p[-1] != '\\'))
    p++;
  return p;
}

// One pass over the #define lines of `code`; true where a macro was added.
static bool add_macros(struct host *h, const char *code) {
  bool is_new = false;
  for (const char *p = code; (p = strstr(p, "define")); p++) {
    const char *hash = p, *end = end_of_line(p);
    while (hash > code && strchr(" \t", hash[-1]))
      hash--;
    size_t n, known;
    const char *name = find_word(p + 6, end, &n);
    if (hash == code || hash[-1] != '#' || !name || is_space(h, name, n) ||
        !has_space(h, name + n, end))
      continue;
    known = (size_t)h->macro_count;
    h->macros = xrealloc(h->macros, (known + 1) * sizeof *h->macros);
    h->macros[h->macro_count++] = xstrndup(name, n);
    is_new = true;
  }
  return is_new;
}

static void find_macros(struct host *h) {
  while (add_macros(h, h->code))
    ;
}

// ---- Declarations ----

// Behind the bracket that closes the one at `p`; NULL: none does.
static const char *behind_bracket(const char *p) {
  int depth = 0;
  do {
    if (strchr("([{", *p))
      depth++;
    else if (strchr(")]}", *p))
      depth--;
    p++;
  } while (*p && depth > 0);
  return depth ? NULL : p;
}

// template <...>; `p` is at the <.
static const char *behind_angle(const char *p) {
  int depth = 0;
  for (; *p && *p != ';' && *p != '{'; p++) {
    depth += (*p == '<') - (*p == '>');
    if (!depth)
      return p + 1;
  }
  return NULL;
}

static const char *skip_blanks(const char *p) {
  while (isspace((unsigned char)*p))
    p++;
  return p;
}

// What the head of a declaration has shown so far.
struct head {
  const char *name, *last; // a word each
  size_t name_bytes, last_bytes;
  int words;
  bool has_parens, has_equals, has_body, has_angle;
  bool is_type, is_namespace, is_extern, is_operator, is_const, is_other;
  bool is_device;
  char before; // the last character that is no blank
};

// Takes the word at `p`; returns where to go on, NULL: nobody knows.
static const char *take_word(const struct host *h, struct head *d,
                             const char *p) {
  static const char *const attributes[] = {
      "__align__",         "alignas",    "__attribute__",
      "__launch_bounds__", "__declspec", "__cluster_dims__",
      "__block_size__",    "decltype",   NULL};
  static const char *const types[] = {"struct", "class", "union", "enum", NULL};
  static const char *const others[] = {
      "typedef", "using", "static_assert", "friend", "asm", "concept", NULL};
  static const char *const fixed[] = {"const", "constexpr", "constinit", NULL};
  size_t n = word_bytes(p);
  const char *behind = skip_blanks(p + n);
  d->words++;
  d->is_device |= is_space(h, p, n);
  if (is_text(p, n, "template") && *behind == '<')
    return behind_angle(behind);
  if (is_one_of(p, n, attributes))
    return *behind == '(' ? behind_bracket(behind) : behind;
  if (d->is_type && !d->name) { // the word behind struct
    d->name = p;
    d->name_bytes = n;
  }
  d->is_type |= !d->has_parens && is_one_of(p, n, types);
  d->is_other |= is_one_of(p, n, others);
  d->is_const |= is_one_of(p, n, fixed);
  d->is_namespace |= is_text(p, n, "namespace");
  d->is_extern |= is_text(p, n, "extern");
  d->is_operator |= is_text(p, n, "operator");
  d->last = p;
  d->last_bytes = n;
  return p + n;
}

static void set_name(struct head *d) {
  if (d->name || !d->last)
    return;
  d->name = d->last;
  d->name_bytes = d->last_bytes;
}

static bool is_function(const struct head *d) {
  return d->has_parens && (!d->has_equals || d->is_operator) &&
         (!d->is_type || d->before == ')') && !d->is_other;
}

static int count_lines(const char *from, const char *to) {
  int lines = 0;
  for (; from < to; from++)
    lines += *from == '\n';
  return lines;
}

static void add_declaration(struct host *h, const struct head *d,
                            const char *from, const char *to) {
  size_t count = (size_t)h->count + 1;
  h->list = xrealloc(h->list, count * sizeof *h->list);
  bool is_variable = !d->has_parens || d->has_equals;
  bool is_hosts = is_function(d)
                      ? d->has_body && !d->is_operator
                      : is_variable && !d->is_type && !d->is_const &&
                            !d->is_other && !d->is_extern && !d->is_namespace;
  // Counted on from the one before: there may be a hundred thousand.
  const struct declaration *before = h->count ? &h->list[h->count - 1] : NULL;
  int first = before ? before->last + count_lines(h->flat + before->to, from)
                     : 1 + count_lines(h->flat, from);
  h->list[h->count++] = (struct declaration){
      .from = (size_t)(from - h->flat),
      .to = (size_t)(to - h->flat),
      .first = first,
      .last = first + count_lines(from, to),
      .name = d->name ? xstrndup(d->name, d->name_bytes) : NULL,
      .is_device = d->is_device || (d->is_type && has_space(h, from, to)),
      .is_hosts = is_hosts,
  };
}

// One declaration from `p` on; returns where it ends, NULL: nobody knows.
// `scopes` counts namespaces and extern "C" blocks that are open.
static const char *take_declaration(struct host *h, const char *p,
                                    int *scopes) {
  struct head d = {0};
  const char *from = p;
  while (*p) {
    char c = *p;
    if (isspace((unsigned char)c)) {
      p++;
      continue;
    }
    d.has_angle |= c == '<'; // a comma in it ends no name
    if (strchr(";=([", c) || (c == ',' && !d.has_angle))
      set_name(&d);
    if (c == ';') {
      add_declaration(h, &d, from, p + 1);
      return p + 1;
    }
    if (c == '{' && (d.is_namespace || (d.is_extern && d.words == 1))) {
      ++*scopes;
      return p + 1;
    }
    if (c == '{' && is_function(&d)) {
      d.has_body = true;
      p = behind_bracket(p);
      if (p)
        add_declaration(h, &d, from, p);
      return p;
    }
    d.has_parens |= c == '(' && !d.has_equals;
    d.has_equals |= c == '=';
    p = is_word(c)         ? take_word(h, &d, p)
        : strchr("([{", c) ? behind_bracket(p)
        : strchr(")]}", c) ? NULL
                           : p + 1;
    if (!p)
      return NULL;
    d.before = p[-1];
  }
  return NULL; // it does not end
}

static bool take_all(struct host *h) {
  int scopes = 0;
  const char *p = h->flat;
  while (*(p = skip_blanks(p))) {
    if (*p == ';') {
      p++;
    } else if (*p == '}') {
      p++;
      if (--scopes < 0)
        return false;
    } else if (!(p = take_declaration(h, p, &scopes))) {
      return false;
    }
  }
  return scopes == 0;
}

struct host *host_new(const char *source) {
  struct host *h = xcalloc(1, sizeof *h);
  h->source = xstrdup(source);
  h->code = xstrdup(source);
  lex_blank(h->code, false);
  h->flat = xstrdup(source);
  lex_blank(h->flat, true);
  find_macros(h);
  if (take_all(h))
    return h;
  host_free(h);
  return NULL;
}

void host_free(struct host *h) {
  if (!h)
    return;
  for (int i = 0; i < h->count; i++)
    free(h->list[i].name);
  for (int i = 0; i < h->macro_count; i++)
    free(h->macros[i]);
  free(h->macros);
  free(h->list);
  free(h->source);
  free(h->code);
  free(h->flat);
  free(h);
}

// ---- Learning ----

static bool take_out_all(struct host *h) {
  bool is_new = false;
  for (int i = 0; i < h->count && !h->has_learnt; i++) {
    struct declaration *d = &h->list[i];
    if (d->is_device || !d->is_hosts)
      continue;
    d->part = PART_OUT;
    is_new = true;
  }
  h->has_learnt = true;
  return is_new;
}

static struct declaration *declaration_at(struct host *h, int line) {
  for (int i = 0; i < h->count; i++)
    if (h->list[i].first <= line && line <= h->list[i].last)
      return &h->list[i];
  return NULL;
}

static const char *line_start(const char *text, int line) {
  for (; line > 1 && *text; text++)
    line -= *text == '\n';
  return text;
}

// What the line lacks comes back.
static bool bring_back(struct host *h, int line) {
  const char *from = line_start(h->source, line);
  const char *to = from + strcspn(from, "\n");
  bool is_new = false;
  for (int i = 0; i < h->count; i++) {
    struct declaration *d = &h->list[i];
    if (d->part != PART_OUT || !d->name || !has_word(from, to, d->name))
      continue;
    d->part = PART_NEEDED;
    is_new = true;
  }
  return is_new;
}

static bool learn_error(struct host *h, int line) {
  struct declaration *d = declaration_at(h, line);
  if (!d || d->part == PART_OUT) // that is an error of before
    return false;
  if (d->is_device || d->part == PART_NEEDED)
    return bring_back(h, line);
  d->part = PART_OUT;
  return true;
}

bool host_learn(struct host *h, const struct nvrtc_program *failed) {
  if (take_out_all(h))
    return true;
  bool is_new = false;
  for (int i = 0; i < failed->diagnostic_count; i++) {
    const struct nvrtc_diagnostic *n = &failed->diagnostics[i];
    if (n->severity == NVRTC_ERROR && n->line > 0)
      is_new |= learn_error(h, n->line);
  }
  return is_new;
}

// A line between `from` and `to` that belongs to a directive: #if and #endif
// must stay.
static bool is_directive(const struct host *h, size_t from, size_t to) {
  for (size_t k = from; k < to; k++)
    if (h->code[k] != h->flat[k])
      return true;
  return false;
}

static void blank(const struct host *h, const struct declaration *d,
                  char *text) {
  for (size_t at = d->from, end; at < d->to; at = end) {
    const char *newline = memchr(text + at, '\n', d->to - at);
    end = newline ? (size_t)(newline - text) : d->to;
    if (!is_directive(h, at, end))
      memset(text + at, ' ', end - at);
    end += text[end] == '\n';
  }
}

char *host_text(const struct host *h) {
  char *text = xstrdup(h->source);
  for (int i = 0; i < h->count; i++)
    if (h->list[i].part == PART_OUT)
      blank(h, &h->list[i], text);
  return text;
}

// ---- Compiling by the kernels alone ----

enum err host_compile(char **text, host_compiler *compile, void *context,
                      struct nvrtc_program **out, struct err_info *e) {
  enum { ROUNDS = 8 };
  enum err err = compile(context, out, e);
  struct host *h = err == ERR_COMPILE ? host_new(*text) : NULL;
  for (int i = 0;
       i < ROUNDS && h && err == ERR_COMPILE && *out && host_learn(h, *out);
       i++) {
    nvrtc_program_free(*out);
    free(*text);
    *text = host_text(h);
    err = compile(context, out, e);
  }
  host_free(h);
  return err;
}
