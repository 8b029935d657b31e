// SPDX-License-Identifier: Apache-2.0
// Kernels as the source declares them. Comments, texts and preprocessor lines
// are blanked first (lex.c); then each `__global__` is followed to its name and its
// parameters. This is no C++ parser: what it does not understand it leaves
// open, and nvrtc_kernels.c checks the rest against the compiled code.
#include "gpu/nvrtc/image/signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/nvrtc/source/lex.h"

// ---- Types ----

static const struct {
  const char *name;
  enum nvrtc_type type;
  uint8_t lanes;
} named_types[] = {
#define TYPE(name, type, lanes) {name, NVRTC_##type, lanes},
#include "gpu/nvrtc/image/signature_types.def"
#undef TYPE
};

uint32_t signature_type_bytes(enum nvrtc_type type) {
  switch (type) {
  case NVRTC_BOOL:
  case NVRTC_I8:
  case NVRTC_U8: return 1;
  case NVRTC_I16:
  case NVRTC_U16:
  case NVRTC_F16:
  case NVRTC_BF16: return 2;
  case NVRTC_I32:
  case NVRTC_U32:
  case NVRTC_F32: return 4;
  case NVRTC_I64:
  case NVRTC_U64:
  case NVRTC_F64: return 8;
  case NVRTC_VOID:
  case NVRTC_OPAQUE: break;
  }
  return 0;
}

// How often each of C's type words stands in a declaration.
struct words {
  int n_unsigned, n_signed, n_char, n_short, n_int, n_long, n_bool, n_float,
      n_double, n_void, n_other;
};

static void count_word(struct words *w, const char *p, size_t n) {
  static const struct {
    const char *text;
    size_t at;
  } known[] = {
      {"unsigned", offsetof(struct words, n_unsigned)},
      {"signed", offsetof(struct words, n_signed)},
      {"char", offsetof(struct words, n_char)},
      {"short", offsetof(struct words, n_short)},
      {"int", offsetof(struct words, n_int)},
      {"long", offsetof(struct words, n_long)},
      {"bool", offsetof(struct words, n_bool)},
      {"float", offsetof(struct words, n_float)},
      {"double", offsetof(struct words, n_double)},
      {"void", offsetof(struct words, n_void)},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].text) == n && !memcmp(known[i].text, p, n)) {
      ++*(int *)((char *)w + known[i].at);
      return;
    }
  w->n_other++;
}

static bool pick_integer(const struct words *w, enum nvrtc_type *type) {
  bool is_unsigned = w->n_unsigned > 0;
  if (w->n_char)
    *type = is_unsigned ? NVRTC_U8 : NVRTC_I8;
  else if (w->n_short)
    *type = is_unsigned ? NVRTC_U16 : NVRTC_I16;
  else if (w->n_long)
    *type = is_unsigned ? NVRTC_U64 : NVRTC_I64;
  else if (w->n_int || w->n_unsigned || w->n_signed)
    *type = is_unsigned ? NVRTC_U32 : NVRTC_I32;
  else
    return false;
  return true;
}

static bool c_type(const char *text, enum nvrtc_type *type) {
  struct words w = {0};
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, " ");
    count_word(&w, p, n);
    p += n + strspn(p + n, " ");
  }
  int integers = w.n_unsigned + w.n_signed + w.n_char + w.n_short + w.n_int;
  int alone = w.n_bool + w.n_float + w.n_double + w.n_void;
  if (w.n_other || alone > 1 || (alone && (integers || w.n_long)))
    return false;
  if (!alone)
    return pick_integer(&w, type);
  *type = w.n_bool    ? NVRTC_BOOL
          : w.n_float ? NVRTC_F32
          : w.n_void  ? NVRTC_VOID
                      : NVRTC_F64;
  return true;
}

bool signature_type(const char *words, enum nvrtc_type *type, uint8_t *lanes) {
  *lanes = 1;
  if (str_starts(words, "std::"))
    words += 5;
  if (c_type(words, type))
    return true;
  for (size_t i = 0; i < sizeof named_types / sizeof *named_types; i++)
    if (!strcmp(words, named_types[i].name)) {
      *type = named_types[i].type;
      *lanes = named_types[i].lanes;
      return true;
    }
  return false;
}

// ---- Words ----

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// ---- Tokens ----

struct token {
  const char *p;
  size_t n; // 0 at the end
};

static struct token next(const char *p) {
  while (isspace((unsigned char)*p))
    p++;
  struct token t = {p, *p ? 1 : 0};
  if (is_word(*p))
    while (is_word(p[t.n]))
      t.n++;
  else if (p[0] == ':' && p[1] == ':')
    t.n = 2;
  return t;
}

static bool is(struct token t, const char *text) {
  return t.n == strlen(text) && !memcmp(t.p, text, t.n);
}

static bool is_name(struct token t) {
  return t.n && is_word(*t.p) && !isdigit((unsigned char)*t.p);
}

// `p` is at an opening bracket; returns what is behind its partner, or NULL.
static const char *behind(const char *p) {
  int depth = 0;
  for (; *p; p++) {
    if (strchr("([{", *p))
      depth++;
    else if (strchr(")]}", *p) && --depth == 0)
      return p + 1;
  }
  return NULL;
}

// ---- Parameters ----

static bool is_qualifier(struct token t) {
  static const char *const words[] = {
      "const",  "volatile",          "__restrict__", "__restrict", "restrict",
      "struct", "__grid_constant__", "class",        "typename",   "enum"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is(t, words[i]))
      return true;
  return false;
}

// What is gathered from a parameter's words.
struct declaration {
  struct str type;     // "unsigned int", "ns::T<4>"
  struct token last;   // its last name, which may be the parameter's own
  size_t before_last;  // length of `type` before it
  bool last_ends_type; // nothing but blanks since
  int levels;          // of pointers
  bool is_const[8];    // const at each level; 0 is the value
  bool is_strange;     // references, functions, arrays of pointers ...
  int arrays;
};

static void add_to_type(struct declaration *d, struct token t) {
  bool joins = !d->type.len || is(t, "::") || str_ends(d->type.data, "::") ||
               !is_word(*t.p) || !is_word(d->type.data[d->type.len - 1]);
  d->before_last = d->type.len;
  if (!joins)
    str_add_char(&d->type, ' ');
  str_add_bytes(&d->type, t.p, t.n);
}

static const char *skip_template_arguments(const char *p,
                                           struct declaration *d) {
  int depth = 0;
  const char *from = p;
  for (; *p; p++) {
    depth += (*p == '<') - (*p == '>');
    if (!depth)
      break;
  }
  p += *p == '>';
  add_to_type(d, (struct token){from, (size_t)(p - from)});
  d->last.n = 0;
  return p;
}

static void read_words(const char *p, const char *end, struct declaration *d) {
  for (struct token t = next(p); t.n && t.p < end; t = next(p)) {
    p = t.p + t.n;
    if (is(t, "="))
      return;
    if (is(t, "const"))
      d->is_const[d->levels] = true;
    else if (is_qualifier(t))
      continue;
    else if (is(t, "*") && d->levels < 7)
      d->levels++;
    else if (is(t, "<"))
      p = skip_template_arguments(t.p, d);
    else if (is(t, "[")) {
      d->arrays++;
      p = behind(t.p) ? behind(t.p) : end;
    } else if (is_name(t) || is(t, "::")) {
      // Behind a star or another array there is only the parameter's name.
      if (d->levels && d->last.n && d->last_ends_type)
        d->is_strange = true;
      if (!d->levels)
        add_to_type(d, t);
      d->last_ends_type = d->levels > 0;
      d->last = t;
    } else {
      d->is_strange = true;
      return;
    }
  }
}

// Is `word` a type by itself, so that it cannot be the parameter's name?
static bool is_type_word(struct token t) {
  char *word = xstrndup(t.p, t.n);
  enum nvrtc_type type;
  uint8_t lanes;
  bool is_type = signature_type(word, &type, &lanes);
  free(word);
  return is_type;
}

// "float *x" has its name behind the star; "int n" at the end of its words.
static void split_name(struct declaration *d, char **name) {
  *name = NULL;
  if (!d->last.n || !is_name(d->last))
    return;
  if (d->levels && d->last_ends_type) {
    *name = xstrndup(d->last.p, d->last.n);
  } else if (!d->levels && d->before_last && !is_type_word(d->last) &&
             !str_ends(d->type.data, "::") &&
             d->type.data[d->before_last - 1] != ':') {
    *name = xstrndup(d->last.p, d->last.n);
    d->type.len = d->before_last;
    d->type.data[d->type.len] = 0;
  }
}

static char *written(const struct nvrtc_param *p, const char *type,
                     const struct declaration *d) {
  struct str s = STR_INIT;
  if (d->is_const[0] && p->pointer_levels)
    str_add(&s, "const ");
  str_addf(&s, "%s%s", type, p->pointer_levels ? " " : "");
  for (int i = 1; i <= p->pointer_levels; i++)
    str_addf(&s, "*%s",
             i < p->pointer_levels && d->is_const[i] ? " const " : "");
  return str_take(&s);
}

static void read_param(const char *p, const char *end,
                       struct nvrtc_param *out) {
  struct declaration d = {.type = STR_INIT};
  *out = (struct nvrtc_param){.type = NVRTC_OPAQUE, .vector_lanes = 1};
  read_words(p, end, &d);
  if (!d.is_strange && d.type.len) {
    split_name(&d, &out->name);
    if (d.arrays) // an array parameter is a pointer
      d.levels++;
    bool is_plain = d.arrays < 2 && d.levels < 8 &&
                    signature_type(d.type.data, &out->type, &out->vector_lanes);
    out->pointer_levels = (uint8_t)d.levels;
    out->declared = written(out, d.type.data, &d);
    out->is_pointer = d.levels > 0;
    out->is_const = d.levels && d.is_const[d.levels - 1];
    if (!is_plain) { // a structure, or a type of another name
      out->type = NVRTC_OPAQUE;
      out->vector_lanes = 1;
    }
  }
  str_free(&d.type);
}

static void add_param(struct signature *s, const char *from, const char *to) {
  struct token first = next(from);
  if (first.p >= to)
    return;
  s->params =
      xrealloc(s->params, (size_t)(s->param_count + 1) * sizeof *s->params);
  read_param(from, to, &s->params[s->param_count++]);
}

// `p` is behind the opening parenthesis, `end` at the closing one.
static void read_params(const char *p, const char *end, struct signature *s) {
  int depth = 0;
  const char *from = p;
  if (is(next(p), "void") && next(next(p).p + 4).p >= end)
    return;
  for (; p < end; p++) {
    depth += strchr("([{<", *p) != NULL;
    depth -= strchr(")]}>", *p) != NULL;
    if (*p == ',' && !depth) {
      add_param(s, from, p);
      from = p + 1;
    }
  }
  add_param(s, from, end);
}

// ---- Kernels ----

// Parentheses that belong to an attribute or to somebody's macro, not to the
// function: what follows them is neither a body nor an end.
static bool is_attribute(struct token name, const char *after) {
  static const char *const known[] = {"__launch_bounds__", "__cluster_dims__",
                                      "__maxnreg__",       "__attribute__",
                                      "alignas",           "__block_size__"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is(name, known[i]))
      return true;
  struct token t = next(after);
  return !(is(t, "{") || is(t, ";") || is(t, "noexcept") ||
           (t.n > 2 && !memcmp(t.p, "__", 2)));
}

// Is there `template` between the last end of a declaration and `p`?
static bool is_behind_template(const char *text, const char *p) {
  const char *from = p;
  while (from > text && !strchr(";{}", from[-1]))
    from--;
  for (struct token t = next(from); t.n && t.p < p; t = next(t.p + t.n))
    if (is(t, "template"))
      return true;
  return false;
}

static void add_signature(struct signatures *out, struct token name,
                          bool is_template, const char *open,
                          const char *after) {
  out->list = xrealloc(out->list, (size_t)(out->count + 1) * sizeof *out->list);
  struct signature *s = &out->list[out->count++];
  *s = (struct signature){.name = xstrndup(name.p, name.n),
                          .is_template = is_template};
  read_params(open + 1, after - 1, s);
}

// Follows one __global__ to its function; returns where to look on.
static const char *read_kernel(const char *text, const char *p,
                               struct signatures *out) {
  bool is_template = is_behind_template(text, p);
  struct token before = {p, 0};
  for (struct token t = next(p); t.n; t = next(p)) {
    if (is(t, "{") || is(t, ";") || is(t, "}"))
      return t.p;
    p = t.p + t.n;
    if (is(t, "[") && behind(t.p)) { // an attribute; the name still counts
      p = behind(t.p);
      continue;
    }
    if (is(t, "(")) {
      const char *after = behind(t.p);
      if (!after)
        return p;
      p = after;
      if (is_name(before) && !is_attribute(before, after)) {
        add_signature(out, before, is_template, t.p, after);
        return p;
      }
      t.n = 0;
    }
    before = t;
  }
  return p;
}

void signatures_scan(const char *source, struct signatures *out) {
  char *text = xstrdup(source);
  *out = (struct signatures){0};
  lex_blank(text, true);
  const char *p = text;
  for (struct token t = next(p); t.n; t = next(p)) {
    p = t.p + t.n;
    if (is(t, "__global__"))
      p = read_kernel(text, p, out);
  }
  free(text);
}

void signature_params_free(struct nvrtc_param *params, int count) {
  for (int i = 0; i < count; i++) {
    free(params[i].name);
    free(params[i].declared);
  }
  free(params);
}

void signatures_free(struct signatures *s) {
  for (int i = 0; i < s->count; i++) {
    free(s->list[i].name);
    signature_params_free(s->list[i].params, s->list[i].param_count);
  }
  free(s->list);
  *s = (struct signatures){0};
}
