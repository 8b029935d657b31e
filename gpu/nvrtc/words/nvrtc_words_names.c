// SPDX-License-Identifier: Apache-2.0
// When a sentence of nvrtc_words_names.def is sure: what declares a name, and
// where.
#include "gpu/nvrtc/words/nvrtc_look.h"
#include "gpu/nvrtc/words/nvrtc_suggest.h"

// ---- Unknown names ----

// _global_, __Device, shared: one of CUDA's words, its underscores astray.
static bool is_space_word(struct nvrtc_words *w) {
  static const char *const words[] = {"global",   "device",      "host",
                                      "shared",   "constant",    "managed",
                                      "restrict", "forceinline", "noinline"};
  if (!at_word(w))
    return false;
  size_t n = nvrtc_word_bytes(w->spot.at);
  const char *from = w->spot.at, *to = from + n;
  const char *next = behind_word(from);
  while (from < to && *from == '_')
    from++;
  while (to > from && to[-1] == '_')
    to--;
  for (size_t i = 0; i < LENGTH(words); i++)
    if (strlen(words[i]) == (size_t)(to - from) && nvrtc_is_word(*next) &&
        !strncasecmp(words[i], from, (size_t)(to - from))) {
      w->text = xasprintf("__%s__", words[i]);
      return true;
    }
  return false;
}

// Two or more ( and , around a name in a function's head.
static bool is_untyped_parameter(struct nvrtc_words *w) {
  if (!is_in_head(w) || !at_word(w))
    return false;
  const char *next = behind_word(w->spot.at);
  return (is_before(w, '(') || is_before(w, ',')) && strchr(",)", *next);
}

static bool is_template_parameter(struct nvrtc_words *w) {
  const char *p = w->spot.statement;
  if (!at_word(w) || !nvrtc_word_is(p, "template") || *behind_word(p) != '<')
    return false;
  return (is_before(w, '<') || is_before(w, ',')) &&
         strchr(",>", *behind_word(w->spot.at));
}

// Any place where the word looks declared: behind a type, a * or another word.
static bool is_declared_somewhere(const struct nvrtc_words *w) {
  struct nvrtc_declared d;
  return nvrtc_find_declared(w->spot.text, w->spot.at, NULL, &d);
}

static bool is_defined_below(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!at_word(w) ||
      nvrtc_find_declared(w->spot.text, w->spot.at, w->spot.at, &d) ||
      !nvrtc_find_declared(w->spot.text, w->spot.at, NULL, &d))
    return false;
  struct nvrtc_spot s;
  nvrtc_spot_find(w->spot.text, line_of(w, d.name),
                  nvrtc_spot_column(w->spot.text, d.name), &s);
  w->line = line_of(w, d.name);
  return s.braces == 0 && !s.open;
}

struct scope {
  struct nvrtc_declared d;
  struct nvrtc_spot spot; // of the declaration
  int least;              // braces that stayed open between it and the use
};

static bool find_scope(const struct nvrtc_words *w, struct scope *out) {
  if (!at_declared(w, &out->d) || out->d.is_function)
    return false;
  nvrtc_spot_find(w->spot.text, line_of(w, out->d.name),
                  nvrtc_spot_column(w->spot.text, out->d.name), &out->spot);
  int depth = out->spot.braces;
  out->least = depth;
  for (const char *p = out->d.name; p < w->spot.at; p++) {
    depth += (*p == '{') - (*p == '}');
    if (depth < out->least)
      out->least = depth;
  }
  return true;
}

static bool is_in_for(const struct nvrtc_words *w, const struct scope *s) {
  struct nvrtc_words there = *w;
  there.spot = s->spot;
  return for_of(&there) != NULL;
}

static bool is_of_ended_for(struct nvrtc_words *w) {
  struct scope s;
  if (!find_scope(w, &s) || !is_in_for(w, &s) || s.spot.braces == 0 ||
      s.least < s.spot.braces)
    return false;
  w->line = line_of(w, s.d.name);
  return true;
}

static bool is_of_ended_block(struct nvrtc_words *w) {
  struct scope s;
  if (!find_scope(w, &s) || s.spot.open || s.least >= s.spot.braces ||
      s.least == 0)
    return false;
  w->line = line_of(w, s.d.name);
  return true;
}

// A parameter's function ends where the braces do; a variable's, too.
static bool is_of_other_function(struct nvrtc_words *w) {
  struct scope s;
  if (!find_scope(w, &s) || !w->spot.braces || !w->spot.ended ||
      w->spot.ended < s.d.name || (s.spot.braces == 0 && !s.spot.open))
    return false;
  w->line = line_of(w, s.d.name);
  return true;
}

// __shfl_down(v, 1): the call as it is written now.
static bool is_old_shuffle(struct nvrtc_words *w) {
  if (!at_word(w) || !str_starts(w->spot.at, "__shfl"))
    return false;
  size_t n = nvrtc_word_bytes(w->spot.at);
  const char *open = behind_word(w->spot.at);
  const char *end = *open == '(' ? nvrtc_closing(open) : NULL;
  if (!end || memchr(open, '\n', (size_t)(end - open)) ||
      str_ends(w->parts[0], "_sync"))
    return false;
  w->text = xasprintf("%.*s_sync(0xffffffff, %.*s", (int)n, w->spot.at,
                      (int)(end - open), in_source(w, open) + 1);
  return true;
}

static const char *const c_words[] = {
    "if",     "else",   "for",   "while", "do",    "return",   "int",
    "float",  "double", "char",  "bool",  "void",  "unsigned", "const",
    "struct", "switch", "break", "true",  "false", "static",   "continue"};

static bool is_other_case(struct nvrtc_words *w) {
  if (!at_word(w) || is_declared_somewhere(w))
    return false;
  size_t n = nvrtc_word_bytes(w->spot.at);
  for (size_t i = 0; i < LENGTH(c_words); i++)
    if (strlen(c_words[i]) == n && strncmp(w->spot.at, c_words[i], n) &&
        !strncasecmp(w->spot.at, c_words[i], n)) {
      w->text = xstrdup(c_words[i]);
      return strcmp(c_words[i], "true") && strcmp(c_words[i], "false");
    }
  return false;
}

static bool is_known_name(struct nvrtc_words *w) {
  static const struct {
    const char *name, *sentence;
  } names[] = {
#define UNKNOWN(name, sentence) {name, sentence},
#include "gpu/nvrtc/words/nvrtc_unknown.def"
#undef UNKNOWN
  };
  struct nvrtc_declared d;
  if (!w->spot.at || nvrtc_find_declared(w->spot.text, w->spot.at, NULL, &d))
    return false;
  for (size_t i = 0; i < LENGTH(names); i++) {
    size_t n = strlen(names[i].name);
    bool is_stem = names[i].name[n - 1] == '*';
    if (is_stem ? strncmp(w->parts[0], names[i].name, n - 1)
                : strcmp(w->parts[0], names[i].name))
      continue;
    w->text = xstrdup(names[i].sentence);
    return true;
  }
  return false;
}

static bool is_loop_counter(struct nvrtc_words *w) {
  return at_word(w) && for_of(w) && is_before(w, '(') &&
         *behind_word(w->spot.at) == '=' && behind_word(w->spot.at)[1] != '=';
}

static bool is_near_name(struct nvrtc_words *w) {
  w->text = nvrtc_suggest(w->parts[0], w->source);
  return w->text != NULL;
}

static bool is_unknown_call(struct nvrtc_words *w) {
  return at_word(w) && w->spot.braces && *behind_word(w->spot.at) == '(' &&
         w->spot.at != w->spot.statement && !is_declared_somewhere(w);
}

// TILE: a name of capitals is a constant's.
static bool is_constant(struct nvrtc_words *w) {
  const char *p = w->parts[0];
  for (; *p; p++)
    if (!isupper((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
      return false;
  return p - w->parts[0] > 1 && at_word(w) && w->spot.braces &&
         *behind_word(w->spot.at) != '(' && !is_declared_somewhere(w);
}

static bool is_assigned(struct nvrtc_words *w) {
  const char *next = at_word(w) ? behind_word(w->spot.at) : "";
  return w->spot.braces && w->spot.at == w->spot.statement && *next == '=' &&
         next[1] != '=' && !is_declared_somewhere(w);
}

static bool is_declared_above(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!at_declared(w, &d) || d.is_array || d.is_pointer)
    return false;
  w->line = line_of(w, d.name);
  return *behind_word(w->spot.at) == '=';
}

static bool is_second_parameter(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!is_declared_above(w) || !at_declared(w, &d))
    return false;
  struct nvrtc_spot s;
  nvrtc_spot_find(w->spot.text, line_of(w, d.name),
                  nvrtc_spot_column(w->spot.text, d.name), &s);
  return s.braces == 0 && s.open && *s.open == '(';
}

// ---- threadIdx, vectors ----

// One without its part, in the statement.
static bool is_bare_built_in(struct nvrtc_words *w) {
  if (!w->spot.at ||
      (!strstr(w->d->text, "uint3") && !strstr(w->d->text, "dim3")))
    return false;
  for (const char *p = w->spot.statement; *p && !strchr(";{}", *p);) {
    size_t n = nvrtc_word_bytes(p);
    if (n && is_one_of(p, built_ins, LENGTH(built_ins)) &&
        !strchr(".-", *behind_word(p)))
      return set_word(w, p);
    p += n ? n : 1;
  }
  return false;
}

static const char *vector_name(const char *type) {
  type += str_starts(type, "const ") ? 6 : 0;
  size_t n = nvrtc_word_bytes(type);
  bool ends = n && strchr("1234", type[n - 1]) && nvrtc_starts_type(type) &&
              strncmp(type + n - 3, "t32", 3) != 0;
  return ends ? type : NULL;
}

static bool is_vector_class(struct nvrtc_words *w) {
  static const char *const parts[] = {".x", ".x and .y", ".x, .y and .z",
                                      ".x, .y, .z and .w"};
  const char *name = vector_name(w->parts[0]);
  size_t n = name ? nvrtc_word_bytes(name) : 0;
  if (!n || name[n])
    return false;
  char *plain = xstrdup(name);
  free(w->parts[0]);
  w->parts[0] = plain;
  w->text = xstrdup(parts[plain[n - 1] - '1']);
  return true;
}

static bool is_vector_operator(struct nvrtc_words *w) {
  const char *types = w->parts[1], *name = vector_name(types);
  if (!strchr("+-*/", w->parts[0][0]) || w->parts[0][1])
    return false;
  if (!name) {
    const char *gap = strrchr(types, ' ');
    name = gap ? vector_name(gap + 1) : NULL;
  }
  return name && set_word(w, name);
}

static bool is_vector_made(struct nvrtc_words *w) {
  const char *name = vector_name(w->parts[1]);
  return name && !name[nvrtc_word_bytes(name)];
}

// ---- Outside of functions ----

// A statement where only declarations can stand, behind a function's end.
static bool is_outside(struct nvrtc_words *w) {
  if (!at_word(w) || w->spot.braces || !w->spot.ended ||
      w->spot.statement != w->spot.at)
    return false;
  const char *next = behind_word(w->spot.at);
  bool is_call = *next == '(' && nvrtc_closing(next) &&
                 *skip_blanks(nvrtc_closing(next) + 1) == ';';
  w->line = line_of(w, w->spot.ended);
  return is_call || strchr("[=.", *next) || str_starts(next, "+=") ||
         str_starts(next, "-=") || str_starts(next, "*=") ||
         str_starts(next, "++");
}

// c<<<1, 32>>>(x); as a line of Lua.
static bool is_launch(struct nvrtc_words *w) {
  const char *p = at_word(w) ? behind_word(w->spot.at) : "";
  const char *end = str_starts(p, "<<<") ? strstr(p, ">>>") : NULL;
  const char *open = end ? skip_blanks(end + 3) : "";
  const char *close = *open == '(' ? nvrtc_closing(open) : NULL;
  if (!close || memchr(p, '\n', (size_t)(close - p)))
    return false;
  w->text = xasprintf("%.*s[{%.*s}]%.*s", (int)nvrtc_word_bytes(w->spot.at),
                      w->spot.at, (int)(end - p - 3), p + 3,
                      (int)(close + 1 - open), open);
  return true;
}

static bool is_void_function(struct nvrtc_words *w) {
  const char *type = word_before(w);
  return type && nvrtc_word_is(type, "void");
}

static bool is_main(struct nvrtc_words *w) {
  return at_word(w) && nvrtc_word_is(w->spot.at, "main");
}

// The only error of its line: beside others it is their consequence.
static bool is_alone(struct nvrtc_words *w) {
  int n = 0;
  for (int i = 0; i < w->count; i++)
    n += w->all[i].severity == NVRTC_ERROR && w->all[i].line == w->d->line &&
         !strcmp(w->all[i].file, w->d->file);
  return n == 1;
}

static bool uses_thread(struct nvrtc_words *w) {
  const char *end = w->spot.at ? w->spot.at + strcspn(w->spot.at, ";") : NULL;
  for (size_t i = 0; end && i < LENGTH(built_ins); i++) {
    const char *p = strstr(w->spot.at, built_ins[i]);
    if (p && p < end)
      return set_word(w, p);
  }
  return false;
}

static bool is_function_inside_head(struct nvrtc_words *w) {
  return w->spot.at && w->spot.braces > 0;
}

static bool is_shared_without_type(struct nvrtc_words *w) {
  const char *p = w->spot.at ? w->spot.statement : "";
  p = nvrtc_word_is(p, "extern") ? behind_word(p) : p;
  if (!nvrtc_word_is(p, "__shared__"))
    return false;
  const char *name = behind_word(p);
  return nvrtc_is_word(*name) && !nvrtc_starts_type(name) &&
         strchr("[;=", *behind_word(name)) && set_word(w, name);
}

// ---- Slips ----

// kernel or __kernel__ in front of a function's head.
static bool is_kernel_word(struct nvrtc_words *w) {
  static const char *const words[] = {"kernel", "__kernel", "__kernel__"};
  return at_word(w) && is_one_of(w->spot.at, words, LENGTH(words)) &&
         nvrtc_is_word(*behind_word(w->spot.at));
}

// __gloabl__
static bool is_near_space(struct nvrtc_words *w) {
  static const char *const words[] = {"__global__", "__device__", "__shared__",
                                      "__constant__"};
  if (!at_word(w) || *w->spot.at != '_' ||
      !nvrtc_is_word(*behind_word(w->spot.at)))
    return false;
  char *own = xstrndup(w->spot.at, nvrtc_word_bytes(w->spot.at));
  struct nearest n = nearest_to(own);
  for (size_t i = 0; i < LENGTH(words); i++)
    nearest_try(&n, words[i], strlen(words[i]));
  w->text = n.name ? xstrdup(n.name) : NULL;
  free(own);
  return w->text != NULL;
}

// The v of std::vector<float> v(10).
static bool is_vector_variable(struct nvrtc_words *w) {
  const char *last = before(w);
  return last && *last == '>' && at_word(w) &&
         str_starts(w->spot.statement, "std::vector<");
}

// A name of the same function, but for its capital letters.
static bool is_declared_otherwise(struct nvrtc_words *w) {
  if (!at_word(w))
    return false;
  for (int is_upper = 0; is_upper < 2; is_upper++) {
    struct nvrtc_declared d;
    char *name = xstrndup(w->spot.at, nvrtc_word_bytes(w->spot.at));
    for (char *c = name; *c; c++)
      *c = (char)(is_upper ? toupper((unsigned char)*c)
                           : tolower((unsigned char)*c));
    if (strcmp(name, w->parts[0]) &&
        nvrtc_find_declared(w->spot.text, name, w->spot.at, &d)) {
      w->text = name;
      return true;
    }
    free(name);
  }
  return false;
}

// A function inside of a struct's braces.
static bool is_of_structure(struct nvrtc_words *w) {
  const char *stack[32];
  int n = 0;
  for (const char *p = w->spot.text; w->spot.at && p < w->spot.at; p++) {
    if (*p == '{' && n < 32)
      stack[n++] = p;
    else if (*p == '}' && n)
      n--;
  }
  if (!n)
    return false;
  const char *head = stack[n - 1];
  while (head > w->spot.text && !strchr(";{}", head[-1]))
    head--;
  head = skip_blanks(head);
  return nvrtc_word_is(head, "struct") || nvrtc_word_is(head, "class");
}

// std::sqrt, whose plain name CUDA has by itself.
static bool is_plain_function(struct nvrtc_words *w) {
  static const char *const names[] = {
      "abs",   "fabs", "sqrt",  "cbrt", "exp",   "exp2",  "log",  "log2",
      "log10", "pow",  "sin",   "cos",  "tan",   "atan2", "tanh", "fmin",
      "fmax",  "fma",  "floor", "ceil", "round", "hypot", "fmod", "size_t"};
  for (size_t i = 0; i < LENGTH(names); i++)
    if (!strcmp(names[i], w->parts[0]))
      return true;
  return false;
}

// cg::this_thread_block(), and the line that gives cg its meaning.
static bool is_of_groups(struct nvrtc_words *w) {
  return at_word(w) && (nvrtc_word_is(w->spot.at, "cg") ||
                        nvrtc_word_is(w->spot.at, "cooperative_groups"));
}

// ---- The table ----

static const struct nvrtc_words_row rows[] = {
#define WORDS(message, condition, text, sentence)                              \
  {message, condition, text, sentence},
#include "gpu/nvrtc/words/nvrtc_words_names.def"
#undef WORDS
};
const struct nvrtc_words_table nvrtc_words_names = {rows, LENGTH(rows)};
